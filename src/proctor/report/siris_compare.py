"""Paired comparisons on their own, in three forms."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from proctor.report.comparison_tables import compare_all, comparison_legend, comparison_tables, unmatched_notes
from proctor.report.logs import Progress, read_logs
from proctor.report.numbers import NumberTable
from proctor.report.render import markdown, show
from proctor.siris.verdict.comparison import ALPHA, By
from proctor.siris.verdict.intervals import LEVEL, SEED, UNIT

if TYPE_CHECKING:
    from rich.console import Console

FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """One table for each way of comparing that the logs allow, and lines that say what the numbers rest on."""

    tables: tuple[NumberTable, ...]
    notes: tuple[str, ...]

    def show(self, console: Console) -> None:
        show(console, [table.printed() for table in self.tables], self._lines())

    def markdown(self) -> str:
        return markdown([table.printed() for table in self.tables], self._lines())

    def json(self) -> str:
        """Return one JSON object; numbers are not rounded, what is undefined is null."""
        found = {
            "version": FORMAT_VERSION,
            "analysis": {"unit": UNIT, "level": LEVEL, "alpha": ALPHA, "seed": SEED},
            "tables": {table.name: table.long() for table in self.tables},
            "notes": self.notes,
        }
        return json.dumps(found, indent=2)

    def _lines(self) -> list[str]:
        nothing = [] if self.tables else ["note: the logs hold nothing to compare in this way"]
        return [*comparison_legend(self.tables), *nothing, *(f"note: {note}" for note in self.notes)]


def compare_logs(
    paths: Sequence[Path], bys: Sequence[By], progress: Progress = iter, *, published: bool = False
) -> ComparisonReport:
    """Compare what logs and folders of logs hold; see `read_logs` for what counts and what raises InputError."""
    reading = read_logs(paths, progress)
    found = compare_all(reading.records, bys)
    left_out = [f"left out: {out}" for out in reading.left_out]
    notes = (*reading.notes, *unmatched_notes(found), *left_out)
    return ComparisonReport(tuple(comparison_tables(found, published)), notes)
