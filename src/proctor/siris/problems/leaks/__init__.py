"""The leak audit: does anything but judgment tell the answers of a suite? (siris.md, "Leaks to close".)"""

from __future__ import annotations

from collections.abc import Iterable

from proctor.siris.problems.leaks import labels, rules, telling, template, values, words
from proctor.siris.problems.leaks.exhibits import Check, Exhibit, exhibits

__all__ = ["Check", "Exhibit", "exhibits", "leak_checks"]

EXAMINERS = tuple(module.EXAMINER for module in (telling, words, labels, template, values, rules))


def leak_checks(shown: Iterable[Exhibit]) -> list[Check]:
    """All checks of all problems of a suite; exhibits are looked at one by one and not kept."""
    problems, looks = [], []
    for exhibit in shown:
        problems.append(exhibit.problem)
        looks.append([examiner.look(exhibit) for examiner in EXAMINERS])
    return [
        check for i, examiner in enumerate(EXAMINERS) for check in examiner.judge(problems, [look[i] for look in looks])
    ]
