"""Decode on the neighbour of the prefill replica."""

from typing import Any


class Placement:
    def choose(self, replicas: list[Any], source: int) -> int:
        """The replica with the next higher index, after the last one the first."""
        return (source + 1) % len(replicas)
