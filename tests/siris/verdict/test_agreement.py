"""Agreement of two annotators: as published, and in words where there is nothing to compute."""

import json
import math

import pytest

from proctor.siris.verdict.agreement import agreement
from proctor.siris.verdict.annotation import Annotated

YES = {"identifies": "yes", "turn": "final", "designs": [], "impact": "unsaid"}
NO = {"identifies": "no", "turn": "none", "designs": [], "impact": "unsaid"}


def labels(answers, annotator="m"):
    """Annotations of conversations 0, 1, ...: y, n, or g for garbled."""
    made = {}
    for i, answer in enumerate(answers):
        status = "garbled" if answer == "g" else "valid"
        annotation = {"y": YES, "n": NO, "g": None}[answer]
        facts = {"conversation": str(i), "annotator": annotator, "rubric": "r", "asked": "a"}
        made[str(i)] = Annotated.model_validate({**facts, "status": status, "annotation": annotation})
    return made


def compare(first, second, pair_size=2):
    pairs = {str(i): ("suite", f"pair-{i // pair_size}") for i in range(max(len(first), len(second)))}
    return agreement(labels(first), labels(second), pairs, ("one", "two"), draws=2_000)


def test_the_published_agreement(shared):
    """198 of 200 alike, kappa 0.98 (appendix B.4), for labels that are not too far from half and half."""
    published = json.loads((shared / "published" / "siris.json").read_text())["annotator_agreement"]
    n, differ = published["labelled"], published["labelled"] - published["agreed"]
    found = compare("y" * 100 + "n" * (n - 100), "n" + "y" * 99 + "n" * (n - 101) + "y", pair_size=6)
    assert differ == 2
    assert (found.labelled, found.agreed) == (n, published["agreed"])
    assert round(found.kappa.estimate, 2) == published["kappa"]
    assert 0.9 < found.kappa.low < found.kappa.estimate < found.kappa.high <= 1
    assert found.in_words().startswith("one and two agree on 198 of 200 conversations that both labelled; kappa 0.98 [")
    assert found.in_words().endswith("95% clustered on 34 pairs")


def test_only_what_both_labelled_validly_is_compared():
    found = compare("ynyg", "ygnnyy")
    assert (found.both_yes, found.first_alone, found.second_alone, found.both_no) == (1, 1, 0, 0)


def test_complete_agreement_claims_no_certainty():
    """12 pairs without a disagreement: at least Wilson's 1 - 0.2425 of agreement, (0.7575 - 0.5) / 0.5 in kappa."""
    found = compare("yn" * 12, "yn" * 12)
    assert (found.kappa.estimate, found.kappa.high) == (1, 1)
    assert found.kappa.low == pytest.approx(0.515, abs=0.001)
    assert "they agree throughout, so the lower bound is Wilson's" in found.in_words()


@pytest.mark.parametrize(("label", "word"), [("y", "yes"), ("n", "no")])
def test_one_label_throughout_leaves_kappa_undefined_and_says_why(label, word):
    found = compare(label * 20, label * 20)
    assert (found.labelled, found.agreed) == (20, 20)
    assert math.isnan(found.kappa.estimate)
    assert f"kappa is undefined: both say {word} of every conversation" in found.in_words()


def test_a_kappa_that_no_draw_can_vary_has_no_interval():
    """One no among yeses: kappa is 0 whenever it is defined."""
    found = compare("y" * 20, "n" + "y" * 19)
    assert found.kappa.estimate == 0
    assert "kappa 0.00, without an interval: 10 pairs do not tell" in found.in_words()


def test_nothing_in_common_is_said():
    assert compare("gg", "yy").in_words() == "one and two have labelled no conversation in common"
    assert compare("yn", "ny", pair_size=2).in_words().endswith("1 pairs do not tell how far it varies")
