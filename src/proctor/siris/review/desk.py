"""Reading a packet: what list, read and search return, and who is told which lines were seen.

Everything here is read-only and in memory. A request that makes no sense raises ToolError; the model gets its message.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice

import regex
from inspect_ai.tool import ToolError

from proctor.siris.review.packet import Packet
from proctor.siris.review.pages import show_page
from proctor.siris.review.patterns import candidate_lines, compile_pattern, time_left, well_formed

READ_LINES = 400  # lines of a read that asks for no number
MATCHES = 50  # matches that one search returns
EXCERPT = 300  # characters of a line that a match shows
SEARCH_SECONDS = 1.0  # for all files together; a hostile pattern costs little more
TOO_SLOW = "The search took too long. Simplify the pattern or name a file."

Seen = Callable[[str, range, bool], None]


@dataclass(frozen=True)
class Desk:
    """A packet to read from. `seen(path, lines, read)` is told of every read (True) and every match shown (False)."""

    packet: Packet
    seen: Seen

    def list_files(self) -> str:
        """One row per file: path, lines, characters."""
        rows = [
            f"{path} ({_count(len(self.packet.lines[path]), 'line')}, {_count(len(text), 'character')})"
            for path, text in self.packet.files.items()
        ]
        return "\n".join(rows)

    def read(self, path: str, start_line: int = 1, line_count: int = READ_LINES, start_column: int = 1) -> str:
        """One page of a file."""
        path = self._file(path)
        lines = self.packet.lines[path]
        if not 1 <= start_line <= len(lines):
            raise ToolError(f"start_line must be between 1 and {len(lines)}: {path} has {_count(len(lines), 'line')}.")
        if line_count < 1:
            raise ToolError("line_count must be 1 or more.")
        width = max(1, len(lines[start_line - 1]))
        if not 1 <= start_column <= width:
            raise ToolError(f"start_column must be between 1 and {width}: line {start_line} of {path} ends there.")
        page = show_page(path, lines, start_line, line_count, start_column)
        self.seen(path, range(page.first, page.last + 1), True)
        return page.text

    def search(self, pattern: str, path: str = "", ignore_case: bool = False, skip: int = 0) -> str:
        """Matching lines in a file, in a folder or everywhere, MATCHES at a time."""
        if skip < 0:
            raise ToolError("skip must be 0 or more.")
        scope = self._scope(path)
        most = sum(len(self.packet.lines[file]) for file in scope)
        if skip > most:
            raise ToolError(f"skip must be at most {most}: there are no more lines to match.")
        found = list(islice(self._matches(compile_pattern(pattern, ignore_case), scope), skip, skip + MATCHES + 1))
        for place, number, _ in found[:MATCHES]:
            self.seen(place, range(number, number + 1), False)
        rows = [f"{place}:{number}: {_excerpt(match)}" for place, number, match in found[:MATCHES]]
        if len(found) > MATCHES:
            rows.append(f"[There are more matches. Go on with skip={skip + MATCHES}, or narrow the search.]")
        nothing = f"No {'further ' * (skip > 0)}match in {_count(len(scope), 'file')}."
        return "\n".join(rows) or nothing

    def _matches(self, pattern: regex.Pattern[str], scope: list[str]) -> Iterator[tuple[str, int, regex.Match[str]]]:
        end = time.monotonic() + SEARCH_SECONDS
        try:
            for path in scope:
                for number, line in candidate_lines(pattern, self.packet.lines[path], end):
                    if match := pattern.search(line, timeout=time_left(end)):
                        yield path, number, match
        except TimeoutError:
            raise ToolError(TOO_SLOW) from None

    def _file(self, path: str) -> str:
        name = _normal(path)
        if name not in self.packet.files:
            raise ToolError(self._unknown(name))
        return name

    def _scope(self, path: str) -> list[str]:
        name = _normal(path)
        scope = [file for file in self.packet.files if name in ("", file) or file.startswith(f"{name}/")]
        if not scope:
            raise ToolError(self._unknown(name))
        return scope

    def _unknown(self, name: str) -> str:
        files = self.packet.files
        if any(file.startswith(f"{name}/") for file in files):
            return f"{_quoted(name)} is a folder. list_files shows what it holds."
        base = name.rsplit("/", 1)[-1]
        folders = dict.fromkeys(file.rpartition("/")[0] for file in files)
        near = [f for f in files if f.rsplit("/", 1)[-1] == base] or get_close_matches(name[:200], [*files, *folders])
        hint = f"Did you mean {' or '.join(near[:3])}?" if near else "list_files shows what there is."
        return f"There is no file {_quoted(name)}. {hint}"


def _normal(path: str) -> str:
    name = well_formed(path).strip().removeprefix("./").strip("/")
    return "" if name == "." else name


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 100 else text[:100] + "...")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _excerpt(match: regex.Match[str]) -> str:
    """The line of a match, or of a long line the surroundings of the match."""
    line = match.string
    if len(line) <= EXCERPT:
        return line
    start = max(0, min(match.start() - EXCERPT // 3, len(line) - EXCERPT))
    before, after = "..." * (start > 0), "..." * (start + EXCERPT < len(line))
    return f"{before}{line[start : start + EXCERPT]}{after} (column {match.start() + 1} of {len(line)})"
