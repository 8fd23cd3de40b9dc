"""The report as one page of HTML that needs nothing else: no network, no other file.

Everything that comes from logs is hostile: the template escapes it, JSON inside the page is written so that no text
closes its element, and the page's policy runs the page's own two scripts, known by their digests, and no other.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup

from proctor.report.charts.figures import Figure
from proctor.report.charts.files import VEGA_LITE
from proctor.report.charts.parts import themed
from proctor.report.charts.rows import Flat, Names
from proctor.report.comparison_tables import comparison_legend
from proctor.report.numbers import NumberTable, Row, number
from proctor.report.page import words
from proctor.report.siris_report import IN_FILES_ONLY, Report
from proctor.report.siris_tables import legend

OPEN_ROWS, MOST_ROWS, MOST_LINES = 60, 200, 20


@dataclass(frozen=True, slots=True)
class Cell:
    """Text as printed, and what to sort by: a number where the column holds numbers."""

    text: str
    key: str
    number: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """A table as the page shows it; `cut` says how many rows are in the files alone."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    labels: int
    numbers: int
    cut: int = 0

    @property
    def open(self) -> bool:
        return len(self.rows) <= OPEN_ROWS

    def numeric(self, column: int) -> bool:
        return self.labels <= column < self.labels + self.numbers


def render(report: Report, figures: Sequence[Figure]) -> str:
    """Write the page. The same report gives the same text."""
    names = Names.of(report.tables)
    tables = [_shown(table, names) for table in report.tables if table.name not in IN_FILES_ONLY]
    lines, more = words.shortened(words.unresolved(report.tables), MOST_LINES)
    compared = [table for table in report.tables if table.name.startswith("compare_")]
    bundle, script = vega_bundle(), _text("page.js")
    return _template().render(
        lead=words.lead(report),
        findings=words.findings(report, names),
        models=_distinct(row["who"] for figure in figures for row in figure.rows),
        conditions=_distinct(summary.group.condition for summary in report.summaries),
        figures=[(figure, _data_table(figure.rows)) for figure in figures],
        specs={figure.name: [_fluid(panel) for panel in figure.panels] for figure in figures if figure.panels},
        tables=tables,
        legend=[*legend(report.summaries), *comparison_legend(compared)],
        unresolved=lines,
        more_unresolved=more,
        notes=report.remarks(),
        missing=report.missing,
        left_out=report.left_out,
        style=Markup(_text("page.css")),
        bundle=Markup(bundle),
        script=Markup(script),
        policy=_policy(bundle, script),
    )


@lru_cache(maxsize=1)
def vega_bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script, out of vl-convert; it sets `vegaEmbed` on the window."""
    import vl_convert

    made: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=VEGA_LITE)
    return made.replace("</script", "<\\/script")


def _policy(*scripts: str) -> str:
    """Only these scripts, inline styles and data images; nothing from any address."""
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _fluid(panel: Any) -> dict[str, Any]:
    """A panel's specification, as wide as the place it stands in."""
    spec: dict[str, Any] = themed(panel).to_dict()
    return {**spec, "width": "container", "autosize": {"type": "fit-x", "contains": "padding"}}


def _shown(table: NumberTable, names: Names) -> Shown:
    printed = table.printed()
    rows = [
        (_who(row, names), tuple(_cell(text, i - printed.labels, table, row) for i, text in enumerate(texts)))
        for row, texts in zip(table.rows, printed.rows, strict=True)
    ]
    kept, cut = rows[:MOST_ROWS], max(0, len(rows) - MOST_ROWS)
    return Shown(table.name, printed.title, printed.columns, tuple(kept), printed.labels, len(table.columns), cut)


def _who(row: Row, names: Names) -> str:
    return names.who(row.labels[0], row.labels[1], row.source) if len(row.labels) > 1 else ""


def _cell(text: str, column: int, table: NumberTable, row: Row) -> Cell:
    if not 0 <= column < len(table.columns):
        return Cell(text, text, number=False)
    found = row.numbers.get(table.columns[column].name)
    value = found.estimate if found is not None else math.nan
    return Cell(text, "" if math.isnan(value) else repr(value), number=True)


def _data_table(rows: Sequence[Flat]) -> tuple[list[str], list[list[str]]]:
    """Columns and cells of what a figure draws, columns in the order in which they first appear."""
    columns = _distinct(name for row in rows for name in row)
    return columns, [[_plain(row.get(name)) for name in columns] for row in rows]


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def _distinct(values: Any) -> list[str]:
    return list(dict.fromkeys(values))


def _text(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_text),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"sort_keys": False}
    environment.filters["number"] = number
    return environment.get_template("page.html.j2")
