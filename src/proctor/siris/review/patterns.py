"""Regular expressions that a model wrote: kept from filling the memory or running for ever, and searched fast."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator, Sequence

import regex
from inspect_ai.tool import ToolError

PATTERN = 1_000  # characters of a pattern
REPEATS = 10_000  # product of all repeat counts; `regex` unrolls nested ones while it compiles
UNROLLED = (
    200_000  # that product times the length of the pattern: what it may unroll to; compiles in about half a second
)
_ESCAPE = re.compile(r"\\.", re.DOTALL)
_BRACES = re.compile(r"\{([^{}]*)\}")
_VERBOSE = re.compile(r"\(\?[a-zA-Z0-9-]*x")  # in verbose mode, spaces and comments may stand inside a count
# A pattern of which every part looks at nothing but what it matches: no lookaround, anchor of the text, atomic group or
# possessive repeat. If such a pattern matches a line, it also matches there in the whole text.
_LOCAL = re.compile(r"(?:[^\\(*+?}]|\\[^AZzGKRX]|\((?!\?(?!:)|\*)|[*+?}](?!\+))*")
_RECURSION = re.compile(r"\(\?(?:R|&|P>|[+-]?\d)")


def well_formed(text: str) -> str:
    """The text with a question mark for each lone surrogate, which no encoder accepts."""
    return text.encode("utf-8", errors="replace").decode()


def compile_pattern(pattern: str, ignore_case: bool) -> regex.Pattern[str]:
    """Raises ToolError, in words for the model, where a pattern is wrong or too costly."""
    if not pattern or len(pattern) > PATTERN:
        raise ToolError(f"The pattern must have 1 to {PATTERN} characters.")
    plain = _ESCAPE.sub("_", pattern)
    if _VERBOSE.search(plain):
        raise ToolError("The verbose flag x is not supported.")
    product = math.prod(_largest_count(body) for body in _BRACES.findall(plain))
    if product > REPEATS or (product > 1 and product * len(pattern) > UNROLLED):
        raise ToolError("The repeat counts of the pattern are too large together.")
    if _RECURSION.search(pattern):
        raise ToolError("Recursive patterns are not supported.")
    try:
        return regex.compile(well_formed(pattern), regex.MULTILINE | (regex.IGNORECASE if ignore_case else 0))
    except (regex.error, OverflowError, RecursionError, ValueError) as error:
        raise ToolError(f"The pattern is not a valid regular expression: {well_formed(str(error))[:200]}.") from None


def _largest_count(body: str) -> int:
    """The largest number between two braces, at least 1; raises ToolError where more than counts stands there."""
    if not re.search(r"\d", body):
        return 1
    if not re.fullmatch(r"[\d, ]+", body):
        raise ToolError(
            "Braces may hold repeat counts alone, such as {2,5}. Escape a brace that is meant as itself: \\{."
        )
    return max(1, *map(int, re.findall(r"\d+", body)))


def candidate_lines(pattern: regex.Pattern[str], lines: Sequence[str], end: float) -> Iterator[tuple[int, str]]:
    """Lines with their numbers among which all matches are; few of them where that can be told from the whole text.

    Raises TimeoutError when `time.monotonic()` has reached `end`.
    """
    if not _LOCAL.fullmatch(pattern.pattern):
        yield from enumerate(lines, start=1)
        return
    text = "\n".join(lines)
    number, start = 1, 0
    while match := pattern.search(text, start, timeout=time_left(end)):
        number += text.count("\n", start, match.start())
        yield number, lines[number - 1]
        if number == len(lines):
            return
        start = text.index("\n", match.start()) + 1
        number += 1


def time_left(end: float) -> float:
    """Seconds until `end`, as a timeout for `regex`; raises TimeoutError if there are none."""
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
