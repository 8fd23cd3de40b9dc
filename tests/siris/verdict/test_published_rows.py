"""The published numbers that ship with the package: those of the paper, and what follows from them."""

import pytest

from proctor.siris.verdict.published import published_models, raw
from proctor.stats import holm, mcnemar_exact

# What the file holds beside the shared one: its provenance, and bars read off Figure 6 (tested with Table 10).
OURS = ("version", "source", "url", "note", "figure6_identifying")


def moves():
    """Model -> (made correct, made wrong) in review, over both kinds of problem (Table 4)."""
    return {
        model.name: (
            model.review.upheld.made_correct + model.review.overturned.made_correct,
            model.review.upheld.made_wrong + model.review.overturned.made_wrong,
        )
        for model in published_models()
    }


def test_every_shipped_number_is_the_papers(shared):
    import json

    printed = json.loads((shared / "published" / "siris.json").read_text())
    shipped = {name: value for name, value in raw().items() if name not in OURS}
    assert {name: printed[name] for name in shipped} == shipped
    assert {f"table{n}" for n in range(4, 12)} <= {name.split("_")[0] for name in shipped}


@pytest.mark.parametrize(
    ("model", "made_correct", "made_wrong", "p"),
    [
        ("GPT-5.6 Sol", 31, 10, 0.0015),
        ("GPT-5.6 Terra", 17, 15, 0.86),
        ("GPT-6 Luna", 8, 3, 0.23),
        ("Grok 4.7", 23, 9, 0.02),
    ],
)
def test_mcnemars_test_of_review_on_published_counts(model, made_correct, made_wrong, p):
    assert moves()[model] == (made_correct, made_wrong)
    assert mcnemar_exact(made_correct, made_wrong) == pytest.approx(p, rel=0.04)


def test_review_helps_seven_of_thirteen_models_and_six_after_holm():
    p_values = [mcnemar_exact(*counts) for counts in moves().values()]
    assert len(p_values) == 13
    assert sum(p < 0.05 for p in p_values) == 7
    assert sum(p < 0.05 for p in holm(p_values)) == 6
