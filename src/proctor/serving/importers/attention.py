"""The attention kernel of a mixed step, from a measured 4-D grid that is ragged.

Axes: prefill tokens, their cached tokens, decodes, cached tokens per decode. The (prefill tokens, decodes) pairs form a
grid of slices; inside a slice every prefill row has its own decode axis. A slice that was never measured is replaced by
the nearest one that was (Euclidean distance in tokens and decodes).
"""

from __future__ import annotations

from proctor.serving.importers.bundle import AttentionPoints
from proctor.serving.importers.interpolate import Line, bracket, whole_ns


class Slice:
    """Cost over (cached prefill tokens, cached tokens per decode) at fixed prefill tokens and decodes."""

    __slots__ = ("knots", "lines")

    def __init__(self, points: dict[int, dict[int, int]]) -> None:
        self.knots = tuple(sorted(points))
        self.lines = tuple(Line.of(points[knot]) for knot in self.knots)

    def at(self, kv_prefill: int, kv_decode: int) -> float:
        """Bilinear, on the points this slice holds. A row with a single point is constant."""
        low, high, fraction = bracket(self.knots, kv_prefill)
        start = self.lines[low].at(kv_decode)
        if low == high:
            return start
        return start + fraction * (self.lines[high].at(kv_decode) - start)


class AttentionGrid:
    """`at(...)` gives ns of one layer's kernel for a whole step."""

    def __init__(self, points: AttentionPoints) -> None:
        self.points = points
        grouped: dict[tuple[int, int], dict[int, dict[int, int]]] = {}
        for (prefill, kv_prefill, decodes, kv_decode), ns in points.items():
            grouped.setdefault((prefill, decodes), {}).setdefault(kv_prefill, {})[kv_decode] = ns
        self._slices = {pair: Slice(grouped[pair]) for pair in sorted(grouped)}
        self._nearest: dict[tuple[int, int], Slice] = {}
        self.least = min(points.values())
        self.prefill_axis = tuple(sorted({prefill for prefill, _ in grouped}))
        self.decode_axis = tuple(sorted({decodes for _, decodes in grouped}))

    def at(self, prefill: int, kv_prefill: int, decodes: int, kv_decode: int) -> int:
        """Linear on all four axes; whole ns, at least 1."""
        low, high, fraction = bracket(self.prefill_axis, prefill)
        start = self._along_decodes(self.prefill_axis[low], kv_prefill, decodes, kv_decode)
        if not fraction:
            return whole_ns(start)
        end = self._along_decodes(self.prefill_axis[high], kv_prefill, decodes, kv_decode)
        return whole_ns(start + fraction * (end - start))

    def _along_decodes(self, prefill: int, kv_prefill: int, decodes: int, kv_decode: int) -> float:
        low, high, fraction = bracket(self.decode_axis, decodes)
        start = self._slice(prefill, self.decode_axis[low]).at(kv_prefill, kv_decode)
        if not fraction:
            return start
        end = self._slice(prefill, self.decode_axis[high]).at(kv_prefill, kv_decode)
        return start + fraction * (end - start)

    def _slice(self, prefill: int, decodes: int) -> Slice:
        found = self._nearest.get((prefill, decodes))
        if found is None:
            pair = min(self._slices, key=lambda at: ((at[0] - prefill) ** 2 + (at[1] - decodes) ** 2, at))
            found = self._nearest[prefill, decodes] = self._slices[pair]
        return found
