"""A simulator of a cache in front of a slow store."""
