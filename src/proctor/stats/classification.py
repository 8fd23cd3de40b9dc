"""Can two outcomes be told apart? Kernel ridge classifiers, cross-validated by cluster, with a permutation test.

The classifier is linear in the labels, so leaving every cluster out is one matrix, and all permutations of the labels
are one product with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proctor.stats.bootstrap import FloatArray
from proctor.stats.paired import EXACT_UP_TO, all_flips

_EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class SwapTest:
    """Share of items classified rightly, and how often as many are when outcomes are swapped within pairs at random."""

    accuracy: float
    p_value: float
    pairs: int


def gaussian_kernel(items: FloatArray) -> FloatArray:
    """Similarity of items, (items, features) -> (items, items); its width is the median distance between items."""
    squares = ((items[:, np.newaxis] - items[np.newaxis]) ** 2).sum(axis=2)
    apart = squares[np.triu_indices(len(items), k=1)]
    width = float(np.median(apart)) if apart.size else 0.0
    return np.asarray(np.exp(-squares / width)) if width > 0 else np.ones_like(squares)


def held_out(kernel: FloatArray, clusters: np.ndarray, ridge: float = 1.0) -> FloatArray:
    """The matrix H for which H @ labels are the scores of ridge classifiers, each trained without the item's cluster.

    kernel: (items, items); it is scaled to a mean diagonal of 1, so that `ridge` means the same for every kernel.
    Equal to training anew per cluster: scores = (I - S_cc)^-1 S_co labels_o, S the smoother K (K + ridge I)^-1.
    """
    n = len(kernel)
    scale = float(np.trace(kernel)) / n
    if scale <= 0:
        return np.zeros_like(kernel)
    scaled = kernel / scale
    smoother = np.linalg.solve(scaled + ridge * np.eye(n), scaled)
    scores = np.zeros_like(kernel)
    for cluster in np.unique(clusters):
        inside = np.flatnonzero(clusters == cluster)
        others = smoother[inside].copy()
        others[:, inside] = 0
        scores[inside] = np.linalg.solve(np.eye(len(inside)) - smoother[np.ix_(inside, inside)], others)
    return scores


def swap_test(
    scores: FloatArray, labels: FloatArray, clusters: np.ndarray, *, rng: np.random.Generator, draws: int = 10_000
) -> SwapTest:
    """Test whether held-out scores tell labels apart better than if outcomes were swapped at random within clusters.

    scores: H of `held_out`; labels: +1 or -1 per item; clusters: pair number per item. One-sided; a score of 0 counts
    half. Up to 16 clusters all 2^n swaps are counted; beyond, p = (1 + b) / (1 + draws) (Phipson and Smyth 2010).
    """
    numbers, index = np.unique(clusters, return_inverse=True)
    exact = numbers.size <= EXACT_UP_TO
    flips = all_flips(numbers.size) if exact else rng.choice(np.array([-1.0, 1.0]), size=(draws, numbers.size))
    observed = float(_accuracy(scores, labels[np.newaxis])[0])
    hits = int(np.count_nonzero(_accuracy(scores, labels * flips[:, index]) >= observed - _EQUAL))
    return SwapTest(observed, hits / len(flips) if exact else (1 + hits) / (1 + draws), numbers.size)


def _accuracy(scores: FloatArray, labels: FloatArray) -> FloatArray:
    """(draws, items) labels -> accuracy per draw."""
    margins = (labels @ scores.T) * labels
    margins[np.abs(margins) < _EQUAL] = 0
    return np.asarray((1 + np.sign(margins)).mean(axis=1) / 2)
