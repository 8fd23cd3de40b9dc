"""Intervals for weighted sums of proportions observed in clusters: accuracies, their means and their differences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from proctor.stats.bootstrap import DRAWS, FloatArray, percentile_bounds, resample_counts
from proctor.stats.intervals import Interval, wilson

_EQUAL = 1e-12


@dataclass(frozen=True, slots=True)
class Contrast:
    """The quantity sum_j weights[j] * p[j]; components with weight 0 play no part.

    `cautious` says when to leave the bootstrap: when any component shows no variation between clusters (right for few
    components, where a perfect score must keep some doubt), or only when none varies or the sum itself stands still
    (right for many components that are rarely anything but zero).
    """

    weights: tuple[float, ...]
    cautious: bool = True


def cluster_contrasts(
    successes: npt.ArrayLike,
    trials: npt.ArrayLike,
    contrasts: Mapping[str, Contrast],
    *,
    unit: str,
    rng: np.random.Generator | FloatArray,
    level: float = 0.95,
    draws: int = DRAWS,
) -> dict[str, Interval]:
    """Intervals for contrasts of proportions p[j] = sum of successes / sum of trials, clusters being independent.

    `successes` and `trials` have shape (clusters, components); clusters may differ in size and have no trials at all in
    a component. All contrasts share the same draws; `rng` may be the draws themselves, as `resample_counts` makes them,
    where many data sets are to share them. Bounds are expanded percentiles of the cluster bootstrap. A
    component that does not vary between clusters has nothing to draw from; its bounds are Wilson's with every cluster
    counted as one observation, the most that clustering can cost, and the components' bounds are combined as in the
    method of variance estimates recovery (Zou and Donner 2008; Newcombe 1998, method 10):
    est -+ sqrt(sum_j (w_j * distance of p_j to its bound on that side)^2).
    """
    wins, sizes = (np.atleast_2d(np.asarray(a, dtype=np.float64)) for a in (successes, trials))
    if wins.shape != sizes.shape or (wins < 0).any() or (wins > sizes).any():
        raise ValueError("successes and trials need one shape (clusters, components) and 0 <= successes <= trials")
    counts = resample_counts(len(wins), draws, rng) if isinstance(rng, np.random.Generator) else rng
    components = _Components(wins, sizes, counts, level)
    return {name: components.interval(contrast, unit) for name, contrast in contrasts.items()}


class _Components:
    """The proportions, their draws of shape (draws, components), and which of them stand still between clusters."""

    def __init__(self, wins: FloatArray, sizes: FloatArray, counts: FloatArray, level: float) -> None:
        with np.errstate(divide="ignore", invalid="ignore"):
            self.p = wins.sum(axis=0) / sizes.sum(axis=0)
            self.draws = (counts @ wins) / _drawn_sizes(sizes, counts)
            ratios = wins / sizes
        self.clusters = (sizes > 0).sum(axis=0)
        self.still = np.array([_still(ratios[:, j]) for j in range(sizes.shape[1])])
        self.level = level

    def interval(self, contrast: Contrast, unit: str) -> Interval:
        weights = np.asarray(contrast.weights, dtype=np.float64)
        if weights.shape != self.p.shape:
            raise ValueError(f"expected {self.p.size} weights, not {weights.size}")
        used = np.flatnonzero(weights)
        if not used.size:
            raise ValueError("a contrast needs a weight other than 0")
        clusters = int(self.clusters[used].min())
        estimate = float(weights[used] @ self.p[used])
        if not math.isfinite(estimate):
            return Interval(math.nan, math.nan, math.nan, self.level, "none", unit, clusters)
        values = self.draws[:, used] @ weights[used]
        still = self.still[used].any() if contrast.cautious else self.still[used].all()
        low, high = percentile_bounds(values, estimate, clusters, level=self.level)
        if not still and math.isfinite(low):
            return Interval(estimate, low, high, self.level, "bootstrap-expanded", unit, clusters)
        below, above = self._recovered(weights, used)
        return Interval(estimate, estimate - below, estimate + above, self.level, "wilson-recovered", unit, clusters)

    def _recovered(self, weights: FloatArray, used: npt.NDArray[np.int64]) -> tuple[float, float]:
        below, above = 0.0, 0.0
        for j in used:
            low, high = self._bounds(int(j))
            down, up = weights[j] * (self.p[j] - low), weights[j] * (high - self.p[j])
            below += (down if weights[j] > 0 else up) ** 2
            above += (up if weights[j] > 0 else down) ** 2
        return math.sqrt(below), math.sqrt(above)

    def _bounds(self, j: int) -> tuple[float, float]:
        p, n = float(self.p[j]), int(self.clusters[j])
        low, high = percentile_bounds(self.draws[:, j], p, n, level=self.level)
        if self.still[j] or not math.isfinite(low):
            score = wilson(p * n, n, level=self.level)
            return score.low, score.high
        return low, high


def _drawn_sizes(sizes: FloatArray, counts: FloatArray) -> FloatArray:
    """Trials in each draw; where clusters are alike, as in a complete study, every draw has as many as the data."""
    alike = bool(np.all(sizes == sizes[0]))
    return sizes.sum(axis=0, keepdims=True) if alike else np.asarray(counts @ sizes)


def _still(ratios: FloatArray) -> bool:
    seen = ratios[np.isfinite(ratios)]
    return seen.size < 2 or bool(np.ptp(seen) <= _EQUAL)
