"""From what a conversation left behind to its record and its score: one way, for the scorer and for a replay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.siris.review.choices import parse_choice
from proctor.siris.review.conversation import Conversation
from proctor.siris.verdict.loss import selection_loss_pct
from proctor.siris.verdict.records import Record
from proctor.siris.verdict.scoring import error_kind


def judge(facts: Mapping[str, Any], talk: Conversation, model: str, repetition: int) -> Record:
    """The record of a conversation; `facts` are those of `records.conversation_facts`."""
    labels = "".join(sorted(facts["reference"]))
    initial, final = parse_choice(talk.initial, labels), parse_choice(talk.final, labels)
    reached = talk.reached
    return Record(
        **facts,
        model=model,
        repetition=repetition,
        initial=initial.label,
        initial_status=initial.status,
        final=final.label,
        final_status=final.status,
        infrastructure_error=talk.infrastructure_error,
        reached_initial=reached["initial"] if reached else None,
        reached_any=any(reached.values()) if reached else None,
        files_read=talk.files_read,
        ended_by=talk.ended_by,
    )


def score_parts(record: Record) -> tuple[dict[str, str | int], dict[str, Any]]:
    """Return (`Score.value`, `Score.metadata`): the record, and two things that follow from it for people who browse.

    These are `error_kind` (abandoned_valid, kept_invalid, third_design or no_valid_choice) and `selection_loss_pct`.
    """
    value, rest = record.to_score()
    return value, rest | {"error_kind": error_kind(record), "selection_loss_pct": selection_loss_pct(record)}
