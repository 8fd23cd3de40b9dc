"""No value that the reference simulator predicts stands in a perturbed packet, in whatever unit it might be printed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from proctor.siris.problems.domain import Problem
from proctor.siris.problems.leaks.exhibits import Check, Examiner, Exhibit, listed

UNITS = (10**9, 10**6, 10**3)  # ns in a second, a millisecond, a microsecond
DIGITS = 5  # a number with fewer significant digits stands somewhere by chance
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?![\d.])")


def look(exhibit: Exhibit) -> list[str]:
    """Reference values found in the perturbed packet that are not perturbed values too."""
    own = _printed(exhibit.problem.perturbed.values(), exhibit.perturbed.predictions)
    secret = _printed(exhibit.problem.reference.values(), exhibit.reference.predictions) - own
    return [
        f"{path}: says {number}, a value of the reference simulator"
        for path, text in exhibit.perturbed.all_files().items()
        for number in sorted({_plain(match) for match in _NUMBER.findall(text)} & secret)
    ]


def _printed(target_ns: Iterable[int], predictions: Mapping[str, str]) -> set[str]:
    """Values as they might be printed: the numbers of the predictions, in s, and the target metric, in every unit."""
    forms = {number for text in predictions.values() for number in _NUMBER.findall(text)}
    for ns in {*target_ns, *(round(float(number) * UNITS[0]) for number in forms)}:
        forms.add(str(ns))
        forms.update(f"{ns / unit:.{places}f}" for unit in UNITS for places in range(10))
    return {form for text in forms if len((form := _plain(text)).replace(".", "").strip("0")) >= DIGITS}


def _plain(number: str) -> str:
    """Without zeros that say nothing: 1.50 is 1.5."""
    return number.rstrip("0").rstrip(".") if "." in number else number


def judge(problems: Sequence[Problem], looks: Sequence[list[str]]) -> list[Check]:
    return [listed("reference values", "reference values in perturbed packets", looks, problems)]


EXAMINER = Examiner(look, judge)
