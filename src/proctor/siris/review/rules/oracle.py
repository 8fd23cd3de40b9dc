"""The honest oracle: it reads what every reader can read and runs an installed reference simulator on it."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from proctor.siris.problems.domains import available
from proctor.siris.review.rules.dialogue import Answer, Dialogue
from proctor.siris.review.rules.plain import follow, ranking

INPUTS = ("workload.json", "configuration.json", "cost-parameters/", "candidates/")  # what a simulation starts from


def reference(dialogue: Dialogue) -> Answer:
    """The candidate with the best target metric under the reference simulator.

    A packet without configuration and cost parameters (conditions none and predictions-only) cannot be simulated, nor
    one of a domain that is not installed here. The oracle then says so and does what `rule/follow` does.
    """
    paths = dialogue.files()
    if "configuration.json" not in paths:
        return Answer(follow(dialogue).choice, "Without configuration and cost parameters nothing can be simulated.")
    files = tuple((path, dialogue.read(path) or "") for path in paths if path.startswith(INPUTS))
    found = _recomputed(files)
    if found is None:
        return Answer(follow(dialogue).choice, "No simulator that is installed here knows these candidates.")
    values, unit = found
    best = min(values, key=lambda label: (values[label], label))
    decision: Literal["follow", "reconsider"] = "follow" if best in ranking(dialogue)[:1] else "reconsider"
    return Answer(best, f"Under the reference simulator {best} has the lowest value, {values[best]} {unit}.", decision)


@lru_cache(maxsize=64)
def _recomputed(files: tuple[tuple[str, str], ...]) -> tuple[dict[str, int], str] | None:
    """Target metric by label, and its unit. A packet names no domain, so each is asked whether it is its own."""
    for domain in available():
        values = domain.recompute(dict(files))
        if values is not None:
            return dict(values), domain.unit
    return None
