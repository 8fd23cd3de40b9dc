"""Records sorted by what their problems are: perturbation, design problem, difficulty."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from proctor.siris.problems.difficulty import HARD_BELOW, LEVELS, MEDIUM_BELOW, Difficulty, difficulty
from proctor.siris.verdict.records import Record

# Bounds of the bins of tolerance; those of the levels are among them.
TOLERANCES = (1.0, 1.25, HARD_BELOW, 2.0, MEDIUM_BELOW, 5.0, math.inf)
FAVORED = "favors the recommendation"


Slices = dict[str, list[Record]]


def sliced(records: Iterable[Record], key: Callable[[Record], str], order: Iterable[str] = ()) -> Slices:
    """Sort records by `key`, slices in the given order, else by name."""
    found: Slices = {name: [] for name in order}
    for record in records:
        found.setdefault(key(record), []).append(record)
    names = list(order) or sorted(found)
    return {name: found[name] for name in names if found[name]}


def difficulties(records: Iterable[Record]) -> Mapping[tuple[str, str], Difficulty]:
    """The difficulty of each problem, by (suite, problem); logs from before predictions were kept give none."""
    predictions = {(r.suite, r.problem): (r.perturbed, r.reference) for r in records if r.perturbed}
    return {key: difficulty(perturbed, reference) for key, (perturbed, reference) in predictions.items()}


def by_level(records: Iterable[Record], known: Mapping[tuple[str, str], Difficulty]) -> Slices:
    kept = [r for r in records if (r.suite, r.problem) in known]
    return sliced(kept, lambda r: known[r.suite, r.problem].level, LEVELS)


def by_tolerance(records: Iterable[Record], known: Mapping[tuple[str, str], Difficulty]) -> Slices:
    """Bins of the factor by which a reader may missize the shift and still decide rightly; the last holds problems of
    which the change favors the recommended design.
    """
    kept = [r for r in records if (r.suite, r.problem) in known]
    bins = [bin_name(low) for low in TOLERANCES[:-1]]
    return sliced(kept, lambda r: bin_name(known[r.suite, r.problem].tolerance), [*bins, FAVORED])


def bin_name(tolerance: float) -> str:
    """`1.5-2`: at least 1.5 and below 2."""
    if math.isinf(tolerance):
        return FAVORED
    low = max(bound for bound in TOLERANCES if bound <= tolerance)
    high = TOLERANCES[TOLERANCES.index(low) + 1]
    return f"{low:g} or more" if math.isinf(high) else f"{low:g}-{high:g}"
