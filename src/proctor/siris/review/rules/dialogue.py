"""How a rule takes part in a conversation: it asks for files as if they were at hand.

Each call of the model runs the rule from its beginning on the messages so far. What the rule wants to read and has not
read yet becomes the next tool call; when nothing is missing, its answer closes the turn. A rule therefore keeps no
state, and a conversation can be resumed at any message.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    ModelOutput,
)
from inspect_ai.tool import ToolCall

from proctor.siris.review.pages import PageContent, read_page


class Need(Exception):  # noqa: N818 - control flow, not an error
    """A tool call whose result the rule has to see first."""

    def __init__(self, function: str, arguments: dict[str, Any]) -> None:
        super().__init__(function)
        self.function = function
        self.arguments = arguments


@dataclass(frozen=True)
class Answer:
    """What a rule says at the end of a turn."""

    choice: str
    rationale: str
    decision: Literal["follow", "reconsider"] | None = None  # in the review; None where a rule does not look
    limitation: str = "none"  # in the review, beside the decision

    def text(self, reviewing: bool = False) -> str:
        review = {"decision": self.decision, "limitation": self.limitation} if reviewing and self.decision else {}
        return json.dumps({"choice": self.choice, **review, "rationale": self.rationale})


class Dialogue:
    """The messages so far, read as a rule needs them."""

    def __init__(self, messages: Sequence[ChatMessage]) -> None:
        self.questions = [m.text for m in messages if isinstance(m, ChatMessageUser)]
        self.length = len(messages)
        assistants = [m for m in messages if isinstance(m, ChatMessageAssistant)]
        self.calls = {call.id: call for message in assistants for call in message.tool_calls or ()}
        self.results: dict[str, str | None] = {}
        for message in messages:
            if isinstance(message, ChatMessageTool) and message.tool_call_id in self.calls:
                call = self.calls[message.tool_call_id]
                self.results[_key(call.function, call.arguments)] = None if message.error else message.text

    @property
    def reviewing(self) -> bool:
        return len(self.questions) > 1

    def ask(self, function: str, **arguments: Any) -> str | None:
        """The result of a tool call, None where it was an error; raises Need where the call is still to be made."""
        key = _key(function, arguments)
        if key not in self.results:
            raise Need(function, arguments)
        return self.results[key]

    def files(self) -> list[str]:
        """Paths of all files."""
        return [row.rpartition(" (")[0] for row in (self.ask("list_files") or "").splitlines()]

    def page(self, path: str, line: int = 1, column: int = 1) -> PageContent:
        text = self.ask("read_file", path=path, start_line=line, start_column=column)
        return read_page(text or "")

    def read(self, path: str) -> str | None:
        """A whole file, page by page; None where it is not listed."""
        if path not in self.files():
            return None
        pieces: list[str] = []
        line, column = 1, 1
        while True:
            page = self.page(path, line, column)
            for number, piece in page.pieces.items():
                if number == line and column > 1:
                    pieces[-1] += piece
                else:
                    pieces.append(piece)
            if page.next_line is None:
                return "\n".join(pieces)
            line, column = page.next_line, page.next_column

    def call(self, need: Need) -> ModelOutput:
        """The message that asks for what is needed."""
        return ModelOutput.from_message(
            ChatMessageAssistant(
                content="",
                tool_calls=[ToolCall(id=f"call-{self.length}", function=need.function, arguments=need.arguments)],
            ),
            stop_reason="tool_calls",
        )


def _key(function: str, arguments: dict[str, Any]) -> str:
    return f"{function} {json.dumps(arguments, sort_keys=True)}"
