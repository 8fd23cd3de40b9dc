"""One conversation, scored: the row that every table is computed from.

The Inspect log is where records are kept. `to_score` splits a record into the two parts of an Inspect score,
`from_score` joins them again; the round trip is exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator

if TYPE_CHECKING:
    from proctor.siris.problems.domain import Problem

Outcome = Literal["upheld", "overturned"]
Status = Literal["valid", "missing", "invalid", "ambiguous"]
Turn = Literal["initial", "final"]

# What may end a turn in the model's place, in words: limits of Inspect by their names there, and what our solver notes.
ENDINGS = {
    "rounds": "out of rounds",
    "context": "context window full",
    "refusal": "refused",
    "token": "token limit",
    "time": "time limit",
    "working": "working-time limit",
    "message": "message limit",
    "turn": "turn limit",
    "cost": "cost limit",
    "operator": "stopped by hand",
}


class Group(NamedTuple):
    """What is never pooled: conversations of one group share all four."""

    suite: str
    model: str
    condition: str
    prompt: str


class Record(BaseModel):
    """One conversation about one problem under one evidence condition.

    `presented` is the label that the perturbed simulator recommends and `answer` the one that the reference simulator
    does; both are labels of this problem, and they are equal exactly when the outcome is upheld. `initial` and `final`
    hold a label only where the turn's status is valid. `reference` and `perturbed` give each label's target metric
    under the two simulators; logs of earlier versions lack `perturbed`. A record with an
    `infrastructure_error` is an error of ours: it is counted apart and never scored.
    `reached_initial` and `reached_any` say whether a read returned, or a search matched, a changed line in the first
    turn or in either turn (paper appendix B.2); None where the condition shows no simulator code. `ended_by` says, by
    turn, which of ENDINGS ended it; the choices stand as they were then, and count. `identified`
    says whether an annotator found the modeling limitation named in either turn; it is joined from annotation logs when
    logs are read, None where there is no valid annotation.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    suite: str
    problem: str
    pair: str
    outcome: Outcome
    perturbation: str
    design_problem: str
    model: str
    condition: str
    prompt: str = "standard"
    repetition: int = Field(ge=1)
    presented: str
    answer: str
    initial: str | None
    final: str | None
    initial_status: Status
    final_status: Status
    infrastructure_error: str | None = None
    reference: dict[str, int]
    perturbed: dict[str, int] = {}
    reached_initial: bool | None
    reached_any: bool | None
    files_read: dict[str, list[str]] = {}
    ended_by: dict[str, str] = {}
    identified: bool | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Record:
        if (self.outcome == "upheld") != (self.presented == self.answer):
            raise ValueError("outcome is upheld exactly when presented equals answer")
        turns = (("initial", self.initial, self.initial_status), ("final", self.final, self.final_status))
        for turn, label, status in turns:
            if (label is not None) != (status == "valid"):
                raise ValueError(f"{turn} holds a label exactly when {turn}_status is valid")
            if label is not None and label not in self.reference:
                raise ValueError(f"{turn} is {label!r}, not one of the problem's labels {sorted(self.reference)}")
        if self.answer not in self.reference or self.presented not in self.reference:
            raise ValueError("reference lacks the presented or the answer label")
        if self.perturbed and set(self.perturbed) != set(self.reference):
            raise ValueError("perturbed and reference name different labels")
        return self

    @property
    def group(self) -> Group:
        return Group(self.suite, self.model, self.condition, self.prompt)

    @property
    def scored(self) -> bool:
        """Whether the conversation enters the tables at all."""
        return self.infrastructure_error is None

    def choice(self, turn: Turn) -> str | None:
        return self.initial if turn == "initial" else self.final

    def correct(self, turn: Turn) -> bool:
        """Only the reference answer is correct; no valid choice is a wrong choice (section 3.3)."""
        return self.choice(turn) == self.answer

    def to_score(self) -> tuple[dict[str, str | int], dict[str, Any]]:
        """Return (`Score.value`, `Score.metadata`): the choices and their correctness, and the rest of the record.

        What an annotator found stays out: it is joined anew whenever logs are read.
        """
        value: dict[str, str | int] = {
            "initial": self.initial or "",
            "final": self.final or "",
            "initial_correct": int(self.correct("initial")),
            "final_correct": int(self.correct("final")),
        }
        return value, self.model_dump(mode="json", exclude={"initial", "final", "identified"})

    @classmethod
    def from_score(cls, value: Mapping[str, Any], metadata: Mapping[str, Any]) -> Record:
        """Join what `to_score` split. Further metadata is allowed and ignored. Raises pydantic's ValidationError."""
        facts = {name: metadata[name] for name in cls.model_fields if name in metadata and name != "identified"}
        facts |= {turn: value.get(turn) or None for turn in ("initial", "final")}
        return cls.model_validate(facts)


def conversation_facts(suite: str, problem: Problem, condition: str, prompt: str) -> dict[str, Any]:
    """Return the part of a record that is known before a conversation: the metadata of its sample."""
    return problem_facts(suite, problem) | {"condition": condition, "prompt": prompt}


def problem_facts(suite: str, problem: Problem) -> dict[str, Any]:
    """Return the part of a record that the problem fixes: the evaluator's facts, never shown in a message."""
    return {
        "suite": suite,
        "problem": problem.id,
        "pair": problem.pair,
        "outcome": problem.outcome,
        "perturbation": problem.perturbation,
        "design_problem": problem.design_problem,
        "presented": problem.presented,
        "answer": problem.answer,
        "reference": dict(problem.reference),
        "perturbed": dict(problem.perturbed),
    }
