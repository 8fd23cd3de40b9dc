"""Correction for decodes of unequal length.

The grid was measured with equal decodes. A batch whose longest decode stands out costs more than one of equal decodes
at the mean length; the bundle says how much as `alpha`, fitted per bucket: t = t(mean) + alpha * (t(max) - t(mean)).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from proctor.serving.importers.bundle import Bundle


class Skew:
    """`alpha(...)` of one tensor-parallel degree; 0 everywhere when the bundle has no skew profile."""

    def __init__(self, bundle: Bundle, tp: int) -> None:
        fit = bundle.meta.skew_fit
        entry = fit.per_tp.get(tp)
        self._axes = fit.bucket_axes
        self._alphas = bundle.alphas(tp)
        self._profiled_chunks = frozenset(key[0] for key in self._alphas)
        self.default = entry.alpha_default if fit.enabled and entry else 0.0
        self.enabled = bool(self.default or self._alphas)

    def alpha(self, prefill: int, kv_prefill: int, decodes: int, kv_least: int, kv_mean: int, kv_most: int) -> float:
        """Alpha of the bucket of a batch, or the default of the degree when none holds it.

        Prefill tokens must match a profiled count exactly, so nearly every mixed step takes the default.
        """
        axes = self._axes
        if axes is None or prefill not in self._profiled_chunks:
            return self.default
        rate = (kv_mean - kv_least) / (kv_most - kv_least) if kv_most > kv_least else 0.5
        key = (
            prefill,
            _label(axes.n_bins, axes.n_labels, decodes),
            _label(axes.skew_rate_bins, axes.skew_rate_labels, rate),
            _label(axes.kv_big_bins, axes.kv_big_labels, kv_most),
            _label(axes.kp_bins, axes.kp_labels, kv_prefill),
        )
        return self._alphas.get(key, self.default)


def _label(bounds: Sequence[float], labels: Sequence[str], value: float) -> str:
    """The label of the bucket (bounds[i], bounds[i + 1]] with `value`; the end buckets also take what lies beyond."""
    place = bisect_left(bounds, value) - 1
    return labels[min(max(place, 0), len(labels) - 1)]
