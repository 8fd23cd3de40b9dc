"""The two turns, as an Inspect solver. It knows a packet and two messages; pair, label and reference are not here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import anyio
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, execute_tools, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef
from inspect_ai.util import LimitExceededError, StoreModel, store_as
from pydantic import Field

from proctor.siris.review.briefs import Brief
from proctor.siris.review.calls import accept_long_integers, refuse_unprintable_calls
from proctor.siris.review.desk import Desk
from proctor.siris.review.patterns import well_formed
from proctor.siris.review.provider import Ending, as_error_of_ours, ending_of, outage_at_time_limit, refuse_empty_reply
from proctor.siris.review.tools import packet_tools

Turn = Literal["initial", "final"]
ROUNDS = 80  # model calls that one turn may take


class Conversation(StoreModel):
    """What is kept of a conversation in the sample's store, from the moment it happens.

    `initial` and `final` are the closing messages, None where a turn was not closed. `ended_by` says, by turn, what
    ended it in the model's place; limits of Inspect are in the log's sample instead. `files_read` and `reached` are by
    turn. `packet` is the digest of the files that could be read; logs of earlier versions lack it.
    """

    packet: str | None = None
    initial: str | None = None
    final: str | None = None
    ended_by: dict[str, str] = Field(default_factory=dict)
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
            except anyio.get_cancelled_exc_class():
                if outage := outage_at_time_limit():
                    _note_error(conversation, outage)
                    raise outage from None
                raise
            except Exception as error:
                ours = as_error_of_ours(error)
                _note_error(conversation, ours)
                if ours is error:
                    raise
                raise ours from error
            return state

        return solve

    return build()


def _note_error(conversation: Conversation, error: Exception) -> None:
    conversation.infrastructure_error = well_formed(f"{type(error).__name__}: {error}")[:500]


async def _converse(state: TaskState, conversation: Conversation, brief: Brief, rounds: int) -> None:
    conversation.packet = brief.packet.digest
    watch = Watch(conversation, brief.changed)
    tools = packet_tools(Desk(brief.packet, watch.seen))
    watch.begin("initial")
    conversation.initial, ending = await _turn(state, tools, rounds)
    _note_ending(conversation, "initial", ending)
    if ending == "context":
        return  # the review would be longer still
    state.messages.append(ChatMessageUser(content=brief.script.review_turn))
    watch.begin("final")
    conversation.final, ending = await _turn(state, tools, rounds)
    _note_ending(conversation, "final", ending)


async def _turn(state: TaskState, tools: list[ToolDef], rounds: int) -> tuple[str | None, Ending | None]:
    """Talk until a message calls no tool: its text, and what ended the turn if that was not the model's own close.

    The text is None where the rounds or the context window did not suffice: the provider's words about a full window
    are no answer. A refusal closes the turn with what it says.
    """
    model = get_model()
    for _ in range(rounds):
        state.output = await model.generate(state.messages, tools=tools)
        refuse_empty_reply(state.output)
        refuse_unprintable_calls(state.output.message)
        message = well_formed_message(state.output.message)
        state.messages.append(message)
        ending = ending_of(state.output)
        if ending == "context":
            return None, ending
        if not message.tool_calls:
            return message.text, ending
        state.messages.extend((await execute_tools(state.messages, tools)).messages)
    return None, "rounds"


def _note_ending(conversation: Conversation, turn: Turn, ending: Ending | None) -> None:
    if ending is not None:
        conversation.ended_by = {**conversation.ended_by, turn: ending}


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
