"""The siris report: summaries of what was read, with the notes that qualify them, in three forms."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proctor.report.logs import Progress, read_logs
from proctor.report.render import markdown, show
from proctor.report.siris_tables import legend, tables
from proctor.siris.verdict import answers
from proctor.siris.verdict.counts import Share, Solved
from proctor.siris.verdict.intervals import LEVEL, SEED, UNIT
from proctor.siris.verdict.records import ENDINGS
from proctor.siris.verdict.summary import Summary, summarize
from proctor.stats import DRAWS, Interval

if TYPE_CHECKING:
    from rich.console import Console

FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Report:
    """What is printed: one summary per group; `notes` and `left_out` are lines that say what the numbers rest on."""

    summaries: tuple[Summary, ...]
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    def show(self, console: Console) -> None:
        """Print tables, legend and notes to a terminal or a pipe."""
        show(console, tables(self.summaries), self._lines())

    def show_judgment(self, console: Console) -> None:
        """Print the first table alone, with what its columns mean and the notes that qualify it."""
        show(console, tables(self.summaries)[:1], [*legend(self.summaries)[:2], *self._remarks()])

    def markdown(self) -> str:
        return markdown(tables(self.summaries), self._lines())

    def json(self) -> str:
        """Return one JSON object; numbers are not rounded, what is undefined is null."""
        analysis = {"unit": UNIT, "level": LEVEL, "draws": DRAWS, "seed": SEED}
        report = {
            "version": FORMAT_VERSION,
            "analysis": analysis,
            "groups": [_group_json(summary) for summary in self.summaries],
            "notes": self.notes,
            "left_out": self.left_out,
        }
        return json.dumps(_defined(report), indent=2)

    def _lines(self) -> list[str]:
        return [*legend(self.summaries), *self._remarks()]

    def _remarks(self) -> list[str]:
        lines = (f(summary) for summary in self.summaries for f in (_unscored, _ended))
        remarks = [*filter(None, lines), *self.notes, *(f"left out: {line}" for line in self.left_out)]
        return [f"note: {line}" for line in remarks]


def report_logs(paths: Sequence[Path], progress: Progress = iter) -> Report:
    """Report on Inspect logs and folders of them; see `read_logs` for what counts and what raises InputError."""
    reading = read_logs(paths, progress)
    left_out = tuple(f"{out.log.name}: {out.reason}" for out in reading.left_out)
    return Report(tuple(summarize(reading.records, reading.assigned)), reading.notes, left_out)


def report_answers(path: Path, suite_name: str) -> Report:
    """Report on a file of answers given outside Inspect to the problems of a suite; see `verdict.answers`.

    Raises InputError for an unknown suite and `AnswerFileError` for bad lines.
    """
    from proctor.siris.problems.suites import load_suite

    suite = load_suite(suite_name)
    given = answers.read_answers(path, suite)
    records = answers.records(given, suite)
    notes = tuple(
        f"{group.model}, condition {group.condition}: {n} assigned conversations have no line in {path.name} and count "
        "as wrong"
        for group, n in answers.absent(given, records).items()
    )
    return Report(tuple(summarize(records)), notes)


def _unscored(summary: Summary) -> str | None:
    c = summary.coverage
    if not c.unscored:
        return None
    who = f"{summary.group.model}, condition {summary.group.condition}"
    return f"{who}: {c.unscored} of {c.assigned} assigned conversations are not scored; run them again"


def _ended(summary: Summary) -> str | None:
    if not summary.ended_by:
        return None
    who = f"{summary.group.model}, condition {summary.group.condition}"
    kinds = ", ".join(f"{ENDINGS.get(kind, kind)} {count}" for kind, count in summary.ended_by.items())
    total = sum(summary.ended_by.values())
    cut = f"{total} of {summary.coverage.scored} scored conversations were cut short"
    return f"{who}: {cut} ({kinds}); they count with the choices made by then"


def _group_json(summary: Summary) -> dict[str, Any]:
    review = summary.review
    return {
        **summary.group._asdict(),
        "pairs": summary.pairs,
        "coverage": {**asdict(summary.coverage), "absent": summary.coverage.absent},
        "ended_by": dict(summary.ended_by),
        "initial": _solved_json(review.initial, summary, "initial"),
        "final": _solved_json(review.final, summary, "final"),
        "pair_accuracy": {**_share_json(summary.pairs_solved), **_interval_json(summary.intervals.get("pair"))},
        "review": {
            "upheld": asdict(review.upheld),
            "overturned": asdict(review.overturned),
            "dJ": _interval_json(summary.intervals.get("dJ")),
            "dD": _interval_json(summary.intervals.get("dD")),
        },
        "errors": asdict(summary.errors),
        "selection_loss": {kind: asdict(loss) for kind, loss in summary.losses.items()},
        "follow": _share_json(summary.follow),
        "follow_overturned": _share_json(summary.follow_overturned),
        "reach_first_turn": _share_json(summary.reach_first),
        "reach_any_turn": _share_json(summary.reach_any),
    }


def _solved_json(solved: Solved, summary: Summary, turn: str) -> dict[str, Any]:
    return {
        "counts": asdict(solved),
        **{name: _interval_json(summary.intervals.get(f"{turn}_{name}")) for name in ("U", "O", "J", "D")},
    }


def _share_json(share: Share) -> dict[str, Any]:
    return {"count": share.count, "of": share.of, "pct": share.pct}


def _interval_json(interval: Interval | None) -> dict[str, Any]:
    if interval is None:
        return {"estimate": None, "low": None, "high": None, "method": "none"}
    return {name: getattr(interval, name) for name in ("estimate", "low", "high", "method")}


def _defined(value: Any) -> Any:
    """Replace NaN, which JSON does not know, by null."""
    if isinstance(value, dict):
        return {key: _defined(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_defined(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
