"""Tool calls as a model made them, made safe to execute and to log."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from inspect_ai.model import ChatMessageAssistant

DEPTH = 100  # nesting of arguments; Inspect's own bound, past which a log cannot be written
DIGITS = 1_000  # of an integer, roughly; Python refuses to print more than 4,300
PARSED_DIGITS = 200_000  # digits that the reply of a provider may hold


def accept_long_integers() -> None:
    """Let providers parse integers past Python's limit: refused there, the model's slip would be an error of ours."""
    limit = sys.get_int_max_str_digits()
    if 0 < limit < PARSED_DIGITS:
        sys.set_int_max_str_digits(PARSED_DIGITS)


def refuse_unprintable_calls(message: ChatMessageAssistant) -> None:
    """Turn calls whose arguments no log can hold into malformed calls, which the model is told of.

    In place: the event that Inspect keeps of the reply holds the same calls.
    """
    for call in message.tool_calls or ():
        if fault := _fault(call.arguments):
            call.arguments = {}
            call.parse_error = f"Error parsing tool call arguments: {fault}"


def _fault(arguments: object) -> str | None:
    """What is wrong with arguments; without recursion, which they could exhaust."""
    level = [arguments]
    for _ in range(DEPTH + 1):
        if any(isinstance(value, int) and value.bit_length() > DIGITS * 10 // 3 for value in level):
            return f"a number has more than {DIGITS} digits"
        level = [child for value in level for child in _children(value)]
        if not level:
            return None
    return f"they are nested more than {DEPTH} deep"


def _children(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
