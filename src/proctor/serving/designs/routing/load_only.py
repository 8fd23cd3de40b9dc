"""Routing by load alone."""

from typing import Any


class Router:
    def choose(self, replicas: list[Any], request: Any, now: int) -> int:
        """Fewest waiting and running calls, then fewest queued prompt tokens."""
        return min(replicas, key=lambda r: (r.active(), r.queued_tokens(), r.index)).index
