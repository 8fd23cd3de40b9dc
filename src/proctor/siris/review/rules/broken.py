"""Models that misbehave as real ones do now and then. They are there for tests of the harness, ours and yours."""

from __future__ import annotations

from typing import Any

from inspect_ai.model import ChatMessageAssistant, ModelOutput
from inspect_ai.tool import ToolCall

from proctor.siris.review.rules.dialogue import Dialogue, Need
from proctor.siris.review.rules.plain import follow


def say(text: str) -> ModelOutput:
    return ModelOutput.from_message(ChatMessageAssistant(content=text))


def silent(dialogue: Dialogue) -> ModelOutput:  # noqa: ARG001 - a rule takes a dialogue
    """Never says anything."""
    return say("")


def endless(dialogue: Dialogue) -> ModelOutput:
    """Reads for ever."""
    return dialogue.call(Need("list_files", {}))


def unknown_tool(dialogue: Dialogue) -> ModelOutput:
    """Calls a tool that does not exist, then follows."""
    dialogue.ask("run_simulator", label="A")
    return say(follow(dialogue).text())


def malformed(dialogue: Dialogue) -> ModelOutput:
    """Makes calls whose arguments are missing, wrong, out of range or no JSON, then closes without a choice."""
    for arguments in ({}, {"path": 7}, {"path": "workload.json", "start_line": -3}, {"path": ["a"], "lines": {}}):
        dialogue.ask("read_file", **arguments)
    dialogue.ask("search", pattern="(")
    if "no-json" not in dialogue.calls:
        return _call(
            ToolCall(id="no-json", function="read_file", arguments={}, parse_error="the arguments are no JSON")
        )
    return say("It depends.")


def late(dialogue: Dialogue) -> ModelOutput:
    """Answers in the review only."""
    return say(follow(dialogue).text() if dialogue.reviewing else "I shall answer later.")


def early(dialogue: Dialogue) -> ModelOutput:
    """Answers in the first turn only."""
    return say("I have answered before." if dialogue.reviewing else follow(dialogue).text())


def surrogates(dialogue: Dialogue) -> ModelOutput:
    """Uses half characters, which no encoder accepts, in text, arguments and names, then follows."""
    half = "\ud83d"
    calls = [
        ToolCall(id="path", function="read_file", arguments={"path": f"{half}.py"}),
        ToolCall(id="name", function="search", arguments={"pattern": half, f"x{half}": half}),
        ToolCall(id="function", function=f"read{half}", arguments={}),
    ]
    for call in calls:
        if call.id not in dialogue.calls:
            return _call(call)
    return say(f"{half} {follow(dialogue).text()} {half}")


def boundless(dialogue: Dialogue) -> ModelOutput:
    """Calls a known and an unknown tool with arguments that no log can hold, then follows."""
    deep: dict[str, Any] = {}
    for _ in range(900):
        deep = {"a": deep}
    for function in ("search", "run_simulator"):
        for name, value in (("path", deep), ("skip", 10**5000)):
            call = ToolCall(id=f"{function}-{name}", function=function, arguments={"pattern": "x", name: value})
            if call.id not in dialogue.calls:
                return _call(call)
    return say(follow(dialogue).text())


def _call(call: ToolCall) -> ModelOutput:
    return ModelOutput.from_message(ChatMessageAssistant(content="", tool_calls=[call]), stop_reason="tool_calls")
