"""Labels and outcomes are spread evenly, so that neither a position nor a base rate answers a problem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from proctor.siris.problems.domain import LABELS, Problem
from proctor.siris.problems.leaks.exhibits import Check, Examiner, only_the_problem

# `freeze.assemble` deals answers out in turn, and presented labels in turn within each answer, so a count can be ahead
# of another by 1, and by 3 where the answers of four labels each leave a remainder.
ANSWERS_APART = 1
PRESENTED_APART = 3


def judge(problems: Sequence[Problem], looks: Sequence[None]) -> list[Check]:  # noqa: ARG001
    outcomes = Counter(problem.outcome for problem in problems)
    even = len(set(outcomes.values())) == 1 and len(outcomes) == 2
    balance = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items(), reverse=True))
    return [
        Check("outcome balance", even, balance, (), {str(outcome): count for outcome, count in outcomes.items()}),
        _spread("answer labels", "answer", ANSWERS_APART, problems),
        _spread("presented labels", "presented", PRESENTED_APART, problems),
    ]


def _spread(name: str, place: str, most: int, problems: Sequence[Problem]) -> Check:
    """Whether the most and the least frequent label differ by at most so many, in each outcome."""
    apart, details = 0, []
    for outcome in ("upheld", "overturned"):
        counts = Counter(getattr(problem, place) for problem in problems if problem.outcome == outcome)
        numbers = [counts[label] for label in LABELS]
        apart = max(apart, max(numbers) - min(numbers))
        details.append(f"{outcome}: " + " ".join(f"{label} {counts[label]}" for label in LABELS))
    return Check(name, apart <= most, f"counts differ by {apart}, at most {most}", tuple(details), {"apart": apart})


EXAMINER = Examiner(only_the_problem, judge)
