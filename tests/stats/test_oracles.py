"""Our statistics against statsmodels, on a fixed grid of data."""

import numpy as np
import pytest

from proctor.stats import cohens_kappa, holm, mcnemar_exact, wilson

# statsmodels and pandas take seconds to import, so they are imported only where they are used.
pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("only_first", "only_second"), [(0, 1), (1, 0), (5, 5), (10, 31), (23, 9), (0, 14), (60, 47)])
def test_mcnemars_exact_test(only_first, only_second):
    from statsmodels.stats.contingency_tables import mcnemar

    expected = mcnemar([[7, only_first], [only_second, 5]], exact=True).pvalue
    assert mcnemar_exact(only_first, only_second) == pytest.approx(expected)


def test_holms_correction():
    from statsmodels.stats.multitest import multipletests

    rng = np.random.default_rng(0)
    for size in range(1, 21):
        p = rng.beta(0.3, 1, size)
        p[: size // 3] = p[0]  # ties
        assert holm(p) == pytest.approx(multipletests(p, method="holm")[1])


def test_cohens_kappa():
    from statsmodels.stats.inter_rater import cohens_kappa as oracle

    for table in np.random.default_rng(0).integers(1, 40, (20, 2, 2)):
        labels = [(i, j) for i in (0, 1) for j in (0, 1) for _ in range(table[i, j])]
        expected = oracle(table, return_results=False)
        assert cohens_kappa([a for a, _ in labels], [b for _, b in labels]) == pytest.approx(expected)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_wilsons_interval(level):
    from statsmodels.stats.proportion import proportion_confint

    for k in range(91):
        found = wilson(k, 90, level=level)
        expected = proportion_confint(k, 90, alpha=1 - level, method="wilson")
        assert (found.low, found.high) == pytest.approx(expected, abs=1e-12)
