"""Evict what need not be written back, least recently used first; if there is none, what was used least recently."""


def victim(entries):
    return min(entries, key=lambda entry: (entry.dirty, entry.last_used))
