"""Run a suite with several models under several conditions, resumably, and say what is still missing.

Everything is an Inspect eval set in one log directory. Repeating a run asks only what has no answer there yet. Whether
a run is complete is checked against the suite, not against what Inspect reports.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import rich
from inspect_ai import Epochs, Task, eval_set
from inspect_ai.hooks import Hooks, SampleEnd, hooks
from inspect_ai.log import EvalLog, read_eval_log_sample_summaries
from inspect_ai.model import GenerateConfig, ModelCost, get_model
from pydantic import ValidationError

from proctor.errors import InputError
from proctor.siris.log_dir import Asked, prepare, refuse_what_does_not_fit
from proctor.siris.prices import check_prices
from proctor.siris.problems.suites import Suite, load_suite
from proctor.siris.task import siris

RETRIES = 2  # of a conversation that an error of ours ended, before it is left to the next run
# How Inspect asks for whoever resumes by repeating the command. A log with errors of ours ends with status "error".
# What is finished is in the log at once: a kill -9 loses only what is in flight.
DURABLY: dict[str, Any] = {
    "fail_on_error": True,
    "continue_on_fail": True,
    "retry_on_error": RETRIES,
    "log_realtime": False,
    "log_buffer": 1,
    "display": "none",
}
Progress = Callable[[int, int], None]
Failures = Counter[tuple[str, str]]  # by model and message


@dataclass(frozen=True)
class Plan:
    """What to run. Limits are per conversation; `limit` is the number of problems to ask, whole pairs first.

    `generation` holds options of Inspect's GenerateConfig, those of the transport (`max_retries`, `timeout`) included.
    """

    suite: str
    models: Sequence[str]
    conditions: Sequence[str]
    log_dir: Path
    prompt: str = "standard"
    repetitions: int = 1
    limit: int | None = None
    max_connections: int | None = None
    token_limit: int | None = None
    time_limit: int | None = None
    working_limit: int | None = None
    message_limit: int | None = None
    cost_limit: float | None = None
    prices: Path | None = None
    generation: dict[str, Any] = field(default_factory=dict)

    @property
    def limits(self) -> dict[str, float | None]:
        """By Inspect's names: tokens, seconds of the clock, seconds of work, messages, dollars."""
        names = ("token_limit", "time_limit", "working_limit", "message_limit", "cost_limit")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Result:
    """What a run left behind. `errors` counts conversations that an error of ours ended, by model and message."""

    logs: tuple[Path, ...]
    expected: int
    finished: int
    errors: Failures

    @property
    def complete(self) -> bool:
        return self.finished == self.expected

    @property
    def summary(self) -> str:
        """One line: complete, or what is missing and why."""
        if self.complete:
            return f"all {self.expected} conversations finished"
        return (
            f"{self.expected - self.finished} of {self.expected} conversations are missing; "
            f"repeat the command to ask them again{reasons(self.errors)}"
        )


def run(plan: Plan, progress: Progress) -> Result:
    """Ask what is not answered yet.

    Raises InputError before anything is asked where the plan cannot work, and afterwards where no conversation at all
    came about for one and the same reason (a model that its provider does not know, a wrong key). Ctrl-C raises
    KeyboardInterrupt when the log is closed.
    """
    suite = load_suite(plan.suite)
    models, conditions = list(dict.fromkeys(plan.models)), list(dict.fromkeys(plan.conditions))
    problems = _first_problems(suite, plan.limit)
    for model in models:
        check_model(model)
    generation = _checked_generation(plan.generation)
    tasks = [siris(plan.suite, condition, plan.prompt) for condition in conditions]
    prices = check_prices(plan.prices, models, plan.cost_limit)
    prepare(plan.log_dir)
    asked = Asked(
        suite.digest, models, conditions, plan.prompt, len(problems), plan.repetitions, plan.limits, generation
    )
    refuse_what_does_not_fit(plan.log_dir, asked)
    expected = len(models) * len(conditions) * len(problems) * plan.repetitions
    show_progress(progress, expected)
    with silent_console():
        logs = _eval_set(plan, tasks, models, problems, prices)
    if len(logs) < len(models) * len(conditions):
        raise KeyboardInterrupt  # Inspect takes Ctrl-C for a success without logs
    result = _result(logs, problems, plan.repetitions, expected)
    _raise_if_nothing_came_about(result)
    return result


@contextmanager
def silent_console() -> Iterator[None]:
    """Inspect says on rich's console that it is done, whatever the display; our caller says what there is to say."""
    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before


def _eval_set(
    plan: Plan, tasks: list[Task], models: list[str], problems: list[str], prices: dict[str, ModelCost] | None
) -> list[EvalLog]:
    _, logs = eval_set(
        tasks,
        log_dir=str(plan.log_dir),
        model=models,
        sample_id=problems if plan.limit else None,
        epochs=Epochs(plan.repetitions, "mean"),
        retry_attempts=0,  # repeating the command is the retry
        retry_immediate=False,
        score_on_error=True,
        log_dir_allow_dirty=True,
        max_samples=plan.max_connections,
        max_connections=plan.max_connections,
        token_limit=plan.token_limit,
        time_limit=plan.time_limit,
        working_limit=plan.working_limit,
        message_limit=plan.message_limit,
        cost_limit=plan.cost_limit,
        model_cost_config=prices,
        **DURABLY,
        **plan.generation,
    )
    return logs


def _checked_generation(options: dict[str, Any]) -> GenerateConfig:
    """Raises InputError for a generation option or value that Inspect does not know."""
    try:
        return GenerateConfig.model_validate(options)
    except ValidationError as error:
        first = error.errors()[0]
        option = "--" + str(first["loc"][0]).replace("_", "-")
        raise InputError(f"{option} {first['input']!r}: {first['msg']}") from error


def check_model(name: str) -> None:
    """Raises InputError where Inspect cannot set the model up: unknown provider or rule, missing package or key."""
    try:
        get_model(name)
    except Exception as error:  # each provider raises errors of its own
        plain = re.sub(r"\[/?\w*\]", "", str(error)).removeprefix("ERROR: ") or type(error).__name__
        raise InputError(f"model {name!r} cannot be used: {' '.join(plain.split())}") from error


def _first_problems(suite: Suite, limit: int | None) -> list[str]:
    """Ids of the problems to ask, in the order of the suite; whole pairs as far as the limit reaches."""
    order = {problem.pair: number for number, problem in reversed([*enumerate(suite.problems)])}
    by_pair = sorted(suite.problems, key=lambda problem: order[problem.pair])
    kept = {problem.id for problem in by_pair[:limit]}
    return [problem.id for problem in suite.problems if problem.id in kept]


def show_progress(progress: Progress, total: int) -> None:
    """Have Inspect report every conversation that ends; a later run replaces the reporter."""

    @hooks(name="siris_progress", description="Counts the conversations of proctor siris run")
    class _Count(Hooks):
        done = 0

        async def on_sample_end(self, data: SampleEnd) -> None:  # noqa: ARG002 - Inspect's signature
            self.done += 1
            progress(self.done, total)


def reasons(errors: Failures, longest: int | None = None) -> str:
    """The commonest failures, to be put behind a sentence, messages cut at `longest`; empty where there is none."""
    said = [f"{model}: {message[:longest]} ({count}x)" for (model, message), count in errors.most_common(3)]
    return f": {'; '.join(said)}" if said else ""


def _result(logs: Sequence[EvalLog], problems: Sequence[str], repetitions: int, expected: int) -> Result:
    planned = {(problem, repetition + 1) for problem in problems for repetition in range(repetitions)}
    finished = 0
    errors: Failures = Counter()
    for log in logs:
        ends = {(s.id, s.epoch): s.error for s in read_eval_log_sample_summaries(log.location)}
        finished += sum(ends.get(key, "missing") is None for key in planned)
        errors.update(
            (log.eval.model, " ".join(error.split())) for key, error in ends.items() if error and key in planned
        )
    # Inspect names a log that it reused as file:// plus the plain path.
    paths = tuple(Path(log.location.removeprefix("file://")) for log in logs)
    return Result(paths, expected, finished, errors)


def _raise_if_nothing_came_about(result: Result) -> None:
    if result.finished == 0 and len(result.errors) == 1:
        [(model, message)] = result.errors
        raise InputError(f"model {model!r} answered nothing; every conversation ended with: {message[:300]}")
