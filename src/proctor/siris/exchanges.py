"""Finished conversations, read typed from an Inspect log as an annotator may see them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from inspect_ai.log import read_eval_log
from pydantic import ValidationError

from proctor.errors import InputError
from proctor.siris.problems.suites import load_suite
from proctor.siris.review.conversation import Conversation
from proctor.siris.verdict.annotation import conversation_key
from proctor.siris.verdict.rubric import Exchange

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample, EvalSpec

    from proctor.siris.problems.domain import Problem
    from proctor.siris.problems.suites import Suite

# The bulk of a log. The closing messages are in the store.
_BULK = {"messages", "events", "events_data", "timelines", "attachments"}


@dataclass(frozen=True)
class Found:
    """A conversation by its key, and what may be shown of it."""

    key: str
    exchange: Exchange


def read_exchanges(logs: Iterable[Path], suites: Sequence[str] = ()) -> Iterator[Found]:
    """The conversations of siris logs that did not end in an error, in the order of the logs.

    The question and the limitation come from the suite that a log names, or from the first of `suites` that is the very
    one which was asked. Raises InputError for a file that is no log, and where no suite fits.
    """
    load = cache(load_suite)  # which checks every problem
    for log in logs:
        yield from _read(log, suites, load)


def _read(log: Path, suites: Sequence[str], load: Callable[[str], Suite]) -> Iterator[Found]:
    try:
        read = read_eval_log(str(log), exclude_fields=_BULK)
    except Exception as error:  # a damaged file fails in zip, zstd, JSON or pydantic, each with errors of its own
        raise InputError(f"{log}: not a readable Inspect log; expected a finished .eval file") from error
    suite = _suite_of(log, read.eval, suites, load)
    problems = {problem.id: problem for problem in suite.problems}
    for sample in read.samples or []:
        problem = problems.get(str(sample.metadata.get("problem")))
        talk = _conversation(sample)
        if problem and talk and sample.error is None and talk.infrastructure_error is None:
            yield Found(conversation_key(sample, read.eval), _exchange(suite, problem, talk))


def _conversation(sample: EvalSample) -> Conversation | None:
    try:
        return sample.store_as(Conversation)
    except ValidationError:
        return None


def _exchange(suite: Suite, problem: Problem, talk: Conversation) -> Exchange:
    return Exchange(
        question=problem.question,
        labels=tuple(sorted(problem.labels)),
        limitation=suite.limitation(problem),
        initial=talk.initial,
        final=talk.final,
    )


def _suite_of(log: Path, spec: EvalSpec, given: Sequence[str], load: Callable[[str], Suite]) -> Suite:
    """The suite with the digest that the log names; asked for by the name that was used, or as `given`."""
    named = _text(spec.task_args, "suite") or _text(spec.metadata or {}, "suite")
    if named is None:
        raise InputError(f"{log}: is no log of the siris task; expected one that `proctor siris run` wrote")
    for name in (named, *given):
        try:
            suite = load(name)
        except InputError:
            if name != named:
                raise
            continue
        if suite.digest == spec.task_version:
            return suite
    raise InputError(
        f"{log}: its suite {named!r} is not here, or not as it was when the questions were asked; name its folder "
        "with --suite"
    )


def _text(facts: Mapping[str, object], name: str) -> str | None:
    value = facts.get(name)
    return value if isinstance(value, str) else None
