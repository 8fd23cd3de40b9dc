"""The reason for an answer, composed from numbers: checked against sentences worked out by hand."""

import dataclasses

import pytest

from proctor.siris.problems.difficulty import difficulty
from proctor.siris.problems.domain import Case, Problem
from proctor.siris.problems.explanation import explain, scale_for, signed

MS = 10**6


def told(perturbed, reference):
    """The sentences for values in ms by label."""
    first, answer = (min(values, key=values.get) for values in (perturbed, reference))
    perturbed, reference = ({k: v * MS for k, v in values.items()} for values in (perturbed, reference))
    problem = Problem(
        id="p01", pair="k01", outcome="upheld" if first == answer else "overturned", perturbation="x",
        design_problem="y", question="?", labels={label: label.lower() for label in perturbed}, presented=first,
        answer=answer, reference=reference, perturbed=perturbed, case=Case("y", {}, []),
    )  # fmt: skip
    return explain(problem, difficulty(perturbed, reference), scale_for(300 * MS, "ns"))


def test_an_overturned_recommendation():
    """A leads C by 12; undoing the change costs A 40 and C 3.36: a shift of 36.64, 3.05 times the lead."""
    assert told({"A": 100, "B": 130, "C": 112, "D": 200}, {"A": 140, "B": 130, "C": 115.36, "D": 200}) == [
        "The perturbed simulator puts A first, 12 % ahead of C (100.0 against 112.0 ms).",
        "The reference simulator, which lacks the limitation, moves A by +40 % and C by +3.0 %.",
        "C gains 36.64 ms on A, 3.05 times the lead of 12.00 ms: C overtakes.",
        "Under the reference simulator C is first, 13 % ahead of B (115.4 against 130.0 ms): the answer is C, the "
        "recommendation is overturned.",
        "Whoever takes the shift to be up to 3.05 times too small decides rightly (easy).",
    ]


def test_an_upheld_recommendation_whose_rival_is_not_the_runner_up():
    """B trails by 10 and gains nothing; D trails by 40 and gains 30: it comes closest, with 0.75 of the lead."""
    sentences = told({"A": 100, "B": 110, "C": 150, "D": 140}, {"A": 100, "B": 110, "C": 150, "D": 110.0})
    assert sentences[0].endswith("10 % ahead of B (100.0 against 110.0 ms) and 40 % ahead of D.")
    assert sentences[2] == (
        "D gains 30.00 ms on A, 0.75 times the lead of 40.00 ms, and no rival comes closer: A stays ahead."
    )
    assert sentences[3].endswith("the answer is A, the recommendation is upheld.")
    assert sentences[4] == "Whoever takes the shift to be up to 1.33 times too large decides rightly (hard)."


def test_a_change_that_favors_the_recommendation():
    sentences = told({"A": 100, "B": 110, "C": 120, "D": 130}, {"A": 90, "B": 109, "C": 119, "D": 129})
    assert sentences[2] == "No rival gains on A; D comes closest and loses 9.000 ms: A stays ahead."
    assert sentences[4] == "However large one takes the effect to be, the decision is the same (easy)."


@pytest.mark.parametrize(
    ("largest", "unit", "value", "text"),
    [
        (2_225_823_566, "ns", 2_225_823_566, "2.226 s"),
        (2_225_823_566, "ns", 86_537_951, "0.08654 s"),
        (275_300_000, "ns", 182_600_000, "182.6 ms"),
        (1_500, "ns", 1_500, "1.500 us"),
        (999, "ns", 0, "0 ns"),
        (70_000, "misses", 12_345, "12,345 misses"),
    ],
)
def test_values_have_four_digits_in_the_unit_of_the_largest(largest, unit, value, text):
    """A domain's own unit is kept as it is."""
    assert scale_for(largest, unit).amount(value) == text


def test_a_scale_is_only_a_way_of_writing():
    assert dataclasses.asdict(scale_for(10**9, "ns")) == {"factor": 10**9, "unit": "s"}


@pytest.mark.parametrize(("percent", "text"), [(39.96, "+40"), (-3.25, "-3.2"), (9.96, "+10"), (0, "+0.0")])
def test_percentages_are_signed(percent, text):
    assert signed(percent) == text
