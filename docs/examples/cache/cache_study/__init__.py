"""A small simulator of a cache in front of a slow store, as a domain of proctor (docs/simulators.md explains it)."""
