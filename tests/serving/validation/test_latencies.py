"""Latency metrics and their errors."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.serving.validation.accuracy import read_llmservingsim_output
from proctor.serving.validation.bench import open_bench
from proctor.serving.validation.latencies import Latencies, errors_pct

RUNS = ("RTX4090/Llama-3.1-8B", "RTXPRO6000/Llama-3.1-8B", "RTXPRO6000/Qwen3-30B-A3B-Instruct-2507")
NAMES = {"TTFT": "ttft", "TPOT": "tpot", "Latency": "e2e"}
STATISTICS = {"Mean": "mean", "Median": "p50", "P95": "p95", "P99": "p99"}
LINE = re.compile(r"(TTFT|TPOT|Latency) (Mean|Median|P95|P99) +([\d.]+) +([\d.]+) +([-+][\d.]+)%")


@pytest.mark.parametrize("run", RUNS)
def test_llmservingsim_errors_come_out_as_its_own_summary_prints_them(shared, run):
    """Measured value, simulated value and error of all twelve statistics, to the rounding of summary.txt."""
    folder = shared / "validation" / "vllm_bench" / run
    simulated = read_llmservingsim_output(folder / "llmservingsim_requests.csv")
    _, measured = open_bench(folder).measured()
    errors = errors_pct(simulated, measured)
    lines = LINE.findall((folder / "summary.txt").read_text())
    assert len(lines) == 12
    for metric, statistic, *printed in lines:
        place = NAMES[metric], STATISTICS[statistic]
        values = (measured.statistics(), simulated.statistics(), errors)
        ours = [table[place[0]][place[1]] for table in values]
        assert ours == pytest.approx([float(text) for text in printed], abs=0.0500001)


def test_definitions_on_two_requests():
    """By hand: 5 tokens from 1 s, first at 2 s, last at 4 s; and a single token, which has no time per output token."""
    found = Latencies.of(
        arrival=np.array([1.0, 2.0]),
        first=np.array([2.0, 2.5]),
        last=np.array([4.0, 2.5]),
        output=np.array([5, 1]),
    )
    assert list(found.ttft) == [1.0, 0.5]
    assert list(found.e2e) == [3.0, 0.5]
    assert list(found.tpot) == [0.5]
    assert found.throughput == 6 / 3


def test_what_no_request_has_is_none_rather_than_a_number():
    """One request of one token, served at once: no time per output token, and no error of zero in percent."""
    instant = np.array([1.0])
    found = Latencies.of(arrival=instant, first=instant, last=instant, output=np.array([1]))
    assert found.statistics()["tpot"] == {"mean": None, "p50": None, "p95": None, "p99": None}
    errors = errors_pct(found, found)
    assert {error for metric in ("ttft", "tpot", "e2e") for error in errors[metric].values()} == {None}
    assert errors["throughput"] is None


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=50))
def test_statistics_equal_numpy(milliseconds):
    """Mean and linearly interpolated percentiles."""
    values = np.array(milliseconds) / 1000
    found = Latencies(values, values, values, 1.0).statistics()["tpot"]
    expected = [np.mean(milliseconds), *(np.quantile(milliseconds, q) for q in (0.5, 0.95, 0.99))]
    assert list(found.values()) == pytest.approx(expected)


@given(st.floats(0.5, 2.0))
def test_a_run_that_is_slower_throughout_has_that_error_everywhere(factor):
    """Scaling every latency scales every statistic; throughput moves on its own."""
    values = np.linspace(0.1, 9, 40)
    errors = errors_pct(Latencies(*[values * factor] * 3, 50.0), Latencies(values, values, values, 100.0))
    assert errors.pop("throughput") == pytest.approx(-50)
    assert [e for metric in errors.values() for e in metric.values()] == pytest.approx([100 * (factor - 1)] * 12)
