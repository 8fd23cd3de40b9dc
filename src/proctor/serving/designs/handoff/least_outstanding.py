"""Decode on the remote replica with the fewest active and arriving calls."""

from typing import Any


class Placement:
    def choose(self, replicas: list[Any], source: int) -> int:
        """Fewest waiting, running and arriving calls, then lowest index."""
        remote = [r for r in replicas if r.index != source]
        return min(remote, key=lambda r: (r.active() + r.inbound, r.index)).index if remote else source
