"""Piecewise-linear look-up over a measured axis: clamped below the first point, extrapolated above the last."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


def bracket(knots: Sequence[int], x: int) -> tuple[int, int, float]:
    """(low index, high index, fraction) of `x` on rising `knots`.

    The two indices are equal, with fraction 0, at or below the first knot; above the last the fraction exceeds 1.
    """
    if x <= knots[0] or len(knots) == 1:
        return 0, 0, 0.0
    high = min(bisect_right(knots, x), len(knots) - 1)
    low = high - 1
    return low, high, (x - knots[low]) / (knots[high] - knots[low])


@dataclass(frozen=True, slots=True)
class Line:
    """A 1-D table: rising `knots`, one value per knot."""

    knots: tuple[int, ...]
    values: tuple[int, ...]

    @classmethod
    def of(cls, points: Mapping[int, int]) -> Line:
        """A line through points given in any order. `points` must not be empty."""
        knots = tuple(sorted(points))
        return cls(knots, tuple(points[knot] for knot in knots))

    def at(self, x: int) -> float:
        """The interpolated value at `x`; a float in general, exact at a knot."""
        low, high, fraction = bracket(self.knots, x)
        start = self.values[low]
        return start + fraction * (self.values[high] - start)


def whole_ns(value: float) -> int:
    """A cost in whole nanoseconds, rounded down and never below 1."""
    return max(1, int(value))
