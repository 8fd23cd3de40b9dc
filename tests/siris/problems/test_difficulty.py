"""Difficulty is computed from the four predictions of both versions."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from proctor.siris.problems.difficulty import difficulty


def test_an_overturned_problem_compares_the_shift_with_the_lead_over_the_answer():
    found = difficulty({"A": 100, "B": 110, "C": 200, "D": 300}, {"A": 130, "B": 120, "C": 100, "D": 300})
    assert found.rival == "C"
    assert found.shift_over_lead == pytest.approx((30 - -100) / 100)
    assert found.tolerance == pytest.approx(1.3)
    assert found.level == "hard"
    assert found.perturbed_margin_pct == pytest.approx(10)
    assert found.reference_margin_pct == pytest.approx(20)
    assert found.effect_pct == pytest.approx({"A": 30, "B": 100 / 11, "C": -50, "D": 0})


def test_an_upheld_problem_compares_with_the_design_that_comes_closest_to_overtaking():
    found = difficulty({"A": 100, "B": 120, "C": 200, "D": 300}, {"A": 110, "B": 128, "C": 150, "D": 300})
    assert found.rival == "C"  # shifts by 60 of 100; B by 2 of 20
    assert found.shift_over_lead == pytest.approx(0.6)
    assert found.tolerance == pytest.approx(1 / 0.6)
    assert found.level == "medium"


def test_a_change_that_favors_the_recommended_design_needs_no_sizing_at_all():
    found = difficulty({"A": 100, "B": 120, "C": 200, "D": 300}, {"A": 90, "B": 128, "C": 250, "D": 300})
    assert math.isinf(found.tolerance)
    assert found.level == "easy"


VALUES = st.lists(st.integers(10**6, 10**10), min_size=4, max_size=4, unique=True)


@given(perturbed=VALUES, reference=VALUES)
def test_the_shift_exceeds_the_lead_exactly_where_the_recommendation_falls(perturbed, reference):
    p, r = (dict(zip("ABCD", values, strict=True)) for values in (perturbed, reference))
    assume(max(abs(r[x] - r[y]) for x in p for y in p) > 0)
    found = difficulty(p, r)
    assert (found.shift_over_lead > 1) == (min(p, key=p.get) != min(r, key=r.get))
    assert found.tolerance >= 1
