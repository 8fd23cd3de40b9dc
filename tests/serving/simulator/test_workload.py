"""Block keys."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.serving.simulator.workload import from_rows

SEGMENTS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 50)), min_size=1, max_size=4)
ROWS = st.lists(st.tuples(SEGMENTS, st.integers(1, 40)), min_size=1, max_size=6)


def rows_of(drawn):
    return [{"id": f"r{i}", "arrival_ns": i, "prompt": p, "output_tokens": n} for i, (p, n) in enumerate(drawn)]


@given(ROWS)
def test_two_requests_have_the_same_key_exactly_where_all_tokens_up_to_there_are_the_same(drawn):
    """Tokens compared one by one, output included; a segment is the same tokens wherever it stands."""
    rows = rows_of(drawn)
    texts = [
        [(name, i) for name, n in [*row["prompt"], (f"output of {row['id']}", row["output_tokens"])] for i in range(n)]
        for row in rows
    ]
    requests = from_rows(rows)
    for text, request in zip(texts, requests, strict=True):
        assert len(request.keys) == len(text) // 16
    seen = {}
    for text, request in zip(texts, requests, strict=True):
        for i, key in enumerate(request.keys):
            beginning = tuple(text[: 16 * (i + 1)])
            assert seen.setdefault(key, beginning) == beginning
    assert len(set(seen.values())) == len(seen)


def test_a_prompt_that_repeats_an_output_continues_the_conversation():
    """`output of ID` names what request ID generated."""
    first = {"id": "a", "arrival_ns": 0, "prompt": [["doc", 20]], "output_tokens": 28}
    second = first | {"id": "b", "prompt": [["doc", 20], ["output of a", 28], ["u", 16]]}
    a, b = from_rows([first, second])
    assert a.keys == b.keys[:3]


def test_counts_and_options_are_carried_over():
    """Prompt tokens are the sum of the segments; the first segment names the prefix."""
    row = {"id": "a", "arrival_ns": 5, "prompt": [["doc", 20], ["u", 3]], "output_tokens": 2}
    plain, full = from_rows([row, row | {"id": "b", "replica": 2, "measured": False, "handoff": True}])
    assert (plain.id, plain.arrival_ns, plain.prompt_tokens, plain.output_tokens) == ("a", 5, 23, 2)
    assert (plain.prefix, plain.replica, plain.measured, plain.handoff) == ("doc", None, True, False)
    assert (full.replica, full.measured, full.handoff) == (2, False, True)
