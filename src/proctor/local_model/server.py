"""An OpenAI-compatible server (`/v1/models`, `/v1/chat/completions`, not streaming) on 127.0.0.1 and a free port."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any, Protocol

from proctor.local_model.chat import BadRequestError, Wanted, messages, parse_call, wanted
from proctor.local_model.engine import Completion
from proctor.local_model.weights import CONTEXT, MODEL

MAX_TOKENS = 256  # of a reply that asks for no number
TRIES = 4  # of a reply that must be JSON and is cut: sampling may lose itself in white space
BODY = 10_000_000  # bytes of a request


class Writer(Protocol):
    """What the server needs of an engine."""

    def prompt(self, messages: list[dict[str, str]]) -> str: ...

    def tokens(self, text: str) -> int: ...

    def complete(
        self, prompt: str, max_tokens: int, temperature: float, seed: int, schema: Mapping[str, Any] | None = None
    ) -> Completion: ...


@dataclass
class Service:
    """Answers requests with an engine. `forced_rounds`: see `chat.wanted`."""

    engine: Writer
    forced_rounds: int = 0
    numbers: Iterator[int] = field(default_factory=count)

    def reply(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The body of a chat completion; raises BadRequestError."""
        if request.get("stream"):
            raise BadRequestError("stream: this server does not stream")
        prompt = self.engine.prompt(messages(request))
        asked = request.get("max_completion_tokens") or request.get("max_tokens") or MAX_TOKENS
        room = CONTEXT - self.engine.tokens(prompt)
        if room < 1:
            raise ContextError(f"This model's maximum context length is {CONTEXT} tokens; the messages have more.")
        want = wanted(request, self.forced_rounds)
        written = self._write(prompt, min(int(asked), room), request, want)
        number = next(self.numbers)
        return {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": MODEL,
            "choices": [{"index": 0, **_choice(written, want, number)}],
            "usage": {
                "prompt_tokens": written.prompt_tokens,
                "completion_tokens": written.completion_tokens,
                "total_tokens": written.prompt_tokens + written.completion_tokens,
            },
        }

    def _write(self, prompt: str, tokens: int, request: Mapping[str, Any], want: Wanted) -> Completion:
        """Try again, with another seed, where JSON was cut; the tokens of all tries count."""
        given = request.get("temperature")
        temperature, seed = 0.8 if given is None else float(given), int(request.get("seed") or 0)
        written = self.engine.complete(prompt, tokens, temperature, seed, want.schema)
        spent = written.completion_tokens
        for again in range(1, TRIES):
            if want.kind == "text" or not written.cut or temperature == 0:
                break
            written = self.engine.complete(prompt, tokens, temperature, seed + again, want.schema)
            spent += written.completion_tokens
        return replace(written, completion_tokens=spent)


class ContextError(BadRequestError):
    """The messages do not fit the model's context."""


def _choice(written: Completion, want: Wanted, number: int) -> dict[str, Any]:
    call = parse_call(written.text) if want.kind == "call" else None
    if call is None:
        message: dict[str, Any] = {"role": "assistant", "content": written.text}
        return {"message": message, "finish_reason": "length" if written.cut else "stop"}
    function = {"name": call[0], "arguments": call[1]}
    calls = [{"id": f"call_{number}", "type": "function", "function": function}]
    return {"message": {"role": "assistant", "content": None, "tool_calls": calls}, "finish_reason": "tool_calls"}


class _Handler(BaseHTTPRequestHandler):
    service: Service

    def do_GET(self) -> None:
        if self.path.rstrip("/") != "/v1/models":
            return self._fail(404, f"there is no {self.path}", "not_found")
        return self._send(200, {"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": "local"}]})

    def do_POST(self) -> None:
        if self.path.rstrip("/") != "/v1/chat/completions":
            return self._fail(404, f"there is no {self.path}", "not_found")
        try:
            return self._send(200, self.service.reply(self._request()))
        except ContextError as error:
            return self._fail(400, str(error), "context_length_exceeded")
        except (BadRequestError, AttributeError, LookupError, TypeError, ValueError) as error:
            return self._fail(400, f"{type(error).__name__}: {error}", "invalid_request")

    def _request(self) -> Mapping[str, Any]:
        length = int(self.headers.get("Content-Length") or 0)
        if length > BODY:
            raise BadRequestError(f"the request has more than {BODY} bytes")
        request = json.loads(self.rfile.read(length))
        if not isinstance(request, dict):
            raise BadRequestError("expected a JSON object")
        return request

    def _fail(self, status: int, message: str, code: str) -> None:
        self._send(
            status, {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}
        )

    def _send(self, status: int, body: Mapping[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: whoever asks counts the calls."""


@contextmanager
def serving(service: Service) -> Iterator[str]:
    """Serve in threads of this process; yields the base URL. Nothing outside this machine can reach it."""
    handler = type("Handler", (_Handler,), {"service": service})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
