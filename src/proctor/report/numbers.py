"""Tables of numbers: what is printed, written to files, drawn and put into JSON comes from these, unrounded."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from proctor.report.render import Table
from proctor.stats import Interval

Unit = Literal["count", "%", "points", "p", "ratio"]
Source = Literal["measured", "computed", "published"]


@dataclass(frozen=True, slots=True)
class Number:
    """A number with the bounds of its 95 % interval, NaN where it has none, and `n`, what it is out of.

    Units: `count`; `%`; `points`, percentage points that may be negative; `p`, a p-value; `ratio`, a bare factor.
    """

    estimate: float
    low: float = math.nan
    high: float = math.nan
    n: int | None = None
    unit: Unit = "%"
    method: str = "none"

    @classmethod
    def of(cls, interval: Interval | None, n: int | None = None, unit: Unit = "%") -> Number:
        """From an interval in percent or points; NaN from None."""
        if interval is None:
            return cls(math.nan, n=n, unit=unit)
        method = interval.method if math.isfinite(interval.low) else "none"
        return cls(interval.estimate, interval.low, interval.high, n, unit, method)

    @classmethod
    def count_of(cls, interval: Interval | None, n: int) -> Number:
        """A count out of n, from the interval of its share in percent."""
        share = cls.of(interval, n, "count")
        estimate, low, high = (x * n / 100 for x in (share.estimate, share.low, share.high))
        # The share came from a whole count and is one again.
        return cls(float(round(estimate)) if math.isfinite(estimate) else estimate, low, high, n, "count", share.method)

    @property
    def bounded(self) -> bool:
        return math.isfinite(self.low) and math.isfinite(self.high)


@dataclass(frozen=True, slots=True)
class Row:
    """`labels` name the row, in the order of the table's label columns; `numbers` by column, absent ones left out.

    `source`: measured from logs; computed, exactly, from a rule; or published in the paper. `remark` says in words what
    the numbers come to.
    """

    labels: tuple[str, ...]
    numbers: Mapping[str, Number]
    source: Source = "measured"
    remark: str = ""


class Column(NamedTuple):
    """`bounds` says whether the printed table shows the interval; files always hold it."""

    name: str
    header: str
    bounds: bool = True


@dataclass(frozen=True, slots=True)
class NumberTable:
    """One table. `name` is stable and names files; `paper` is the paper's table number; `remark` heads the remarks."""

    name: str
    title: str
    labels: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    paper: int | None = None
    remark: str = ""
    hidden: frozenset[str] = field(default=frozenset())
    """Label columns that do not tell rows apart: files have them, the printed table does not."""

    def long(self) -> list[dict[str, Any]]:
        """One dict per number: labels, source, quantity, estimate, low, high, n, unit, method, remark. NaN is None."""
        return [
            {
                **dict(zip(self.labels, row.labels, strict=True)),
                "source": row.source,
                "quantity": name,
                "estimate": defined(number.estimate),
                "low": defined(number.low),
                "high": defined(number.high),
                "n": number.n,
                "unit": number.unit,
                "method": number.method,
                "remark": row.remark,
            }
            for row in self.rows
            for name, number in row.numbers.items()
        ]

    def printed(self) -> Table:
        """The table as text: rounded, intervals behind their estimates, rows that nobody measured marked so."""
        shown = [i for i, label in enumerate(self.labels) if label not in self.hidden]
        headers = [*(self.labels[i] for i in shown), *(column.header for column in self.columns)]
        rows = [
            (
                *_labels(row, shown),
                *(_cell(row.numbers.get(column.name), column.bounds) for column in self.columns),
                *([row.remark] if self.remark else []),
            )
            for row in self.rows
        ]
        title = f"{self.title} (Table {self.paper})" if self.paper else self.title
        return Table(title, (*headers, *([self.remark] if self.remark else [])), tuple(rows), labels=len(shown))


def _labels(row: Row, shown: Sequence[int]) -> Iterable[str]:
    labels = [row.labels[i] for i in shown]
    marks = {"computed": " (computed)", "published": " (published)"}
    return [labels[0] + marks.get(row.source, ""), *labels[1:]]


def _cell(value: Number | None, bounds: bool) -> str:
    if value is None or math.isnan(value.estimate):
        return "-"
    if value.unit == "p":
        return p_text(value.estimate)
    signed = value.unit == "points"
    write: Callable[[float], str] = whole if value.unit == "count" else lambda x: number(x, signed=signed)
    if not (bounds and value.bounded):
        return write(value.estimate)
    low, high = (number(bound, signed=signed) for bound in (value.low, value.high))
    return f"{write(value.estimate)} [{low}, {high}]"


def whole(value: float) -> str:
    """A count; one decimal where it is an expectation, not a count."""
    return f"{value:.0f}" if value == round(value) else f"{value:.1f}"


def p_text(value: float) -> str:
    """A p-value with two digits that count, never 0."""
    return "<0.0001" if value < 0.0001 else f"{value:.4f}" if value < 0.01 else f"{value:.3f}"


def number(value: float, *, signed: bool = False, places: int = 1) -> str:
    """One decimal or as many as asked, a sign if asked, a dash where there is no number; never minus zero."""
    if math.isnan(value):
        return "-"
    value = round(value, places) + 0.0
    return f"{value:+.{places}f}" if signed and value else f"{value:.{places}f}"


def defined(value: Any) -> Any:
    """Replace what JSON does not know, NaN and infinities, by null, in mappings and lists at any depth."""
    if isinstance(value, Mapping):
        return {key: defined(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [defined(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
