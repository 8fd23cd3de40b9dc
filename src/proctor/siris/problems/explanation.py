"""Why the answer of a problem is what it is, in sentences made of its numbers (evaluator only)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from proctor.siris.problems.difficulty import Difficulty, ranked
from proctor.siris.problems.domain import Problem

_TIMES = ((10**9, "s"), (10**6, "ms"), (10**3, "us"), (1, "ns"))


@dataclass(frozen=True)
class Scale:
    """How values of one problem are written: divided by `factor`, in `unit`."""

    factor: int
    unit: str

    def number(self, value: float) -> str:
        """Four significant digits."""
        scaled = value / self.factor
        digits = max(0, 3 - math.floor(math.log10(abs(scaled)))) if scaled else 0
        return f"{scaled:,.{digits}f}"

    def amount(self, value: float) -> str:
        return f"{self.number(value)} {self.unit}"


def scale_for(largest: float, unit: str) -> Scale:
    """Nanoseconds are written in the unit in which the largest value is at least 1; every other unit as it is."""
    if unit != "ns":
        return Scale(1, unit)
    return next((Scale(factor, name) for factor, name in _TIMES if largest >= factor), Scale(1, "ns"))


def explain(problem: Problem, found: Difficulty, scale: Scale) -> list[str]:
    """What the perturbed simulator says, what the change does, whether that suffices, and how exactly one must know."""
    first, rival = problem.presented, found.rival
    moves = " and ".join(f"{name} by {signed(found.effect_pct[name])} %" for name in (first, rival))
    return [
        f"The perturbed simulator puts {first} first, {_lead(problem.perturbed, scale)}{_over_rival(problem, rival)}.",
        f"The reference simulator, which lacks the limitation, moves {moves}.",
        _verdict(problem, found, scale),
        f"Under the reference simulator {problem.answer} is first, {_lead(problem.reference, scale)}: the answer is "
        f"{problem.answer}, the recommendation is {problem.outcome}.",
        _tolerance(found),
    ]


def signed(percent: float) -> str:
    """A percentage with its sign: one decimal below 10, none from there on."""
    return f"{percent:+.1f}" if abs(percent) < 9.95 else f"{percent:+.0f}"


def _lead(values: Mapping[str, int], scale: Scale) -> str:
    first, second = ranked(values)[:2]
    return f"{_ahead(values, first, second)} ({scale.number(values[first])} against {scale.amount(values[second])})"


def _over_rival(problem: Problem, rival: str) -> str:
    if rival == ranked(problem.perturbed)[1]:
        return ""
    return f" and {_ahead(problem.perturbed, problem.presented, rival)}"


def _ahead(values: Mapping[str, int], first: str, other: str) -> str:
    return f"{signed(100 * (values[other] / values[first] - 1)).removeprefix('+')} % ahead of {other}"


def _verdict(problem: Problem, found: Difficulty, scale: Scale) -> str:
    first, rival, ratio = problem.presented, found.rival, found.shift_over_lead
    lead = problem.perturbed[rival] - problem.perturbed[first]
    gain = ratio * lead
    if ratio <= 0:
        return f"No rival gains on {first}; {rival} comes closest and loses {scale.amount(-gain)}: {first} stays ahead."
    gains = f"{rival} gains {scale.amount(gain)} on {first}, {ratio:.2f} times the lead of {scale.amount(lead)}"
    return f"{gains}: {rival} overtakes." if ratio > 1 else f"{gains}, and no rival comes closer: {first} stays ahead."


def _tolerance(found: Difficulty) -> str:
    if math.isinf(found.tolerance):
        return f"However large one takes the effect to be, the decision is the same ({found.level})."
    way = "small" if found.shift_over_lead > 1 else "large"
    return f"Whoever takes the shift to be up to {found.tolerance:.2f} times too {way} decides rightly ({found.level})."
