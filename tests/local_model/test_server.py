"""The OpenAI-compatible server: requests over HTTP, answered by an engine that writes what a test says."""

import json
import urllib.error
import urllib.request
from dataclasses import dataclass, field

import pytest

from proctor.local_model.chat import messages
from proctor.local_model.engine import Completion
from proctor.local_model.server import Service, serving
from proctor.local_model.weights import CONTEXT

USER = [{"role": "user", "content": "Read a file."}]
READ = {"name": "read_file", "description": "Read.", "parameters": {"type": "object", "properties": {}, "required": []}}
READ["parameters"]["properties"] = {"path": {"type": "string"}, "start_line": {"type": "integer", "default": 1}}
READ["parameters"]["required"] = ["path"]
TOOLS = [{"type": "function", "function": READ}, {"type": "function", "function": {"name": "list_files"}}]
CALL = '{"name": "read_file", "arguments": {"path": "a.py"}}'


@dataclass
class Scribe:
    """An engine that writes its texts in turn; a text that ends in an ellipsis was cut. One token is one word."""

    texts: list[str]
    asked: list[dict] = field(default_factory=list)

    def prompt(self, messages):
        return "\n".join(f"{message['role']}: {message['content']}" for message in messages)

    def tokens(self, text):
        return len(text.split())

    def complete(self, prompt, max_tokens, temperature, seed, schema=None):
        self.asked.append({"max_tokens": max_tokens, "temperature": temperature, "seed": seed, "schema": schema})
        text = self.texts.pop(0)
        return Completion(text, self.tokens(prompt), self.tokens(text), text.endswith("..."))


def post(url, body, path="/chat/completions"):
    """(status, body) of a reply."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url + path, data)) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.fixture
def ask():
    """Send one request to a server whose engine writes `texts`: (status, body, what the engine was asked)."""

    def send(*texts, forced_rounds=0, **request):
        engine = Scribe(list(texts))
        with serving(Service(engine, forced_rounds)) as url:
            status, body = post(url, {"model": "x", "messages": USER} | request)
        return status, body, engine.asked

    return send


def test_text_comes_back_with_its_tokens(ask):
    status, body, asked = ask("It is B.", max_tokens=9, temperature=0, seed=3)
    assert status == 200
    assert body["choices"] == [
        {"index": 0, "message": {"role": "assistant", "content": "It is B."}, "finish_reason": "stop"}
    ]
    assert body["usage"] == {"prompt_tokens": 4, "completion_tokens": 3, "total_tokens": 7}
    assert asked == [{"max_tokens": 9, "temperature": 0.0, "seed": 3, "schema": None}]


def test_a_text_that_was_cut_says_so(ask):
    assert ask("It is...")[1]["choices"][0]["finish_reason"] == "length"


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "read_file"}}])
def test_a_required_tool_is_called(ask, choice):
    _, body, asked = ask(CALL, tools=TOOLS, tool_choice=choice)
    [choice_made] = body["choices"]
    assert choice_made["finish_reason"] == "tool_calls"
    [call] = choice_made["message"]["tool_calls"]
    assert call["function"] == {"name": "read_file", "arguments": '{"path": "a.py"}'}
    offered = [form["properties"]["name"]["const"] for form in asked[0]["schema"]["anyOf"]]
    assert offered == (["read_file", "list_files"] if choice == "required" else ["read_file"])
    arguments = asked[0]["schema"]["anyOf"][0]["properties"]["arguments"]
    assert arguments["required"] == list(arguments["properties"]) == ["path"]


def test_with_a_free_choice_the_first_replies_to_a_user_are_calls_and_then_the_answer_has_its_form(ask):
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}
    turn = [
        *USER,
        {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "list_files", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "a.py"},
    ]
    options = {"tools": TOOLS, "response_format": form}
    assert ask(CALL, forced_rounds=1, messages=USER, **options)[1]["choices"][0]["finish_reason"] == "tool_calls"
    _, body, asked = ask('{"choice": "B"}', forced_rounds=1, messages=turn, **options)
    assert body["choices"][0]["message"]["content"] == '{"choice": "B"}'
    assert asked[0]["schema"] == {"type": "object"}
    again = [*turn, {"role": "assistant", "content": "B"}, *USER]
    assert ask(CALL, forced_rounds=1, messages=again, **options)[1]["choices"][0]["finish_reason"] == "tool_calls"
    assert ask("Well.", forced_rounds=0, messages=USER, tools=TOOLS)[2][0]["schema"] is None
    assert ask("Well.", forced_rounds=1, messages=USER, tools=TOOLS, tool_choice="none")[2][0]["schema"] is None


def test_json_that_was_cut_is_tried_again_with_other_seeds_and_all_tokens_count(ask):
    _, body, asked = ask('{ "name": ...', "{ ...", CALL, tools=TOOLS, tool_choice="required", seed=5)
    assert [one["seed"] for one in asked] == [5, 6, 7]
    assert body["usage"]["completion_tokens"] == 3 + 2 + 5
    assert body["choices"][0]["finish_reason"] == "tool_calls"


def test_json_that_is_cut_every_time_is_given_as_text(ask):
    _, body, asked = ask(*["{ ..."] * 4, tools=TOOLS, tool_choice="required")
    assert len(asked) == 4
    assert body["choices"][0]["message"] == {"role": "assistant", "content": "{ ..."}


def test_messages_that_do_not_fit_are_refused_with_the_code_that_clients_know(ask):
    status, body, asked = ask(messages=[{"role": "user", "content": "x " * CONTEXT}])
    assert (status, body["error"]["code"], asked) == (400, "context_length_exceeded", [])


def test_a_reply_gets_no_more_tokens_than_there_is_room_for(ask):
    asked = ask("x", messages=[{"role": "user", "content": "x " * (CONTEXT - 5)}], max_tokens=100)[2]
    assert asked[0]["max_tokens"] == 4


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"messages": []}, "messages: expected a list"),
        ({"messages": "hi"}, "messages: expected a list"),
        ({"messages": [{"role": "wizard"}]}, "unknown role 'wizard'"),
        ({"messages": [7]}, "AttributeError"),
        ({"messages": USER, "stream": True}, "does not stream"),
        ({"messages": USER, "tool_choice": {"function": {"name": "rm"}}, "tools": TOOLS}, "there is no tool 'rm'"),
        ({"messages": USER, "tools": [{}]}, "KeyError: 'function'"),
        ({"messages": USER, "max_tokens": "many"}, "invalid literal"),
        ([], "expected a JSON object"),
        (b"{", "JSONDecodeError"),
    ],
)
def test_a_request_that_makes_no_sense_is_a_400_with_a_reason(request_, message):
    with serving(Service(Scribe(["x"]))) as url:
        status, body = post(url, request_)
        assert (status, message in body["error"]["message"]) == (400, True), body
        assert post(url, {"messages": USER})[0] == 200


def test_only_what_there_is_is_served():
    with serving(Service(Scribe([]))) as url:
        assert url.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(url + "/models") as reply:
            assert [model["id"] for model in json.load(reply)["data"]] == ["smollm2-135m"]
        assert post(url, {}, "/embeddings")[0] == 404


def test_tools_calls_and_results_become_plain_messages():
    """A chat format that knows three roles."""
    request = {
        "tools": TOOLS[:1],
        "messages": [
            {"role": "developer", "content": [{"type": "text", "text": "Be brief."}]},
            {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "content": "nothing"},
        ],
    }
    described, *rest = messages(request)
    assert described["role"] == "system"
    assert "read_file: Read." in described["content"]
    assert rest == [
        {"role": "system", "content": "Be brief."},
        {"role": "assistant", "content": '{"name": "f", "arguments": {}}'},
        {"role": "user", "content": "Result:\nnothing"},
    ]
