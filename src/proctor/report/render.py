"""Tables of text, for a terminal or as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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


def output() -> Console:
    """Standard output as tables want it: a terminal with its width, or a pipe without an edge."""
    from rich.console import Console

    console = Console()
    return console if console.is_terminal else Console(width=PIPE_WIDTH)


def show(console: Console, tables: Sequence[Table], notes: Sequence[str]) -> None:
    """Print tables and the notes under them; on a terminal too narrow for a table, as `fitted` says."""
    for table in map(_printable, tables):
        for part in fitted(table, lambda candidate: _width(console, candidate) <= console.width):
            console.print(_rich(part), crop=False)
    for note in notes:
        console.print(one_line(note), markup=False, highlight=False, soft_wrap=not console.is_terminal)


def one_line(text: str) -> str:
    """`text` on one line, safe on a terminal: control characters, which a name or an error may hold, are escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _printable(table: Table) -> Table:
    return replace(table, title=one_line(table.title), rows=tuple(tuple(map(one_line, row)) for row in table.rows))


def _width(console: Console, table: Table) -> int:
    return console.measure(_rich(table), options=console.options.update(max_width=PIPE_WIDTH)).maximum


def fitted(table: Table, fits: Callable[[Table], bool]) -> list[Table]:
    """Return the first form that fits: as it is; intervals below their estimates; rows and columns exchanged; else cut
    into tables of fewer columns, each with the labels again. A column that fits nowhere stays: its text is folded.
    """
    columns = range(table.labels, len(table.columns))
    for form in (table, _stacked(table, columns), _exchanged(table)):
        if fits(form):
            return [form]
    parts: list[list[int]] = [[]]
    for column in columns:
        if parts[-1] and not fits(_stacked(table, [*parts[-1], column])):
            parts.append([])
        parts[-1].append(column)
    return [_stacked(table, part) for part in parts]


def _stacked(table: Table, kept: Sequence[int]) -> Table:
    """Keep some columns beside the labels, headers and cells broken into short lines."""
    wanted = [*range(table.labels), *kept]
    header = tuple(table.columns[i].replace(" ", "\n") for i in wanted)
    rows = tuple(tuple(row[i].replace(" [", "\n[") for i in wanted) for row in table.rows)
    return Table(table.title, header, rows, table.labels)


def _exchanged(table: Table) -> Table:
    """Make each row a column, headed by its labels, one a line."""
    heads = ("\n".join(row[: table.labels]) for row in table.rows)
    numbers = range(table.labels, len(table.columns))
    rows = tuple((table.columns[i], *(row[i] for row in table.rows)) for i in numbers)
    return Table(table.title, ("", *heads), rows, labels=1)


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
    parts = [_markdown(_printable(table)) for table in tables]
    return "\n\n".join([*parts, "\n".join(f"- {one_line(note)}" for note in notes)]) + "\n"


def _markdown(table: Table) -> str:
    rule = ["---" if i < table.labels else "--:" for i in range(len(table.columns))]
    rows = [table.columns, rule, *table.rows]
    lines = ["| " + " | ".join(_escaped(cell) for cell in row) + " |" for row in rows]
    return "\n".join([f"### {table.title}", "", *lines])


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")
