"""`proctor doctor --with-model`: two problems through a real, if weak, model behind a real server on this machine."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import asdict, dataclass
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

# Description, candidates and workload are short enough for a context of 8,192 tokens, where a turn reads one or two
# files; simulator and records are not. Should a conversation fill the window all the same, that is a recorded ending.
CONDITION = "none"
FORCED_ROUNDS = 2  # tool calls of a turn: a model of this size makes none unless it has to
ROUNDS = 6
TOKENS = 160  # of a reply
SECONDS = 300  # for a call, and as much again for its one retry; a few seconds on an idle machine


@dataclass(frozen=True)
class Talk:
    """One conversation: how often the model was called, which tools ran, tokens in and out, choices, what ended it."""

    problem: str
    calls: int
    tools: dict[str, int]
    tool_errors: int
    input_tokens: int
    output_tokens: int
    initial: str | None
    final: str | None
    ended_by: dict[str, str]
    error: str | None


@dataclass(frozen=True)
class ModelCheck:
    """What happened, in seconds of the clock: loading the model, and all conversations."""

    model: str
    load_seconds: float
    seconds: float
    talks: tuple[Talk, ...]

    @property
    def problems(self) -> list[str]:
        """What did not come through, one line each; nothing if the path works."""
        found = [f"{talk.problem} ended with an error: {talk.error}" for talk in self.talks if talk.error]
        if not any(sum(talk.tools.values()) > talk.tool_errors for talk in self.talks):
            found.append("no tool call returned anything")
        if not any(talk.initial or talk.final for talk in self.talks):
            found.append("no answer could be parsed")
        return found

    def as_json(self) -> dict[str, Any]:
        """The `--json` form; `version` is that of the format."""
        return {"version": 1, "ok": not self.problems, **asdict(self), "problems": self.problems}


def show(as_json: bool) -> int:
    """Run the check, print it, and return the exit status. Raises InputError where something is to be installed."""
    from proctor.local_model.weights import model_file

    model_file()
    typer.echo("loading SmolLM2-135M and asking it two problems; this takes about a minute", err=True)
    found = check()
    typer.echo(json.dumps(found.as_json(), indent=2) if as_json else "\n".join(_lines(found)))
    return 1 if found.problems else 0


def check() -> ModelCheck:
    """Load the model, serve it, and have Inspect hold two conversations with it."""
    from proctor.local_model.engine import Engine
    from proctor.local_model.server import Service, serving
    from proctor.local_model.weights import MODEL, model_file

    started = time.monotonic()
    engine = Engine(model_file())
    loaded = time.monotonic()
    with serving(Service(engine, FORCED_ROUNDS)) as url:
        log = _ask(f"openai-api/local/{MODEL}", url)
    talks = tuple(_talk(sample) for sample in log.samples or ())
    return ModelCheck(MODEL, round(loaded - started, 1), round(time.monotonic() - loaded, 1), talks)


def _ask(model: str, url: str) -> EvalLog:
    """The first two problems of the default suite, as the task asks them; answers are forced into the JSON form."""
    from inspect_ai import eval as inspect_eval
    from inspect_ai.log import read_eval_log
    from inspect_ai.model import GenerateConfig, ResponseSchema, get_model
    from inspect_ai.util import JSONSchema

    from proctor.siris import DEFAULT_SUITE
    from proctor.siris.problems.suites import load_suite
    from proctor.siris.task import review_task

    choice = JSONSchema(type="string", enum=["A", "B", "C", "D"])
    answer = JSONSchema(type="object", properties={"choice": choice}, required=["choice"], additionalProperties=False)
    config = GenerateConfig(
        max_tokens=TOKENS,
        temperature=0.8,
        seed=1,
        max_retries=1,
        timeout=2 * SECONDS,
        attempt_timeout=SECONDS,
        response_schema=ResponseSchema(name="answer", json_schema=answer),
    )
    task = review_task(load_suite(DEFAULT_SUITE), CONDITION, rounds=ROUNDS)
    with TemporaryDirectory() as folder:
        asked = get_model(model, config=config, base_url=url, api_key="none")
        [log] = inspect_eval(task, model=asked, limit=2, max_samples=2, log_dir=folder, display="none")
        return read_eval_log(log.location)


def _talk(sample: EvalSample) -> Talk:
    from proctor.siris.review.conversation import Conversation

    usage = list(sample.model_usage.values())
    results = [message for message in sample.messages if message.role == "tool"]
    score = (sample.scores or {}).get("choices")
    value = score.value if score is not None and isinstance(score.value, dict) else {}
    ended = dict(sample.store_as(Conversation).ended_by)
    if sample.limit is not None:
        ended["conversation"] = sample.limit.type
    return Talk(
        problem=str(sample.id),
        calls=sum(message.role == "assistant" for message in sample.messages),
        tools=dict(Counter(str(message.function) for message in results)),
        tool_errors=sum(message.error is not None for message in results),
        input_tokens=sum(one.input_tokens for one in usage),
        output_tokens=sum(one.output_tokens for one in usage),
        initial=str(value.get("initial") or "") or None,
        final=str(value.get("final") or "") or None,
        ended_by=ended,
        error=sample.error.message if sample.error else None,
    )


def _lines(found: ModelCheck) -> list[str]:
    from proctor.cli._text import one_line

    head = f"model       {found.model} on one thread, loaded in {found.load_seconds} s; server on 127.0.0.1"
    total = f"time        {found.seconds} s for {len(found.talks)} conversations, condition {CONDITION}"
    verdict = [f"problem: {line}" for line in found.problems] or [
        "The whole path works: server, Inspect, tools, both turns, answers, scores.",
        "Its answers are at chance: this proves the path, not the model.",
    ]
    return [*map(one_line, [head, *map(_talk_line, found.talks), total]), "", *map(one_line, verdict)]


def _talk_line(talk: Talk) -> str:
    tools = ", ".join(f"{name} {count}" for name, count in sorted(talk.tools.items())) or "none"
    ended = "".join(f"; {turn} ended by {what}" for turn, what in talk.ended_by.items())
    return (
        f"{talk.problem:<11} {talk.calls} model calls; tools: {tools} ({talk.tool_errors} refused); "
        f"{talk.input_tokens} tokens in, {talk.output_tokens} out; "
        f"choices {talk.initial or 'none'}, then {talk.final or 'none'}{ended}"
    )
