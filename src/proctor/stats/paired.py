"""Tests for paired comparisons: the same clusters seen twice, by two models or before and after a turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from proctor.stats.bootstrap import FloatArray

EXACT_UP_TO = 16
_EQUAL = 1e-12


@dataclass(frozen=True, slots=True)
class PairedTest:
    """`difference` is the observed statistic, `p_value` two-sided; `unit` names what was flipped, `units` counts it."""

    difference: float
    p_value: float
    method: str
    unit: str
    units: int


def sign_flip(differences: npt.ArrayLike, *, unit: str, rng: np.random.Generator, draws: int = 100_000) -> PairedTest:
    """Test whether paired differences, one per cluster, are symmetric about zero (Fisher's randomization test).

    Under the null each cluster's difference could as well have the other sign; the statistic is their mean. Up to 16
    clusters that differ from zero all 2^n flips are counted and p is exact; beyond, p = (1 + b) / (1 + draws) from
    random flips, which never gives 0 (Phipson and Smyth 2010). Clusters without a difference count in the mean only.
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        raise ValueError("expected a finite difference for each of at least one cluster")
    mean = float(values.mean())
    moving = values[np.abs(values) > _EQUAL]
    if moving.size <= EXACT_UP_TO:
        p, method = float(np.mean(_as_extreme(all_flips(moving.size), moving))), "sign-flip-exact"
    else:
        p, method = float(random_flip_p_values(moving[np.newaxis], rng, draws)[0]), "sign-flip"
    return PairedTest(mean, p, method, unit, values.size)


def random_flip_p_values(differences: FloatArray, rng: np.random.Generator, draws: int) -> FloatArray:
    """Two-sided p-values of many data sets at once: (data sets, clusters) -> (data sets,). All share the same flips."""
    flips = rng.choice(np.array([-1.0, 1.0]), size=(draws, differences.shape[1]))
    hits = np.array([np.count_nonzero(_as_extreme(flips, row)) for row in differences], dtype=np.float64)
    return np.asarray((1 + hits) / (1 + draws))


def all_flips(n: int) -> FloatArray:
    """Every combination of n signs: (2^n, n)."""
    bits = (np.arange(2**n)[:, np.newaxis] >> np.arange(n)) & 1
    return np.asarray(bits * 2.0 - 1.0)


def _as_extreme(flips: FloatArray, values: FloatArray) -> npt.NDArray[np.bool_]:
    return np.asarray(np.abs(flips @ values) >= abs(values.sum()) - _EQUAL * max(1, values.size))


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Two-sided exact p-value for discordant pairs: binomial with p = 1/2 (McNemar 1947). Unit: one matched pair.

    Right where each cluster gives one yes or no a side; with repetitions use `sign_flip`.
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
