"""Decode on the remote replica with the fewest active calls."""

from typing import Any


class Placement:
    def choose(self, replicas: list[Any], source: int) -> int:
        """Fewest waiting and running calls, then lowest index; calls on their way are not counted."""
        remote = [r for r in replicas if r.index != source]
        return min(remote, key=lambda r: (r.active(), r.index)).index if remote else source
