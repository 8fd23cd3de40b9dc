"""The expert layer and the share of one GPU in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.serving.importers.models import known_model
from proctor.serving.importers.moe import MoeGrid, share

MODEL = known_model("Qwen3-30B-A3B-Instruct-2507")


def test_experts_are_bracketed_first_then_tokens_inside_each_row():
    """The row of 16 experts starts at 2 tokens, so it clamps where the row of 8 still interpolates."""
    grid = MoeGrid({(1, 8): 100, (3, 8): 300, (2, 16): 1000, (4, 16): 2000})
    assert grid.at(1, 12) == (100 + 1000) // 2
    assert grid.at(3, 12) == (300 + 1500) // 2


@pytest.mark.parametrize(
    ("tokens", "ep", "expected"),
    [(1, 1, (1, 8)), (4, 1, (4, 32)), (100, 1, (100, 128)), (1, 2, (1, 4)), (4, 2, (4, 16)), (2048, 2, (2040, 64))],
)
def test_shares_of_a_balanced_gate(tokens, ep, expected):
    """8 of 128 experts per token: 1 token meets 8; 2048 tokens on two GPUs miss one GPU with probability 2^-8."""
    assert share(MODEL, tokens, ep) == expected


@given(st.integers(1, 10**6), st.sampled_from([1, 2, 4, 8]))
def test_a_share_is_never_more_than_the_whole(tokens, ep):
    """No GPU sees more tokens than there are, nor activates experts it does not hold."""
    seen, experts = share(MODEL, tokens, ep)
    assert 1 <= seen <= tokens
    assert 1 <= experts <= 128 // ep
