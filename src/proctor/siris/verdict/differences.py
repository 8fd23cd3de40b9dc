"""Where a log and its replay part, in one line each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from proctor.siris.verdict.records import Turn

Kind = Literal["sources", "labels", "prompts", "tool results", "score", "summary", "conversations"]
EXCERPT = 60  # characters of a text that a difference shows


@dataclass(frozen=True)
class Difference:
    """One thing that a replay does not find as the log has it.

    `sources`: the suite, the simulator or the packet. `labels`: the evaluator's facts about the problem. `prompts`:
    what was said to the model, and in which order. `tool results`: what it read. `score`: its choices and what follows
    from them. `summary`: the figures of the whole log. `conversations`: those that a log should hold. `problem` is None
    where the whole log is meant, `turn` where no turn is.
    """

    kind: Kind
    what: str
    problem: str | None = None
    repetition: int | None = None
    turn: Turn | None = None

    def __str__(self) -> str:
        where = [self.problem, f"repetition {self.repetition}" if self.repetition else None]
        place = ", ".join([*filter(None, where), *([f"{self.turn} turn"] if self.turn else [])])
        return f"{place + ': ' if place else ''}{self.kind}: {self.what}"


def apart(logged: str, replayed: str) -> str:
    """Where two different texts part, with an excerpt of each from there on."""
    at = next((i for i, (a, b) in enumerate(zip(logged, replayed, strict=False)) if a != b), None)
    at = min(len(logged), len(replayed)) if at is None else at
    return f"from character {at + 1} on {_from(logged, at)} in the log, {_from(replayed, at)} in the replay"


def unequal(name: str, logged: Any, replayed: Any) -> str:
    """Two values of one field."""
    return f"{name} is {_short(logged)} in the log, {_short(replayed)} in the replay"


def _from(text: str, at: int) -> str:
    return repr(text[at : at + EXCERPT]) if at < len(text) else "the end"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 2 * EXCERPT else f"{text[: 2 * EXCERPT]}..."
