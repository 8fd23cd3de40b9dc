"""What our conversation costs beside a bare Inspect task with the same turns, tool calls and texts."""

from __future__ import annotations

import runpy
import time
from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ModelAPI, ModelOutput, modelapi
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, solver, use_tools, user_message
from inspect_ai.tool import ToolCall, tool

from proctor.siris.review.desk import Desk
from proctor.siris.task import review_task

CALLS = (
    ("list_files", {}),
    ("read_file", {"path": "workload.json"}),
    ("search", {"pattern": "line_4"}),
    ("read_file", {"path": "simulator/replica.py"}),
)
ROUNDS = 7  # pairs of runs: ours, bare, ours, bare, ...
REPETITIONS = 2
LIMIT = 1.3


@modelapi(name="constant")
def constant():
    class Scripted(ModelAPI):
        """Answers at once: in each turn the calls above one after another, then a closing message."""

        async def generate(self, input, **_):
            step = sum(message.role == "assistant" for message in input) % (len(CALLS) + 1)
            if step == len(CALLS):
                return ModelOutput.from_content("scripted", '{"choice": "A", "rationale": "scripted"}')
            name, arguments = CALLS[step]
            call = ToolCall(id=f"call-{len(input)}", function=name, arguments=arguments)
            message = ChatMessageAssistant(content="", tool_calls=[call])
            return ModelOutput.from_message(message, stop_reason="tool_calls")

    return Scripted


@pytest.fixture(scope="module")
def suite():
    """The hand-made suite of the siris tests."""
    return runpy.run_path(str(Path(__file__).parents[1] / "siris" / "conftest.py"))["make_suite"]()


def bare_task(ours: Task, suite) -> Task:
    """The plainest Inspect task that has the same conversation: its tools return texts made beforehand."""
    from proctor.siris.review.briefs import briefs

    brief = next(iter(briefs(suite, "perturbed", "standard").values()))
    desk = Desk(brief.packet, lambda *_: None)
    texts = {"list_files": desk.list_files(), "search": desk.search("line_4")}
    pages = {path: desk.read(path) for path in ("workload.json", "simulator/replica.py")}

    @tool
    def list_files():
        async def execute() -> str:
            """List files."""
            return texts["list_files"]

        return execute

    @tool
    def read_file():
        async def execute(path: str) -> str:
            """Read a file.

            Args:
                path: Path of the file.
            """
            return pages[path]

        return execute

    @tool
    def search():
        async def execute(pattern: str) -> str:  # noqa: ARG001 - what a model sends
            """Search.

            Args:
                pattern: What to look for.
            """
            return texts["search"]

        return execute

    @solver
    def second_turn():
        return user_message(brief.script.review_turn)

    return Task(
        dataset=MemoryDataset([Sample(id=s.id, input=s.input, target="A") for s in ours.dataset]),
        solver=[use_tools(list_files(), read_file(), search()), generate(), second_turn(), generate()],
        scorer=includes(),
        epochs=REPETITIONS,
    )


def seconds(task: Task, folder: Path) -> float:
    """Processor time of one evaluation; both sides log in the same way."""
    start = time.process_time()
    [log] = inspect_eval(task, model="constant/x", log_dir=str(folder), display="none", log_realtime=False)
    spent = time.process_time() - start
    assert log.status == "success", log.error
    assert log.results.completed_samples == len(task.dataset) * REPETITIONS
    assert len(log.samples[0].messages) == 2 * (2 * len(CALLS) + 2)
    return spent


def test_our_conversation_costs_little_more_than_a_bare_one(benchmark, suite, tmp_path, capsys):
    """At most 1.3 times the processor time of the bare task: the best of several runs each, in turn in one process."""
    ours = review_task(suite, repetitions=REPETITIONS)
    bare = bare_task(ours, suite)
    conversations = len(ours.dataset) * REPETITIONS
    rounds = ROUNDS if benchmark.enabled else 1
    seconds(bare, tmp_path)  # imports and caches
    measured = benchmark.pedantic(
        lambda: [(seconds(ours, tmp_path), seconds(bare, tmp_path)) for _ in range(rounds)], rounds=1
    )
    ours_s, bare_s = (min(side) for side in zip(*measured, strict=True))  # what other processes disturbed least
    ratio = ours_s / bare_s
    with capsys.disabled():
        print(
            f"\nconversations per second of processor time: ours {conversations / ours_s:.1f}, "
            f"bare Inspect {conversations / bare_s:.1f}; ours takes {ratio:.2f} times as long"
        )
    if benchmark.enabled:
        assert ratio <= LIMIT
