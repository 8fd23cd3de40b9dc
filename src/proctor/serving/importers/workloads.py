"""Workloads in other projects' formats, as the simulator's requests.

* LLMServingSim JSON Lines: `input_toks, output_toks, arrival_time_ns`, and optionally `input_tok_ids, output_tok_ids`.
* The same, compact: `block_keys` instead of token ids, one key per full block of prompt followed by output.
* Vidur and Azure traces: CSV with `arrived_at` (s), `num_prefill_tokens`, `num_decode_tokens`.

A request without token ids or keys shares no prefix with any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from proctor.errors import InputError
from proctor.serving.importers.reading import LARGEST, count, json_lines, rows, whole
from proctor.serving.simulator.cache import BLOCK
from proctor.serving.simulator.workload import KeyMaker, Request

LONGEST = 1 << 24
"""Tokens of one request, prompt and output; sixteen times the longest context window in use."""
MOST = 100_000_000
"""Tokens of all requests of a workload; their block keys take some 2 GB."""

Fields = Mapping[str, Any]


def read_workload(path: Path) -> tuple[Request, ...]:
    """Requests of a `.jsonl` or `.csv` workload, in order of arrival.

    Raises InputError naming file, line and field: missing or negative fields, arrivals out of order, ids or keys that
    do not match the token counts, more than MOST tokens in all, an unknown suffix, an empty file.
    """
    readers = {".jsonl": _json_requests, ".csv": _trace_requests}
    if path.suffix not in readers:
        raise InputError(f"{path}: expected a workload that ends in .jsonl (LLMServingSim) or .csv (Vidur, Azure)")
    requests, tokens = [], 0
    for request in readers[path.suffix](path):
        requests.append(request)
        tokens += request.prompt_tokens + request.output_tokens
        if tokens > MOST:
            raise InputError(f"{path}: request {request.id}: more than {MOST} tokens up to here; split the workload")
    if not requests:
        raise InputError(f"{path}: holds no request")
    return tuple(requests)


def without_sharing(requests: Sequence[Request]) -> tuple[Request, ...]:
    """The same requests for an engine without prefix caching: no two blocks have the same content."""
    fresh = _Fresh()
    return tuple(
        Request(r.id, r.arrival_ns, r.prompt_tokens, r.output_tokens, fresh.take(len(r.keys)), r.id) for r in requests
    )


def _json_requests(path: Path) -> Iterator[Request]:
    maker, fresh = KeyMaker(), _Fresh(LARGEST + 1)
    last = 0
    seen: set[str] = set()
    for line, row in json_lines(path):
        where = f"{path} line {line}"
        call = _single_call(row, where)
        last = _in_order(whole(row, "arrival_time_ns", where), last, f"{where}: arrival_time_ns")
        name = str(row.get("id", row.get("session_id", line - 1)))
        if name in seen:
            raise InputError(f"{where}: id: {name!r} stands twice")
        seen.add(name)
        prompt, output = (_tokens(call, field, where) for field in ("input_toks", "output_toks"))
        keys = _keys(call, prompt, output, maker, where)
        prefix = f"block {keys[0]}" if keys else name
        if keys is None:
            keys = fresh.take((prompt + output) // BLOCK)
        yield Request(name, last, prompt, output, keys, prefix)


def _single_call(row: Fields, where: str) -> Fields:
    """A session becomes a plain request when it holds one call; later calls would depend on simulated completions."""
    calls = row.get("sub_requests")
    if calls is None:
        return row
    if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
        raise InputError(f"{where}: sub_requests: expected a list of objects")
    if len(calls) != 1:
        raise InputError(
            f"{where}: sub_requests: expected exactly 1 call, found {len(calls)}; sessions whose calls wait for "
            "the one before to complete are not supported"
        )
    only: Fields = calls[0]
    return only


def _tokens(row: Fields, field: str, where: str) -> int:
    tokens = whole(row, field, where, least=1)
    if tokens > LONGEST:
        raise InputError(f"{where}: {field}: expected at most {LONGEST} tokens, found {tokens}")
    return tokens


def _in_order(arrival: int, last: int, where: str) -> int:
    if arrival < last:
        raise InputError(f"{where}: found {arrival} ns after {last} ns; sort the file by arrival")
    return arrival


def _keys(row: Fields, prompt: int, output: int, maker: KeyMaker, where: str) -> tuple[int, ...] | None:
    """Keys from what the row says about its content; None if it says nothing."""
    blocks = (prompt + output) // BLOCK
    if "block_keys" in row:
        return _given_keys(row["block_keys"], blocks, where)
    if row.get("input_tok_ids") is None:
        return None
    ids = _ids(row, "input_tok_ids", prompt, where) + _ids(row, "output_tok_ids", output, where)
    contents = [tuple(ids[at * BLOCK : (at + 1) * BLOCK]) for at in range(blocks)]
    # Given keys are 0 or more; negative ones keep these rows apart from rows with given keys.
    return tuple(-1 - key for key in maker.chain(contents))


def _given_keys(keys: object, blocks: int, where: str) -> tuple[int, ...]:
    if not isinstance(keys, list) or not all(type(key) is int and 0 <= key <= LARGEST for key in keys):
        raise InputError(f"{where}: block_keys: expected a list of whole numbers from 0 to {LARGEST}")
    if len(keys) != blocks:
        raise InputError(f"{where}: block_keys: expected one per full block of {BLOCK} ({blocks}), found {len(keys)}")
    return tuple(keys)


def _ids(row: Fields, field: str, tokens: int, where: str) -> list[int]:
    ids = row.get(field)
    if not isinstance(ids, list) or not all(type(token) is int for token in ids):
        raise InputError(f"{where}: {field}: expected a list of whole numbers")
    if len(ids) != tokens:
        raise InputError(f"{where}: {field}: expected {tokens} token ids, found {len(ids)}")
    return ids


def _trace_requests(path: Path) -> Iterator[Request]:
    columns: dict[str, Callable[[str], int]] = {
        "arrived_at": _nanoseconds,
        "num_prefill_tokens": _positive,
        "num_decode_tokens": _positive,
    }
    fresh, last = _Fresh(), 0
    for number, (line, (arrival, prompt, output)) in enumerate(rows(path, columns)):
        last = _in_order(arrival, last, f"{path} line {line}: arrived_at")
        keys = fresh.take((prompt + output) // BLOCK)
        yield Request(str(number), last, prompt, output, keys, str(number))


class _Fresh:
    """Keys that nothing else has, from `start` on; given keys of JSON Lines end at LARGEST."""

    def __init__(self, start: int = 0) -> None:
        self.next = start

    def take(self, blocks: int) -> tuple[int, ...]:
        first, self.next = self.next, self.next + blocks
        return tuple(range(first, self.next))


def _nanoseconds(text: str) -> int:
    """Seconds, in decimal, as whole ns; exact, unlike a float of a long trace."""
    try:
        value = Decimal(text) * 10**9
    except ArithmeticError:
        raise ValueError("expected seconds") from None
    if not value.is_finite() or not 0 <= value <= LARGEST:
        raise ValueError("expected seconds from 0 on")
    return round(value)


def _positive(text: str) -> int:
    tokens = count(text)
    if not 1 <= tokens <= LONGEST:
        raise ValueError(f"expected a whole number from 1 to {LONGEST}")
    return tokens
