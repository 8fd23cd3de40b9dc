"""Planned power: against studies simulated and tested independently of our code."""

import numpy as np
import pytest

from proctor.siris.verdict.planning import MOST_PAIRS, Plan, pairs_needed, planned_power


def independent_power(pairs, repetitions, judgment, gap, within, studies=1500, seed=9):
    """Beta-binomial answers of two independent models to two problems a pair; signs of pair differences are flipped."""
    rng = np.random.default_rng(seed)
    size = (1 - within) / within
    wins = []
    for p in (judgment / 100, (judgment + gap) / 100):
        rates = rng.beta(p * size, (1 - p) * size, (studies, pairs, 2))
        wins.append(rng.binomial(repetitions, rates).sum(axis=-1))  # whole numbers: equal sums are equal
    differences = wins[1] - wins[0]
    flipped = np.abs(differences @ rng.choice([-1, 1], (pairs, 1000)))
    p_values = np.mean(flipped >= np.abs(differences.sum(axis=1, keepdims=True)), axis=1)
    return float(np.mean(p_values <= 0.05))


@pytest.mark.parametrize(("pairs", "repetitions", "gap", "within"), [(29, 3, 20.0, 0.5), (60, 1, 15.0, 0.7)])
def test_power_agrees_with_a_simulation_of_its_own(pairs, repetitions, gap, within):
    found = planned_power(Plan(repetitions, gap, judgment=55, within=within, between=0), pairs)
    expected = independent_power(pairs, repetitions, 55, gap, within)
    assert found.estimate == pytest.approx(expected, abs=0.04)
    assert 0.3 < expected < 0.95  # where a mistake would show


def test_power_grows_with_pairs_repetitions_and_shared_difficulty_and_falls_with_the_family():
    base = planned_power(Plan(3, 12), 29).estimate
    assert planned_power(Plan(3, 12), 60).estimate > base
    assert planned_power(Plan(1, 12), 29).estimate < base
    assert planned_power(Plan(3, 12, between=0.9), 29).estimate > base
    assert planned_power(Plan(3, 12, comparisons=10), 29).estimate < base


def test_repetitions_add_nothing_where_they_only_repeat():
    """At a correlation near 1 three answers to a problem are one."""
    once, thrice = (planned_power(Plan(n, 25, within=0.99), 29).estimate for n in (1, 3))
    assert thrice == pytest.approx(once, abs=0.04)


def test_the_pairs_needed_give_the_wanted_power_and_fewer_do_not():
    plan = Plan(3, 20)
    needed = pairs_needed(plan, 0.8)
    assert planned_power(plan, needed).estimate >= 0.8
    assert planned_power(plan, round(0.8 * needed)).estimate < 0.8


def test_the_pairs_needed_are_no_fewer_than_can_be_significant_at_all():
    """Of n pairs that all favor one model the test gives 2 / 2^n, which is at most 1 / 10,000 from n = 15 on."""
    assert pairs_needed(Plan(1, 100, judgment=0, comparisons=500), 0.8) == 15


def test_a_gap_too_small_for_any_suite_is_said_so():
    assert pairs_needed(Plan(1, 0.2), 0.8) is None
    assert MOST_PAIRS == 2000
