"""Power: near the closed form, its size under no difference, and more pairs never hurt."""

import numpy as np
import pytest
from scipy import stats

from proctor.stats import paired_proportions, power, resampled

RNG = np.random.default_rng


def test_power_for_normal_differences_is_near_the_paired_t_tests():
    n, effect = 20, 0.7
    expected = stats.nct.sf(stats.t.ppf(0.975, n - 1), n - 1, effect * np.sqrt(n))
    found = power(lambda rng, s, c: rng.normal(effect, 1, (s, c)), n, unit="pair", rng=RNG(0))
    assert found.estimate == pytest.approx(expected, abs=0.05)
    assert found.low < found.estimate < found.high


def test_without_a_difference_power_is_the_tests_size():
    study = paired_proportions(0.6, 0.6, trials=6, within=0.4, between=0.5)
    assert power(study, 20, unit="pair", rng=RNG(1)).estimate == pytest.approx(0.05, abs=0.025)


def test_more_pairs_and_shared_difficulty_raise_power():
    def at(pairs: int, between: float) -> float:
        study = paired_proportions(0.5, 0.65, trials=6, within=0.4, between=between)
        return power(study, pairs, unit="pair", rng=RNG(2), studies=600, draws=500).estimate

    assert at(12, 0.5) < at(29, 0.5) < at(60, 0.5)
    assert at(29, 0.0) < at(29, 0.9)


@pytest.mark.parametrize(("rate", "within"), [(0.3, 0.2), (0.9, 0.6), (0.5, 0.0), (1.0, 0.5)])
def test_assumed_rates_and_correlation_are_what_is_drawn(rate, within):
    """Variance of a cluster's share over n trials: p (1 - p) (1 + (n - 1) within) / n, a beta-binomial's."""
    n = 6
    draws = paired_proportions(0.0, rate, trials=n, within=within)(RNG(3), 400, 50)
    assert draws.mean() == pytest.approx(rate, abs=0.01)
    assert draws.var() == pytest.approx(rate * (1 - rate) * (1 + (n - 1) * within) / n, rel=0.05, abs=1e-9)


def test_a_pilot_is_drawn_with_replacement():
    draws = resampled([0.0, 0.5, -0.25])(RNG(0), 50, 8)
    assert draws.shape == (50, 8)
    assert set(np.unique(draws)) == {0.0, 0.5, -0.25}


def test_bad_plans_are_refused():
    with pytest.raises(ValueError, match="rates lie"):
        paired_proportions(0.5, 1.5, trials=3, within=0.1)
    with pytest.raises(ValueError, match="pilot"):
        resampled([])
    with pytest.raises(ValueError, match="clusters"):
        power(resampled([1.0]), 0, unit="pair", rng=RNG(0))
