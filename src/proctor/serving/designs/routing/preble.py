"""Routing by recent load, prompt tokens to prefill and the cost of eviction."""

from collections import Counter, deque
from typing import Any

BLOCK = 16
WINDOW_NS = 3 * 10**9


class Router:
    def __init__(self) -> None:
        self.recent: dict[int, deque[tuple[int, int, tuple[int, ...]]]] = {}  # replica -> (time, tokens, keys)
        self.load: Counter[int] = Counter()  # replica -> tokens assigned within the window
        self.uses: Counter[tuple[int, int]] = Counter()  # (replica, key) -> requests within the window

    def choose(self, replicas: list[Any], request: Any, now: int) -> int:
        """Lowest load + prefill + eviction; a reuse of more than half of the prompt leaves only those that have it."""
        cached = {r.index: r.cached_tokens(request.keys, request.prompt_tokens) for r in replicas}
        best = max(cached.values())
        if 2 * best > request.prompt_tokens:
            replicas = [r for r in replicas if cached[r.index] == best]
        for r in replicas:
            self.expire(r.index, now)

        def score(r: Any) -> tuple[int, int]:
            prefill = request.prompt_tokens - cached[r.index]
            return self.load[r.index] + prefill + self.eviction(r, request, cached[r.index]), r.index

        chosen = min(replicas, key=score).index
        self.remember(chosen, now, request, request.prompt_tokens - cached[chosen] + request.output_tokens)
        return chosen

    def eviction(self, replica: Any, request: Any, cached: int) -> int:
        """Tokens of the blocks next in line to be lost, reused ones left out, times the recent requests with them."""
        need = -(-(request.prompt_tokens + request.output_tokens - cached) // BLOCK)
        reused = set(request.keys[: cached // BLOCK])
        lost = [key for key in replica.pool.next_taken(need) if key not in reused]
        return BLOCK * sum(self.uses[replica.index, key] for key in lost)

    def remember(self, index: int, now: int, request: Any, tokens: int) -> None:
        keys = request.keys[: request.prompt_tokens // BLOCK]
        self.recent.setdefault(index, deque()).append((now, tokens, keys))
        self.load[index] += tokens
        self.uses.update((index, key) for key in keys)

    def expire(self, index: int, now: int) -> None:
        recent = self.recent.get(index, deque())
        while recent and recent[0][0] < now - WINDOW_NS:
            _, tokens, keys = recent.popleft()
            self.load[index] -= tokens
            self.uses.subtract((index, key) for key in keys)
