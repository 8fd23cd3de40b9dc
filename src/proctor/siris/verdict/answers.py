"""Answers given outside Inspect: `answers.jsonl`, one JSON object per conversation and line.

    {"problem": "...", "initial": "...", "final": "...", "model": "...", "condition": "perturbed", "repetition": 1}

`initial` and `final` hold the agent's closing message of each turn, raw, or just a label; null where it gave none.
`model` and `condition` say what was asked; `repetition` counts from 1 and may be left out, as may `prompt` ("standard")
and `version` (1, the version of this format). Blank lines are skipped; every other key is an error.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from proctor.errors import InputError, nearest
from proctor.siris.verdict.records import Group, Record, problem_facts

if TYPE_CHECKING:
    from proctor.siris.problems.domain import Problem
    from proctor.siris.problems.suites import Suite

MAX_REPETITIONS = 1000
SHOWN_ERRORS = 20


def _without_surrogates(text: Any) -> Any:
    """Replace lone surrogates, which an agent may write and no encoding can hold, instead of refusing the answer."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if isinstance(text, str) else text


Message = Annotated[str | None, BeforeValidator(_without_surrogates)]


class Answer(BaseModel):
    """One line of the file."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    version: Literal[1] = 1
    problem: str
    initial: Message
    final: Message
    model: str = Field(min_length=1)
    condition: str
    prompt: str = "standard"
    repetition: int = Field(default=1, ge=1, le=MAX_REPETITIONS)


class Line(NamedTuple):
    """An answer and where it stands."""

    number: int
    answer: Answer


class AnswerFileError(InputError):
    """Several bad lines; `lines` holds one message each."""

    def __init__(self, lines: Sequence[str]) -> None:
        hidden = len(lines) - SHOWN_ERRORS
        more = [f"and {hidden} more bad lines"] if hidden > 0 else []
        self.lines = (*lines[:SHOWN_ERRORS], *more)
        super().__init__("; ".join(self.lines))


def read_answers(path: Path, suite: Suite) -> list[Answer]:
    """Read and check the whole file. Raises AnswerFileError for bad lines, InputError where there is no answer."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror}); expected a file of answers, one JSON a line"
        ) from error
    problems = {problem.id for problem in suite.problems}
    good: list[Line] = []
    bad: list[str] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            good.append(Line(number, _checked(_parse(line), problems, suite.name)))
        except InputError as error:
            bad.append(f"{path}, line {number}: {error}")
    bad += [f"{path}, line {number}: {text}" for number, text in _duplicates(good)]
    if bad:
        raise AnswerFileError(bad)
    if not good:
        raise InputError(f"{path}: holds no answer; expected one JSON object per line, see proctor siris score --help")
    return [line.answer for line in good]


def _parse(line: bytes) -> Answer:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON ({error}); expected one object per line") from error
    if not isinstance(row, dict):
        raise InputError(f"expected a JSON object, not {type(row).__name__}")
    try:
        return Answer.model_validate(row)
    except ValidationError as error:
        raise InputError(_first_complaint(error)) from error


def _first_complaint(error: ValidationError) -> str:
    """Say in one clause which field is wrong and what was expected, with a near match for a misspelt one."""
    first = error.errors(include_url=False, include_context=False)[0]
    field = str(first["loc"][0]) if first["loc"] else "line"
    if first["type"] == "extra_forbidden":
        return f"unknown field {field!r}; {nearest(field, Answer.model_fields)}"
    if first["type"] == "missing":
        return f"field {field!r} is missing; write null for a turn without an answer"
    if field == "version":
        return "field 'version' is not 1, the only version of this format; write the lines anew or update proctor"
    return f"field {field!r}: {first['msg'][0].lower()}{first['msg'][1:]}"


def _checked(answer: Answer, problems: set[str], suite: str) -> Answer:
    from proctor.siris.review.packet import condition_named
    from proctor.siris.review.prompts import check_prompt

    if answer.problem not in problems:
        hint = nearest(answer.problem, sorted(problems))
        raise InputError(f"suite {suite} has no problem {answer.problem!r}; {hint}")
    check_prompt(answer.prompt, answer.condition, condition_named(answer.condition))
    return answer


def _key(answer: Answer) -> tuple[str, str, str, str, int]:
    return answer.model, answer.condition, answer.prompt, answer.problem, answer.repetition


def _duplicates(lines: Sequence[Line]) -> list[tuple[int, str]]:
    first: dict[tuple[str, str, str, str, int], int] = {}
    found = []
    for number, answer in lines:
        earlier = first.setdefault(_key(answer), number)
        if earlier != number:
            what = f"problem {answer.problem!r}, repetition {answer.repetition} of {answer.model!r}, {answer.condition}"
            found.append(
                (number, f"{what} was answered in line {earlier} already; give each repetition its own number")
            )
    return found


def records(answers: Sequence[Answer], suite: Suite) -> list[Record]:
    """Score answers against the suite. Every problem is assigned in every repetition up to the highest one given.

    An assigned problem without a line has no answer, which is a wrong answer, as in a conversation that ends without
    one: leaving out what is hard must not help. Such records have both turns missing.
    """
    problems = {problem.id: problem for problem in suite.problems}
    given = {_key(answer): answer for answer in answers}
    highest: dict[tuple[str, str, str], int] = {}
    for model, condition, prompt, _, repetition in given:
        highest[model, condition, prompt] = max(repetition, highest.get((model, condition, prompt), 0))
    assigned = [
        (*who, problem, i) for who, n in sorted(highest.items()) for i in range(1, n + 1) for problem in problems
    ]
    return [_record(given.get(key) or _silence(key), problems[key[3]], suite.name) for key in assigned]


def absent(answers: Sequence[Answer], scored: Sequence[Record]) -> dict[Group, int]:
    """Count the assigned conversations that had no line, by group, groups without any left out."""
    lines = {_key(answer) for answer in answers}
    missing: dict[Group, int] = {}
    for r in scored:
        if (r.model, r.condition, r.prompt, r.problem, r.repetition) not in lines:
            missing[r.group] = missing.get(r.group, 0) + 1
    return missing


def _silence(key: tuple[str, str, str, str, int]) -> Answer:
    model, condition, prompt, problem, repetition = key
    return Answer(
        problem=problem,
        initial=None,
        final=None,
        model=model,
        condition=condition,
        prompt=prompt,
        repetition=repetition,
    )


def _record(answer: Answer, problem: Problem, suite: str) -> Record:
    from proctor.siris.review.choices import parse_choice

    labels = "".join(sorted(problem.labels))
    initial, final = parse_choice(answer.initial, labels), parse_choice(answer.final, labels)
    return Record(
        **problem_facts(suite, problem),
        model=answer.model,
        condition=answer.condition,
        prompt=answer.prompt,
        repetition=answer.repetition,
        initial=initial.label,
        initial_status=initial.status,
        final=final.label,
        final_status=final.status,
        reached_initial=None,
        reached_any=None,
    )
