"""No text that a reader may meet names a change, a version, an outcome, or the design behind a label.

Two kinds of words. GENERAL ones have no business in any packet; the list was made by looking at what packets do say
(`ValueError` is Python's, "fixed" sizes and "true" flags are data, "limitation" stands in the prompts, not in packets).
The others come with a suite: the names of its perturbations and designs, which labels hide.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from proctor.siris.problems.domain import Problem
from proctor.siris.problems.leaks.exhibits import Check, Examiner, Exhibit, listed

GENERAL = (
    # what was done to the simulator, and what it is called
    r"perturb\w*",
    r"unperturb\w*",
    r"patched",
    r"unpatched",
    r"injected",
    r"tamper\w*",
    r"sabotag\w*",
    r"deliberate\w*",
    r"counterfactual\w*",
    r"reference (?:simulat\w+|version|answer|winner|value|prediction|recommendation)s?",
    r"ground[ _-]truth",
    # what is wrong with it
    r"flaw\w*",
    r"bug\w*",
    r"mistake\w*",
    r"incorrect\w*",
    r"wrong\w*",
    r"erroneous\w*",
    r"oversimplif\w*",
    r"unrealistic\w*",
    r"limitation\w*",
    r"model+ing errors?",
    r"fixme",
    r"todo",
    r"xxx",
    r"hack",
    # what the answer is
    r"upheld",
    r"overturn\w*",
    r"correct answer",
    r"right answer",
    r"expected answer",
    # whence it comes
    r"siris",
    r"proctor",
    r"benchmark\w*",
    r"sglang\w*",  # after whose router one design of the serving domain is called
)


@cache
def patterns(names: frozenset[str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """GENERAL words and the given names, as whole words in any case, each with letters that stand in every match.

    A name of several words is also found with hyphens for its underscores, but not with spaces: "longest prefix" is
    plain English.
    """
    wanted = [*GENERAL, *(re.escape(name.lower()).replace("_", "[_-]") for name in sorted(names))]
    edged = r"(?<![a-z0-9]){}(?![a-z0-9])"
    return tuple((re.split(r"[^a-z0-9]", word)[0], re.compile(edged.format(word))) for word in wanted)


def look(exhibit: Exhibit) -> list[str]:
    """Where words stand that must not, one line per text and word."""
    wanted = patterns(exhibit.names)
    found: dict[str, None] = {}
    for name, text in exhibit.texts().items():
        lowered = f"{name.rpartition(': ')[2]}\n{text}".lower()
        for letters, pattern in wanted:
            if letters in lowered:  # a hundred times as fast as the pattern
                found |= dict.fromkeys(f"{name}: says {match[0]!r}" for match in pattern.finditer(lowered))
    return list(found)


def judge(problems: Sequence[Problem], looks: Sequence[list[str]]) -> list[Check]:
    return [listed("word list", "words that must not stand in a packet", looks, problems)]


EXAMINER = Examiner(look, judge)
