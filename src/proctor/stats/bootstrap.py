"""Bootstrap over clusters: whole clusters are drawn again, so that what happens inside one may depend on itself.

The unit of analysis is the cluster (the pair in siris, the run within a task in gym). Data come as one row of totals
per cluster, and a statistic is a function of the summed rows; that covers means, ratios and differences of ratios, and
lets one matrix product evaluate all draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import stats

from proctor.stats.intervals import Interval, normal_quantile

FloatArray = npt.NDArray[np.float64]
Statistic = Callable[[FloatArray], FloatArray]
Method = Literal["expanded", "percentile", "bca"]

DRAWS = 10_000
_EQUAL = 1e-12


def resample_counts(
    clusters: int, draws: int, rng: np.random.Generator, strata: Sequence[int] | None = None
) -> FloatArray:
    """Say how often each draw takes each cluster: shape (draws, clusters), every row sums to `clusters`.

    With `strata` (one label per cluster) clusters are drawn within their stratum, as for runs within fixed tasks.
    """
    labels = np.zeros(clusters, dtype=np.int64) if strata is None else np.asarray(strata)
    if labels.shape != (clusters,):
        raise ValueError(f"expected one stratum for each of {clusters} clusters, not {labels.shape}")
    counts = np.zeros((draws, clusters))
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        counts[:, members] = rng.multinomial(len(members), np.full(len(members), 1 / len(members)), size=draws)
    return counts


def cluster_bootstrap(
    totals: npt.ArrayLike,
    statistic: Statistic,
    *,
    unit: str,
    rng: np.random.Generator,
    level: float = 0.95,
    draws: int = DRAWS,
    method: Method = "expanded",
    strata: Sequence[int] | None = None,
) -> Interval:
    """Interval of `statistic` when clusters, not single observations, are independent.

    `totals` has shape (clusters, columns); `statistic` maps summed totals of shape (..., columns) to shape (...).
    Methods: `percentile` (Efron 1979), `bca` (Efron 1987) and, by default, `expanded`: percentiles taken at
    Phi(-sqrt(n/(n-s)) t), which undoes the narrowness of the percentile interval for few clusters (Hesterberg 2015,
    The American Statistician 69; n clusters in s strata, t with n-s degrees of freedom). Draws in which the
    statistic is not finite are left out. Where no draw differs from another, or n <= s, the bounds are NaN: the data do
    not tell.
    """
    rows = np.atleast_2d(np.asarray(totals, dtype=np.float64))
    n = len(rows)
    counts = resample_counts(n, draws, rng, strata)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = float(statistic(rows.sum(axis=0)))
        values = statistic(counts @ rows)
        left_out = statistic(rows.sum(axis=0) - rows) if method == "bca" else None
    groups = 1 if strata is None else len(set(strata))
    low, high = percentile_bounds(values, estimate, n, groups, level, left_out=left_out, expand=method == "expanded")
    return Interval(estimate, low, high, level, f"bootstrap-{method}", unit, n)


def percentile_bounds(
    values: FloatArray,
    estimate: float,
    clusters: int,
    strata: int = 1,
    level: float = 0.95,
    *,
    left_out: FloatArray | None = None,
    expand: bool = True,
) -> tuple[float, float]:
    """Read both bounds off the bootstrap `values`; `left_out` (one value per cluster left out) asks for BCa."""
    finite = values[np.isfinite(values)]
    if clusters <= strata or finite.size == 0 or np.ptp(finite) <= _EQUAL:
        return math.nan, math.nan
    if left_out is not None:
        tails = _bca_tails(finite, estimate, left_out, level)
    elif expand:
        tails = _expanded_tails(clusters, strata, level)
    else:
        tails = ((1 - level) / 2, (1 + level) / 2)
    low, high = np.quantile(finite, tails)
    return float(low), float(high)


def _expanded_tails(clusters: int, strata: int, level: float) -> tuple[float, float]:
    freedom = clusters - strata
    reach = math.sqrt(clusters / freedom) * stats.t.ppf((1 + level) / 2, freedom)
    tail = float(stats.norm.cdf(-reach))
    return tail, 1 - tail


def _bca_tails(values: FloatArray, estimate: float, left_out: FloatArray, level: float) -> tuple[float, float]:
    """Bias from the share of draws below the estimate (ties count half), acceleration from the jackknife's skewness."""
    below = np.mean(values < estimate - _EQUAL) + 0.5 * np.mean(np.abs(values - estimate) <= _EQUAL)
    # A share of 0 or 1 would put the bias at infinity: half a draw is the finest that the draws resolve.
    bias = stats.norm.ppf(np.clip(below, 0.5 / values.size, 1 - 0.5 / values.size))
    kept = left_out[np.isfinite(left_out)]
    deviation = kept.mean() - kept
    spread = float((deviation**2).sum()) ** 1.5
    acceleration = float((deviation**3).sum()) / (6 * spread) if spread > 0 else 0.0
    z = normal_quantile(level)
    shifted = bias + np.array([-z, z])
    low, high = stats.norm.cdf(bias + shifted / (1 - acceleration * shifted))
    return float(low), float(high)
