"""A cache of whole objects, which may be of different sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Victim = Callable[[Sequence["Entry"]], "Entry"]


@dataclass
class Entry:
    """An object in the cache: the request that used it last, by number, and how many used it since it came."""

    object: str
    kib: int
    last_used: int
    uses: int
    dirty: bool


class Cache:
    """Objects by name. `victim` is the policy: it chooses one of the entries to evict."""

    def __init__(self, capacity_kib: int, victim: Victim) -> None:
        self.capacity_kib = capacity_kib
        self.victim = victim
        self.entries: dict[str, Entry] = {}
        self.used_kib = 0

    def use(self, name: str, number: int, dirty: bool) -> bool:
        """Note that request `number` uses an object; returns whether the cache has it."""
        entry = self.entries.get(name)
        if entry is None:
            return False
        entry.last_used, entry.uses, entry.dirty = number, entry.uses + 1, entry.dirty or dirty
        return True

    def add(self, name: str, kib: int, number: int, dirty: bool) -> list[Entry]:
        """Put an object in; returns what was evicted to make room, in that order."""
        evicted = []
        while self.used_kib + kib > self.capacity_kib:
            entry = self.victim(list(self.entries.values()))
            self.used_kib -= self.entries.pop(entry.object).kib
            evicted.append(entry)
        self.entries[name] = Entry(name, kib, number, 1, dirty)
        self.used_kib += kib
        return evicted
