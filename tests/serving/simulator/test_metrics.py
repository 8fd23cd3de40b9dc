"""Latencies and their percentiles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.serving.simulator.metrics import latency, percentile, request_row, summary


@given(st.lists(st.integers(0, 10**15), min_size=1, max_size=200), st.integers(1, 100))
def test_percentiles_are_those_of_numpy(values, percent):
    """Nearest rank is numpy's method inverted_cdf: the smallest value that so many percent do not exceed."""
    found = percentile(values, percent)
    assert found == min(v for v in values if 100 * sum(other <= v for other in values) >= percent * len(values))
    if percent * len(values) % 100:  # where the rank is whole, numpy's floating point may land on either side of it
        assert found == np.percentile(np.array(values), percent, method="inverted_cdf")


@pytest.mark.parametrize(
    ("count", "percent", "rank"), [(1, 95, 1), (20, 95, 19), (21, 95, 20), (100, 95, 95), (96, 95, 92), (100, 99, 99)]
)
def test_nearest_ranks(count, percent, rank):
    """Of n values the one at rank ceil(percent n / 100): 0.95 * 96 = 91.2, so the 92nd."""
    assert percentile(range(count, 0, -1), percent) == rank


def test_latencies_run_from_the_arrival_and_only_measured_requests_count(row, serve):
    """b arrives at 7, gets its first token at 1300 + 1070 and its second 1010 later."""
    run = serve([row("a", 30, 1, measured=False), row("b", 7, 2, at=7)])
    a, b = run.calls
    assert (latency(a, "ttft"), latency(a, "e2e")) == (1300, 1300)
    assert (latency(b, "ttft"), latency(b, "e2e")) == (2363, 3373)
    assert summary(run.calls, "ttft") == {"p50": 2363, "p95": 2363, "mean": 2363}
    assert summary(run.calls, "e2e") == {"p50": 3373, "p95": 3373, "mean": 3373}


def test_a_summary_has_median_p95_and_the_floor_of_the_mean(row, serve):
    """Three requests one after another: 1100, 1010 and 1030 ns."""
    run = serve([row("a", 10, 1), row("b", 1, 1, at=5000), row("c", 3, 1, at=9000)])
    assert summary(run.calls, "e2e") == {"p50": 1030, "p95": 1100, "mean": 1046}


def test_a_row_of_the_records_says_what_happened(row, serve):
    """Preemptions only where there were some."""
    run = serve([row("a", 32, 20), row("b", 32, 20, at=1)], kv_blocks=5)
    assert request_row(run.calls[0]) == {
        "request": "a",
        "measured": True,
        "arrival_ns": 0,
        "prompt_tokens": 32,
        "output_tokens": 20,
        "replica": 0,
        "prefix_hit_tokens": 0,
        "first_token_ns": 1320,
        "end_ns": run.calls[0].end_ns,
    }
    assert request_row(run.calls[1])["preemptions"] == 1
