"""Go through the messages of a finished conversation again, and look up everything that the model looked up.

What the model wrote is taken from the log; what was said to it is made anew and compared. The tools are those of the
conversation itself, on a packet made anew: that they answer as they did proves that the model read this very packet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    execute_tools,
)
from inspect_ai.tool import ToolCall, ToolDef
from inspect_ai.util import Store

from proctor.siris.review.briefs import Brief
from proctor.siris.review.calls import accept_long_integers, refuse_unprintable_calls
from proctor.siris.review.conversation import Conversation, Watch
from proctor.siris.review.desk import TOO_SLOW, Desk
from proctor.siris.review.tools import packet_tools
from proctor.siris.verdict.differences import Difference, Kind, apart
from proctor.siris.verdict.records import Turn


@dataclass
class Retraced:
    """What a second walk through the messages found.

    `talk` is what the conversation should have left in the store, as far as messages tell. `closed` names the turns
    that ended with a closing message, `calls` counts model calls by turn. `uncertain` names turns of which the reads
    cannot be told for sure: a limit or an error cut a call short, or a search ran out of time in the log or here.
    """

    talk: Conversation
    closed: list[Turn] = field(default_factory=list)
    calls: dict[Turn, int] = field(default_factory=dict)
    uncertain: set[Turn] = field(default_factory=set)
    timed_out: int = 0
    differences: list[Difference] = field(default_factory=list)


async def retrace(messages: Sequence[ChatMessage], brief: Brief) -> Retraced:
    """Walk through both turns. Never raises for what a log may hold; each oddity is a difference."""
    accept_long_integers()
    return await _Walk(messages, brief).go()


class _Walk:
    def __init__(self, messages: Sequence[ChatMessage], brief: Brief) -> None:
        self.messages = messages
        self.position = 0
        self.script = brief.script
        self.found = Retraced(Conversation(store=Store()))
        self.watch = Watch(self.found.talk, brief.changed)
        self.tools = packet_tools(Desk(brief.packet, self.watch.seen))
        self.turn: Turn = "initial"

    async def go(self) -> Retraced:
        self.watch.begin("initial")
        if self._is_asked(self.script.first_turn):
            self.found.talk.initial = await self._take_turn()
            if self.position < len(self.messages):
                self.turn = "final"
                self.watch.begin("final")
                if self._is_asked(self.script.review_turn):
                    self.found.talk.final = await self._take_turn()
        if self.position < len(self.messages):
            self._differs("prompts", f"{self._named()} has no place in the two turns")
        return self.found

    def _is_asked(self, prompt: str) -> bool:
        """Compare what opens a turn; False where nothing opens it."""
        if self.position == len(self.messages):
            self._differs("prompts", "the log holds no message that opens the turn")
            return False
        message = self.messages[self.position]
        if not isinstance(message, ChatMessageUser):
            self._differs("prompts", f"{self._named()} stands where the turn's prompt should")
            return False
        if (said := content(message)) != prompt:
            self._differs("prompts", f"the prompt differs: {apart(said, prompt)}")
        self.position += 1
        return True

    async def _take_turn(self) -> str | None:
        """Everything up to the closing message, which is returned, or up to what opens the next turn."""
        while isinstance(message := self._next(), ChatMessageAssistant):
            self.position += 1
            self.found.calls[self.turn] = self.found.calls.get(self.turn, 0) + 1
            if not message.tool_calls:
                self.found.closed.append(self.turn)
                return message.text
            await self._look_up(message)
        return None

    def _next(self) -> ChatMessage | None:
        return self.messages[self.position] if self.position < len(self.messages) else None

    async def _look_up(self, message: ChatMessageAssistant) -> None:
        for number, call in enumerate(message.tool_calls or (), start=1):
            logged = self._next()
            if not isinstance(logged, ChatMessageTool):
                self._unanswered(number, call)
                return
            self.position += 1
            fault = await self._compare(message, call, logged)
            if fault:
                self._differs("tool results", f"message {self.position}, the result of {_shown(call)}: {fault}")

    async def _compare(self, message: ChatMessageAssistant, call: ToolCall, logged: ChatMessageTool) -> str | None:
        """What is wrong with a logged result."""
        if (logged.tool_call_id, logged.function) != (call.id, call.function):
            return f"it belongs to another call ({logged.function} {logged.tool_call_id})"
        if _too_slow(logged):
            self._untimed()
            return None
        replayed = await _execute(message, call, self.tools)
        if _too_slow(replayed):
            self._untimed()
            return None
        before, now = _result(logged), _result(replayed)
        return apart(before, now) if before != now else None

    def _unanswered(self, number: int, call: ToolCall) -> None:
        """A limit or an error may have come before the results of a batch were noted, and then nothing follows."""
        self.found.uncertain.add(self.turn)
        if number > 1 or self.position < len(self.messages):
            self._differs("tool results", f"call {_shown(call)} has no result")

    def _untimed(self) -> None:
        """A search that ran out of time on one machine need not on another."""
        self.found.uncertain.add(self.turn)
        self.found.timed_out += 1

    def _named(self) -> str:
        return f"message {self.position + 1}, of the role {self.messages[self.position].role},"

    def _differs(self, kind: Kind, what: str) -> None:
        self.found.differences.append(Difference(kind, what, turn=self.turn))


async def _execute(message: ChatMessageAssistant, call: ToolCall, tools: list[ToolDef]) -> ChatMessageTool:
    """One call at a time, as the tools are not parallel; Inspect's own way, so that errors read the same."""
    alone = message.model_copy(update={"tool_calls": [call]})
    refuse_unprintable_calls(alone)
    try:
        [answer] = (await execute_tools([alone], tools)).messages
    except Exception as error:  # a call that no conversation can have executed
        return ChatMessageTool(content=f"[cannot be executed: {type(error).__name__}]")
    assert isinstance(answer, ChatMessageTool)
    return answer


def _result(message: ChatMessageTool) -> str:
    """What a model sees of a result."""
    return f"{message.error.type} error: {message.error.message}" if message.error else content(message)


def _too_slow(message: ChatMessageTool) -> bool:
    return message.function == "search" and message.error is not None and message.error.message == TOO_SLOW


def content(message: ChatMessage) -> str:
    """What a message says; content other than text, which this suite never sends, is named."""
    if isinstance(message.content, str):
        return message.content
    return "".join(part.text if part.type == "text" else f"[{part.type}]" for part in message.content)


def _shown(call: ToolCall) -> str:
    arguments = ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())
    return f"{call.function} {arguments}"[:100]
