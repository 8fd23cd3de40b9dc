"""Prefill chunk caps (paper, Table 3): 16, 24 and 32 tokens, and none."""

from __future__ import annotations

import pytest

from proctor.serving import designs


@pytest.mark.parametrize(
    ("name", "chunks"),
    [("cap_16", [16, 16, 16, 2]), ("cap_24", [24, 24, 2]), ("cap_32", [32, 18]), ("no_cap", [50])],
)
def test_a_prompt_is_cut_into_chunks_of_the_cap(row, serve, items, name, chunks):
    """50 tokens; two decodes follow."""
    starts = [sum(chunks[:i]) for i in range(len(chunks))]
    expected = [f"a:{q}@{kv}" for q, kv in zip(chunks, starts, strict=True)]
    assert items(serve([row("a", 50, 3)], designs.load(name))) == [*expected, "a:1@50", "a:1@51"]


@pytest.mark.parametrize("name", designs.FAMILIES["local_scheduling"])
def test_a_cap_holds_for_each_request_and_leaves_decodes_alone(row, serve, items, name):
    """Two prompts advance together beside a decode."""
    cap = {"cap_16": 16, "cap_24": 24, "cap_32": 32, "no_cap": 100}[name]
    run = serve([row("a", 4, 9), row("b", 100, 1, at=1), row("c", 100, 1, at=1)], designs.load(name))
    assert items(run)[:2] == ["a:4@0", f"a:1@4 b:{cap}@0 c:{cap}@0"]


def test_without_a_cap_the_budget_of_the_step_is_the_limit(row, serve, items):
    """2,048 tokens by default."""
    assert items(serve([row("a", 3000, 1)], designs.load("no_cap"))) == ["a:2048@0", "a:952@2048"]
