"""No text that a reader may meet names a change, a version, an outcome, or the design behind a label.

Two kinds of words. GENERAL ones have no business in any packet; the list was made by looking at what packets do say
(`ValueError` is Python's, "fixed" sizes and "true" flags are data, "limitation" stands in the prompts, not in packets).
The others come with a suite: the names of its perturbations and designs, which labels hide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from proctor.siris.problems.domain import Problem
from proctor.siris.problems.leaks.exhibits import Check, Examiner, Exhibit, listed

GENERAL = (
    r"perturb\w*",
    r"unperturbed",
    r"reference (?:simulat\w+|version|answer|winner|value|prediction)s?",
    r"upheld",
    r"overturn\w*",
    r"flaw\w*",
    r"bugs?|buggy|bugfix\w*",
    r"model+ing (?:error|limitation|flaw)s?",
    r"ground[ _-]truth",
    r"counterfactual\w*",
    r"injected|tampered|sabotag\w*|deliberate\w*",
    r"mistake\w*|incorrect\w*|wrong\w*|erroneous\w*",
    r"unpatched|patched",
    r"fixme|todo|xxx|hack",
    r"oversimplif\w*|unrealistic\w*",
    r"siris|proctor|benchmark\w*",
    r"correct answer|right answer|expected answer",
    r"sglang\w*",  # after whose router one design of the serving domain is called
)
_EDGE = r"(?<![A-Za-z0-9]){}(?![A-Za-z0-9])"


@cache
def pattern(names: frozenset[str]) -> re.Pattern[str]:
    """GENERAL words and the given names, as whole words in any case.

    A name of several words is also found with hyphens for its underscores, but not with spaces: "longest prefix" is
    plain English.
    """
    own = [re.escape(name).replace("_", "[_-]") for name in sorted(names)]
    return re.compile(_EDGE.format(f"(?:{'|'.join([*GENERAL, *own])})"), re.IGNORECASE)


def look(exhibit: Exhibit) -> list[str]:
    """Where words stand that must not, one line per text and word."""
    problem = exhibit.problem
    wanted = pattern(frozenset({problem.perturbation, *problem.labels.values()}))
    found = {}
    for name, text in exhibit.texts().items():
        for match in _matches(wanted, f"{name.partition(': ')[2]}\n{text}"):
            found[f"{name}: says {match!r}"] = None
    return list(found)


def _matches(wanted: re.Pattern[str], text: str) -> Iterable[str]:
    return (match.group(0).lower() for match in wanted.finditer(text))


def judge(problems: Sequence[Problem], looks: Sequence[list[str]]) -> list[Check]:
    return [listed("word list", "words that must not stand in a packet", looks, problems)]


EXAMINER = Examiner(look, judge)
