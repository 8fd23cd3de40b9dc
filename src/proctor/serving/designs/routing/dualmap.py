"""Routing to one of two replicas that the prompt prefix maps to."""

from typing import Any

TARGET_NS = 600_000_000


class Router:
    def choose(self, replicas: list[Any], request: Any, now: int) -> int:
        """The one with more cached reuse if it meets the target, else the one that is predicted to be faster."""
        first, second = self.candidates(request.prefix, len(replicas))
        pair = [replicas[first], replicas[second]]
        predicted = {r.index: self.predict(r, request) for r in pair}
        reuse = max(pair, key=lambda r: (self.cached(r, request), -predicted[r.index]))
        if predicted[reuse.index] <= TARGET_NS:
            return reuse.index
        return min(pair, key=lambda r: predicted[r.index]).index

    def candidates(self, prefix: str, count: int) -> tuple[int, int]:
        """Two different replicas, from the sum of the character codes of the prefix name."""
        code = sum(prefix.encode())
        if count == 1:
            return 0, 0
        return code % count, (code + 1 + code // count % (count - 1)) % count

    def cached(self, replica: Any, request: Any) -> int:
        return replica.cached_tokens(request.keys, request.prompt_tokens)

    def predict(self, replica: Any, request: Any) -> int:
        """Time to prefill what is queued and this request, in full steps without cached context."""
        tokens = replica.queued_tokens() + request.prompt_tokens - self.cached(replica, request)
        full, rest = divmod(tokens, replica.max_tokens)
        time = full * replica.costs.step([(replica.max_tokens, 0)]) if full else 0
        return time + (replica.costs.step([(rest, 0)]) if rest else 0)
