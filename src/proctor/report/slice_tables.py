"""Judgment by what the problems are: perturbation, design problem, difficulty; and every problem on its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from proctor.report.numbers import Column, Number, NumberTable, Row
from proctor.report.siris_rows import ACCURACIES, GROUP, order, with_hidden
from proctor.siris.problems.difficulty import Difficulty
from proctor.siris.verdict import slices
from proctor.siris.verdict.intervals import measure
from proctor.siris.verdict.records import Group, Record
from proctor.siris.verdict.scoring import by_group, scored

Slicer = Callable[[Sequence[Record]], Mapping[str, list[Record]]]
_METRICS = tuple(f"final_{name}" for name in ACCURACIES)


def slice_tables(records: Iterable[Record]) -> list[NumberTable]:
    """U, O, J and D of the final choices by perturbation, design problem, level and tolerance; groups never pooled.

    Tables whose slices are one and the same (a single design problem) and those without data are left out: logs from
    before predictions were kept have no difficulty.
    """
    groups = {group: scored(rows) for group, rows in by_group(records).items()}
    groups = {group: groups[group] for group in sorted(groups, key=order)}
    known = slices.difficulties(r for rows in groups.values() for r in rows)
    tables = [
        _table("by_design_problem", "design problem", groups, lambda rows: slices.sliced(rows, _design_problem)),
        _table("by_perturbation", "perturbation", groups, lambda rows: slices.sliced(rows, _perturbation)),
        _table("by_level", "difficulty", groups, lambda rows: slices.by_level(rows, known)),
        _table("by_tolerance", "tolerance", groups, lambda rows: slices.by_tolerance(rows, known)),
    ]
    return [with_hidden(table) for table in tables if len({row.labels[-1] for row in table.rows}) > 1]


def _design_problem(record: Record) -> str:
    return record.design_problem


def _perturbation(record: Record) -> str:
    return record.perturbation


def _table(name: str, slice_label: str, groups: Mapping[Group, Sequence[Record]], slicer: Slicer) -> NumberTable:
    rows = [
        Row((*group, part), _numbers(kept))
        for group, everything in groups.items()
        for part, kept in slicer(everything).items()
    ]
    columns = (Column("problems", "problems"), *(Column(x, x) for x in ACCURACIES))
    return NumberTable(name, f"Judgment by {slice_label}", (*GROUP, slice_label), columns, tuple(rows))


def _numbers(records: Sequence[Record]) -> dict[str, Number]:
    found = measure(records, _METRICS)
    problems = Number(len({r.problem for r in records}), unit="count")
    return {
        "problems": problems,
        **{
            name: Number.of(found.intervals[key], found.trials[key], "points" if name == "D" else "%")
            for name, key in zip(ACCURACIES, _METRICS, strict=True)
        },
    }


def problem_table(records: Iterable[Record]) -> NumberTable:
    """Each problem of each group: how difficult it is and how many conversations end right; for files and figures."""
    groups = by_group(records)
    known = slices.difficulties(r for rows in groups.values() for r in rows)
    rows = [
        Row((*group, problem, kept[0].pair, kept[0].outcome, kept[0].perturbation), _problem(kept, known))
        for group in sorted(groups, key=order)
        for problem, kept in slices.sliced(scored(groups[group]), lambda r: r.problem).items()
    ]
    names = ("tolerance", "shift_over_lead", "perturbed_margin_pct", "reference_margin_pct", "initial", "final")
    labels = (*GROUP, "problem", "pair", "outcome", "perturbation")
    columns = tuple(Column(name, name) for name in names)
    return with_hidden(NumberTable("problems", "Problems", labels, columns, tuple(rows)))


def _problem(records: Sequence[Record], known: Mapping[tuple[str, str], Difficulty]) -> dict[str, Number]:
    n = len(records)
    found = {turn: Number(sum(r.correct(turn) for r in records), n=n, unit="count") for turn in ("initial", "final")}
    hard = known.get((records[0].suite, records[0].problem))
    if hard is None:
        return found
    return {
        "tolerance": Number(hard.tolerance, unit="ratio"),
        "shift_over_lead": Number(hard.shift_over_lead, unit="ratio"),
        "perturbed_margin_pct": Number(hard.perturbed_margin_pct),
        "reference_margin_pct": Number(hard.reference_margin_pct),
        **found,
    }


__all__ = ["problem_table", "slice_tables"]
