"""Tests for paired comparisons: the same clusters seen twice, by two models or before and after a turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from proctor.stats.bootstrap import FloatArray

EXACT_UP_TO = 16
DRAWS = 100_000
_EQUAL = 1e-12
# Flips and data sets at a time: their product stays small.
_BLOCK = 4096
_SETS = 256


@dataclass(frozen=True, slots=True)
class PairedTest:
    """`difference` is the observed statistic, `p_value` two-sided; `unit` names what was flipped, `units` counts it."""

    difference: float
    p_value: float
    method: str
    unit: str
    units: int


def sign_flips(
    sets: Sequence[npt.ArrayLike], *, unit: str, rng: np.random.Generator, draws: int = DRAWS
) -> list[PairedTest]:
    """Test, for each set, whether paired differences, one per cluster, are symmetric about zero (Fisher's
    randomization test).

    Under the null each cluster's difference could as well have the other sign; the statistic is their mean. Up to 16
    clusters that differ from zero all 2^n flips are counted and p is exact; beyond, p = (1 + b) / (1 + draws) from
    random flips, which never gives 0 (Phipson and Smyth 2010). Clusters without a difference count in the mean only.
    Sets of one size share their random flips.
    """
    values = [_checked(differences) for differences in sets]
    # Without the clusters that do not matter to p more sets are small enough to count all flips.
    moving = [v[np.abs(v) > _EQUAL] for v in values]
    exact = [v.size <= EXACT_UP_TO for v in moving]
    p_values = np.empty(len(values))
    for count_all in (True, False):
        rows = {i: moving[i] if count_all else values[i] for i in range(len(values)) if exact[i] == count_all}
        for size in sorted({row.size for row in rows.values()}):
            places = [i for i, row in rows.items() if row.size == size]
            stacked = np.array([rows[i] for i in places], dtype=np.float64)
            p_values[places] = flip_p_values(stacked) if count_all else random_flip_p_values(stacked, rng, draws)
    return [
        PairedTest(float(v.mean()), float(p), "sign-flip-exact" if counted else "sign-flip", unit, v.size)
        for v, p, counted in zip(values, p_values, exact, strict=True)
    ]


def _checked(differences: npt.ArrayLike) -> FloatArray:
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        raise ValueError("expected a finite difference for each of at least one cluster")
    return values


def random_flip_p_values(differences: FloatArray, rng: np.random.Generator, draws: int) -> FloatArray:
    """Two-sided p-values of many data sets at once: (data sets, clusters) -> (data sets,). All share the same flips."""
    hits = np.zeros(len(differences))
    for start in range(0, draws, _BLOCK):
        size = (min(_BLOCK, draws - start), differences.shape[1])
        hits += _as_extreme(_signs(rng.integers(0, 2, size=size, dtype=np.int8)), differences)
    return np.asarray((1 + hits) / (1 + draws))


def all_flips(n: int) -> FloatArray:
    """Every combination of n signs: (2^n, n)."""
    return _flips(np.arange(2**n), n)


def _flips(numbers: npt.NDArray[np.integer[Any]], n: int) -> FloatArray:
    """The combinations of n signs that have these numbers: (numbers, n)."""
    return _signs((numbers[:, np.newaxis] >> np.arange(n)) & 1)


def flip_p_values(differences: FloatArray) -> FloatArray:
    """As `random_flip_p_values`, exactly, by counting all 2^clusters flips."""
    n = differences.shape[1]
    hits = np.zeros(len(differences))
    for start in range(0, 2**n, _BLOCK):
        numbers = np.arange(start, min(start + _BLOCK, 2**n))
        hits += _as_extreme(_flips(numbers, n), differences)
    return np.asarray(hits / 2**n)


def _signs(bits: npt.NDArray[np.integer[Any]]) -> FloatArray:
    return np.asarray(bits * 2.0 - 1.0, dtype=np.float64)


def _as_extreme(flips: FloatArray, differences: FloatArray) -> FloatArray:
    """Count, for each data set, the flips whose sum is as far from zero as the one observed."""
    least = np.abs(differences.sum(axis=1)) - _EQUAL * max(1, differences.shape[1])
    hits = [
        np.count_nonzero(np.abs(flips @ differences[i : i + _SETS].T) >= least[i : i + _SETS], axis=0)
        for i in range(0, len(differences), _SETS)
    ]
    return np.concatenate(hits, dtype=np.float64)


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Two-sided exact p-value for discordant pairs: binomial with p = 1/2 (McNemar 1947). Unit: one matched pair.

    Right where each cluster gives one yes or no a side; with repetitions use `sign_flips`.
    """
    discordant = only_first + only_second
    return float(stats.binomtest(only_first, discordant, 0.5).pvalue) if discordant else 1.0


def holm(p_values: npt.ArrayLike) -> FloatArray:
    """Adjust p-values so that rejecting those <= alpha keeps the family's error rate below alpha (Holm 1979).

    Sorted ascending, adjusted[i] = max over k <= i of min(1, (m - k) p[k]), k counted from 0; same order as given.
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError("expected a list of p-values between 0 and 1")
    order = np.argsort(p, kind="stable")
    steps = np.minimum(1.0, p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(steps) if p.size else steps
    return adjusted
