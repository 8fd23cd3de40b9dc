"""Have annotators label conversations, resumably: what an annotator has answered already is not asked again.

An annotation log may hold any part of the conversations. So what is left to ask is found conversation by conversation,
by the digest of what would be asked, and not by comparing whole tasks as an eval set does: logs can be added, limits
raised and runs killed in any order, and each answer is paid for once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelCost

from proctor.errors import InputError
from proctor.siris.annotation_task import siris_annotation
from proctor.siris.log_dir import prepare
from proctor.siris.prices import check_prices
from proctor.siris.run import (
    DURABLY,
    Failures,
    Progress,
    check_model,
    reasons,
    show_progress,
    silent_console,
)
from proctor.siris.verdict.annotation import Annotated

Done = Mapping[str, Mapping[str, Annotated]]  # annotator -> conversation -> what it said


@dataclass(frozen=True)
class Plan:
    """What to annotate: conversations by key, out of the logs that hold them. Limits are per annotation."""

    logs: Sequence[Path]
    conversations: Sequence[str]
    annotators: Sequence[str]
    out: Path
    suites: Sequence[str] = ()
    schema: bool = True
    max_connections: int | None = None
    token_limit: int | None = None
    cost_limit: float | None = None
    prices: Path | None = None


@dataclass(frozen=True)
class Ran:
    """What a run left behind. `errors` counts annotations that an error of ours ended, by annotator and message."""

    asked: int
    errors: Failures

    @property
    def what_next(self) -> str:
        """What to do about missing annotations, and what was in the way."""
        return f"repeat the command to ask again{reasons(self.errors, longest=300)}"


def annotate(plan: Plan, done: Done, progress: Progress) -> Ran:
    """Ask each annotator about the conversations that it has not labelled as they would be asked about now.

    Raises InputError before anything is asked where the plan cannot work, and afterwards where no annotation at all
    came about for one and the same reason. Ctrl-C raises KeyboardInterrupt when the log is closed.
    """
    for annotator in plan.annotators:
        check_model(annotator)
    prices = check_prices(plan.prices, plan.annotators, plan.cost_limit)
    prepare(plan.out, "--out")
    task = _task(plan)
    left = {annotator: _left(task, done.get(annotator, {})) for annotator in plan.annotators}
    total = len(task.dataset) * len(plan.annotators)
    finished = total - sum(map(len, left.values()))
    logs = []
    for annotator, keys in left.items():
        show_progress(lambda count, _, before=finished: progress(before + count, total), total)  # type: ignore[misc]
        if keys:
            logs.append(_ask(plan, task, annotator, keys, prices))
        finished += len(keys)
    ran = Ran(sum(map(len, left.values())), _errors(logs))
    _raise_if_nothing_came_about(ran)
    return ran


def _task(plan: Plan) -> Task:
    """The task of the plan's conversations. Raises InputError where a log lacks one of them."""
    task = siris_annotation([str(log) for log in plan.logs], list(plan.suites), plan.schema)
    wanted = set(plan.conversations)
    held = {str(sample.id) for sample in task.dataset}
    if wanted - held:
        raise InputError(
            f"{', '.join(map(str, plan.logs))}: {len(wanted - held)} conversations have no closing messages that can "
            "be read; annotate logs that `proctor siris run` wrote"
        )
    task.dataset = task.dataset.filter(lambda sample: str(sample.id) in wanted)
    return task


def _left(task: Task, done: Mapping[str, Annotated]) -> list[str]:
    """Conversations without an answer to exactly what would be asked now."""
    keys = []
    for sample in task.dataset:
        earlier = done.get(str(sample.id))
        asked = (sample.metadata or {})["asked"]
        if earlier is None or not earlier.answered or earlier.asked != asked:
            keys.append(str(sample.id))
    return keys


def _ask(plan: Plan, task: Task, annotator: str, keys: list[str], prices: dict[str, ModelCost] | None) -> EvalLog:
    with silent_console():
        [log] = inspect_eval(
            task,
            model=annotator,
            log_dir=str(plan.out),
            sample_id=list[str | int](keys),
            score_on_error=False,
            max_samples=plan.max_connections,
            max_connections=plan.max_connections,
            token_limit=plan.token_limit,
            cost_limit=plan.cost_limit,
            model_cost_config=prices,
            **DURABLY,
        )
    if log.status == "cancelled":
        raise KeyboardInterrupt
    return log


def _errors(logs: Sequence[EvalLog]) -> Failures:
    return Counter(
        (log.eval.model, " ".join(sample.error.message.split()))
        for log in logs
        for sample in log.samples or []
        if sample.error is not None
    )


def _raise_if_nothing_came_about(ran: Ran) -> None:
    if len(ran.errors) == 1 and ran.errors.total() == ran.asked:
        [(annotator, message)] = ran.errors
        raise InputError(f"annotator {annotator!r} answered nothing; every request ended with: {message[:300]}")
