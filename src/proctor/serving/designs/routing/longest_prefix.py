"""Routing to the longest cached prefix."""

from typing import Any


class Router:
    def choose(self, replicas: list[Any], request: Any, now: int) -> int:
        """Longest cached prefix of the prompt, then fewest calls, then fewest queued prompt tokens."""

        def rank(r: Any) -> tuple[int, ...]:
            cached = r.cached_tokens(request.keys, request.prompt_tokens)
            return -cached, r.active(), r.queued_tokens(), r.index

        return min(replicas, key=rank).index
