"""Agreement of two annotators beyond chance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence


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
