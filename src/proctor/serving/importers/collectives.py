"""Ring collectives between `n` GPUs over equal links."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Link:
    """One link between two GPUs."""

    bytes_per_s: int = 16 << 30
    latency_ns: int = 20_000

    def hop_ns(self, size: int) -> int:
        """Sends `size` bytes once."""
        return self.latency_ns + size * 10**9 // self.bytes_per_s


def all_reduce_ns(n: int, size: int, link: Link) -> int:
    """Sums a buffer of `size` bytes that every GPU holds: 2 (n - 1) hops of `size / n` bytes."""
    return 2 * (n - 1) * link.hop_ns(size // n)


def all_gather_ns(n: int, chunk: int, link: Link) -> int:
    """Gives every GPU the `chunk` bytes of each other one: n - 1 hops of `chunk` bytes."""
    return (n - 1) * link.hop_ns(chunk)


def reduce_scatter_ns(n: int, size: int, link: Link) -> int:
    """Sums a buffer of `size` bytes and leaves each GPU one n-th: n - 1 hops of `size / n` bytes."""
    return (n - 1) * link.hop_ns(size // n)
