"""1-D look-up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import interp1d

from proctor.serving.importers.interpolate import Line, whole_ns

LINES = st.dictionaries(st.integers(0, 10**5), st.integers(0, 10**9), min_size=1, max_size=20).map(Line.of)


@given(LINES, st.integers(0, 2 * 10**5))
def test_inside_the_axis_it_equals_numpy_and_below_it_clamps(line, x):
    """np.interp clamps on both sides, so it is the reference up to the last knot."""
    if x <= line.knots[-1]:
        assert line.at(x) == pytest.approx(np.interp(x, line.knots, line.values), rel=1e-12, abs=1e-6)


@given(LINES, st.integers(1, 10**5))
def test_above_the_axis_it_goes_on_along_the_last_two_points(line, beyond):
    """scipy extrapolates through the same two points; a single point is constant."""
    x = line.knots[-1] + beyond
    if len(line.knots) == 1:
        assert line.at(x) == line.values[0]
    else:
        reference = interp1d(line.knots, line.values, fill_value="extrapolate")
        assert line.at(x) == pytest.approx(float(reference(x)), rel=1e-9, abs=1e-3)


@given(LINES)
def test_knots_give_their_values_exactly(line):
    """No rounding error at a measured point."""
    assert [line.at(knot) for knot in line.knots] == list(line.values)


@pytest.mark.parametrize(("value", "expected"), [(-5.0, 1), (0.4, 1), (1.99, 1), (7.0, 7)])
def test_costs_are_whole_and_never_below_one_ns(value, expected):
    """Extrapolation can fall below zero; a cost cannot."""
    assert whole_ns(value) == expected
