"""Rows that figures draw: flat dicts of plain values, one per row of a table of numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proctor.report.numbers import Number, NumberTable, Row

Flat = dict[str, Any]
DIGITS = 3


@dataclass(frozen=True, slots=True)
class Names:
    """How a figure calls a row: by its model; by the suite too where several suites were asked."""

    suites: tuple[str, ...]

    @classmethod
    def of(cls, tables: Iterable[NumberTable]) -> Names:
        rows = [(table.labels, row) for table in tables for row in table.rows]
        asked = {row.labels[0] for labels, row in rows if labels[:1] == ("suite",) and row.source == "measured"}
        return cls(tuple(sorted(asked)))

    def who(self, suite: str, model: str, source: str) -> str:
        if source == "published":
            return f"{model} (paper)"
        return f"{model}, {suite}" if len(self.suites) > 1 else model


def flat(table: NumberTable | None, names: Names) -> list[Flat]:
    """One dict per row: its labels by name, `who`, `source`, and for each number `NAME`, `NAME_low`, `NAME_high` and
    `NAME_n`; what is undefined is left out. The first two labels must be suite and model. None gives no rows.
    """
    if table is None:
        return []
    return [_flat(table.labels, row, names) for row in table.rows]


def _flat(labels: Sequence[str], row: Row, names: Names) -> Flat:
    named: Flat = dict(zip(labels, row.labels, strict=True))
    named |= {"who": names.who(row.labels[0], row.labels[1], row.source), "source": row.source}
    for name, number in row.numbers.items():
        named |= _values(name, number)
    return named


def _values(name: str, number: Number) -> Flat:
    if not math.isfinite(number.estimate):
        return {}
    found: Flat = {name: rounded(number.estimate)}
    if number.bounded:
        found |= {f"{name}_low": rounded(number.low), f"{name}_high": rounded(number.high)}
    return found if number.n is None else {**found, f"{name}_n": number.n}


def rounded(value: float) -> float:
    """Far finer than a pixel, and short in a file; never minus zero."""
    return round(value, DIGITS) + 0.0


def interval(row: Mapping[str, Any], name: str) -> Flat:
    """`low` and `high` of a number where it has them, and `interval`, which says so in words."""
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    if low is None or high is None:
        return {"interval": "none"}
    return {"low": low, "high": high, "interval": f"{low:.1f} to {high:.1f}"}


def shares(row: Mapping[str, Any], name: str) -> Flat:
    """A count and its bounds as percentages of `NAME_n`; empty where there is no whole."""
    n = row.get(f"{name}_n")
    if not n or name not in row:
        return {}
    return {key: rounded(100 * row[key] / n) for key in (name, f"{name}_low", f"{name}_high") if key in row}


def whos(rows: Iterable[Flat]) -> list[str]:
    """Names in the order of the rows, each once: measured models first, then rules, then published models."""
    place = {"measured": 0, "computed": 1, "published": 2}
    return list(dict.fromkeys(row["who"] for row in sorted(rows, key=lambda row: place[row["source"]])))
