"""Annotation as an Inspect task: `inspect eval proctor/siris_annotation --model openai/gpt-5 -T logs=logs/one.eval`.

Each sample is one finished conversation. Its key and digests stand in the sample's metadata, which no message holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig, ResponseSchema, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import StoreModel, json_schema, store_as
from pydantic import Field

from proctor.siris.exchanges import Found, read_exchanges
from proctor.siris.review.conversation import well_formed_message
from proctor.siris.verdict.annotation import Annotated, Annotation, GarbledError, parse_annotation
from proctor.siris.verdict.rubric import RUBRIC, ask_again

NAME = "siris_annotation"
ASKED = 2  # times that an annotator is asked at most; a second garbled reply stands


@task(name=NAME)
def siris_annotation(logs: str | list[str], suite: str | list[str] = "", schema: bool = True) -> Task:
    """Label finished siris conversations with a fixed rubric, blind to answers, outcomes and models.

    Args:
        logs: Log files of the siris task; with -T as comma separated list.
        suite: Folders of suites that are no longer where the logs say.
        schema: Have the provider hold the reply to the form, where it can.
    """
    return annotation_task(list(read_exchanges(map(Path, _listed(logs)), _listed(suite))), schema)


def _listed(names: str | list[str]) -> list[str]:
    return [name for name in ([names] if isinstance(names, str) else names) if name]


def annotation_task(conversations: Sequence[Found], schema: bool = True) -> Task:
    """The task of some conversations; a conversation that comes in several logs is asked about once."""
    samples = {found.key: _sample(found) for found in conversations}
    return Task(
        dataset=MemoryDataset(list(samples.values()), name="conversations"),
        solver=annotate_once(schema),
        scorer=identification(),
        version=RUBRIC,
        name=NAME,
        fail_on_error=False,
        score_on_error=False,
    )


def _sample(found: Found) -> Sample:
    exchange = found.exchange
    return Sample(
        id=found.key,
        input=[ChatMessageSystem(content=exchange.instructions), ChatMessageUser(content=exchange.case)],
        metadata={"labels": list(exchange.labels), "asked": exchange.digest},
    )


class Replies(StoreModel):
    """The texts that the annotator gave, at most two."""

    replies: list[str] = Field(default_factory=list)


@solver(name="annotate_once")
def annotate_once(schema: bool) -> Solver:
    """Ask; ask once more where the reply cannot be read."""
    form = ResponseSchema(name=NAME, json_schema=json_schema(Annotation), strict=True)
    config = GenerateConfig(response_schema=form if schema else None)

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
        given = store_as(Replies)
        for _ in range(ASKED):
            state.output = await get_model().generate(state.messages, config=config)
            message = well_formed_message(state.output.message)
            state.messages.append(message)
            given.replies = [*given.replies, message.text]
            try:
                parse_annotation(message.text, state.metadata["labels"])
                break
            except GarbledError as complaint:
                state.messages.append(ChatMessageUser(content=ask_again(str(complaint))))
        return state

    return solve


@scorer(metrics=[mean()])
def identification() -> Scorer:
    """Score.value is yes or no, unscored where the reply is garbled; Score.metadata holds the whole `Annotated`.

    The mean that Inspect shows is the share of readable annotations that say yes.
    """

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - there is no right answer
        replies = state.store_as(Replies).replies
        try:
            found = parse_annotation(replies[-1] if replies else "", state.metadata["labels"])
        except GarbledError as complaint:
            status = "garbled" if len(replies) == ASKED else "stopped"
            said = str(complaint) if status == "garbled" else "a limit ended the annotation"
            return Score.unscored(reason="grader_failed", explanation=said, metadata=_kept(state, status, None))
        return Score(value=found.identifies, explanation=_said(found), metadata=_kept(state, "valid", found))

    return score


def _kept(state: TaskState, status: str, found: Annotation | None) -> dict[str, object]:
    kept = {
        "conversation": str(state.sample_id),
        "annotator": str(state.model),
        "rubric": RUBRIC,
        "asked": state.metadata["asked"],
        "status": status,
        "annotation": found,
    }
    return Annotated.model_validate(kept).model_dump(mode="json")


def _said(found: Annotation) -> str:
    designs = ", ".join(found.designs) or "no design"
    return f"identified in: {found.turn}; linked to {designs}; impact on the recommendation: {found.impact}"
