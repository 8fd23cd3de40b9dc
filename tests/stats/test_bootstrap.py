"""The cluster bootstrap against scipy's, against closed forms, and where there is nothing to draw from."""

import math

import numpy as np
import pytest
from scipy import stats

from proctor.stats import cluster_bootstrap, resample_counts


def mean(totals):
    return totals[..., 0] / totals[..., 1]


def columns(values):
    return np.column_stack([values, np.ones(len(values))])


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_single_observation_clusters_give_scipys_interval(method):
    values = np.random.default_rng(3).exponential(size=25)
    expected = stats.bootstrap(
        (values,), np.mean, method=method, n_resamples=40_000, rng=np.random.default_rng(1)
    ).confidence_interval
    found = cluster_bootstrap(
        columns(values), mean, unit="value", rng=np.random.default_rng(2), draws=40_000, method=method
    )
    assert found.estimate == pytest.approx(values.mean())
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.02)


def test_bca_corrects_a_biased_statistic_as_scipy_does():
    """The plug-in variance is biased and skewed, so that both corrections matter."""
    values = np.random.default_rng(9).exponential(size=20)
    rng = np.random.default_rng(1)
    expected = stats.bootstrap((values,), np.var, method="bca", n_resamples=40_000, rng=rng).confidence_interval
    moments = np.column_stack([values**2, values, np.ones(len(values))])
    found = cluster_bootstrap(
        moments,
        lambda t: t[..., 0] / t[..., 2] - (t[..., 1] / t[..., 2]) ** 2,
        unit="value",
        rng=np.random.default_rng(2),
        draws=40_000,
        method="bca",
    )
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=0.02)


def test_the_expanded_interval_of_a_mean_is_close_to_students():
    values = np.random.default_rng(5).normal(size=12)
    found = cluster_bootstrap(columns(values), mean, unit="value", rng=np.random.default_rng(0), draws=40_000)
    expected = stats.t.interval(0.95, 11, values.mean(), stats.sem(values))
    assert found.high - found.low == pytest.approx(expected[1] - expected[0], rel=0.05)


def test_copies_inside_a_cluster_add_nothing():
    """Three identical repetitions per cluster leave the interval as it was; treating them as independent would not."""
    values = np.random.default_rng(7).normal(size=15)
    once = cluster_bootstrap(columns(values), mean, unit="pair", rng=np.random.default_rng(0))
    thrice = cluster_bootstrap(3 * columns(values), mean, unit="pair", rng=np.random.default_rng(0))
    naive = cluster_bootstrap(columns(np.repeat(values, 3)), mean, unit="row", rng=np.random.default_rng(0))
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high))
    assert naive.high - naive.low < 0.75 * (once.high - once.low)


def test_every_draw_takes_as_many_clusters_as_there_are_within_each_stratum():
    strata = [0, 1, 1, 0, 1]
    counts = resample_counts(5, 200, np.random.default_rng(0), strata)
    assert counts.shape == (200, 5)
    assert (counts[:, [0, 3]].sum(axis=1) == 2).all()
    assert (counts[:, [1, 2, 4]].sum(axis=1) == 3).all()
    assert len(np.unique(counts, axis=0)) > 10


def test_differences_between_strata_do_not_widen_the_interval():
    """Fixed tasks of very different difficulty: only the spread of runs inside a task is uncertainty."""
    rng = np.random.default_rng(11)
    task = np.repeat(np.arange(6), 4)
    values = 100.0 * task + rng.normal(size=24)
    within = cluster_bootstrap(columns(values), mean, unit="run", rng=rng, strata=task.tolist())
    pooled = cluster_bootstrap(columns(values), mean, unit="run", rng=rng)
    assert within.high - within.low < 2 < pooled.high - pooled.low


@pytest.mark.parametrize("values", [[0.5], [0.5, 0.5, 0.5]])
@pytest.mark.parametrize("method", ["expanded", "percentile", "bca"])
def test_without_variation_the_bounds_are_unknown_not_zero_wide(values, method):
    found = cluster_bootstrap(columns(values), mean, unit="pair", rng=np.random.default_rng(0), method=method)
    assert found.estimate == 0.5
    assert math.isnan(found.low)
    assert math.isnan(found.high)


def test_draws_without_any_trial_are_left_out():
    rows = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 2.0], [2.0, 2.0]])
    found = cluster_bootstrap(rows, mean, unit="pair", rng=np.random.default_rng(0), draws=2000)
    assert found.estimate == 0.75
    assert 0.5 <= found.low < found.high <= 1


def test_the_seed_decides_the_result():
    values = columns(np.random.default_rng(1).normal(size=9))
    one, same, other = (
        cluster_bootstrap(values, mean, unit="pair", rng=np.random.default_rng(seed), draws=500) for seed in (1, 1, 2)
    )
    assert one == same != other


def test_strata_must_name_every_cluster():
    with pytest.raises(ValueError, match="stratum"):
        resample_counts(3, 5, np.random.default_rng(0), [0, 1])
