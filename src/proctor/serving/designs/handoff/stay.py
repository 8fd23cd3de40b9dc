"""Decode where the prefill ran."""

from typing import Any


class Placement:
    def choose(self, replicas: list[Any], source: int) -> int:
        """The prefill replica itself; nothing moves."""
        return source
