"""How file contents look in a tool result: numbered lines, bounded, with the way to read on. Pure functions on text.

`show_page` writes pages, `read_page` takes them apart again (the rule models read as a model does: from messages).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

PAGE_CHARS = 24_000  # a page holds at most so many characters of a file
_NUMBERED = re.compile(r" *(\d+)\| ?")
_ON = re.compile(r"\[(?:.*)Read on with (?:start_line=(\d+))(?:, start_column=(\d+))?\.\]")


@dataclass(frozen=True)
class Page:
    """A page as it is shown, and the line numbers (from 1) that appear on it in whole or in part."""

    text: str
    first: int
    last: int


def show_page(path: str, lines: Sequence[str], start_line: int, line_count: int, start_column: int = 1) -> Page:
    """Up to `line_count` lines from a place on, as far as PAGE_CHARS reach; a line longer than that is cut.

    `start_line` lies within the file; `start_column` (from 1) leaves out the beginning of the first line.
    """
    shown: list[str] = []
    room = PAGE_CHARS
    number, column = start_line, start_column
    last = min(len(lines), start_line + line_count - 1)
    while number <= last:
        rest = lines[number - 1][column - 1 :]
        if len(rest) > room and shown:
            break
        shown.append(f"{number:>5}| {rest[:room]}")
        if len(rest) > room:
            column += room
            break
        room -= len(rest) + 1
        number, column = number + 1, 1
    end = number if column > 1 else number - 1
    head = f"{path}, lines {start_line}-{end} of {len(lines)}"
    return Page("\n".join([head, *shown, *_note(lines, number, column)]), start_line, end)


def _note(lines: Sequence[str], number: int, column: int) -> list[str]:
    if column > 1:
        length = len(lines[number - 1])
        return [f"[Line {number} has {length} characters. Read on with start_line={number}, start_column={column}.]"]
    left = len(lines) - number + 1
    return [f"[{left} more line{'s' * (left > 1)}. Read on with start_line={number}.]"] if left else []


@dataclass(frozen=True)
class PageContent:
    """What a page says: pieces of lines by number, and where the next page begins."""

    pieces: dict[int, str]
    next_line: int | None
    next_column: int


def read_page(text: str) -> PageContent:
    """The inverse of `show_page`."""
    rows = text.split("\n")[1:]
    on = _ON.fullmatch(rows[-1]) if rows else None
    pieces = {}
    for row in rows[:-1] if on else rows:
        match = _NUMBERED.match(row)
        if match:
            pieces[int(match[1])] = row[match.end() :]
    return PageContent(pieces, int(on[1]) if on else None, int(on[2] or 1) if on else 1)
