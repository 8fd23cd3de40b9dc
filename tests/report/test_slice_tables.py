"""Judgment by what problems are: slices add up to the whole, difficulty comes from the predictions in the records."""

import pytest

from proctor.report.siris_report import make_report
from proctor.siris.problems.difficulty import difficulty
from proctor.siris.verdict.slices import FAVORED, TOLERANCES, bin_name

NAMES = ("by_design_problem", "by_perturbation", "by_level", "by_tolerance")


@pytest.fixture(scope="module")
def report(make_study):
    return make_report(make_study(models=("model-03",), conditions=("perturbed",), pairs=14))


@pytest.mark.parametrize("name", NAMES)
def test_slices_hold_every_conversation_once(report, name):
    table = report.table(name)
    assert sum(row.numbers["problems"].estimate for row in table.rows) == 28
    solved = [
        (row.numbers[x].estimate * row.numbers[x].n / 100) for row in table.rows for x in "UO" if row.numbers[x].n
    ]
    review = report.summaries[0].review
    assert sum(solved) == pytest.approx(review.upheld.final + review.overturned.final)


def test_levels_and_bins_are_those_of_the_problems(report):
    facts = {r.problem: difficulty(r.perturbed, r.reference) for r in report.records}
    levels = {row.labels[-1]: row.numbers["problems"].estimate for row in report.table("by_level").rows}
    assert levels == {
        level: sum(d.level == level for d in facts.values()) for level in ("easy", "medium", "hard") if level in levels
    }
    assert len(levels) > 1
    row = next(row for row in report.table("problems").rows if row.labels[4] == "pair-03-overturned")
    assert row.numbers["tolerance"].estimate == pytest.approx(facts["pair-03-overturned"].tolerance)
    assert row.numbers["final"].n == 3


def test_a_single_slice_is_no_table_and_logs_without_predictions_have_no_difficulty(make_record):
    report = make_report([make_record(outcome=o) for o in ("upheld", "overturned")])
    assert [report.table(name) for name in NAMES] == [None] * 4
    assert set(report.table("problems").rows[0].numbers) == {"initial", "final"}


@pytest.mark.parametrize(
    ("tolerance", "name"),
    [(1.0, "1-1.25"), (1.49, "1.25-1.5"), (1.5, "1.5-2"), (3.0, "3-5"), (70.0, "5 or more"), (float("inf"), FAVORED)],
)
def test_a_bin_holds_its_lower_bound(tolerance, name):
    assert bin_name(tolerance) == name
    assert {1.5, 3.0} <= set(TOLERANCES)  # the levels' bounds are bins' bounds
