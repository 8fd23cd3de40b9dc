"""Checks cost tables that a person wrote or imported, before the simulator reads them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from proctor.errors import InputError
from proctor.serving.importers.reading import records

LARGEST_NS = 10**15
CONSTANTS = ("layers", "launch_ns", "host_ns")


def check_tables(texts: dict[str, str], folder: Path) -> None:
    """Raises InputError naming file, line and column for the first violation of the format.

    attention.csv: `query_tokens` and a KV axis that rises from 0; rows `1`, `1+`, then rising query tokens. linear.csv:
    the same query axis without `1+`. head.csv: requests rising from 1, at least two rows. constants.csv: layers,
    launch_ns, host_ns. All costs are whole ns, 0 or more. Nothing is ever looked up below an axis.
    """
    attention = _rows(texts["attention.csv"], folder / "attention.csv")
    _rising(attention[0][1:], folder / "attention.csv", "the KV axis in line 1", start=0)
    labels = [row[0] for row in attention[1:]]
    if labels[:2] != ["1", "1+"]:
        raise InputError(f"{folder / 'attention.csv'}: expected the first two rows to be 1 and 1+, found {labels[:2]}")
    queries = ["1", *labels[2:]]
    _rising(queries, folder / "attention.csv", "query_tokens", start=1)
    linear = _two_columns(texts["linear.csv"], folder / "linear.csv")
    if [row[0] for row in linear] != queries:
        raise InputError(f"{folder / 'linear.csv'}: query_tokens: expected {', '.join(queries)}, as in attention.csv")
    head = _two_columns(texts["head.csv"], folder / "head.csv")
    _rising([row[0] for row in head], folder / "head.csv", "requests", start=1)
    _constants(_two_columns(texts["constants.csv"], folder / "constants.csv"), folder / "constants.csv")


def _rows(text: str, path: Path) -> list[list[str]]:
    """Header and rows of equal length, costs checked."""
    rows = [_unbroken(cells, path, line) for line, cells in records(text, path)]
    if len(rows) < 2:
        raise InputError(f"{path}: holds no data row")
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != len(rows[0]):
            raise InputError(f"{path} line {line}: {len(row)} fields, the header has {len(rows[0])}")
        for column, cell in zip(rows[0][1:], row[1:], strict=True):
            if _whole(cell) is None:
                raise InputError(
                    f"{path} line {line}: {column}: expected whole ns from 0 to {LARGEST_NS}, found {cell[:40]!r}"
                )
    return rows


def _unbroken(cells: list[str], path: Path, line: int) -> list[str]:
    """The cells, none of which holds what the simulator would take for the end of a line."""
    for cell in cells:
        if cell and cell.splitlines() != [cell]:
            raise InputError(f"{path} line {line}: expected no line break inside a field, found {cell[:40]!r}")
    return cells


def _two_columns(text: str, path: Path) -> list[list[str]]:
    rows = _rows(text, path)
    if len(rows[0]) != 2:
        raise InputError(f"{path} line 1: expected two columns, found {len(rows[0])}")
    return rows[1:]


def _rising(cells: Sequence[str], path: Path, name: str, start: int) -> None:
    axis = [_whole(cell) for cell in cells]
    values = [value for value in axis if value is not None]
    rising = values[:1] == [start] and all(low < high for low, high in pairwise(values))
    if not rising or len(values) < max(2, len(axis)):
        raise InputError(f"{path}: {name}: expected 2 or more whole numbers that rise from {start}")


def _constants(rows: Sequence[list[str]], path: Path) -> None:
    found = [row[0] for row in rows]
    if sorted(found) != sorted(CONSTANTS):
        raise InputError(f"{path}: name: expected {', '.join(CONSTANTS)} once each, found {', '.join(found)}")
    if ["layers", "0"] in rows:
        raise InputError(f"{path}: layers: expected 1 or more")


def _whole(cell: str) -> int | None:
    """The number in a cell, or None where it is none from 0 to LARGEST_NS."""
    if not cell.isascii() or not cell.isdigit() or len(cell) > 16 or int(cell) > LARGEST_NS:
        return None
    return int(cell)
