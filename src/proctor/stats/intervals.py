"""What an interval is here, and the intervals for a plain proportion."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy import stats


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its confidence bounds, in the estimate's own unit.

    `unit` names the unit of analysis (what was treated as independent) and `units` counts it. Bounds are NaN where the
    data say nothing about them.
    """

    estimate: float
    low: float
    high: float
    level: float
    method: str
    unit: str
    units: int

    def covers(self, value: float = 0.0) -> bool:
        """Whether `value` cannot be excluded; unknown bounds exclude nothing."""
        return not (self.low > value or self.high < value)

    @property
    def resolved(self) -> bool:
        """Whether the interval lies on one side of zero, so that the sign of a difference is known."""
        return not self.covers(0.0)


def normal_quantile(level: float) -> float:
    """Return the two-sided standard normal quantile of a confidence level: 1.96 for 0.95."""
    if not 0 < level < 1:
        raise ValueError(f"a confidence level lies between 0 and 1, not {level}")
    return float(stats.norm.ppf((1 + level) / 2))


def wilson(successes: float, n: float, *, level: float = 0.95, unit: str = "trial") -> Interval:
    """Score interval of a proportion from `n` independent units (Wilson 1927; Brown, Cai and DasGupta 2001).

    (p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n). It never leaves [0, 1] and has width also at 0 and 1.
    `successes` may be fractional, as for an effective sample size. With n = 0 the estimate is NaN, the bounds 0 and 1.
    """
    if n < 0 or not 0 <= successes <= n:
        raise ValueError(f"expected 0 <= successes <= n, not {successes} of {n}")
    if n == 0:
        return Interval(math.nan, 0.0, 1.0, level, "wilson", unit, 0)
    z = normal_quantile(level)
    p = successes / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    # At 0 and 1 the bound equals the estimate; rounding must not push it past.
    return Interval(
        p, min(p, max(0.0, centre - half)), max(p, min(1.0, centre + half)), level, "wilson", unit, round(n)
    )
