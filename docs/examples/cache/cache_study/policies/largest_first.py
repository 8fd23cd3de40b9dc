"""Evict the largest object; among equals, what was used least recently."""


def victim(entries):
    return min(entries, key=lambda entry: (-entry.kib, entry.last_used))
