"""Agreement of two annotators beyond chance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from proctor.stats.bootstrap import DRAWS, FloatArray, cluster_bootstrap
from proctor.stats.intervals import Interval, wilson


def cohens_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Return (po - pe) / (1 - pe) for two annotators' labels of the same items (Cohen 1960). Unit: one item.

    po is the share of items labelled alike, pe the share expected from each annotator's own label frequencies. NaN
    where both used one and the same label throughout: chance alone then explains the agreement.
    """
    if len(first) != len(second) or not first:
        raise ValueError(f"expected two equally long, non-empty label lists, not {len(first)} and {len(second)}")
    n = len(first)
    observed = sum(a == b for a, b in zip(first, second, strict=True))
    left, right = Counter(first), Counter(second)
    # Whole numbers until the last step, so that "no room for chance" is an exact comparison.
    expected = sum(left[label] * right[label] for label in left)
    return (observed * n - expected) / (n * n - expected) if expected != n * n else math.nan


def clustered_kappa(
    tables: npt.ArrayLike, *, unit: str, rng: np.random.Generator, level: float = 0.95, draws: int = DRAWS
) -> Interval:
    """Kappa of two annotators' yes-or-no labels, with an interval for items that come in clusters.

    `tables` has shape (clusters, 4): how many items of a cluster were labelled yes-yes, yes-no, no-yes and no-no. Whole
    clusters are drawn again. Where the annotators agree on every item, the draws have nothing to say: the lower bound
    is then that of Wilson's interval for the agreement, every cluster counted as one item, carried over to kappa with
    the label frequencies as they are. The estimate is NaN where both used one and the same label throughout, the bounds
    wherever the data do not tell.
    """
    rows = np.atleast_2d(np.asarray(tables, dtype=np.float64))
    found = cluster_bootstrap(rows, _kappa, unit=unit, rng=rng, level=level, draws=draws)
    if found.estimate != 1:
        return found
    agreed = wilson(len(rows), len(rows), level=level, unit=unit)
    expected = _expected(rows.sum(axis=0))
    low = max(-1.0, float((agreed.low - expected) / (1 - expected)))
    return Interval(1.0, low, 1.0, level, "wilson", unit, len(rows))


def _kappa(sums: FloatArray) -> FloatArray:
    total = sums.sum(axis=-1)
    expected = _expected(sums)
    observed = (sums[..., 0] + sums[..., 3]) / total
    # Rounding must not turn "no room for chance" into a number.
    return np.where(expected < 1 - 1e-12, (observed - expected) / (1 - expected), np.nan)


def _expected(sums: FloatArray) -> FloatArray:
    yes_yes, yes_no, no_yes, no_no = (sums[..., i] for i in range(4))
    total = sums.sum(axis=-1)
    both_yes = (yes_yes + yes_no) * (yes_yes + no_yes)
    both_no = (no_yes + no_no) * (yes_no + no_no)
    return np.asarray((both_yes + both_no) / total**2)
