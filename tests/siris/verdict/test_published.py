"""Golden: the paper's counts, fed through our metric functions, give the paper's percentages.

The counts of Tables 4, 9 and 10 and the percentages of Tables 5, 6, 7 and 9 were printed independently of this code.
"""

import json

import pytest

from proctor.siris.verdict.counts import Identification, Movement, Review, Share, Solved

OF = 87

MODELS = [
    "GPT-6 Astra",
    "GPT-6.1 Sol",
    "GPT-6 Sol",
    "GPT-5.6 Sol",
    "GPT-5.6 Terra",
    "GPT-6 Luna",
    "GPT-5.6 Luna",
    "Grok 4.5",
    "Grok 4.6",
    "Grok 4.7",
    "Gemini 3.5 Flash",
    "Gemini 3.7 Flash",
    "Gemini 3.8 Flash",
]
each_model = pytest.mark.parametrize("model", MODELS)


@pytest.fixture(scope="module")
def published(shared):
    return json.loads((shared / "published" / "siris.json").read_text())


def review(row):
    """A model's row of Table 4; the final columns are left for the test to compare with."""

    def movement(kind):
        return Movement(row[f"{kind}_initial"], row[f"{kind}_made_correct"], row[f"{kind}_made_wrong"], OF)

    return Review(movement("upheld"), movement("overturned"))


def to_its_rounding(value, printed, places=0):
    """A printed number is a rounding of ours. 87 and 174 share no factor with 2 x 10^k, so no value is halfway."""
    return abs(value - printed) < 0.5 * 10**-places


def test_the_models_are_the_papers_thirteen(published):
    assert set(MODELS) == set(published["table4_movement"]) == set(published["table9_counts"])


@each_model
def test_table_9_counts_give_table_5s_percentages(published, model):
    counts, printed = published["table9_counts"][model], published["table5_conditions_pct"][model]
    solved = Solved(counts["upheld_solved"], OF, counts["overturned_solved"], OF)
    assert to_its_rounding(solved.upheld_pct, printed["upheld_pct"])
    assert to_its_rounding(solved.overturned_pct, printed["overturned_pct"])
    assert to_its_rounding(solved.judgment, printed["J"])
    assert to_its_rounding(solved.disposition, printed["D"])
    assert to_its_rounding(solved.all_pct, counts["all_pct"], places=1)
    assert solved.all_pct == pytest.approx(solved.judgment)


@each_model
def test_table_4s_movement_adds_up_and_gives_table_5s_j_and_d(published, model):
    row, printed = published["table4_movement"][model], published["table5_conditions_pct"][model]
    moved = review(row)
    assert moved.upheld.final == row["upheld_final"]
    assert moved.overturned.final == row["overturned_final"]
    assert to_its_rounding(moved.final.judgment, printed["J"])
    assert to_its_rounding(moved.final.disposition, printed["D"])
    assert moved.judgment_change == pytest.approx(moved.final.judgment - moved.initial.judgment)
    assert moved.disposition_change == pytest.approx(moved.final.disposition - moved.initial.disposition)


def test_review_moves_judgment_as_section_5_3_says(published):
    """Two models' gains are spelled out: 12 points for GPT-5.6 Sol and 1 for GPT-5.6 Terra."""
    gains = {model: review(row).judgment_change for model, row in published["table4_movement"].items()}
    assert round(gains["GPT-5.6 Sol"]) == 12
    assert round(gains["GPT-5.6 Terra"]) == 1


def test_twelve_of_thirteen_models_become_more_even(published):
    """Section 5.3: twelve models move toward more similar upheld and overturned accuracies."""
    moved = [review(row) for row in published["table4_movement"].values()]
    assert sum(abs(r.final.disposition) < abs(r.initial.disposition) for r in moved) == 12


@each_model
def test_table_10_adds_up_and_agrees_with_table_9(published, model):
    row, solved = published["table10_identification"][model], published["table9_counts"][model]
    found = Identification(
        row["identified_correct"],
        row["identified_upheld_error"],
        row["identified_kept_presented"],
        row["identified_third"],
        row["not_identified"],
    )
    assert found.identified == row["identified_all"]
    # Gemini 3.5 Flash's printed row sums to 172: two of its conversations have no annotated response.
    assert found.responses == 2 * OF - (2 if model == "Gemini 3.5 Flash" else 0)
    assert found.upheld_error <= OF - solved["upheld_solved"]
    assert found.kept_presented + found.third <= OF - solved["overturned_solved"]
    assert found.correct <= solved["upheld_solved"] + solved["overturned_solved"]


def test_about_a_quarter_of_identifying_responses_still_choose_wrong(published):
    rows = published["table10_identification"].values()
    wrong = sum(r["identified_upheld_error"] + r["identified_kept_presented"] + r["identified_third"] for r in rows)
    assert Share(wrong, sum(r["identified_all"] for r in rows)).pct == pytest.approx(25, abs=2.5)


@pytest.mark.parametrize("model", ["GPT-5.6 Sol", "GPT-6.1 Sol"])
def test_pair_counts_give_table_6s_pair_accuracy(published, model):
    columns = published["table6_evidence_components_pct"]["columns"]
    printed = dict(zip(columns, published["table6_evidence_components_pct"][model]["code+both"], strict=True))
    pairs = Share(published["table9_counts"][model]["pairs_perturbed"], OF)
    assert to_its_rounding(pairs.pct, printed["pair"])


def test_the_follow_rule_scores_as_published(published):
    rule = published["follow_rule"]
    solved = Solved(rule["upheld"], OF, rule["overturned"], OF)
    assert (solved.judgment, solved.disposition) == (rule["J"], rule["D"])


def test_nothing_out_of_nothing_is_not_a_number():
    assert Share(0, 0).pct != Share(0, 0).pct
    assert Solved(1, 2, 0, 0).judgment != Solved(1, 2, 0, 0).judgment
