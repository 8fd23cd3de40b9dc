"""Transfers of KV state between replicas."""

from collections.abc import Hashable


class Network:
    """Links carry one transfer after another, each at the full rate."""

    def __init__(self, bytes_per_s: int) -> None:
        self.bytes_per_s = bytes_per_s
        self.free_at: dict[Hashable, int] = {}

    def link(self, source: int, destination: int) -> Hashable:
        """What a transfer from source to destination queues on."""
        return source

    def send(self, source: int, destination: int, size: int, now: int) -> int:
        """Queue a transfer of size bytes; returns the time at which all of it has arrived."""
        link = self.link(source, destination)
        start = max(now, self.free_at.get(link, 0))
        self.free_at[link] = start + size * 10**9 // self.bytes_per_s
        return self.free_at[link]
