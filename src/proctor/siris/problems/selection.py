"""Which of the pairs found become a suite: balanced over outcomes, over designs and difficulty, and far apart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from proctor.siris.problems.pairs import Pair

GLANCE = {"packet": 4, "lead": 4, "tolerance": 2}  # weights of what leans; a workload parameter has 1
PRESENTED = 4  # weight of the presented design among what crowds
MAX_SWAPS = 10_000  # candidates times pairs, up to which a first choice is improved by exchanging pairs


def select(candidates: Sequence[Pair], count: int) -> list[Pair]:
    """Choose pairs one by one, then exchange them as long as that helps; the result is in the order of the candidates.

    What counts first is balance. A packet's size, the predicted lead, the tolerance and each workload parameter are to
    be the greater ones as often in the upheld problem as in the overturned one, so that none of them tells the outcomes
    apart; and presented designs, answers and levels of difficulty are to be spread. Of equally balanced choices the one
    is taken whose pairs lie furthest apart.
    """
    choice = _Choice(candidates)
    chosen: list[int] = []
    while len(chosen) < count:
        rest = [i for i in range(len(candidates)) if i not in chosen]
        chosen.append(min(rest, key=lambda i: (*choice.badness([*chosen, i]), i)))
    while len(candidates) * count <= MAX_SWAPS:
        swaps = [
            [*(k for k in chosen if k != out), into]
            for out in chosen
            for into in range(len(candidates))
            if into not in chosen
        ]
        better = min(swaps, key=choice.badness, default=chosen)
        if choice.badness(better) >= choice.badness(chosen):
            break
        chosen = better
    return [candidates[i] for i in sorted(chosen)]


class _Choice:
    """Judges sets of candidates, given by their indices."""

    def __init__(self, candidates: Sequence[Pair]) -> None:
        self.leanings = [_leaning(pair) for pair in candidates]
        self.classes = [_classes(pair) for pair in candidates]
        features = [_features(pair) for pair in candidates]
        names = sorted({name for each in features for name in each})
        span = {name: _span([each[name] for each in features if name in each]) for name in names}
        self.distance = [
            [sum(_difference(a.get(name), b.get(name), span[name]) for name in names) for b in features]
            for a in features
        ]

    def badness(self, chosen: Sequence[int]) -> tuple[int, float]:
        """The smaller the better: first the imbalance, then how near the nearest two are."""
        nearest = min((self.distance[i][j] for i in chosen for j in chosen if i < j), default=0.0)
        return self._imbalance(chosen) + self._crowding(chosen), -nearest

    def _imbalance(self, chosen: Sequence[int]) -> int:
        """Sum of squares of what leans one way; what every packet shows at a glance counts several times."""
        totals = {name: sum(self.leanings[i][name] for i in chosen) for name in self.leanings[0]}
        return sum(total**2 * GLANCE.get(name, 1) for name, total in totals.items())

    def _crowding(self, chosen: Sequence[int]) -> int:
        counts = Counter(each for i in chosen for each in self.classes[i])
        return sum(count**2 * (PRESENTED if name == "presented" else 1) for (name, _), count in counts.items())


def _leaning(pair: Pair) -> dict[str, int]:
    """+1 where the upheld problem has the greater number, -1 where the overturned one has it."""
    upheld, overturned = (
        {
            "packet": member.packet_chars,
            "lead": member.assessment.perturbed_lead,
            "tolerance": member.difficulty.tolerance,
            **{name: value for name, value in member.parameters.items() if isinstance(value, int)},
        }
        for member in (pair.upheld, pair.overturned)
    )
    return {name: (value > overturned[name]) - (value < overturned[name]) for name, value in upheld.items()}


def _classes(pair: Pair) -> list[tuple[str, str]]:
    """In what a pair is like others; a choice in which many are alike is crowded."""
    perturbed = pair.overturned.assessment.perturbed
    ranks = sorted(perturbed, key=lambda design: perturbed[design].value)
    return [
        ("presented", pair.kind.presented),
        ("answer", pair.kind.answer),
        ("rank of the answer", str(ranks.index(pair.kind.answer))),
        ("level upheld", pair.upheld.difficulty.level),
        ("level overturned", pair.overturned.difficulty.level),
    ]


def _features(pair: Pair) -> dict[str, Any]:
    parts: dict[str, Mapping[str, Any]] = {"shared": pair.frame.shared, "system": pair.frame.system}
    for outcome, member in (("upheld", pair.upheld), ("overturned", pair.overturned)):
        parts[outcome] = member.parameters
        parts[f"{outcome} problem"] = {"tolerance": math.log(min(member.difficulty.tolerance, 10))}
    return {f"{part}.{name}": value for part, values in parts.items() for name, value in values.items()}


def _span(values: Sequence[Any]) -> float:
    numbers = [value for value in values if isinstance(value, int | float)]
    return max(numbers) - min(numbers) if numbers else 0


def _difference(a: Any, b: Any, span: float) -> float:
    if isinstance(a, int | float) and isinstance(b, int | float):
        return abs(a - b) / span if span else 0
    return float(a != b)
