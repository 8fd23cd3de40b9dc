"""Monotone smoothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from proctor.serving.importers.smooth import rising, rising_table

NUMBERS = st.floats(0, 1e6)


@given(st.lists(NUMBERS, min_size=1, max_size=30))
def test_it_is_isotonic_regression(values):
    """scipy's implementation is the reference."""
    assert rising(values) == pytest.approx(list(isotonic_regression(values).x), rel=1e-9, abs=1e-6)


@given(st.lists(st.lists(NUMBERS, min_size=4, max_size=4), min_size=1, max_size=8))
def test_a_table_rises_along_both_axes_and_keeps_its_total(rows):
    """Pooling replaces cells by their mean, so nothing is added or lost."""
    table = np.array(rising_table(rows))
    assert (np.diff(table, axis=0) >= -1e-6).all()
    assert (np.diff(table, axis=1) >= -1e-6).all()
    assert table.sum() == pytest.approx(np.sum(rows), abs=1e-3)


def test_a_table_that_rises_already_is_left_alone():
    """Clean measurements pass unchanged."""
    assert rising_table([[1, 2], [3, 9]]) == [[1, 2], [3, 9]]
