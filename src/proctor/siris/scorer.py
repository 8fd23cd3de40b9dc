"""From a finished conversation to its record, as an Inspect scorer, and the summary that Inspect shows."""

from __future__ import annotations

from collections.abc import Callable

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from proctor.siris.review.choices import parse_choice
from proctor.siris.review.conversation import Conversation
from proctor.siris.verdict.counts import Solved
from proctor.siris.verdict.loss import selection_loss_pct
from proctor.siris.verdict.records import ENDINGS, Record
from proctor.siris.verdict.scoring import error_kind, solved


def record_of(state: TaskState, talk: Conversation) -> Record:
    """The record of a conversation: the evaluator's facts from the sample's metadata, the answers from its store."""
    labels = "".join(sorted(state.metadata["reference"]))
    initial, final = parse_choice(talk.initial, labels), parse_choice(talk.final, labels)
    reached = talk.reached
    return Record(
        **state.metadata,
        model=str(state.model),
        repetition=state.epoch,
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


def _summary(number: Callable[[Solved], float]) -> Metric:
    def summarize(scores: list[SampleScore]) -> float:
        return number(solved(Record.from_score(s.score.as_dict(), s.score.metadata or {}) for s in scores))

    return summarize


@metric(scores="unreduced")
def judgment() -> Metric:
    """J of the final choices, in percent."""
    return _summary(lambda choices: choices.judgment)


@metric(scores="unreduced")
def disposition() -> Metric:
    """D of the final choices, in percent."""
    return _summary(lambda choices: choices.disposition)


@metric(scores="unreduced")
def upheld() -> Metric:
    """Accuracy of the final choices on upheld problems, in percent."""
    return _summary(lambda choices: choices.upheld_pct)


@metric(scores="unreduced")
def overturned() -> Metric:
    """Accuracy of the final choices on overturned problems, in percent."""
    return _summary(lambda choices: choices.overturned_pct)


@scorer(metrics=[judgment(), disposition(), upheld(), overturned()])
def choices() -> Scorer:
    """Score.value holds the two choices and whether they are right, Score.metadata the rest of the record.

    For people who browse a log, the metadata also say what follows from the record: `error_kind` (abandoned_valid,
    kept_invalid, third_design or no_valid_choice) and `selection_loss_pct`. Tables are computed from the record alone.
    """

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - the facts are in the metadata
        talk = state.store_as(Conversation)
        record = record_of(state, talk)
        value, rest = record.to_score()
        rest |= {"error_kind": error_kind(record), "selection_loss_pct": selection_loss_pct(record)}
        return Score(value=dict(value), answer=record.final, explanation=_explanation(record), metadata=rest)

    return score


def _explanation(record: Record) -> str:
    if record.infrastructure_error:
        return f"Not scored, an error of the infrastructure: {record.infrastructure_error}"
    turns = (("initial", record.initial, record.initial_status), ("final", record.final, record.final_status))
    said = [f"{turn} {label or status}{_ending(record.ended_by.get(turn))}" for turn, label, status in turns]
    return f"{', '.join(said)}; reference {record.answer}, {record.outcome}"


def _ending(ended_by: str | None) -> str:
    return f" ({ENDINGS.get(ended_by, ended_by)})" if ended_by else ""
