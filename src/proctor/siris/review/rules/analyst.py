"""The blind solver: it reads a packet as an LLM would, mends what departs from the specification, and recomputes."""

from __future__ import annotations

from proctor.siris.problems.analyst import UNREAD, Study, can_study, study
from proctor.siris.review.rules.dialogue import Answer, Dialogue
from proctor.siris.review.rules.plain import follow, ranking


def analyst(dialogue: Dialogue) -> Answer:
    """The candidate with the lowest p95 once the simulator in the packet does what the specification says.

    Where the packet holds no code (conditions none and predictions-only), or code of another kind of simulator, it says
    that it cannot recompute and does what `rule/follow` does.
    """
    paths = dialogue.files()
    if not can_study(paths):
        followed = follow(dialogue)
        rationale = f"Without the code of a serving simulator nothing can be recomputed. {followed.rationale}"
        return Answer(followed.choice, rationale, followed.decision)
    found = study({path: dialogue.read(path) or "" for path in paths if not path.startswith(UNREAD)})
    recommended = (ranking(dialogue) or [found.presented])[0]
    seconds = found.recomputed[found.answer] / 1e9
    rationale = f"{_finding(found)} As specified, the p95 of {found.answer} is {seconds:.6f} s, the lowest."
    return Answer(
        found.answer,
        rationale,
        "follow" if found.answer == recommended else "reconsider",
        _limitation(found, found.answer != recommended),
    )


def _finding(found: Study) -> str:
    if not found.departures:
        return "Every computation of the simulator agrees with the specification."
    return f"Where the simulator departs from the specification: {_named(found)}; with this mended I ran it again."


def _limitation(found: Study, consequential: bool) -> str:
    """The limitation and a verdict on it: consequential where it changes the recommendation."""
    if not found.departures:
        return "none"
    if consequential:
        return f"{_named(found)}; it is consequential: without it another candidate comes out best"
    return f"{_named(found)}; it is not consequential: the recommended candidate stays the best without it"


def _named(found: Study) -> str:
    return "; ".join(departure.limitation for departure in found.departures)
