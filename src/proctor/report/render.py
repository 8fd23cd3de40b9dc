"""Tables of text, for a terminal or as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

PIPE_WIDTH = 10_000  # a pipe has no edge: tables there are as wide as they are


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, all text. The first `labels` columns name the row; the others hold numbers."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: int = 2


def show(console: Console, tables: Sequence[Table], notes: Sequence[str]) -> None:
    """Print tables and the notes under them. Where a terminal is too narrow, intervals go below their estimates."""
    for table in tables:
        wide = _rich(table)
        fits = console.measure(wide).maximum <= console.width
        console.print(wide if fits else _rich(_stacked(table)), crop=False)
    for note in notes:
        console.print(note, markup=False, highlight=False, soft_wrap=not console.is_terminal)


def _stacked(table: Table) -> Table:
    rows = tuple(tuple(cell.replace(" [", "\n[") for cell in row) for row in table.rows)
    return Table(table.title, table.columns, rows, table.labels)


def _rich(table: Table) -> RichTable:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(title=Text(table.title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for i, column in enumerate(table.columns):
        drawn.add_column(Text(column), justify="left" if i < table.labels else "right", overflow="fold")
    for row in table.rows:
        drawn.add_row(*map(Text, row))  # Text, not markup: a model's name may hold brackets
    return drawn


def markdown(tables: Sequence[Table], notes: Sequence[str]) -> str:
    """Return GitHub-flavoured Markdown: a heading and a table each, then the notes as a list."""
    parts = [_markdown(table) for table in tables]
    return "\n\n".join([*parts, "\n".join(f"- {_escaped(note)}" for note in notes)]) + "\n"


def _markdown(table: Table) -> str:
    rule = ["---" if i < table.labels else "--:" for i in range(len(table.columns))]
    rows = [table.columns, rule, *table.rows]
    lines = ["| " + " | ".join(_escaped(cell) for cell in row) + " |" for row in rows]
    return "\n".join([f"### {table.title}", "", *lines])


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", " ")
