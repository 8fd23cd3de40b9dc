"""What the cache and the store behind it take, in nanoseconds."""

from __future__ import annotations


class Store:
    """Times from the rows `name,ns` of a table."""

    def __init__(self, table: str) -> None:
        rows = dict(line.split(",") for line in table.split()[1:])
        self.hit_ns = int(rows["hit"])
        self.access_ns = int(rows["access"])
        self.read_ns_per_kib = int(rows["read_per_kib"])
        self.write_ns_per_kib = int(rows["write_per_kib"])

    def read(self, kib: int) -> int:
        """Read an object of that size."""
        return self.access_ns + kib * self.read_ns_per_kib

    def write(self, kib: int) -> int:
        """Write an object of that size."""
        return self.access_ns + kib * self.write_ns_per_kib
