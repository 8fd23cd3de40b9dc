"""What one conversation tells: yes, no, or nothing, by name. Every share that a table shows is a mean of these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from proctor.siris.verdict.records import Outcome, Record, Turn

Observation = Callable[[Record], bool | None]
Decision = Literal["correct", "upheld_error", "kept_presented", "third", "no_choice"]

KINDS: tuple[Outcome, ...] = ("upheld", "overturned")
TURNS: tuple[Turn, ...] = ("initial", "final")
DECISIONS: tuple[Decision, ...] = ("correct", "upheld_error", "kept_presented", "third", "no_choice")


def decision(record: Record) -> Decision:
    """Name the final choice as Table 10 does; no valid choice, which the paper's table lacks, has a name of its own."""
    if record.correct("final"):
        return "correct"
    if record.final is None:
        return "no_choice"
    if record.outcome == "upheld":
        return "upheld_error"
    return "kept_presented" if record.final == record.presented else "third"


def _of_kind(kind: Outcome, holds: Callable[[Record], bool]) -> Observation:
    return lambda r: holds(r) if r.outcome == kind else None


def _choices(kind: Outcome) -> dict[str, Observation]:
    return {
        f"initial_{kind}": _of_kind(kind, lambda r: r.correct("initial")),
        f"final_{kind}": _of_kind(kind, lambda r: r.correct("final")),
        f"corrected_{kind}": _of_kind(kind, lambda r: r.correct("final") and not r.correct("initial")),
        f"worsened_{kind}": _of_kind(kind, lambda r: r.correct("initial") and not r.correct("final")),
    }


def _identified(name: Decision) -> dict[str, Observation]:
    """A decision after identification, among all annotated responses and among those that identify."""
    return {
        f"identified_{name}": lambda r: None if r.identified is None else r.identified and decision(r) == name,
        f"{name}_if_identified": lambda r: decision(r) == name if r.identified else None,
    }


OBSERVATIONS: dict[str, Observation] = {
    **_choices("upheld"),
    **_choices("overturned"),
    "abandoned_valid": _of_kind("upheld", lambda r: decision(r) == "upheld_error"),
    "kept_invalid": _of_kind("overturned", lambda r: decision(r) == "kept_presented"),
    "third_design": _of_kind("overturned", lambda r: decision(r) == "third"),
    "no_valid_choice": lambda r: r.final is None,
    "final_all": lambda r: r.correct("final"),
    "follow": lambda r: r.final == r.presented,
    "follow_overturned": _of_kind("overturned", lambda r: r.final == r.presented),
    "reach_initial": lambda r: r.reached_initial,
    "reach_any": lambda r: r.reached_any,
    "identified": lambda r: r.identified,
    **{name: holds for kind in DECISIONS for name, holds in _identified(kind).items()},
}
"""Over scored records. None leaves the conversation out of the share: it is of the other kind, shows no simulator
code (reach), or has no valid annotation (identified)."""
