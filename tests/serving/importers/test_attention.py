"""The 4-D attention look-up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import RegularGridInterpolator

from proctor.serving.importers.attention import AttentionGrid

AXES = ((0, 16, 64), (0, 32, 512), (0, 1, 8), (0, 16, 1024))
VALUES = np.random.default_rng(1).integers(1000, 10**6, size=[len(axis) for axis in AXES])
FULL = {
    (AXES[0][i], AXES[1][j], AXES[2][k], AXES[3][m]): int(VALUES[i, j, k, m])
    for i, j, k, m in np.ndindex(*VALUES.shape)
}
REFERENCE = RegularGridInterpolator(AXES, VALUES)


@given(*(st.integers(0, axis[-1]) for axis in AXES))
def test_on_a_full_grid_it_is_multilinear(prefill, kv_prefill, decodes, kv_decode):
    """scipy's regular-grid interpolation is the reference; ours rounds down to whole ns."""
    expected = float(REFERENCE((prefill, kv_prefill, decodes, kv_decode))[()])
    assert AttentionGrid(FULL).at(prefill, kv_prefill, decodes, kv_decode) == pytest.approx(expected, abs=1.001)


def test_beyond_the_grid_it_extrapolates_along_every_axis():
    """A kernel that is linear everywhere is met exactly, far outside the measured box too."""
    points = {
        (q, kq, n, kn): 10 + 2 * q + 3 * kq + 5 * n + 7 * kn
        for q in (0, 16)
        for kq in (0, 32)
        for n in (0, 4)
        for kn in (0, 8)
    }
    assert AttentionGrid(points).at(100, 200, 50, 90) == 10 + 200 + 600 + 250 + 630


def test_an_unmeasured_slice_takes_the_nearest_measured_one():
    """16 prefill tokens with 8 decodes were not measured."""
    points = {(0, 0, 8, 16): 80, (16, 0, 4, 16): 1000, (16, 0, 0, 0): 500}
    # Corners of (16, 8): the nearest to the missing slice is (16, 4) at distance 4, against (0, 8) at distance 16.
    assert AttentionGrid(points).at(16, 0, 8, 16) == 1000
    assert AttentionGrid({(0, 0, 8, 16): 80, (16, 0, 0, 0): 500}).at(8, 0, 8, 16) == (80 + 500) // 2


def test_a_row_with_a_single_decode_point_is_constant_along_it():
    """Slices without decodes hold one point per row of cached prefill tokens."""
    grid = AttentionGrid({(16, 0, 0, 0): 100, (16, 64, 0, 0): 200})
    assert [grid.at(16, 32, 0, kv) for kv in (0, 5000)] == [150, 150]


def test_rows_of_a_slice_may_have_different_axes():
    """A ragged slice: the row at 64 lacks the point at 32, so it is interpolated over 16 ... 64."""
    points = {(0, 0, 1, 16): 10, (0, 0, 1, 32): 40, (0, 0, 1, 64): 50, (0, 64, 1, 16): 100, (0, 64, 1, 64): 196}
    assert AttentionGrid(points).at(0, 32, 1, 32) == (40 + 132) // 2
