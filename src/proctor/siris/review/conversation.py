"""The two turns, as an Inspect solver. It knows a packet and two messages; pair, label and reference are not here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, execute_tools, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef
from inspect_ai.util import LimitExceededError, StoreModel, store_as
from pydantic import Field

from proctor.siris.review.briefs import Brief
from proctor.siris.review.calls import accept_long_integers, refuse_unprintable_calls
from proctor.siris.review.desk import Desk
from proctor.siris.review.patterns import well_formed
from proctor.siris.review.tools import packet_tools

Turn = Literal["initial", "final"]
ROUNDS = 80  # model calls that one turn may take


class Conversation(StoreModel):
    """What is kept of a conversation in the sample's store, from the moment it happens.

    `initial` and `final` are the closing messages, None where a turn was not closed. `stopped` names turns that ran
    into the cap on rounds. `files_read` and `reached` are by turn. `packet` is the digest of the files that could be
    read; logs of earlier versions lack it.
    """

    packet: str | None = None
    initial: str | None = None
    final: str | None = None
    stopped: list[str] = Field(default_factory=list)
    files_read: dict[str, list[str]] = Field(default_factory=dict)
    reached: dict[str, bool] = Field(default_factory=dict)
    infrastructure_error: str | None = None


class Watch:
    """Follows which files a turn reads and whether it sees a changed line (paper B.2, "Code inspection").

    The store holds the two dictionaries themselves, so that what is noted here is in the store at once.
    """

    def __init__(self, conversation: Conversation, changed: Mapping[str, frozenset[int]] | None) -> None:
        self.changed = changed
        self.files: dict[str, list[str]] = {}
        self.reached: dict[str, bool] = {}
        self.turn: Turn = "initial"
        conversation.files_read = self.files
        conversation.reached = self.reached

    def begin(self, turn: Turn) -> None:
        self.turn = turn
        self.files[turn] = []
        if self.changed is not None:
            self.reached[turn] = False

    def seen(self, path: str, lines: range, read: bool) -> None:
        """Told by the desk of every read and every match."""
        if read and path not in self.files[self.turn]:
            self.files[self.turn].append(path)
        if self.changed is not None and not self.changed.get(path, frozenset()).isdisjoint(lines):
            self.reached[self.turn] = True


def two_turns(briefs: Mapping[str, Brief], rounds: int = ROUNDS) -> Solver:
    """The solver for samples whose input is the first message; `briefs` has the rest by sample id."""

    @solver(name="two_turns")
    def build() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
            conversation = store_as(Conversation)
            accept_long_integers()
            try:
                await _converse(state, conversation, briefs[str(state.sample_id)], rounds)
            except LimitExceededError:
                raise  # the conversation's own doing: it is scored on what it has
            except Exception as error:
                conversation.infrastructure_error = well_formed(f"{type(error).__name__}: {error}")[:500]
                raise
            return state

        return solve

    return build()


async def _converse(state: TaskState, conversation: Conversation, brief: Brief, rounds: int) -> None:
    conversation.packet = brief.packet.digest
    watch = Watch(conversation, brief.changed)
    tools = packet_tools(Desk(brief.packet, watch.seen))
    watch.begin("initial")
    conversation.initial = await _turn(state, tools, rounds)
    _note_stop(conversation, "initial", conversation.initial)
    state.messages.append(ChatMessageUser(content=brief.script.review_turn))
    watch.begin("final")
    conversation.final = await _turn(state, tools, rounds)
    _note_stop(conversation, "final", conversation.final)


async def _turn(state: TaskState, tools: list[ToolDef], rounds: int) -> str | None:
    """Talk until a message calls no tool; its text, or None where the rounds did not suffice."""
    model = get_model()
    for _ in range(rounds):
        state.output = await model.generate(state.messages, tools=tools)
        refuse_unprintable_calls(state.output.message)
        message = well_formed_message(state.output.message)
        state.messages.append(message)
        if not message.tool_calls:
            return message.text
        state.messages.extend((await execute_tools(state.messages, tools)).messages)
    return None


def _note_stop(conversation: Conversation, turn: Turn, closing: str | None) -> None:
    if closing is None:
        conversation.stopped = [*conversation.stopped, turn]


def well_formed_message(message: ChatMessageAssistant) -> ChatMessageAssistant:
    """The message without lone surrogates: with one of them, writing the log fails, and that ends the whole run."""
    try:
        message.model_dump_json()
    except ValueError:
        return ChatMessageAssistant.model_validate(_well_formed_data(message.model_dump()))
    return message


def _well_formed_data(data: Any) -> Any:
    if isinstance(data, str):
        return well_formed(data)
    if isinstance(data, dict):
        return {_well_formed_data(key): _well_formed_data(value) for key, value in data.items()}
    return [_well_formed_data(item) for item in data] if isinstance(data, list) else data
