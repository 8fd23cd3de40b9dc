"""What an annotator found in a conversation, and how its reply is read: strictly, or not at all.

An annotation never enters an accuracy. A reply that cannot be read is garbled, which is no "no".
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample, EvalSpec

_FENCED = re.compile(r"```(?:json)?\s*\n(.*)\n\s*```", re.DOTALL | re.IGNORECASE)
LONGEST = 20_000  # characters of a reply; the object has about a hundred


class GarbledError(ValueError):
    """A reply that is not the object asked for; the message says in which respect, without quoting it."""


class Annotation(BaseModel):
    """The fields of the rubric (paper appendix B.4). `designs` are labels; `turn` is where it is identified."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    identifies: Literal["yes", "no"]
    turn: Literal["initial", "final", "both", "none"]
    designs: list[str]
    impact: Literal["changes", "keeps", "unsaid"]

    @model_validator(mode="after")
    def _consistent(self) -> Annotation:
        if (self.identifies == "yes") == (self.turn == "none"):
            raise ValueError('turn is "none" exactly when identifies is "no"')
        if self.identifies == "no" and (self.designs or self.impact != "unsaid"):
            raise ValueError('designs is [] and impact "unsaid" when identifies is "no"')
        if len(set(self.designs)) != len(self.designs):
            raise ValueError("designs names a label twice")
        return self


class Annotated(BaseModel):
    """One conversation as one annotator labelled it: what an annotation log keeps in `Score.metadata`.

    `conversation` is the key that `conversation_key` gives. `asked` is the digest of all that was asked, `rubric`
    that of the instructions. `stopped`: a limit ended it before there was a reply.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    conversation: str
    annotator: str
    rubric: str
    asked: str
    status: Literal["valid", "garbled", "stopped"]
    annotation: Annotation | None

    @model_validator(mode="after")
    def _consistent(self) -> Annotated:
        if (self.annotation is not None) != (self.status == "valid"):
            raise ValueError("there is an annotation exactly when the status is valid")
        return self

    @property
    def answered(self) -> bool:
        """Whether the annotator has had its say, so that it need not be asked again."""
        return self.status != "stopped"

    @property
    def identified(self) -> bool | None:
        """Whether the limitation was found named; None where the annotation cannot tell."""
        return None if self.annotation is None else self.annotation.identifies == "yes"


def conversation_key(sample: EvalSample, spec: EvalSpec) -> str:
    """What names a conversation for good: Inspect's id of it, which stays when a run is completed and logged anew."""
    return sample.uuid or f"{spec.task_id}/{sample.id}/{sample.epoch}"


def parse_annotation(reply: str, labels: Sequence[str]) -> Annotation:
    """Read a reply that is one JSON object, bare or in a code fence; raises GarbledError for anything else."""
    text = reply.strip()
    if len(text) > LONGEST:
        raise GarbledError("it is far longer than the object")
    fenced = _FENCED.fullmatch(text)
    try:
        value = json.loads(fenced[1] if fenced else text, object_pairs_hook=_named_once)
    except GarbledError:
        raise
    except (ValueError, RecursionError) as error:
        raise GarbledError("it is no JSON" if text else "it is empty") from error
    try:
        found = Annotation.model_validate(value)
    except ValidationError as error:
        raise GarbledError(_complaint(error)) from error
    if not set(found.designs) <= set(labels):
        raise GarbledError(f"designs may name {', '.join(labels)} alone")
    return found


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise GarbledError("a field is given twice")
    return dict(pairs)


def _complaint(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] == "extra_forbidden":
        return f"it may have the fields {', '.join(Annotation.model_fields)} alone"
    field = str(first["loc"][0]) if first["loc"] else ""
    message = first["msg"].removeprefix("Value error, ")
    return f"{field}: {message}" if field else message
