"""One problem as its evaluator sees it: predictions, difficulty, change, workload and the reason for its answer.

Everything here gives the answer away: nothing of it may reach a packet, a prompt or a tool.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from proctor.errors import InputError, nearest
from proctor.siris.problems.difficulty import Difficulty, difficulty
from proctor.siris.problems.domain import Problem
from proctor.siris.problems.explanation import Scale, explain, scale_for
from proctor.siris.problems.manifest import ProblemEntry
from proctor.siris.problems.suites import Suite

FEW = 6  # distinct texts of a field that are named


@dataclass(frozen=True)
class Range:
    """A numeric field of the workload's rows; lists count with the sum of the numbers in them."""

    rows: int
    lowest: float
    median: float
    highest: float
    total: float


@dataclass(frozen=True)
class Portrait:
    """A problem with everything about it that follows from its suite.

    `limitation` says in words what the perturbed simulator gets wrong; `diff` leads from the reference simulator to the
    perturbed one. `ranges` and `kinds` summarize the workload field by field: numbers, and texts with their counts.
    """

    suite: str
    problem: Problem
    entry: ProblemEntry
    difficulty: Difficulty
    scale: Scale
    limitation: str
    diff: str
    requests: int
    ranges: Mapping[str, Range]
    kinds: Mapping[str, Mapping[str, int]]

    @property
    def explanation(self) -> list[str]:
        return explain(self.problem, self.difficulty, self.scale)


def portrait(suite: Suite, problem_id: str) -> Portrait:
    """Raises InputError for a problem that the suite does not have."""
    entries = {entry.id: entry for entry in suite.manifest.problems}
    if problem_id not in entries:
        raise InputError(f"suite {suite.name} has no problem {problem_id!r}: {_near(problem_id, entries)}")
    problem = next(problem for problem in suite.problems if problem.id == problem_id)
    rows = problem.case.workload
    return Portrait(
        suite=suite.name,
        problem=problem,
        entry=entries[problem_id],
        difficulty=difficulty(problem.perturbed, problem.reference),
        scale=scale_for(max(*problem.perturbed.values(), *problem.reference.values()), suite.domain.unit),
        limitation=suite.limitation(problem),
        diff=source_diff(suite, problem),
        requests=len(rows),
        ranges=dict(_ranges(rows)),
        kinds=dict(_kinds(rows)),
    )


def _near(name: str, known: Iterable[str]) -> str:
    """p7 means p07, though p17 is spelt as much like it."""
    same = [other for other in known if other.lstrip("p0") == name.lower().lstrip("p0")]
    return f"did you mean {same[0]}?" if same else nearest(name, known)


def source_diff(suite: Suite, problem: Problem) -> str:
    """The unified diff of the visible code, from the reference to the perturbed version."""
    before, after = (suite.evidence(problem, version).code for version in ("reference", "perturbed"))
    return "".join(
        line
        for path in sorted(before.keys() | after.keys())
        for line in difflib.unified_diff(
            before.get(path, "").splitlines(keepends=True),
            after.get(path, "").splitlines(keepends=True),
            f"reference/{path}",
            f"perturbed/{path}",
        )
    )


def _fields(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The values of each field in the order of the rows, fields in the order in which they turn up."""
    found: dict[str, list[Any]] = {}
    for row in rows:
        for name, value in row.items():
            found.setdefault(name, []).append(value)
    return found


def _ranges(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Range]]:
    for name, values in _fields(rows).items():
        sums = [_sum(value) for value in values]
        known = [value for value in sums if value is not None]
        if known and len(known) == len(values):
            yield name, Range(len(known), min(known), median(known), max(known), sum(known))


def _sum(value: Any) -> float | None:
    """The number itself, or the numbers in nested lists added up; None where there is no number."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if not isinstance(value, list):
        return None
    found = [part for part in map(_sum, value) if part is not None]
    return sum(found) if found else None


def _kinds(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, dict[str, int]]]:
    """Fields with few different texts or truth values; names that differ from row to row say nothing."""
    for name, values in _fields(rows).items():
        if all(isinstance(value, str | bool) for value in values):
            texts = [str(value).lower() if isinstance(value, bool) else value for value in values]
            if len(set(texts)) <= FEW:
                yield name, {text: texts.count(text) for text in dict.fromkeys(texts)}
