"""Evict what was used least often; among equals, what was used least recently."""


def victim(entries):
    return min(entries, key=lambda entry: (entry.uses, entry.last_used))
