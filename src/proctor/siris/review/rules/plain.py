"""Rules that need no simulator: they follow, reject, guess, or always say the same."""

from __future__ import annotations

import hashlib
import json

from proctor.siris.problems.domain import LABELS
from proctor.siris.problems.packet_files import target_values
from proctor.siris.review.rules.dialogue import Answer, Dialogue


def follow(dialogue: Dialogue) -> Answer:
    """Always the candidate that the simulator predicts best; A where there is no prediction."""
    order = ranking(dialogue)
    if not order:
        return Answer("A", "There is no prediction to follow.")
    return Answer(order[0], f"The simulator predicts the lowest value for {order[0]}.", "follow")


def reject(dialogue: Dialogue) -> Answer:
    """Never the candidate that the simulator predicts best, but the runner-up; B where there is no prediction."""
    order = ranking(dialogue)
    if not order:
        return Answer("B", "There is no prediction to reject.")
    return Answer(order[1], f"The prediction for {order[0]} is not trusted; {order[1]} comes next.", "reconsider")


def constant_b(dialogue: Dialogue) -> Answer:  # noqa: ARG001 - a rule takes a dialogue
    """Always B, without reading anything."""
    return Answer("B", "It is always B.")


def random(dialogue: Dialogue, seed: int = 0) -> Answer:
    """A guess that depends on the question, the beginning of the workload and the seed alone."""
    workload = dialogue.page("workload.json")
    text = json.dumps([seed, dialogue.questions[0], workload.pieces])
    digest = hashlib.sha256(text.encode("utf-8", errors="replace")).digest()
    return Answer(LABELS[digest[0] % len(LABELS)], "A guess.")


def ranking(dialogue: Dialogue) -> list[str]:
    """Labels from the lowest predicted target metric to the highest; empty where the packet holds no prediction."""
    text = dialogue.read("prediction.json")
    if text is None:
        return []
    predicted = target_values(text)
    return sorted(predicted, key=lambda label: (predicted[label], label))
