"""Step costs."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.interpolate import RegularGridInterpolator

from proctor.serving import profiles
from proctor.serving.simulator.costs import CostTable, lerp

# Small enough to look up by eye: KV axis 0, 100, 300; query axis 1, 16, 32.
FILES = {
    "attention.csv": "query_tokens,0,100,300\n1,10,30,130\n1+,50,90,190\n16,100,200,400\n32,300,500,1100\n",
    "linear.csv": "query_tokens,ns\n1,1000\n16,1030\n32,1190\n",
    "head.csv": "requests,ns\n1,70\n2,80\n4,120\n",
    "constants.csv": "name,value\nlayers,2\nlaunch_ns,5\nhost_ns,100000\n",
}


@pytest.fixture
def table() -> CostTable:
    return CostTable(FILES)


def line(axis, values, x):
    """Exact piecewise linear interpolation whose last piece goes on; written without the code under test."""
    for i in range(len(axis) - 1):
        if x < axis[i + 1] or i == len(axis) - 2:
            slope = Fraction(values[i + 1] - values[i], axis[i + 1] - axis[i])
            return values[i] + slope * (x - axis[i])
    raise AssertionError


def surface(queries, kvs, rows, q, kv):
    """Along the KV axis first, then along the query axis; each time the fraction is dropped."""
    column = [floor(line(kvs, row, kv)) for row in rows]
    return floor(line(queries, column, q))


@pytest.mark.parametrize(
    ("batch", "expected"),
    [
        # A decode at kv 100: 1000 + 70 + 2 * (5 + 30) + 100000.
        ([(1, 100)], 101_140),
        # Two decodes: linear at 2 is 1000 + 30 / 15 = 1002, head at 2 is 80; kv 50: 20, kv 200: 30 + 100 / 2 = 80.
        ([(1, 50), (1, 200)], 1002 + 80 + 2 * (5 + 20 + 80) + 100_000),
        # A chunk of 16 with nothing cached.
        ([(16, 0)], 1030 + 70 + 2 * (5 + 100) + 100_000),
        # The same decodes beside it are looked up in row 1+: kv 50: 70, kv 200: 140. Linear at 18 is 1030 + 2 * 10.
        ([(16, 0), (1, 50), (1, 200)], 1050 + 100 + 2 * (5 + 100 + 70 + 140) + 100_000),
        # A chunk of 4 lies a fifth of the way from row 1+ to row 16, alone too: 50 + 10. Linear at 4 is 1006.
        ([(4, 0)], 1006 + 70 + 2 * (5 + 60) + 100_000),
        # Beyond all last points: q 48 is 300 + 200; linear 1190 + 160; with kv 500 the rows are 600 and 1700: 2800.
        ([(48, 0)], 1350 + 70 + 2 * (5 + 500) + 100_000),
        ([(48, 500)], 1350 + 70 + 2 * (5 + 2800) + 100_000),
        # Head at 6 is 120 + 2 * 20; linear at 6 is 1010.
        ([(1, 0)] * 6, 1010 + 160 + 2 * (5 + 6 * 10) + 100_000),
    ],
)
def test_a_step_adds_up_as_the_system_description_says(table, batch, expected):
    """linear(sum q) + head(n) + layers * (launch + sum of attention) + host, on numbers worked out by hand."""
    assert table.step(batch) == expected


def test_the_order_of_requests_and_what_was_asked_before_do_not_matter(table):
    """Looked-up values are remembered; a decode is remembered apart for pure and mixed steps."""
    mixed, pure = [(16, 0), (1, 50)], [(1, 50)]
    first = [table.step(mixed), table.step(pure), table.step(mixed[::-1])]
    assert first == [table.step(mixed), CostTable(FILES).step(pure), first[0]]
    assert table.step(pure) < table.step(mixed)


@given(st.data())
def test_attention_is_floored_bilinear_interpolation(data):
    """On random tables, also where rows fall, inside the grid and beyond it: equal to exact fractions, floored."""
    kvs = data.draw(st.lists(st.integers(1, 400), min_size=1, max_size=4, unique=True).map(lambda x: [0, *sorted(x)]))
    queries = data.draw(
        st.lists(st.integers(2, 300), min_size=1, max_size=4, unique=True).map(lambda x: [1, *sorted(x)])
    )
    values = st.lists(st.integers(0, 10**6), min_size=len(kvs), max_size=len(kvs))
    rows = data.draw(st.lists(values, min_size=len(queries) + 1, max_size=len(queries) + 1))
    labels = ["1", "1+", *map(str, queries[1:])]
    lines = [",".join(map(str, (label, *row))) for label, row in zip(labels, rows, strict=True)]
    attention = "\n".join([",".join(map(str, ("query_tokens", *kvs))), *lines])
    linear = "\n".join(["query_tokens,ns", *(f"{q},0" for q in queries)])
    head = "requests,ns\n1,0\n2,0\n"
    constants = "name,value\nlayers,1\nlaunch_ns,0\nhost_ns,0\n"
    table = CostTable({"attention.csv": attention, "linear.csv": linear, "head.csv": head, "constants.csv": constants})
    q, kv = data.draw(st.integers(1, 600)), data.draw(st.integers(0, 800))
    grid = rows[:1] + rows[2:] if q == 1 else rows[1:]
    assert table.step([(q, kv)]) == surface(queries, kvs, grid, q, kv)
    grid = rows[1:]
    assert table.step([(q, kv), (2, 0)]) == surface(queries, kvs, grid, q, kv) + surface(queries, kvs, grid, 2, 0)


@pytest.mark.parametrize("name", profiles.names())
def test_shipped_tables_agree_with_scipy(name):
    """Inside the grid ours is at most 2 ns below scipy's bilinear interpolation (two fractions dropped)."""
    table = profiles.load(name)
    rng = np.random.default_rng(5)
    queries = rng.integers(2, table.queries[-1] + 1, 300)
    kvs = rng.integers(0, table.kvs[-1] + 1, 300)
    exact = RegularGridInterpolator((table.queries, table.kvs), np.array(table.mixed_rows))
    ours = np.array([table.known_mixed[int(q), int(kv)] for q, kv in zip(queries, kvs, strict=True)])
    below = exact(np.column_stack([queries, kvs])) - ours
    assert below.min() > -1e-6
    assert below.max() < 2
    decode = np.interp(kvs, table.kvs, table.rows[0]) - [table.known[1, int(kv)] for kv in kvs]
    assert -1e-6 < decode.min() < decode.max() < 1
    tokens = np.arange(1, table.queries[-1] + 1)
    linear = np.interp(tokens, table.queries, table.linear_ns) - [table.linear(int(q)) for q in tokens]
    assert -1e-6 < linear.min() < linear.max() < 1
    counts = np.arange(1, table.counts[-1] + 1)
    head = np.interp(counts, table.counts, table.head_ns) - [table.head(int(n)) for n in counts]
    assert -1e-6 < head.min() < head.max() < 1


@pytest.mark.parametrize("name", profiles.names())
def test_every_grid_point_of_a_shipped_table_is_met_exactly(name):
    """The files are read as they stand: row labels, columns, both decode rows."""
    table = profiles.load(name)
    head, *lines = [text.split(",") for text in profiles.texts(name)["attention.csv"].split()]
    for label, *cells in lines:
        rows = table.rows if label == "1" else table.mixed_rows
        query = int(label.removesuffix("+"))
        assert [table.attention(rows, query, int(kv)) for kv in head[1:]] == [int(cell) for cell in cells]


@given(st.integers(0, 10**12), st.integers(0, 10**12), st.integers(0, 10**6), st.integers(1, 10**6))
def test_lerp_meets_both_ends_and_stays_between_them(y0, y1, part, whole):
    """And drops the fraction, on rising and on falling lines."""
    assert lerp(y0, y1, 0, whole) == y0
    assert lerp(y0, y1, whole, whole) == y1
    assume(part <= whole)
    assert lerp(y0, y1, part, whole) == floor(y0 + Fraction(y1 - y0) * Fraction(part, whole))
    assert min(y0, y1) <= lerp(y0, y1, part, whole) <= max(y0, y1)


def test_two_query_axes_in_one_folder_are_refused():
    """linear.csv shares the query axis with attention.csv."""
    with pytest.raises(ValueError, match=r"linear\.csv: the query axis"):
        CostTable(FILES | {"linear.csv": "query_tokens,ns\n1,1000\n32,1190\n"})
