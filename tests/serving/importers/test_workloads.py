"""Workload and trace formats."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.errors import InputError
from proctor.serving.importers.workloads import read_workload, without_sharing

ROW = {"arrival_time_ns": 5, "input_toks": 20, "output_toks": 12}


def write(path, rows):
    """A JSON Lines file."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def shared_blocks(first, second):
    """Leading keys that two requests have in common."""
    return next(
        (i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )


@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(0, 1), min_size=1, max_size=60), st.lists(st.integers(0, 1), min_size=1, max_size=40)
        ),
        min_size=2,
        max_size=4,
    )
)
def test_requests_share_exactly_the_full_blocks_of_their_common_beginning(tmp_path_factory, bodies):
    """Keys chain over prompt followed by output: as many are equal as whole blocks of 16 tokens are."""
    rows = [
        {
            "arrival_time_ns": at,
            "input_toks": len(prompt),
            "output_toks": len(output),
            "input_tok_ids": prompt,
            "output_tok_ids": output,
        }
        for at, (prompt, output) in enumerate(bodies)
    ]
    requests = read_workload(write(tmp_path_factory.mktemp("w") / "w.jsonl", rows))
    for request, (prompt, output) in zip(requests, bodies, strict=True):
        assert (request.prompt_tokens, request.output_tokens) == (len(prompt), len(output))
        assert len(request.keys) == len(prompt + output) // 16
    first, second = (prompt + output for prompt, output in bodies[:2])
    assert shared_blocks(requests[0].keys, requests[1].keys) == shared_blocks(first, second) // 16


def test_compact_keys_are_taken_as_they_are_and_never_met_by_others(tmp_path):
    """A row with given keys beside one with token ids and one with neither: nothing collides."""
    rows = [
        ROW | {"block_keys": [0, 1]},
        ROW | {"input_tok_ids": [1] * 20, "output_tok_ids": [1] * 12},
        ROW,
        ROW | {"block_keys": [0, 7]},
    ]
    given_keys, of_ids, of_nothing, again = (r.keys for r in read_workload(write(tmp_path / "w.jsonl", rows)))
    assert (given_keys, again) == ((0, 1), (0, 7))
    assert len({*given_keys, *of_ids, *of_nothing}) == 6


def test_a_session_of_one_call_is_a_request(tmp_path):
    """Its arrival is the session's."""
    row = {"session_id": "s", "arrival_time_ns": 9, "sub_requests": [{"input_toks": 3, "output_toks": 2}]}
    (request,) = read_workload(write(tmp_path / "w.jsonl", [row]))
    assert (request.id, request.arrival_ns, request.prompt_tokens, request.output_tokens) == ("s", 9, 3, 2)


def test_a_million_token_prompt_is_a_request_like_any_other(tmp_path):
    """Long, but not wrong."""
    (request,) = read_workload(write(tmp_path / "w.jsonl", [ROW | {"input_toks": 10**6}]))
    assert len(request.keys) == (10**6 + 12) // 16


BAD_LINES = [
    (ROW | {"input_toks": -1}, "line 2: input_toks: expected a whole number from 1"),
    (ROW | {"input_toks": 0}, "line 2: input_toks"),
    (ROW | {"input_toks": 2.5}, "line 2: input_toks: expected a whole number .* found 2.5"),
    (ROW | {"input_toks": True}, "line 2: input_toks"),
    (ROW | {"input_toks": "7"}, "line 2: input_toks"),
    (ROW | {"input_toks": 10**30}, "line 2: input_toks: expected .* found a very large number"),
    (ROW | {"input_toks": 10**9}, "line 2: input_toks: expected at most 16777216 tokens"),
    (ROW | {"output_toks": None}, "line 2: output_toks: .* found None"),
    ({"input_toks": 1, "output_toks": 1}, "line 2: missing field arrival_time_ns"),
    (ROW | {"arrival_time_ns": 4}, "line 2: arrival_time_ns: found 4 ns after 5 ns; sort the file by arrival"),
    (ROW | {"arrival_time_ns": float("nan")}, "line 2: arrival_time_ns: .* found nan"),
    (ROW | {"block_keys": [1]}, r"line 2: block_keys: expected one per full block of 16 \(2\), found 1"),
    (ROW | {"block_keys": [1, -2]}, "line 2: block_keys: expected a list of whole numbers"),
    (ROW | {"block_keys": "ab"}, "line 2: block_keys: expected a list of whole numbers"),
    (ROW | {"input_tok_ids": [1]}, "line 2: input_tok_ids: expected 20 token ids, found 1"),
    (ROW | {"input_tok_ids": [1] * 20}, "line 2: output_tok_ids: expected a list"),
    ({"arrival_time_ns": 9, "sub_requests": [ROW, ROW]}, "line 2: sub_requests: expected exactly 1 call, found 2"),
    ({"arrival_time_ns": 9, "sub_requests": 3}, "line 2: sub_requests: expected a list of objects"),
    (ROW | {"id": "0"}, "line 2: id: '0' stands twice"),
    ([1], "line 2: expected a JSON object, found list"),
]


@pytest.mark.parametrize(("row", "message"), BAD_LINES)
def test_a_bad_line_is_named_with_its_field(tmp_path, row, message):
    """One line per error: file, line, field, what was expected, what was found."""
    path = write(tmp_path / "w.jsonl", [ROW, row])
    with pytest.raises(InputError, match=message) as raised:
        read_workload(path)
    assert "\n" not in str(raised.value)
    assert "w.jsonl" in str(raised.value)


@pytest.mark.parametrize("text", ['{"input_toks": 1', "[" * 100_000, '{"a": ' + "1" * 5000 + "}", "\x00"])
def test_a_line_that_is_no_json_is_an_input_error(tmp_path, text):
    """Cut off, nested without end, a number too long to read."""
    (tmp_path / "w.jsonl").write_text(text)
    with pytest.raises(InputError, match=r"w.jsonl line 1"):
        read_workload(tmp_path / "w.jsonl")


TRACE = "arrived_at,num_prefill_tokens,num_decode_tokens\n"


def test_trace_seconds_become_whole_nanoseconds_exactly(tmp_path):
    """Decimal arithmetic: a float of 3501.721937 s times 1e9 is off by some ns."""
    path = tmp_path / "trace.csv"
    path.write_text(TRACE + "0.0,374,44\n3501.721937123,396,109\n")
    first, second = read_workload(path)
    assert (first.arrival_ns, second.arrival_ns) == (0, 3_501_721_937_123)
    assert (second.prompt_tokens, second.output_tokens) == (396, 109)
    assert not set(first.keys) & set(second.keys)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("1.0,5,5\n0.5,5,5\n", "line 3: arrived_at: found 500000000 ns after 1000000000 ns"),
        ("nan,5,5\n", "line 2: arrived_at: expected seconds from 0 on, found 'nan'"),
        ("-1,5,5\n", "line 2: arrived_at: expected seconds from 0 on"),
        ("1e999999999,5,5\n", "line 2: arrived_at: expected seconds"),
        ("soon,5,5\n", "line 2: arrived_at: expected seconds, found 'soon'"),
        ("1,0,5\n", "line 2: num_prefill_tokens: expected a whole number from 1"),
        ("1,5,99999999999999999999999\n", "line 2: num_decode_tokens: expected a whole number"),
        ("1,5\n", "line 2: 2 fields, the header has 3"),
        ("", "holds no request"),
    ],
)
def test_a_bad_trace_is_named_with_line_and_column(tmp_path, lines, message):
    """The same promise for CSV."""
    path = tmp_path / "trace.csv"
    path.write_text(TRACE + lines)
    with pytest.raises(InputError, match=message):
        read_workload(path)


def test_a_trace_without_a_column_names_it(tmp_path):
    """Azure's own headers differ from Vidur's."""
    path = tmp_path / "trace.csv"
    path.write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n")
    with pytest.raises(InputError, match="missing column arrived_at, num_prefill_tokens, num_decode_tokens"):
        read_workload(path)


def test_an_unknown_suffix_names_the_two_that_are_known(tmp_path):
    """Nothing is guessed."""
    with pytest.raises(InputError, match=r"ends in \.jsonl .* or \.csv"):
        read_workload(tmp_path / "w.parquet")


def test_without_sharing_nothing_is_shared(tmp_path):
    """For engines that ran without prefix caching: same sizes, no key twice."""
    requests = read_workload(write(tmp_path / "w.jsonl", [ROW | {"block_keys": [0, 1]}] * 2))
    apart = without_sharing(requests)
    assert [len(r.keys) for r in apart] == [2, 2]
    assert len({key for r in apart for key in r.keys}) == 4


@pytest.mark.parametrize(
    ("name", "requests", "prompt_tokens"),
    [  # counts from wc -l; tokens summed with awk
        ("workloads/sharegpt-llama-3.1-8b-300-sps10.compact.jsonl", 300, 257_239),
        ("workloads/example_trace.jsonl", 10, 120),
        ("vidur/processed_traces/splitwise_conv.csv", 19_366, 22_361_870),
        ("vidur/processed_traces/splitwise_code.csv", 8_819, 18_059_974),
    ],
)
def test_public_workloads_are_read_whole(shared, name, requests, prompt_tokens):
    """Every line becomes a request."""
    found = read_workload(shared / "validation" / name)
    assert (len(found), sum(request.prompt_tokens for request in found)) == (requests, prompt_tokens)


def test_more_tokens_than_memory_can_index_are_refused(tmp_path):
    """A column of bytes in place of tokens, say: named before it fills the machine."""
    path = tmp_path / "t.csv"
    path.write_text("arrived_at,num_prefill_tokens,num_decode_tokens\n" + "0,16000000,1\n" * 20)
    with pytest.raises(InputError, match=r"t\.csv: request 6: more than 100000000 tokens up to here"):
        read_workload(path)


def test_a_line_ends_at_a_newline_alone(tmp_path):
    """U+2028 and U+0085 are characters of a JSON string and of a CSV field like any other."""
    row = json.dumps(ROW | {"id": "a\u2028b\u0085c"}, ensure_ascii=False)
    (tmp_path / "w.jsonl").write_text(row + "\n", encoding="utf-8")
    assert read_workload(tmp_path / "w.jsonl")[0].id == "a\u2028b\u0085c"
    text = "arrived_at,num_prefill_tokens,num_decode_tokens,note\n0,5,1,a\u2028b\n1,x,1,c\n"
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"t\.csv line 3: num_prefill_tokens: expected a number, found 'x'"):
        read_workload(tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("name", "header", "row"),
    [
        ("w.jsonl", "", '{"arrival_time_ns": 0, "input_toks": 16000000, "output_toks": 1}\n'),
        ("w.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n", "0,16000000,1\n"),
    ],
)
def test_a_workload_that_is_too_large_is_refused_at_once(tmp_path, name, header, row):
    """60 requests of 16 million tokens; a chain of keys for those before the limit would take half a minute."""
    (tmp_path / name).write_text(header + 60 * row)
    started = time.process_time()
    with pytest.raises(InputError, match="request 6: more than 100000000 tokens up to here"):
        read_workload(tmp_path / name)
    assert time.process_time() - started < 5
