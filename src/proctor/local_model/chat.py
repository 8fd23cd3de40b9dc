"""OpenAI's chat format for a model that knows neither tools nor JSON modes: requests into prompts, text into replies.

Pure functions. Where tools must be called, or JSON must come, the text is constrained by a schema while it is written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Message = Mapping[str, Any]

TEXT = 80  # characters of a string argument


class BadRequestError(Exception):
    """A request that cannot be served; the message is for whoever sent it."""


@dataclass(frozen=True)
class Wanted:
    """What the next message has to be: free text, JSON of a schema, or a tool call (JSON of a schema, too)."""

    kind: Literal["text", "json", "call"]
    schema: Mapping[str, Any] | None


def messages(request: Mapping[str, Any]) -> list[dict[str, str]]:
    """The request's messages as plain ones. Tools are described by the system, calls and their results are text.

    Raises BadRequestError where there are none or a role is unknown.
    """
    given = request.get("messages")
    if not isinstance(given, list) or not given:
        raise BadRequestError("messages: expected a list with at least one message")
    described = _described(request.get("tools") or [])
    return ([{"role": "system", "content": described}] if described else []) + [_plain(message) for message in given]


def _described(tools: Sequence[Message]) -> str:
    rows = [f"{tool['function']['name']}: {tool['function'].get('description', '')}" for tool in tools]
    form = 'Call one with {"name": "<function>", "arguments": {...}}.'
    return "\n".join(["You can call these functions.", *rows, form]) if rows else ""


def _plain(message: Message) -> dict[str, str]:
    role, text = message.get("role"), content_text(message.get("content"))
    if role == "tool":
        return {"role": "user", "content": f"Result:\n{text}"}
    if role not in ("system", "developer", "user", "assistant"):
        raise BadRequestError(f"messages: unknown role {role!r}")
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    told = [f'{{"name": "{call["name"]}", "arguments": {call["arguments"]}}}' for call in calls]
    return {"role": "system" if role == "developer" else role, "content": "\n".join(filter(None, [text, *told]))}


def content_text(content: Any) -> str:
    """The text of a message's content, which is a string, a list of parts, or null."""
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")


def wanted(request: Mapping[str, Any], forced_rounds: int) -> Wanted:
    """What to answer a request with.

    A small model calls no tool of its own accord. With tools on offer and the choice left to the model, the first
    `forced_rounds` replies to each user message are therefore calls; after them it closes with text, or with JSON where
    the request has a response format.
    """
    tools, choice = request.get("tools") or [], request.get("tool_choice") or "auto"
    if isinstance(choice, dict):
        name = choice.get("function", {}).get("name")
        tools = [tool for tool in tools if tool["function"]["name"] == name]
        if not tools:
            raise BadRequestError(f"tool_choice: there is no tool {name!r}")
        return Wanted("call", call_schema(tools))
    if tools and (choice == "required" or (choice == "auto" and _rounds(request["messages"]) < forced_rounds)):
        return Wanted("call", call_schema(tools))
    form = request.get("response_format") or {}
    if form.get("type") == "json_schema":
        return Wanted("json", form["json_schema"]["schema"])
    return Wanted("json", {"type": "object"}) if form.get("type") == "json_object" else Wanted("text", None)


def _rounds(given: Sequence[Message]) -> int:
    """Assistant messages since the last user message."""
    count = 0
    for message in reversed(given):
        if message.get("role") == "user":
            break
        count += message.get("role") == "assistant"
    return count


def call_schema(tools: Sequence[Message]) -> dict[str, Any]:
    """One call of one of the tools, with the arguments that it requires and no others: fewer go better."""
    return {"anyOf": [_one_call(tool["function"]) for tool in tools]}


def _one_call(function: Mapping[str, Any]) -> dict[str, Any]:
    parameters = function.get("parameters") or {}
    required = parameters.get("required") or []
    properties = {name: _bounded(parameters["properties"][name]) for name in required}
    arguments = _object(properties)
    return _object({"name": {"const": function["name"]}, "arguments": arguments})


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _bounded(schema: Mapping[str, Any]) -> dict[str, Any]:
    if schema.get("type") == "string" and "enum" not in schema:
        return {"type": "string", "minLength": 1, "maxLength": TEXT}
    return {name: value for name, value in schema.items() if name not in ("default", "description")}


def parse_call(text: str) -> tuple[str, str] | None:
    """Name and arguments (as JSON) of a call; None where the text is no complete call."""
    try:
        call = json.loads(text)
        return str(call["name"]), json.dumps(call["arguments"])
    except (ValueError, LookupError, TypeError):
        return None
