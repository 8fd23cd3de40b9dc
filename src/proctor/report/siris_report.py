"""The siris report: everything that is computed from what was read, with the notes that qualify it, in three forms."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proctor.report.annotations import Labels
from proctor.report.comparison_tables import compare_all, comparison_legend, comparison_tables, unmatched_notes
from proctor.report.logs import Progress, read_logs
from proctor.report.numbers import NumberTable, defined
from proctor.report.paper_tables import missing_runs, paper_tables
from proctor.report.render import markdown, show
from proctor.report.siris_rows import Runs
from proctor.report.siris_tables import coverage, judgment, legend, wrong_choices
from proctor.report.slice_tables import problem_table, slice_tables
from proctor.siris.verdict import answers
from proctor.siris.verdict.counts import Share, Solved
from proctor.siris.verdict.intervals import LEVEL, SEED, UNIT
from proctor.siris.verdict.loss import Loss
from proctor.siris.verdict.records import ENDINGS, Group, Record
from proctor.siris.verdict.summary import Summary, summarize
from proctor.stats import DRAWS, Interval

if TYPE_CHECKING:
    from rich.console import Console

FORMAT_VERSION = 2
IN_FILES_ONLY = frozenset({"by_tolerance", "problems"})  # too fine for a terminal; --json and --out have them
PRINTED_ROWS = 40  # a longer comparison is summed up in a line; files have all of it
PUBLISHED_NOTE = (
    "published rows are the paper's (arXiv 2611.10329v1), on problems of its own that are in no suite here, so they "
    "are no ranking with ours; which pairs its counts come from is not published, so they have no intervals and no "
    "test of pairs"
)


@dataclass(frozen=True, slots=True)
class Report:
    """What is printed and written. `tables` holds every table, in reading order; `notes` and `left_out` are lines that
    say what the numbers rest on; `missing` says which runs would fill the paper's tables that are left out.
    """

    records: tuple[Record, ...]
    summaries: tuple[Summary, ...]
    tables: tuple[NumberTable, ...]
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    labels: Labels | None = None

    def table(self, name: str) -> NumberTable | None:
        """A table by its stable name; None where there is nothing to show in it."""
        return next((table for table in self.tables if table.name == name), None)

    def show(self, console: Console) -> None:
        """Print tables, legend and notes to a terminal or a pipe."""
        show(console, [table.printed() for table in self._printed()], self._lines())

    def show_judgment(self, console: Console) -> None:
        """Print the first table alone, with what its columns mean and the notes that qualify it."""
        show(console, [self.tables[0].printed()], [*legend(self.summaries)[:2], *self._remarks()])

    def markdown(self) -> str:
        return markdown([table.printed() for table in self._printed()], self._lines())

    def json(self) -> str:
        """Return one JSON object; numbers are not rounded, what is undefined is null."""
        analysis = {"unit": UNIT, "level": LEVEL, "draws": DRAWS, "seed": SEED}
        report = {
            "version": FORMAT_VERSION,
            "analysis": analysis,
            "groups": [_group_json(summary) for summary in self.summaries],
            "tables": {table.name: table.long() for table in self.tables},
            "annotation": self.labels and self.labels.json(),
            "notes": self.notes,
            "left_out": self.left_out,
            "missing": self.missing,
        }
        return json.dumps(defined(report), indent=2)

    def _printed(self) -> list[NumberTable]:
        return [table for table in self.tables if table.name not in IN_FILES_ONLY and not _too_long(table)]

    def _lines(self) -> list[str]:
        compared = [table for table in self.tables if table.name.startswith("compare_")]
        return [*legend(self.summaries), *comparison_legend(compared), *self._remarks(), *self.missing]

    def remarks(self) -> list[str]:
        """What qualifies the numbers: conversations not scored or cut short, notes of reading, agreement."""
        endings = [line for summary in self.summaries for line in (_unscored(summary), _ended(summary)) if line]
        annotation = self.labels.lines() if self.labels else []
        return [*endings, *self.notes, *annotation]

    def _remarks(self) -> list[str]:
        long = [_summed_up(table) for table in self.tables if _too_long(table)]
        left_out = [f"left out: {line}" for line in self.left_out]
        return [f"note: {line}" for line in (*self.remarks(), *long, *left_out)]


def make_report(
    records: Iterable[Record],
    assigned: Mapping[Group, int] | None = None,
    notes: Sequence[str] = (),
    left_out: Sequence[str] = (),
    *,
    labels: Labels | None = None,
    published: bool = False,
) -> Report:
    """Compute everything from records. `assigned` as for `summarize`; `labels` says whose annotations the records hold;
    `published` adds the paper's rows.
    """
    kept = tuple(records)
    summaries = tuple(summarize(kept, assigned))
    runs, compared = Runs.of(summaries), compare_all(kept)
    tables = (
        judgment(runs, published),
        *paper_tables(runs, published),
        wrong_choices(runs, published),
        *slice_tables(kept),
        *comparison_tables(compared, published),
        coverage(runs),
        problem_table(kept),
    )
    said = [*notes, *unmatched_notes(compared), *([PUBLISHED_NOTE] if published else [])]
    return Report(kept, runs.summaries, tables, tuple(said), tuple(left_out), tuple(missing_runs(runs)), labels)


def report_logs(paths: Sequence[Path], progress: Progress = iter, *, published: bool = False) -> Report:
    """Report on Inspect logs and folders of them; see `read_logs` for what counts and what raises InputError."""
    reading = read_logs(paths, progress)
    left_out = list(map(str, reading.left_out))
    return make_report(
        reading.records, reading.assigned, reading.notes, left_out, labels=reading.labels, published=published
    )


def report_answers(path: Path, suite_name: str, *, published: bool = False) -> Report:
    """Report on a file of answers given outside Inspect to the problems of a suite; see `verdict.answers`.

    Raises InputError for an unknown suite and `AnswerFileError` for bad lines.
    """
    from proctor.siris.problems.suites import load_suite

    suite = load_suite(suite_name)
    given = answers.read_answers(path, suite)
    records = answers.records(given, suite)
    notes = [
        f"{group.model}, condition {group.condition}: {n} assigned conversations have no line in {path.name} and count "
        "as wrong"
        for group, n in answers.absent(given, records).items()
    ]
    return make_report(records, notes=notes, published=published)


def _too_long(table: NumberTable) -> bool:
    return table.name.startswith("compare_") and len(table.rows) > PRINTED_ROWS


def _summed_up(table: NumberTable) -> str:
    open_rows = sum(row.remark.startswith("J, D not") or row.remark.startswith("J not") for row in table.rows)
    return (
        f"{table.title.lower()}: {len(table.rows)} comparisons, too many to print; J is not resolved in {open_rows} of "
        "them; --json, --out and proctor siris compare have all"
    )


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
        "selection_loss": {kind: _loss_json(loss) for kind, loss in summary.losses.items()},
        "follow": _share_json(summary.follow),
        "follow_overturned": _share_json(summary.follow_overturned),
        "reach_first_turn": _share_json(summary.reach_first),
        "reach_any_turn": _share_json(summary.reach_any),
    }


def _loss_json(loss: Loss) -> dict[str, Any]:
    median = {"median_pct": loss.median.estimate, "low": loss.median.low, "high": loss.median.high}
    return {**median, "problems": loss.problems, "noticeable": asdict(loss.noticeable)}


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
