"""Regular expressions that a model wrote: refused where they could fill the memory before any timeout can end them."""

from __future__ import annotations

import math
import re

import regex
from inspect_ai.tool import ToolError

PATTERN = 1_000  # characters of a pattern
REPEATS = 10_000  # product of all repeat counts; `regex` unrolls nested ones while it compiles
_COUNTS = re.compile(r"(?<=[{,])\s*(\d{1,9})(?=\s*[,}])")
_RECURSION = re.compile(r"\(\?(?:R|&|P>|[+-]?\d)")


def well_formed(text: str) -> str:
    """The text with a question mark for each lone surrogate, which no encoder accepts."""
    return text.encode("utf-8", errors="replace").decode()


def compile_pattern(pattern: str, ignore_case: bool) -> regex.Pattern[str]:
    """Raises ToolError, in words for the model, where a pattern is wrong or too costly."""
    if not pattern or len(pattern) > PATTERN:
        raise ToolError(f"The pattern must have 1 to {PATTERN} characters.")
    if math.prod(max(1, int(count)) for count in _COUNTS.findall(pattern)) > REPEATS:
        raise ToolError("The repeat counts of the pattern are too large together.")
    if _RECURSION.search(pattern):
        raise ToolError("Recursive patterns are not supported.")
    try:
        return regex.compile(well_formed(pattern), regex.IGNORECASE if ignore_case else 0)
    except (regex.error, OverflowError, RecursionError, ValueError) as error:
        raise ToolError(f"The pattern is not a valid regular expression: {well_formed(str(error))[:200]}.") from None
