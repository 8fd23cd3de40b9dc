"""Cohen's kappa on published agreement and at its edges."""

import math

import numpy as np
import pytest

from proctor.stats import clustered_kappa, cohens_kappa, wilson


def test_the_papers_annotators_agree_as_published(shared):
    """198 of 200 alike give kappa 0.98 (appendix B.4) for any split between the labels from 40:60 to 60:40."""
    import json

    published = json.loads((shared / "published" / "siris.json").read_text())["annotator_agreement"]
    n, agreed = published["labelled"], published["agreed"]
    for yes in (80, 100, 120):
        first = [True] * yes + [False] * (n - yes)
        second = [not x if i in (0, n - 1) else x for i, x in enumerate(first)]
        assert sum(a == b for a, b in zip(first, second, strict=True)) == agreed
        assert round(cohens_kappa(first, second), 2) == published["kappa"]


def test_a_worked_example():
    """20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: po = 0.7, pe = 0.5, kappa = 0.4 (a textbook table)."""
    first = ["y"] * 25 + ["n"] * 25
    second = ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    assert cohens_kappa(first, second) == pytest.approx(0.4)


def test_perfect_opposite_and_undefined_agreement():
    assert cohens_kappa("abab", "abab") == 1
    assert cohens_kappa("abab", "baba") == -1
    assert math.isnan(cohens_kappa("aaaa", "aaaa"))
    assert cohens_kappa("aaab", "aaaa") == 0


def test_lists_must_match():
    with pytest.raises(ValueError, match="equally long"):
        cohens_kappa("ab", "a")
    with pytest.raises(ValueError, match="non-empty"):
        cohens_kappa("", "")


def as_tables(first, second, size):
    """One row (yes-yes, yes-no, no-yes, no-no) for each `size` items in turn."""
    cells = {("y", "y"): 0, ("y", "n"): 1, ("n", "y"): 2, ("n", "n"): 3}
    tables = np.zeros((-(-len(first) // size), 4))
    for i, pair in enumerate(zip(first, second, strict=True)):
        tables[i // size, cells[pair]] += 1
    return tables


def test_the_clustered_estimate_is_cohens_kappa_however_items_are_clustered():
    rng = np.random.default_rng(5)
    first = rng.choice(["y", "n"], 120)
    second = np.where(rng.random(120) < 0.8, first, rng.choice(["y", "n"], 120))
    for size in (1, 2, 6):
        found = clustered_kappa(as_tables(first, second, size), unit="pair", rng=rng, draws=500)
        assert found.estimate == pytest.approx(cohens_kappa(list(first), list(second)))
        assert found.low < found.estimate < found.high
        assert (found.unit, found.units) == ("pair", 120 // size)


def test_three_identical_repetitions_do_not_narrow_the_interval():
    rng = np.random.default_rng(6)
    once = rng.integers(0, 3, (20, 4))
    narrow, wide = (
        clustered_kappa(tables, unit="pair", rng=np.random.default_rng(7), draws=2_000) for tables in (3 * once, once)
    )
    assert (narrow.low, narrow.high) == pytest.approx((wide.low, wide.high))


def test_the_interval_has_the_width_that_theory_gives_for_independent_items():
    """Fleiss, Cohen and Everitt (1969) for the worked table, every item its own cluster: kappa 0.4, s.e. 0.127."""
    po, n = 0.7, 50
    cells = np.array([[20, 5], [10, 15]]) / n
    rows, columns = cells.sum(axis=1), cells.sum(axis=0)
    pe = float(rows @ columns)
    kappa = (po - pe) / (1 - pe)
    diagonal = sum(cells[i, i] * (1 - (rows[i] + columns[i]) * (1 - kappa)) ** 2 for i in range(2))
    off = (1 - kappa) ** 2 * sum(
        cells[i, j] * (columns[i] + rows[j]) ** 2 for i in range(2) for j in range(2) if i != j
    )
    error = math.sqrt((diagonal + off - (kappa - pe * (1 - kappa)) ** 2) / n) / (1 - pe)
    first = ["y"] * 25 + ["n"] * 25
    second = ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    found = clustered_kappa(as_tables(first, second, 1), unit="item", rng=np.random.default_rng(8))
    assert found.estimate == pytest.approx(0.4)
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * error, rel=0.08)


def test_degenerate_tables_have_no_bounds_or_wilsons():
    rng = np.random.default_rng(9)
    same = clustered_kappa([[2, 0, 0, 0]] * 10, unit="pair", rng=rng, draws=100)
    assert math.isnan(same.estimate)
    assert math.isnan(same.low)
    complete = clustered_kappa([[1, 0, 0, 1]] * 10, unit="pair", rng=rng, draws=100)
    assert (complete.estimate, complete.high, complete.method) == (1, 1, "wilson")
    assert complete.low == pytest.approx(2 * wilson(10, 10).low - 1)
    lopsided = clustered_kappa([[30, 0, 0, 1]], unit="pair", rng=rng, draws=100)
    assert lopsided.low == -1  # kappa has no lower value
