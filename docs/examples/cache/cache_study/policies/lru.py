"""Evict what was used least recently."""


def victim(entries):
    return min(entries, key=lambda entry: entry.last_used)
