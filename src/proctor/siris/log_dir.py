"""Whether a directory can take the logs of a run, and whether what it holds already fits the run.

One directory is one eval set of Inspect: what is asked again in it continues what is there. A run with other limits or
other generation options would not continue it but stand beside it, and be taken for more repetitions of the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from inspect_ai.model import GenerateConfig

from proctor.errors import InputError
from proctor.siris.task import MESSAGES

# Options that change what a model answers; the others (retries, time-outs, connections) may differ from run to run.
SAMPLING = ("reasoning_effort", "reasoning_tokens", "max_tokens", "temperature", "top_p", "seed")


@dataclass(frozen=True)
class Asked:
    """What a run asks: of whom, under which conditions, how much, and within which limits."""

    suite_digest: str
    models: Sequence[str]
    conditions: Sequence[str]
    prompt: str
    problems: int
    repetitions: int
    limits: Mapping[str, float | None]
    generation: GenerateConfig

    def settings(self) -> dict[str, Any]:
        limits = {**self.limits, "message_limit": self.limits["message_limit"] or MESSAGES}
        return limits | {name: getattr(self.generation, name) for name in SAMPLING}


def prepare(folder: Path, option: str = "--log-dir") -> None:
    """Make the folder and try to write there; raises InputError where logs cannot be kept there."""
    if "%" in str(folder.absolute()):
        raise InputError(f"{folder}: Inspect cannot read logs in a folder with % in its path; give another {option}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made a folder ({error.strerror}); give another {option}") from error
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(f"{folder}: cannot be written to ({error.strerror}); give another {option}") from error


def refuse_what_does_not_fit(log_dir: Path, asked: Asked) -> None:
    """Raises InputError where the directory holds more of the same, or the same under other settings."""
    for log in _headers(log_dir):
        done = log.eval
        arguments = done.task_args
        same = (done.task_version, done.model in asked.models, arguments.get("condition") in asked.conditions)
        if same != (asked.suite_digest, True, True) or arguments.get("prompt") != asked.prompt:
            continue
        if other := _other_settings(log, asked):
            raise InputError(
                f"{log_dir}: holds conversations of {done.model}, {arguments['condition']}, with {other}; they would "
                "be pooled with those of this run: use the same options or give another --log-dir"
            )
        if (done.config.epochs or 1) > asked.repetitions or len(done.dataset.sample_ids or ()) > asked.problems:
            raise InputError(
                f"{log_dir}: holds {len(done.dataset.sample_ids or ())} problems x {done.config.epochs or 1} "
                f"repetitions of {done.model}, {arguments['condition']}; a smaller run would drop some of them: "
                "ask for at least as many or give another --log-dir"
            )


def _other_settings(log: EvalLog, asked: Asked) -> str:
    """The options in which a log differs from what is asked, with their values in the log; empty where in none."""
    there = {name: getattr(log.eval.config, name) for name in asked.limits}
    there |= {name: getattr(log.plan.config, name) for name in SAMPLING}
    wanted = asked.settings()
    return ", ".join(
        f"--{name.replace('_', '-')} {'not set' if value is None else value}"
        for name, value in there.items()
        if value != wanted[name]
    )


def _headers(log_dir: Path) -> Iterator[EvalLog]:
    """The header of each log of a directory; raises InputError for a damaged log: Inspect would fail on it."""
    for info in list_eval_logs(str(log_dir)):
        try:
            yield read_eval_log(info, header_only=True)
        except Exception as error:  # damage shows in zip, zstd, JSON or pydantic, each with errors of its own
            path = info.name.removeprefix("file://")
            raise InputError(f"{path}: not a readable Inspect log; move it away or give another --log-dir") from error
