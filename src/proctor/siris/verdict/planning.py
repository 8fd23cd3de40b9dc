"""How many pairs a study needs to tell two models apart, by simulating studies and the test that the report makes.

What is assumed is said in `Plan`; nothing of it is known before the study, so try several values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from proctor.siris.verdict.intervals import SEED, UNIT, FloatArray
from proctor.stats import Interval, paired_proportions, power, resampled
from proctor.stats.intervals import normal_quantile

MOST_PAIRS = 2000
_POOL = 20_000  # simulated pairs that studies are drawn from


@dataclass(frozen=True)
class Plan:
    """Two models answer the same pairs, each problem `repetitions` times under one condition.

    Attributes:
        gap: True difference of their J in points, the second's minus the first's; it is spread evenly over upheld and
            overturned problems.
        judgment: J of the first model, in percent, also its accuracy on either kind of problem.
        within: Correlation of two answers of one model to one problem: the share of the variance that repetitions
            repeat. At 1 a repetition would tell nothing new.
        between: Correlation of the two models' own accuracies over problems. What is hard for one is hard for the
            other, and comparing within pairs takes that out.
        alpha: Level of the two-sided test; `comparisons` is the size of the family that Holm corrects for, of which
            the first and hardest step is planned: alpha / comparisons.

    The two problems of a pair are taken for independent given the models; the test flips signs of whole pairs.
    """

    repetitions: int
    gap: float
    judgment: float = 60.0
    within: float = 0.6
    between: float = 0.3
    alpha: float = 0.05
    comparisons: int = 1

    @property
    def level(self) -> float:
        return self.alpha / self.comparisons

    @cached_property
    def pool(self) -> FloatArray:
        """Per-pair differences of J, in points, of many simulated pairs: shape (pairs,)."""
        rates = self.judgment / 100, (self.judgment + self.gap) / 100
        study = paired_proportions(
            *rates, trials=self.repetitions, within=self.within, between=self.between, questions=2
        )
        return np.asarray(100 * study(np.random.default_rng(SEED), 1, _POOL)[0])


def planned_power(plan: Plan, pairs: int, studies: int = 2000) -> Interval:
    """Chance that a study of that many pairs resolves the gap, from 0 to 1; the interval is the simulation's own."""
    rng = np.random.default_rng(SEED)
    # The finest p that random flips can give must lie well below the level.
    draws = max(1000, math.ceil(20 / plan.level))
    return power(resampled(plan.pool), pairs, unit=UNIT, rng=rng, alpha=plan.level, studies=studies, draws=draws)


def pairs_needed(plan: Plan, wanted: float) -> int | None:
    """The fewest pairs with which the gap is resolved with chance `wanted`; None if more than `MOST_PAIRS`.

    The normal approximation says where to look, simulation decides. Below 1 + log2(1 / level) pairs no pattern of
    signs is rare enough to be significant.
    """
    spread = float(plan.pool.std()) / abs(plan.gap)
    guess = (spread * (normal_quantile(1 - plan.level) + normal_quantile(2 * wanted - 1))) ** 2
    low = max(2, int(guess / 2), math.ceil(1 - math.log2(plan.level)))
    high = max(low, int(1.5 * guess) + 12)
    if low > MOST_PAIRS:
        return None
    while planned_power(plan, min(high, MOST_PAIRS)).estimate < wanted:
        if high >= MOST_PAIRS:
            return None
        low, high = high + 1, 2 * high
    high = min(high, MOST_PAIRS)
    while low < high:
        middle = (low + high) // 2
        if planned_power(plan, middle).estimate >= wanted:
            high = middle
        else:
            low = middle + 1
    return high
