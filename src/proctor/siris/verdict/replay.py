"""Replay one conversation from a log: packet, prompts, tool results and record made anew and compared."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from inspect_ai.log import EvalSample
from inspect_ai.util import Store
from pydantic import ValidationError

from proctor.siris.review.briefs import Brief
from proctor.siris.review.conversation import Conversation
from proctor.siris.verdict.differences import Difference, Kind, unequal
from proctor.siris.verdict.judging import judge, score_parts
from proctor.siris.verdict.observations import TURNS
from proctor.siris.verdict.records import Record
from proctor.siris.verdict.retrace import Retraced, retrace

SCORE = "choices"
# What logs of earlier versions may lack.
LATER = {"perturbed", "identified", "ended_by", "error_kind", "selection_loss_pct"}


@dataclass(frozen=True)
class Replayed:
    """A conversation made anew. `timed_out` counts searches that ran out of time and are not compared."""

    record: Record
    differences: tuple[Difference, ...]
    timed_out: int


def replay(
    sample: EvalSample, brief: Brief, facts: Mapping[str, Any], model: str, rounds: int | None = None
) -> Replayed:
    """Make the record of a logged conversation anew from the suite and from what the model wrote.

    `sample` needs its messages, store, scores and metadata, attachments resolved; `facts` are those of
    `records.conversation_facts`; `rounds` is the cap on model calls that the log names. What only the moment of the
    conversation could tell is taken from the log: errors of ours, and which limit ended it. Never raises for the
    content of a log.
    """
    logged, unreadable = _stored(sample)
    found = asyncio.run(retrace(sample.messages, brief))
    talk = found.talk
    talk.ended_by, talk.infrastructure_error = _ended_by(sample, logged), logged.infrastructure_error
    _take_no_full_window_for_an_answer(found)
    _fill_in_uncertain(found, logged)
    record = judge(facts, talk, model, sample.epoch)
    differences = [
        *unreadable,
        *_sources(logged, brief),
        *_labels(sample, facts, brief),
        *found.differences,
        *_endings(sample, found, rounds),
        *_store(logged, found),
        *_score(sample, record, facts),
    ]
    placed = (replace(d, problem=brief.problem.id, repetition=sample.epoch) for d in differences)
    return Replayed(record, tuple(placed), found.timed_out)


def _stored(sample: EvalSample) -> tuple[Conversation, list[Difference]]:
    try:
        return sample.store_as(Conversation), []
    except (ValidationError, ValueError, TypeError) as error:
        why = str(error).splitlines()[0]
        return Conversation(store=Store()), [Difference("score", f"the sample's store cannot be read ({why})")]


def _ended_by(sample: EvalSample, logged: Conversation) -> dict[str, str]:
    """Logs of earlier versions name the turns that ran out of rounds in a list."""
    return logged.ended_by or dict.fromkeys(sample.store.get("Conversation:stopped") or (), "rounds")


def _take_no_full_window_for_an_answer(found: Retraced) -> None:
    """The last message of such a turn is the provider's, and the conversation ends with it."""
    for turn in TURNS:
        if found.talk.ended_by.get(turn) == "context" and turn in found.closed:
            found.closed.remove(turn)
            setattr(found.talk, turn, None)


def _fill_in_uncertain(found: Retraced, logged: Conversation) -> None:
    """What was read in such a turn is known to the log alone."""
    for turn in found.uncertain:
        if turn in logged.files_read:
            found.talk.files_read[turn] = logged.files_read[turn]
        if turn in logged.reached and turn in found.talk.reached:
            found.talk.reached[turn] = logged.reached[turn]


def _sources(logged: Conversation, brief: Brief) -> Iterator[Difference]:
    if logged.packet is not None and logged.packet != brief.packet.digest:
        digests = unequal("the packet's digest", logged.packet[:12], brief.packet.digest[:12])
        yield Difference("sources", f"{digests}: suite or simulator are not those of the log")


def _labels(sample: EvalSample, facts: Mapping[str, Any], brief: Brief) -> Iterator[Difference]:
    yield from _fields("labels", "metadata: ", sample.metadata, facts)
    if sample.target != brief.problem.answer:
        yield Difference("labels", unequal("target", sample.target, brief.problem.answer))


def _endings(sample: EvalSample, found: Retraced, rounds: int | None) -> Iterator[Difference]:
    """A turn without a closing message needs a reason, and an error of ours an error."""
    ended_by = found.talk.ended_by
    cut = sample.limit is not None or sample.error is not None or "context" in ended_by.values()
    for turn in TURNS:
        if ended_by.get(turn) == "rounds" and rounds and found.calls.get(turn, 0) != rounds:
            calls = f"{found.calls.get(turn, 0)} of {rounds} model calls"
            yield Difference("score", f"the turn is marked as out of rounds after {calls}", turn=turn)
        if not (cut or turn in ended_by or turn in found.closed):
            yield Difference("prompts", "the log ends the turn without a closing message or a reason", turn=turn)
    if found.talk.infrastructure_error is not None and sample.error is None:
        yield Difference("score", "marked as an error of ours, yet the sample has no error")


def _store(logged: Conversation, found: Retraced) -> Iterator[Difference]:
    for name in ("initial", "final", "files_read", "reached"):
        before, after = getattr(logged, name), getattr(found.talk, name)
        if before != after:
            yield Difference("score", unequal(f"store: {name}", before, after))


def _score(sample: EvalSample, record: Record, facts: Mapping[str, Any]) -> Iterator[Difference]:
    score = (sample.scores or {}).get(SCORE)
    if score is None:
        if sample.error is None:
            yield Difference("score", "the log holds no score for this conversation")
        return
    value, rest = score_parts(record)
    given = score.metadata or {}
    if not isinstance(score.value, Mapping):
        yield Difference("score", unequal("value", score.value, value))
    else:
        yield from _fields("score", "", score.value, value)
    known = {name: rest[name] for name in rest if name in facts}
    yield from _fields("labels", "score: ", given, known)
    yield from _fields("score", "", given, {name: rest[name] for name in rest if name not in facts})
    if score.answer != record.final:
        yield Difference("score", unequal("answer", score.answer, record.final))


def _fields(kind: Kind, prefix: str, logged: Mapping[str, Any], replayed: Mapping[str, Any]) -> Iterator[Difference]:
    for name, value in replayed.items():
        if name not in logged:
            if name not in LATER:
                yield Difference(kind, f"{prefix}{name} is absent from the log")
        elif logged[name] != value:
            yield Difference(kind, prefix + unequal(name, logged[name], value))
