"""Counts from records: worked examples, identities that hold for any records, and what is never scored."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.siris.verdict import scoring
from proctor.siris.verdict.counts import Errors, Share, Solved
from proctor.siris.verdict.intervals import measure
from proctor.siris.verdict.loss import losses, selection_loss_pct
from proctor.siris.verdict.summary import summarize

CHOICES = ["A", "B", "C", "D", None]


@st.composite
def conversations(draw):
    """Arguments for `make_record`: up to four pairs of both kinds, some conversations lost to errors of ours."""
    rows = []
    for pair in range(draw(st.integers(1, 4))):
        for outcome in ("upheld", "overturned"):
            for repetition in range(1, draw(st.integers(1, 3)) + 1):
                initial, final = draw(st.sampled_from(CHOICES)), draw(st.sampled_from(CHOICES))
                fault = draw(st.sampled_from([None, None, None, "provider gave up"]))
                rows.append(
                    {
                        "pair": f"pair-{pair}",
                        "outcome": outcome,
                        "repetition": repetition,
                        "initial": initial,
                        "final": final,
                        "infrastructure_error": fault,
                    }
                )
    return rows


@pytest.fixture(scope="module")
def records_of(make_record):
    return lambda rows: [make_record(**row) for row in rows]


def test_a_worked_example(make_record):
    """Two pairs, one repetition: keeps both valid ones, corrects one invalid one, takes a third design on the other."""
    records = [
        make_record("p", "upheld", "A", "A"),
        make_record("p", "overturned", "B", "A"),
        make_record("q", "upheld", "C", "A"),
        make_record("q", "overturned", "A", "C"),
    ]
    assert scoring.solved(records) == Solved(2, 2, 1, 2)
    assert scoring.solved(records, "initial") == Solved(1, 2, 1, 2)
    review = scoring.review(records)
    assert (review.upheld.made_correct, review.upheld.made_wrong) == (1, 0)
    assert (review.overturned.made_correct, review.overturned.made_wrong) == (1, 1)
    assert (review.judgment_change, review.disposition_change) == (25, 25)
    assert scoring.pairs_solved(records) == Share(1, 2)
    assert scoring.errors(records) == Errors(0, 0, 1, 0)
    assert scoring.follow(records) == Share(2, 4)
    assert scoring.follow(records, "overturned") == Share(0, 2)


@settings(max_examples=80, deadline=None)
@given(rows=conversations())
def test_identities_hold_for_any_records(records_of, rows):
    records = records_of(rows)
    final, initial, review = scoring.solved(records), scoring.solved(records, "initial"), scoring.review(records)
    assert review.final == final
    assert review.initial == initial
    wrong = final.upheld_of - final.upheld + final.overturned_of - final.overturned
    assert scoring.errors(records).total == wrong
    if final.upheld_of and final.overturned_of:
        assert final.judgment + final.disposition == pytest.approx(final.upheld_pct)
        assert final.judgment - final.disposition == pytest.approx(final.overturned_pct)
        assert review.judgment_change == pytest.approx(final.judgment - initial.judgment)
        assert review.disposition_change == pytest.approx(final.disposition - initial.disposition)
    assert scoring.pairs_solved(records).count <= min(final.upheld, final.overturned)


@settings(max_examples=25, deadline=None)
@given(rows=conversations(), seed=st.integers(0, 1000))
def test_the_order_of_records_never_matters(records_of, rows, seed):
    records = records_of(rows)
    shuffled = random.Random(seed).sample(records, len(records))
    # repr, because a quotient without a denominator is NaN, which equals nothing
    assert repr(summarize(shuffled, draws=200)) == repr(summarize(records, draws=200))


@settings(max_examples=40, deadline=None)
@given(rows=conversations())
def test_point_estimates_of_the_intervals_are_the_counts_metrics(records_of, rows):
    """The bootstrap's estimates and the count functions that the golden test checks are one and the same."""
    records = records_of(rows)
    found, review, pairs = measure(records, draws=50).intervals, scoring.review(records), scoring.pairs_solved(records)
    if not found:
        assert not any(record.scored for record in records)
        return
    expected = {
        "initial_J": review.initial.judgment,
        "final_U": review.final.upheld_pct,
        "final_O": review.final.overturned_pct,
        "final_J": review.final.judgment,
        "final_D": review.final.disposition,
        "dJ": review.judgment_change,
        "dD": review.disposition_change,
        "pair": pairs.pct,
    }
    assert {name: found[name].estimate for name in expected} == pytest.approx(expected, nan_ok=True)
    assert all(interval.unit == "pair" for interval in found.values())


@pytest.mark.parametrize("status", ["missing", "invalid", "ambiguous"])
def test_no_valid_choice_is_wrong_and_stays_in_the_denominator(make_record, status):
    records = [make_record("p"), make_record("q", final=None, final_status=status)]
    assert scoring.solved(records) == Solved(1, 2, 0, 0)
    assert scoring.errors(records) == Errors(0, 0, 0, 1)
    coverage = summarize(records)[0].coverage
    assert (coverage.scored, getattr(coverage, status)) == (2, 1)


def test_an_error_of_ours_is_counted_apart_and_scores_nothing(make_record):
    """Not even a right answer counts, and the pair attempt it belongs to has no verdict."""
    records = [
        make_record("p", "upheld", infrastructure_error="connection lost"),
        make_record("p", "overturned"),
        make_record("q", "upheld"),
        make_record("q", "overturned"),
    ]
    summary = summarize(records, {records[0].group: 6})[0]
    assert summary.review.final == Solved(1, 1, 2, 2)
    assert summary.pairs_solved == Share(1, 1)
    assert (summary.coverage.assigned, summary.coverage.scored) == (6, 3)
    assert (summary.coverage.infrastructure, summary.coverage.absent, summary.coverage.unscored) == (1, 2, 3)


def test_a_group_of_errors_alone_has_no_numbers_and_no_crash(make_record):
    summary = summarize([make_record(infrastructure_error="down")])[0]
    assert summary.intervals == {}
    assert summary.coverage.scored == 0


def test_pair_accuracy_joins_only_the_same_repetition(make_record):
    records = [
        make_record("p", "upheld", repetition=1),
        make_record("p", "overturned", repetition=1, final="B"),
        make_record("p", "upheld", repetition=2, final="B"),
        make_record("p", "overturned", repetition=2),
    ]
    assert scoring.pairs_solved(records) == Share(0, 2)


def test_models_conditions_and_prompts_are_never_pooled(make_record):
    records = [make_record(), make_record(model="m"), make_record(condition="none"), make_record(prompt="instructed")]
    assert [summary.coverage.scored for summary in summarize(records)] == [1, 1, 1, 1]


def test_nothing_is_counted_twice(make_record):
    with pytest.raises(ValueError, match="more than once"):
        summarize([make_record(), make_record()])


@pytest.mark.parametrize(
    ("outcome", "final", "kind"),
    [
        ("upheld", "A", None),
        ("upheld", "B", "abandoned_valid"),
        ("overturned", "A", None),
        ("overturned", "B", "kept_invalid"),
        ("overturned", "C", "third_design"),
        ("upheld", None, "no_valid_choice"),
        ("overturned", None, "no_valid_choice"),
    ],
)
def test_every_wrong_choice_has_one_kind(make_record, outcome, final, kind):
    assert scoring.error_kind(make_record(outcome=outcome, final=final)) == kind


def test_selection_loss_is_the_relative_gap_to_the_best_design(make_record):
    assert [selection_loss_pct(make_record(final=label)) for label in "ABCD"] == pytest.approx([0, 24, 47, 100])
    assert selection_loss_pct(make_record(final=None)) is None


def test_losses_take_one_median_per_problem_first(make_record):
    """Nine answers to one problem weigh as much as one answer to another: median of 24 and 100, not of all ten."""
    records = [make_record("p", "upheld", final="B", repetition=i) for i in range(1, 10)]
    records.append(make_record("q", "upheld", final="D"))
    records.append(make_record("r", "overturned", final=None))
    found = losses(records)
    assert found.keys() == {"abandoned_valid"}
    assert found["abandoned_valid"].median.estimate == pytest.approx(62)
    assert found["abandoned_valid"].problems == 2
    assert found["abandoned_valid"].noticeable == Share(10, 10)


def test_reach_counts_turns_apart_and_skips_conditions_without_code(make_record):
    records = [make_record("p"), make_record("q", reached_initial=True)]
    records.append(make_record("r", reached_initial=None, reached_any=None))
    assert scoring.reach(records, "initial") == Share(1, 2)
    assert scoring.reach(records) == Share(2, 2)


def test_always_following_scores_as_the_paper_says(make_record):
    """U = 100, O = 0, J = 50, D = +50 (Table 5, last row), and no review movement."""
    records = [
        make_record(f"p{i}", outcome, label, label, repetition=k)
        for i in range(12)
        for k in (1, 2, 3)
        for outcome, label in (("upheld", "A"), ("overturned", "B"))
    ]
    intervals = summarize(records)[0].intervals
    estimates = [intervals[name].estimate for name in ("final_U", "final_O", "final_J", "final_D", "dJ", "dD", "pair")]
    assert estimates == pytest.approx([100, 0, 50, 50, 0, 0, 0])
    assert intervals["final_J"].units == 12


def test_choosing_at_random_scores_about_a_quarter(make_record):
    rng = random.Random(5)
    records = [
        make_record(f"p{i}", outcome, rng.choice("ABCD"), rng.choice("ABCD"), repetition=k)
        for i in range(200)
        for k in (1, 2, 3)
        for outcome in ("upheld", "overturned")
    ]
    intervals = summarize(records)[0].intervals
    assert intervals["final_J"].estimate == pytest.approx(25, abs=4)
    assert intervals["final_J"].covers(25)
    assert intervals["final_D"].covers(0)


def test_intervals_do_not_shrink_when_repetitions_only_repeat(make_record):
    """Three identical repetitions are three times the rows and no more evidence: the unit is the pair."""

    def width(repetitions: int) -> float:
        choices = "AAAABABAACAA"
        records = [
            make_record(f"p{i}", outcome, label, label, repetition=k)
            for i, label in enumerate(choices)
            for outcome in ("upheld", "overturned")
            for k in range(1, repetitions + 1)
        ]
        judgment = measure(records).intervals["final_J"]
        return judgment.high - judgment.low

    assert width(3) == pytest.approx(width(1))
