"""Step costs of one replica, in integer nanoseconds."""

import csv
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence


def lerp(y0: int, y1: int, part: int, whole: int) -> int:
    """A value between two neighbouring ones, at distance part out of whole."""
    return y0 + (y1 - y0) * part // whole


def locate(axis: Sequence[int], x: int) -> int:
    """Index of the last axis point that does not exceed x."""
    return max(bisect_right(axis, x) - 1, 0)


def between(axis: Sequence[int], values: Sequence[int], x: int) -> int:
    """Value at x, given one value per point of the axis."""
    i = min(locate(axis, x), len(axis) - 2)
    return lerp(values[i], values[i + 1], x - axis[i], axis[i + 1] - axis[i])


def read_rows(text: str) -> list[list[str]]:
    return list(csv.reader(text.splitlines()))


class Memo(dict[tuple[int, int], int]):
    """Remembers the values of a function of two numbers."""

    def __init__(self, function: Callable[[int, int], int]) -> None:
        super().__init__()
        self.function = function

    def __missing__(self, key: tuple[int, int]) -> int:
        value = self[key] = self.function(*key)
        return value


class CostTable:
    """Look-ups in the tables of a cost-parameters folder."""

    def __init__(self, files: Mapping[str, str]) -> None:
        """files: the text of attention.csv, linear.csv, head.csv and constants.csv by name."""
        constants = dict(read_rows(files["constants.csv"])[1:])
        self.layers = int(constants["layers"])
        self.launch = int(constants["launch_ns"])
        self.host = int(constants["host_ns"])
        table = read_rows(files["attention.csv"])
        self.kvs = [int(x) for x in table[0][1:]]
        rows = {row[0]: [int(x) for x in row[1:]] for row in table[1:]}
        decode, mixed_decode = rows.pop("1"), rows.pop("1+")
        self.queries = [1, *(int(q) for q in rows)]
        self.rows = [decode, *rows.values()]
        self.mixed_rows = [mixed_decode, *rows.values()]
        linear = read_rows(files["linear.csv"])[1:]
        if [int(row[0]) for row in linear] != self.queries:
            raise ValueError("linear.csv: the query axis must be that of attention.csv")
        self.linear_ns = [int(row[1]) for row in linear]
        head = read_rows(files["head.csv"])[1:]
        self.counts = [int(row[0]) for row in head]
        self.head_ns = [int(row[1]) for row in head]
        self.known = Memo(lambda q, kv: self.attention(self.rows, q, kv))
        self.known_mixed = Memo(lambda q, kv: self.attention(self.mixed_rows, q, kv))

    def along_query(self, values: Sequence[int], q: int) -> int:
        """Value for q query tokens, given one value per point of the query axis."""
        return between(self.queries, values, q)

    def along_kv(self, values: Sequence[int], kv: int) -> int:
        """Value for kv cached tokens, given one value per point of the KV axis."""
        return between(self.kvs, values, kv)

    def look_up(self, rows: Sequence[Sequence[int]], q: int, kv: int) -> int:
        return self.along_query([self.along_kv(row, kv) for row in rows], q)

    def attention(self, rows: Sequence[Sequence[int]], q: int, kv: int) -> int:
        """Attention of one request in one layer."""
        return self.look_up(rows, q, kv)

    def linear(self, q: int) -> int:
        """Everything that depends on the query tokens of the step, all layers."""
        return self.along_query(self.linear_ns, q)

    def head(self, n: int) -> int:
        """Output head and sampling for a step of n requests."""
        return between(self.counts, self.head_ns, n)

    def step(self, batch: Sequence[tuple[int, int]]) -> int:
        """Duration of a step; batch holds (query tokens, cached tokens) of each request."""
        mixed = any(q > 1 for q, kv in batch)
        known = self.known_mixed if mixed else self.known
        tokens = sum(q for q, kv in batch)
        attention = sum(known[item] for item in batch)
        return self.linear(tokens) + self.head(len(batch)) + self.layers * (self.launch + attention) + self.host
