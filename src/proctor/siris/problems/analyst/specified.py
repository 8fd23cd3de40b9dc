"""What system-description.md specifies, written anew: interpolation, step cost, network interfaces, prefix credit, p95.

Nothing here comes from the simulator, so that a simulator can be held against it.
"""

from __future__ import annotations

import csv
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any

BLOCK = 16


def on_line(y0: int, y1: int, part: int, whole: int) -> int:
    """The point at part / whole of the way from y0 to y1, without its fraction."""
    return (y0 * (whole - part) + y1 * part) // whole


def at(axis: Sequence[int], values: Sequence[int], x: int) -> int:
    """The piecewise linear function through (axis, values) at x; the last piece goes on beyond the last point."""
    right = min(max(bisect_right(axis, x), 1), len(axis) - 1)
    left = right - 1
    return on_line(values[left], values[right], x - axis[left], axis[right] - axis[left])


class StepCost:
    """Durations of steps in ns, from the texts of a cost-parameters folder by file name."""

    def __init__(self, files: Mapping[str, str]) -> None:
        grid = _rows(files["attention.csv"])
        by_query = {row[0]: [int(cell) for cell in row[1:]] for row in grid[1:]}
        self.kv_axis = [int(cell) for cell in grid[0][1:]]
        chunks = [query for query in by_query if query not in ("1", "1+")]
        self.query_axis = [1, *map(int, chunks)]
        self.decodes_only = [by_query[query] for query in ("1", *chunks)]
        self.with_chunk = [by_query[query] for query in ("1+", *chunks)]
        self.linear_axis, self.linear_values = _columns(files["linear.csv"])
        self.head_axis, self.head_values = _columns(files["head.csv"])
        constants = {name: int(value) for name, value in _rows(files["constants.csv"])[1:]}
        self.layers, self.launch, self.host = (constants[name] for name in ("layers", "launch_ns", "host_ns"))

    def along_kv(self, values: Sequence[int], kv: int) -> int:
        return at(self.kv_axis, values, kv)

    def along_query(self, values: Sequence[int], q: int) -> int:
        return at(self.query_axis, values, q)

    def attention(self, rows: Sequence[Sequence[int]], q: int, kv: int) -> int:
        """Bilinear: along the KV axis in every row, then along the query axis."""
        return self.along_query([self.along_kv(row, kv) for row in rows], q)

    def linear(self, q: int) -> int:
        return at(self.linear_axis, self.linear_values, q)

    def head(self, n: int) -> int:
        return at(self.head_axis, self.head_values, n)

    def step(self, batch: Sequence[tuple[int, int]]) -> int:
        """batch: (query tokens, cached tokens) of every request of the step."""
        rows = self.with_chunk if any(q >= 2 for q, _ in batch) else self.decodes_only
        attention = sum(self.attention(rows, q, kv) for q, kv in batch)
        queries = sum(q for q, _ in batch)
        return self.linear(queries) + self.head(len(batch)) + self.layers * (self.launch + attention) + self.host


class Interfaces:
    """One network interface per GPU: what a GPU sends leaves one after another, whatever the destination."""

    def __init__(self, bytes_per_s: int) -> None:
        self.bytes_per_s = bytes_per_s
        self.busy_until: defaultdict[int, int] = defaultdict(int)

    def send(self, source: int, destination: int, size: int, now: int) -> int:  # noqa: ARG002 - it does not matter
        """The time at which a transfer that starts now has arrived."""
        begin = max(now, self.busy_until[source])
        self.busy_until[source] = begin + size * 1_000_000_000 // self.bytes_per_s
        return self.busy_until[source]


def credit(replica: Any, call: Any) -> int:
    """Tokens that a call need not compute: its longest present prefix in whole blocks, at least one token left."""
    present = sum(1 for _ in takewhile(lambda key: replica.pool.match([key]) == 1, call.keys))
    most: int = (call.reached - 1) // BLOCK
    return BLOCK * min(present, most)


def p95(calls: Iterable[Any], metric: str) -> int:
    """Nearest rank, in ns, over the measured requests: of n sorted values the one at rank ceil(0.95 n)."""
    end = "first_ns" if metric == "ttft" else "end_ns"
    values: list[int] = sorted(getattr(call, end) - call.request.arrival_ns for call in calls if call.request.measured)
    return values[(95 * len(values) + 99) // 100 - 1]


def _rows(text: str) -> list[list[str]]:
    return [row for row in csv.reader(text.splitlines()) if row]


def _columns(text: str) -> tuple[list[int], list[int]]:
    """Axis and values of a table with a header and two columns."""
    rows = _rows(text)[1:]
    return [int(row[0]) for row in rows], [int(row[1]) for row in rows]
