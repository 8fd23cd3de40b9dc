"""Serve the requests of a workload one after another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .cache import Cache, Entry, Victim
from .store import Store


@dataclass(frozen=True)
class Served:
    """What became of one request."""

    request: Mapping[str, Any]
    hit: bool
    evicted: tuple[Entry, ...]
    ns: int


def simulate(capacity_kib: int, store: Store, requests: Iterable[Mapping[str, Any]], victim: Victim) -> list[Served]:
    """The requests in their order. A cache starts empty; a put replaces an object, so that nothing need be read."""
    cache = Cache(capacity_kib, victim)
    served = []
    for number, request in enumerate(requests):
        name, kib, put = request["object"], request["kib"], request["op"] == "put"
        if cache.use(name, number, put):
            served.append(Served(request, True, (), store.hit_ns))
            continue
        evicted = cache.add(name, kib, number, put)
        read = 0 if put else store.read(kib)
        written = sum(store.write(entry.kib) for entry in evicted if entry.dirty)
        served.append(Served(request, False, tuple(evicted), store.hit_ns + read + written))
    return served


def summary(served: Iterable[Served]) -> dict[str, int]:
    """Total time in ns, and the hits."""
    rows = list(served)
    return {"total_ns": sum(row.ns for row in rows), "hits": sum(row.hit for row in rows)}
