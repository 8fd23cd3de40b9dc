"""Contrasts of clustered proportions: identities, coverage of a known truth, and clusters that never vary."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.stats import Contrast, cluster_contrasts, wilson

PAPER = {
    "U": Contrast((1.0, 0.0)),
    "O": Contrast((0.0, 1.0)),
    "J": Contrast((0.5, 0.5)),
    "D": Contrast((0.5, -0.5)),
}


def intervals(wins, sizes, contrasts=PAPER, seed=0, draws=2000):
    return cluster_contrasts(wins, sizes, contrasts, unit="pair", rng=np.random.default_rng(seed), draws=draws)


@st.composite
def tables(draw):
    clusters = draw(st.integers(1, 15))
    sizes = np.array(
        draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=clusters, max_size=clusters))
    )
    sizes[0] = np.maximum(sizes[0], 1)
    wins = np.array([[draw(st.integers(0, int(n))) for n in row] for row in sizes])
    return wins, sizes


@settings(max_examples=60, deadline=None)
@given(table=tables())
def test_estimates_obey_the_identities_and_bounds_stay_possible(table):
    wins, sizes = table
    found = intervals(wins, sizes, draws=300)
    u, o = wins.sum(axis=0) / sizes.sum(axis=0)
    assert found["J"].estimate == pytest.approx((u + o) / 2)
    assert found["D"].estimate == pytest.approx((u - o) / 2)
    for name, (least, most) in {"U": (0, 1), "O": (0, 1), "J": (0, 1), "D": (-0.5, 0.5)}.items():
        interval = found[name]
        # A percentile bound may fall short of a lopsided estimate by the draws' grain, never leave what is possible.
        assert least - 1e-9 <= interval.low < interval.high <= most + 1e-9


@settings(max_examples=30, deadline=None)
@given(table=tables())
def test_swapping_the_two_kinds_mirrors_disposition_and_keeps_judgment(table):
    wins, sizes = table
    if (sizes.sum(axis=0) == 0).any():
        return
    found, swapped = intervals(wins, sizes), intervals(wins[:, ::-1], sizes[:, ::-1])
    assert swapped["J"].low == pytest.approx(found["J"].low)
    assert swapped["D"].low == pytest.approx(-found["D"].high)


def test_a_perfect_score_keeps_the_doubt_of_as_many_observations_as_there_are_pairs():
    found = intervals(np.full((12, 2), 3), np.full((12, 2), 3))
    assert (found["U"].low, found["U"].high) == pytest.approx((wilson(12, 12).low, 1.0))
    # Independent halves: distances to the bounds add in squares, each with weight 1/2.
    assert found["J"].low == pytest.approx(1 - (1 - wilson(12, 12).low) / np.sqrt(2))
    assert found["J"].method == "wilson-recovered"


def test_following_everywhere_gives_fifty_with_doubt_on_both_sides():
    wins = np.column_stack([np.full(12, 3), np.zeros(12)])
    found = intervals(wins, np.full((12, 2), 3))
    assert (found["U"].estimate, found["O"].estimate, found["J"].estimate, found["D"].estimate) == (1, 0, 0.5, 0.5)
    assert found["J"].low < 0.5 < found["J"].high
    assert found["D"].high == pytest.approx(0.5)


def test_a_movement_is_not_widened_by_the_zeros_beside_it():
    """Made correct varies, made wrong never happens: the change is drawn from the clusters alone."""
    made_correct = np.array([0, 0, 1, 2, 3, 1, 0, 2, 1, 0, 0, 2])
    wins = np.column_stack([made_correct, np.zeros(12)])
    sizes = np.full((12, 2), 3)
    found = intervals(wins, sizes, {"bold": Contrast((1.0, -1.0), cautious=False), "shy": Contrast((1.0, -1.0))})
    assert found["bold"].method == "bootstrap-expanded"
    assert found["shy"].low < found["bold"].low
    never = intervals(np.zeros((12, 2)), sizes, {"change": Contrast((1.0, -1.0), cautious=False)})["change"]
    assert never.low < 0 < never.high


def test_one_cluster_says_little_and_none_says_nothing():
    one = intervals([[1, 0]], [[1, 1]])
    assert one["U"].low == pytest.approx(wilson(1, 1).low)
    none = intervals([[1, 0]], [[1, 0]])["O"]
    assert np.isnan([none.estimate, none.low, none.high]).all()


@pytest.mark.parametrize(("upheld", "overturned", "within"), [(0.9, 0.4, 0.5), (0.97, 0.1, 0.8), (0.6, 0.5, 0.3)])
def test_ninety_five_percent_intervals_cover_a_known_truth_with_only_twelve_pairs(upheld, overturned, within):
    """The plain percentile interval covers U = 97 % in under half of the studies here; see decision 0003."""
    rng = np.random.default_rng(42)
    size = (1 - within) / within
    truth = {"U": upheld, "O": overturned, "J": (upheld + overturned) / 2, "D": (upheld - overturned) / 2}
    hits, studies = dict.fromkeys(truth, 0), 250
    for seed in range(studies):
        rates = [rng.beta(p * size, (1 - p) * size, 12) for p in (upheld, overturned)]
        wins = np.column_stack([rng.binomial(3, rate) for rate in rates])
        for name, interval in intervals(wins, np.full((12, 2), 3), seed=seed, draws=800).items():
            hits[name] += interval.low - 1e-12 <= truth[name] <= interval.high + 1e-12
    assert all(hit / studies >= 0.92 for hit in hits.values()), hits


@pytest.mark.parametrize(("wins", "sizes"), [([[2, 0]], [[1, 1]]), ([[-1, 0]], [[1, 1]]), ([[1]], [[1, 1]])])
def test_impossible_counts_are_refused(wins, sizes):
    with pytest.raises(ValueError, match="successes"):
        intervals(wins, sizes)


def test_weights_must_fit_the_components():
    with pytest.raises(ValueError, match="weights"):
        intervals([[1, 0]], [[1, 1]], {"J": Contrast((1.0,))})
    with pytest.raises(ValueError, match="other than 0"):
        intervals([[1, 0]], [[1, 1]], {"J": Contrast((0.0, 0.0))})
