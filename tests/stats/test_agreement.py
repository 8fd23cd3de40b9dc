"""Cohen's kappa on published agreement and at its edges."""

import math

import pytest

from proctor.stats import cohens_kappa


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
