"""Intervals clustered on the pair for every accuracy and change that the report shows.

The pair is the unit of analysis: repetitions of a problem and the two problems of a pair share a workload family, the
candidates and the limitation, so they are not independent (decision 0003).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from proctor.siris.verdict.records import Outcome, Record, Turn
from proctor.siris.verdict.scoring import pair_attempts, scored
from proctor.stats import DRAWS, Contrast, Interval, cluster_contrasts

UNIT = "pair"
LEVEL = 0.95
SEED = 20_261_110

_KINDS: tuple[Outcome, ...] = ("upheld", "overturned")
_TURNS: tuple[Turn, ...] = ("initial", "final")
_COMPONENTS = (
    "initial_upheld", "initial_overturned", "final_upheld", "final_overturned",
    "corrected_upheld", "corrected_overturned", "worsened_upheld", "worsened_overturned", "pair",
)  # fmt: skip


def _contrast(points: Mapping[str, float], cautious: bool = True) -> Contrast:
    return Contrast(tuple(points.get(name, 0.0) for name in _COMPONENTS), cautious)


def _at(turn: Turn) -> dict[str, Contrast]:
    upheld, overturned = f"{turn}_upheld", f"{turn}_overturned"
    return {
        f"{turn}_U": _contrast({upheld: 100}),
        f"{turn}_O": _contrast({overturned: 100}),
        f"{turn}_J": _contrast({upheld: 50, overturned: 50}),
        f"{turn}_D": _contrast({upheld: 50, overturned: -50}),
    }


_CHANGE_U = {"corrected_upheld": 50.0, "worsened_upheld": -50.0}
_CHANGE_O = {"corrected_overturned": 50.0, "worsened_overturned": -50.0}
# Most models never worsen, or never correct, one kind of problem: those zeros must not widen the change.
CONTRASTS: dict[str, Contrast] = {
    **_at("initial"),
    **_at("final"),
    "dJ": _contrast(_CHANGE_U | _CHANGE_O, cautious=False),
    "dD": _contrast(_CHANGE_U | {name: -points for name, points in _CHANGE_O.items()}, cautious=False),
    "pair": _contrast({"pair": 100}),
}
"""Every metric with an interval, as a weighted sum of proportions, in percent or percentage points."""


def pair_intervals(records: Iterable[Record], *, level: float = LEVEL, draws: int = DRAWS) -> dict[str, Interval]:
    """Estimate and interval of each of `CONTRASTS` for the records of one group; empty without a scored record.

    The same records in any order give the same numbers: pairs are sorted and the generator is seeded.
    """
    kept = scored(records)
    pairs = sorted({r.pair for r in kept})
    if not pairs:
        return {}
    counts = np.zeros((2, len(pairs), len(_COMPONENTS)))
    row = {pair: i for i, pair in enumerate(pairs)}
    column = {name: j for j, name in enumerate(_COMPONENTS)}
    for record in kept:
        for name, success in _observations(record).items():
            counts[:, row[record.pair], column[name]] += (success, 1)
    for (pair, _), success in pair_attempts(kept).items():
        counts[:, row[pair], column["pair"]] += (success, 1)
    rng = np.random.default_rng(SEED)
    return cluster_contrasts(counts[0], counts[1], CONTRASTS, unit=UNIT, rng=rng, level=level, draws=draws)


def _observations(record: Record) -> dict[str, bool]:
    before, after, kind = record.correct("initial"), record.correct("final"), record.outcome
    return {
        f"initial_{kind}": before,
        f"final_{kind}": after,
        f"corrected_{kind}": after and not before,
        f"worsened_{kind}": before and not after,
    }
