"""From a finished conversation to its record, as an Inspect scorer, and the summary that Inspect shows."""

from __future__ import annotations

from collections.abc import Callable

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from proctor.siris.review.conversation import Conversation
from proctor.siris.verdict.counts import Solved
from proctor.siris.verdict.judging import judge, score_parts
from proctor.siris.verdict.records import ENDINGS, Record
from proctor.siris.verdict.scoring import solved


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

    The metadata also say what follows from the record (`judging.score_parts`); tables are computed from the record
    alone.
    """

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - the facts are in the metadata
        talk = state.store_as(Conversation)
        record = judge(state.metadata, talk, str(state.model), state.epoch)
        value, rest = score_parts(record)
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
