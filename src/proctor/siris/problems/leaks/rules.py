"""What rules without judgment score. To follow what is presented gives J = 50, and none may give more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from proctor.siris.problems.difficulty import ranked
from proctor.siris.problems.domain import LABELS, Problem
from proctor.siris.problems.leaks.exhibits import Check, Examiner, only_the_problem

# A rule that follows gets U = 100 and O = 0. A rule that names the k-th prediction gets U = 0. Whatever scores more
# than 50 without looking at anything has found in the labels or designs what only judgment should find.
MOST = 50.0
FEWEST_PAIRS = 4  # of fewer, a label or a design may well answer most by chance
_NTH = ("first (follow)", "second (runner-up)", "third", "last")


def judge(problems: Sequence[Problem], looks: Sequence[None]) -> list[Check]:  # noqa: ARG001
    scores: dict[str, tuple[float, float]] = {}
    for place, name in enumerate(_NTH):
        scores[f"predicted {name}"] = _score(problems, lambda p, k=place: ranked(p.perturbed)[k])  # type: ignore[misc]
    for label in LABELS:
        scores[f"always {label}"] = _score(problems, lambda _, fixed=label: fixed)  # type: ignore[misc]
    scores["one design per design problem, the best in hindsight"] = _score(problems, _favorite(problems))
    judgment = {name: (upheld + overturned) / 2 for name, (upheld, overturned) in scores.items()}
    best = max(judgment, key=lambda name: judgment[name])
    holds = judgment[best] <= MOST
    too_few = not holds and len(problems) < 2 * FEWEST_PAIRS
    return [
        Check(
            "fixed rules",
            None if too_few else holds,
            f"{'too few pairs to tell: ' if too_few else ''}"
            f"the best, {best}, has J = {judgment[best]:.1f}, at most {MOST:g}; "
            f"the runner-up is the answer of {scores['predicted second (runner-up)'][1]:.0f} % of overturned problems",
            tuple(f"{name}: U {u:.1f}, O {o:.1f}, J {judgment[name]:.1f}" for name, (u, o) in scores.items()),
            judgment,
        )
    ]


def _score(problems: Sequence[Problem], rule: Callable[[Problem], str]) -> tuple[float, float]:
    """Percent correct on upheld and on overturned problems."""
    right: dict[str, list[bool]] = {"upheld": [], "overturned": []}
    for problem in problems:
        right[problem.outcome].append(rule(problem) == problem.answer)
    upheld, overturned = (100 * sum(hits) / max(1, len(hits)) for hits in right.values())
    return upheld, overturned


def _favorite(problems: Sequence[Problem]) -> Callable[[Problem], str]:
    """Name in every problem the design that answers most problems of its design problem."""
    wins: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for problem in problems:
        wins[problem.design_problem][problem.labels[problem.answer]] += 1

    def rule(problem: Problem) -> str:
        favorites = wins[problem.design_problem]
        return max(problem.labels, key=lambda label: (favorites.get(problem.labels[label], 0), problem.labels[label]))

    return rule


EXAMINER = Examiner(only_the_problem, judge)
