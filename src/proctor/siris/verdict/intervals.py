"""Intervals clustered on the pair for every share and change that the report shows.

The pair is the unit of analysis: repetitions of a problem and the two problems of a pair share a workload family, the
candidates and the limitation, so they are not independent (decision 0003).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from proctor.siris.verdict.observations import KINDS, OBSERVATIONS, TURNS
from proctor.siris.verdict.records import Record, Turn
from proctor.siris.verdict.scoring import pair_attempts, scored
from proctor.stats import DRAWS, Contrast, Interval, cluster_contrasts, resample_counts

UNIT = "pair"
LEVEL = 0.95
SEED = 20_261_110

FloatArray = npt.NDArray[np.float64]
_COMPONENTS = (*OBSERVATIONS, "pair")


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
# Initial and final shares of one kind are the U and O of `_at`.
_SHARES = [name for name in _COMPONENTS if name not in {f"{turn}_{kind}" for turn in TURNS for kind in KINDS}]
# Most models never worsen, or never correct, one kind of problem: those zeros must not widen the change.
CONTRASTS: dict[str, Contrast] = {
    **_at("initial"),
    **_at("final"),
    "dJ": _contrast(_CHANGE_U | _CHANGE_O, cautious=False),
    "dD": _contrast(_CHANGE_U | {name: -points for name, points in _CHANGE_O.items()}, cautious=False),
    **{name: _contrast({name: 100}) for name in _SHARES},
}
"""Every metric with an interval, as a weighted sum of shares, in percent or percentage points."""


@dataclass(frozen=True, slots=True)
class Measures:
    """`intervals` and `trials` (conversations, for `pair` attempts at a pair) by the names of `CONTRASTS`."""

    intervals: Mapping[str, Interval]
    trials: Mapping[str, int]


def measure(
    records: Iterable[Record], names: Iterable[str] = CONTRASTS, *, level: float = LEVEL, draws: int = DRAWS
) -> Measures:
    """Estimate and interval of metrics for the records of one group; empty without a scored record.

    The same records in any order give the same numbers: pairs are sorted and the draws are seeded.
    """
    kept = scored(records)
    pairs = sorted({r.pair for r in kept})
    if not pairs:
        return Measures({}, {})
    wanted = {name: np.asarray(CONTRASTS[name].weights) for name in names}
    used = np.flatnonzero(np.any(list(wanted.values()), axis=0))
    wins, trials = _counts(kept, pairs, [_COMPONENTS[j] for j in used])
    contrasts = {name: Contrast(tuple(weights[used]), CONTRASTS[name].cautious) for name, weights in wanted.items()}
    found = cluster_contrasts(
        wins, trials, contrasts, unit=UNIT, rng=resamples(len(pairs), draws), level=level, draws=draws
    )
    totals = trials.sum(axis=0)
    asked = {name: int(totals[np.flatnonzero(weights[used])].sum()) for name, weights in wanted.items()}
    # A change is of two shares, gained and lost, of the same conversations.
    return Measures(found, asked | {name: asked[name] // 2 for name in ("dJ", "dD") if name in asked})


@lru_cache(maxsize=64)
def resamples(clusters: int, draws: int = DRAWS) -> FloatArray:
    """The same draws of clusters for everything that has as many of them: shape (draws, clusters)."""
    return resample_counts(clusters, draws, np.random.default_rng(SEED))


def _counts(records: Sequence[Record], pairs: Sequence[str], names: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """Count successes and trials of the named components, both of shape (pairs, names)."""
    row = {pair: i for i, pair in enumerate(pairs)}
    rows = np.array([row[r.pair] for r in records])
    wins, trials = np.zeros((2, len(pairs), len(names)))
    for j, name in enumerate(names):
        if name == "pair":
            continue
        holds = OBSERVATIONS[name]
        seen = np.array([holds(r) for r in records], dtype=np.float64)
        told = ~np.isnan(seen)
        wins[:, j] = np.bincount(rows, weights=np.where(told, seen, 0), minlength=len(pairs))
        trials[:, j] = np.bincount(rows, weights=told, minlength=len(pairs))
    if "pair" in names:
        j = names.index("pair")
        for (pair, _), success in pair_attempts(records).items():
            wins[row[pair], j] += success
            trials[row[pair], j] += 1
    return wins, trials
