"""A small suite made by hand (twelve pairs, short files, known numbers) and a provider that does what a test says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import isawaitable
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelUsage, modelapi
from tenacity import wait_fixed

import proctor._registry  # noqa: F401 - registers models
from proctor.siris.problems.domain import Case, Evidence, Problem, Version
from proctor.siris.review.rules.api import RuleAPI
from proctor.siris.review.rules.dialogue import Dialogue, Need
from proctor.siris.task import review_task

LABELS = "ABCD"
LIMITATION = "prefix reuse is credited only up to 512 tokens\nAll of a cached prefix should be."
CHANGED = {"simulator/replica.py": frozenset({30, 31})}


@dataclass(frozen=True)
class HandMade:
    """Stands where a suite stands. Perturbed and reference code differ in lines 30 and 31 of simulator/replica.py."""

    name: str
    digest: str
    problems: tuple[Problem, ...]

    def evidence(self, problem: Problem, version: Version) -> Evidence:
        p95 = problem.perturbed if version == "perturbed" else problem.reference
        candidates = {label: {"p50": ns / 2e9, "p95": ns / 1e9} for label, ns in p95.items()}
        rows = ",\n".join(json.dumps({"id": f"r{i:03}", "of": problem.id}) for i in range(80))
        code = [f"line_{n} = {n}" for n in range(1, 61)]
        code[29:31] = [f"credit = '{version}'", "limit = 512" if version == "perturbed" else "limit = 16"]
        return Evidence(
            description={
                "system-description.md": "# System\n",
                "workload.json": f'{{"requests": [\n{rows}\n]}}\n',
                **{f"candidates/{label}.py": f"# candidate {label}\n" for label in LABELS},
            },
            code={"simulator/__init__.py": "", "simulator/replica.py": "\n".join(code) + "\n"},
            parameters={"cost-parameters/head.csv": "requests,ns\n1,10\n"},
            configuration={"configuration.json": '{"replicas": 4}\n'},
            predictions={"prediction.json": json.dumps({"metric": "p95", "candidates": candidates}, indent=2) + "\n"},
            records={f"execution-records/{label}.jsonl": '{"request": "r000"}\n' * 500 for label in LABELS},
        )

    def changed_lines(self, problem: Problem, version: Version) -> Mapping[str, frozenset[int]]:  # noqa: ARG002
        return CHANGED

    def limitation(self, problem: Problem) -> str:  # noqa: ARG002
        return LIMITATION


def _problem(number: int) -> Problem:
    """Odd numbers are upheld. Presented and answer move over the labels; the runner-up comes next in the alphabet."""
    pair = number // 2
    upheld = number % 2 == 0
    presented = pair % 4
    answer = presented if upheld else (presented + 1 + pair % 3) % 4
    return Problem(
        id=f"p{number + 1:02}",
        pair=f"pair-{pair + 1}",
        outcome="upheld" if upheld else "overturned",
        perturbation="prefix_cap",
        design_problem="routing",
        question="Which of the candidates A, B, C and D has the lowest p95 end-to-end latency?",
        labels={label: f"design-{label}" for label in LABELS},
        presented=LABELS[presented],
        answer=LABELS[answer],
        reference=_latencies(answer),
        perturbed=_latencies(presented),
        case=Case("routing", {}, []),
    )


def _latencies(best: int) -> dict[str, int]:
    return {label: 10**9 + 10**8 * ((index - best) % 4) for index, label in enumerate(LABELS)}


def make_suite() -> HandMade:
    return HandMade("hand-made", "0" * 64, tuple(_problem(number) for number in range(24)))


@pytest.fixture(scope="session")
def suite() -> HandMade:
    return make_suite()


class BusyError(Exception):
    """What Inspect asks again by itself, as it does with rate limits."""


@dataclass
class Provider:
    """What answers for `scripted/...`: rule/follow, unless `reply(problem, dialogue)` raises or returns a reply.

    `asked` counts calls by problem, those not among them in which the model finds out which problem it has.
    """

    reply: Callable[[str, Dialogue], Any] = lambda *_: None
    asked: Counter[str] = field(default_factory=Counter)

    def fail_for(self, *problems: str, turn: str = "initial", error: Exception | None = None) -> None:
        """Raise in that turn of these problems."""

        def reply(problem, dialogue):
            if problem in problems and dialogue.reviewing == (turn == "final"):
                raise error or ConnectionError("the provider is down")

        self.reply = reply


PROVIDER = Provider()


@modelapi(name="scripted")
def scripted():
    class Scripted(RuleAPI):
        def __init__(self, model_name, *args, **kwargs):
            super().__init__("follow", *args, **kwargs)
            self.model_name = model_name

        def should_retry(self, ex):
            return isinstance(ex, BusyError)

        def retry_wait(self):
            return wait_fixed(0.05)

        async def generate(self, input, **kwargs):
            output = await self.scripted(input, **kwargs)
            output.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
            return output

        async def scripted(self, input, **kwargs):
            dialogue = Dialogue(input)
            try:
                workload = dialogue.ask("read_file", path="workload.json")
            except Need as need:
                return dialogue.call(need)
            problem = json.loads(workload.splitlines()[2].partition("| ")[2].rstrip(","))["of"]
            PROVIDER.asked[problem] += 1
            reply = PROVIDER.reply(problem, dialogue)
            return (await reply if isawaitable(reply) else reply) or await super().generate(input, **kwargs)

    return Scripted


@pytest.fixture
def provider():
    """The provider of `scripted/...`, as new."""
    PROVIDER.__init__()
    return PROVIDER


@pytest.fixture
def busy():
    return BusyError


@pytest.fixture
def ask(suite, tmp_path):
    """Run one model over the hand-made suite; the log as read back from disk."""

    def run(model, condition="perturbed", repetitions=1, rounds=12, **options):
        task = review_task(suite, condition, repetitions=repetitions, rounds=rounds)
        logs = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none", log_realtime=False, **options)
        return read_eval_log(logs[0].location)

    return run


@pytest.fixture(scope="session")
def talks(suite, tmp_path_factory):
    """A folder with one log: the first six problems (three pairs) twice, in the fixed words of `saying/things`.

    That model says nothing of the limitation on p01 and p02, names it in the review on p03 and p04, and in both turns
    on p05 and p06, where it also reconsiders.
    """
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import ModelAPI, ModelOutput, modelapi

    from proctor.siris.task import review_task

    def words(task, reviewing):
        number = int(task.rpartition("p0")[2][0])
        named = "" if number < 3 or (number < 5 and not reviewing) else f"In candidate A {LIMITATION.splitlines()[0]}. "
        decision = {"decision": "reconsider" if number > 4 else "follow"} if reviewing else {}
        return named + json.dumps({"choice": "A", **decision})

    @modelapi(name="saying")
    def saying():
        class Saying(ModelAPI):
            async def generate(self, input, tools, tool_choice, config):  # noqa: ARG002
                questions = [message.text for message in input if message.role == "user"]
                return ModelOutput.from_content("things", words(questions[0], len(questions) > 1))

        return Saying

    task = review_task(suite, repetitions=2)
    for sample in task.dataset:
        sample.input = f"{sample.input}\nproblem {sample.id}"
    folder = tmp_path_factory.mktemp("talks")
    ids = [problem.id for problem in suite.problems[:6]]
    [log] = inspect_eval(
        task, model="saying/things", sample_id=ids, log_dir=str(folder), display="none", log_realtime=False
    )
    assert log.status == "success"
    return folder


@pytest.fixture(scope="session")
def _judges():
    """Registered once: Inspect keeps a model that it has set up."""
    from types import SimpleNamespace

    from inspect_ai.model import ModelAPI, ModelOutput, modelapi

    state = SimpleNamespace(says=None, seen=[])

    @modelapi(name="judge")
    def provider():
        class Judge(ModelAPI):
            async def generate(self, input, tools, tool_choice, config):  # noqa: ARG002
                state.seen.append((list(input), config))
                return ModelOutput.from_content("judge", state.says(input, len(state.seen)))

        return Judge

    return state


@pytest.fixture
def judge(_judges):
    """The model `judge/NAME`: `says` is a function of (messages, call number) that gives a reply or raises.

    `seen` collects the messages and options of every call.
    """
    _judges.says = None
    _judges.seen.clear()
    return _judges
