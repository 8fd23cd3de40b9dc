"""The interval of a median selection loss: problems are drawn, and the median is that of the drawn problems."""

import numpy as np

from proctor.siris.verdict.intervals import resamples
from proctor.siris.verdict.loss import _drawn_medians, losses


def test_each_draws_median_is_numpys_median_of_the_problems_drawn():
    for n in (5, 6):
        ordered = np.sort(np.random.default_rng(n).exponential(20, n))
        drawn = resamples(n)[:300].astype(int)
        expected = [np.median(np.repeat(ordered, row)) for row in drawn]
        assert np.allclose(_drawn_medians(ordered)[:300], expected)


def test_the_interval_holds_the_median_and_names_the_pair(make_record):
    """Nine abandoned upheld problems, losses 24, 47 and 100 %."""
    records = [make_record(f"p{i}", "upheld", "A", "BCD"[i % 3], k) for i in range(9) for k in (1, 2)]
    loss = losses(records)["abandoned_valid"]
    assert (loss.median.estimate, loss.problems, loss.noticeable.count) == (47, 9, 18)
    assert loss.median.low == 24
    assert loss.median.high == 100
    assert (loss.median.unit, loss.median.units) == ("pair", 9)
