"""Intervals for a proportion against scipy, and what must hold for every one."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from proctor.stats import Interval, wilson

counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts=counts, level=st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_agrees_with_scipy(counts, level):
    k, n = counts
    expected = stats.binomtest(k, n).proportion_ci(level, "wilson")
    interval = wilson(k, n, level=level)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


@given(counts=counts)
def test_wilson_holds_the_estimate_mirrors_and_has_width_at_the_edges(counts):
    k, n = counts
    interval, mirror = wilson(k, n), wilson(n - k, n)
    assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
    assert interval.high > interval.low
    assert (interval.low, interval.high) == pytest.approx((1 - mirror.high, 1 - mirror.low))


def test_no_trials_leave_everything_possible():
    interval = wilson(0, 0)
    assert math.isnan(interval.estimate)
    assert (interval.low, interval.high) == (0, 1)


@pytest.mark.parametrize(("k", "n"), [(-1, 3), (4, 3), (0, -1)])
def test_impossible_counts_are_refused(k, n):
    with pytest.raises(ValueError, match="successes"):
        wilson(k, n)


@pytest.mark.parametrize("level", [0, 1, 95])
def test_a_level_is_a_share_not_a_percentage(level):
    with pytest.raises(ValueError, match="confidence level"):
        wilson(1, 2, level=level)


def test_resolved_means_that_zero_is_outside():
    def interval(low: float, high: float) -> Interval:
        return Interval(0.0, low, high, 0.95, "any", "pair", 9)

    assert interval(0.1, 0.2).resolved
    assert interval(-0.2, -0.1).resolved
    assert not interval(-0.1, 0.1).resolved
    assert not interval(0.0, 0.1).resolved
    assert not interval(math.nan, math.nan).resolved
