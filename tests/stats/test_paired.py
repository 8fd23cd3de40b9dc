"""Paired tests against scipy and worked examples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from proctor.stats import holm, mcnemar_exact, sign_flips
from proctor.stats.paired import random_flip_p_values

RNG = np.random.default_rng


def sign_flip(values):
    """The test of a single set."""
    return sign_flips([values], unit="pair", rng=RNG(0))[0]


@given(values=st.lists(st.sampled_from([-6.0, -3.0, 0.0, 2.0, 6.0]), min_size=2, max_size=9))
@settings(max_examples=40, deadline=None)
def test_exact_sign_flip_agrees_with_scipys_permutation_test(values):
    expected = stats.permutation_test(
        (values, np.zeros(len(values))),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=True,
    )
    # Sixths, as three repetitions of two problems give them: scipy needs whole numbers to see that sums are equal.
    found = sign_flip(np.array(values) / 6)
    assert found.method == "sign-flip-exact"
    assert found.p_value == pytest.approx(expected.pvalue, abs=1e-9)
    assert found.units == len(values)


def test_many_clusters_are_flipped_at_random_and_p_is_near_the_normal_one():
    values = RNG(4).normal(0.3, 1, size=60)
    found = sign_flip(values)
    z = values.sum() / np.sqrt((values**2).sum())
    assert found.method == "sign-flip"
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(z)), abs=0.01)


def test_unanimous_clusters_reach_two_to_the_minus_n_and_no_difference_gives_one():
    assert sign_flip([0.5] * 6).p_value == 2 / 2**6
    assert sign_flip([0.0] * 30).p_value == 1


def test_sets_tested_together_get_what_each_gets_alone():
    """Small and large sets, and one with a cluster that does not differ, whose p counts the clusters that do."""
    sets = [[1.0, 2.0, -0.5], list(RNG(1).normal(0.4, 1, 40)), [0.0, 1.0, 2.0, -0.5], list(RNG(2).normal(0, 1, 40))]
    together = sign_flips(sets, unit="pair", rng=RNG(0))
    assert [t.method for t in together] == ["sign-flip-exact", "sign-flip", "sign-flip-exact", "sign-flip"]
    assert together == [sign_flip(values) for values in sets]
    assert together[0].p_value == together[2].p_value


def test_the_test_keeps_its_size_when_there_is_no_difference():
    p = random_flip_p_values(RNG(8).normal(size=(1000, 20)), RNG(9), 999)
    assert np.mean(p <= 0.05) == pytest.approx(0.05, abs=0.02)
    assert p.min() >= 1 / 1000


@pytest.mark.parametrize("values", [[], [float("nan")], [[1.0, 2.0]]])
def test_differences_must_be_finite_and_one_per_cluster(values):
    with pytest.raises(ValueError, match="difference"):
        sign_flip(values)


@pytest.mark.parametrize(("b", "c", "p"), [(0, 0, 1.0), (5, 5, 1.0), (6, 0, 2 / 64), (1, 9, 22 / 1024)])
def test_mcnemar_counts_the_binomial_tails(b, c, p):
    assert mcnemar_exact(b, c) == pytest.approx(p)


def test_holm_on_a_worked_example():
    """0.01, 0.04, 0.03, 0.005 with m = 4: 0.005 * 4, 0.01 * 3, 0.03 * 2, then 0.04 raised to its predecessor's 0.06."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@given(p=st.lists(st.floats(0, 1), max_size=12))
def test_holm_lies_between_raw_and_bonferroni_and_keeps_the_order(p):
    adjusted = holm(p)
    assert all(a >= raw for a, raw in zip(adjusted, p, strict=True))
    assert all(a <= min(1.0, raw * len(p)) + 1e-12 or a <= adjusted.max() for a, raw in zip(adjusted, p, strict=True))
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()
    if p:
        assert adjusted.min() == min(1.0, min(p) * len(p))


@pytest.mark.parametrize("p", [[1.2], [-0.1], [float("nan")]])
def test_holm_refuses_what_is_no_p_value(p):
    with pytest.raises(ValueError, match="p-values"):
        holm(p)
