"""What is admitted, and what is rejected for which reason."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from proctor.siris.problems.admission import Assessment, assess, confirmations, lead
from proctor.siris.problems.domain import Case, Prediction

CASE = Case("routing", {}, [])


class Table:
    """A domain whose predictions are given: perturbation or None -> design -> (value in ns, digest)."""

    min_lead = 1_000_000

    def __init__(self, values: Mapping[str | None, Mapping[str, tuple[int, str]]]) -> None:
        self.values = values

    def designs(self, _design_problem: str) -> tuple[str, ...]:
        return tuple(self.values[None])

    def predict(self, _case: Case, design: str, perturbation: str | None) -> Prediction:
        return Prediction(*self.values[perturbation][design])


def _judge(perturbed: list[int], reference: list[int], same: bool = False) -> Assessment | str:
    names = "abcd"
    mark = "x" if same else "y"
    return assess(
        Table(  # type: ignore[arg-type]
            {
                "p": {n: (v, "x") for n, v in zip(names, perturbed, strict=True)},
                None: {n: (v, mark) for n, v in zip(names, reference, strict=True)},
            }
        ),
        CASE,
        "p",
    )


MS = 1_000_000


@pytest.mark.parametrize(
    ("perturbed", "reference", "same", "reason"),
    [
        ([100, 100, 300, 400], [100, 200, 300, 400], False, "no clear winner under the perturbed simulator"),
        ([100, 102, 300, 400], [100, 200, 300, 400], False, "no clear winner under the perturbed simulator"),
        ([100, 200, 300, 400], [100, 102, 300, 400], False, "no clear winner under the reference simulator"),
        ([100, 200, 300, 400], [100, 200, 300, 400], True, "the change alters no prediction"),
        ([100, 200, 300, 400], [100, 200, 300, 400], False, "the change alters no target metric"),
    ],
)
def test_each_rejection_has_its_reason(perturbed: list[int], reference: list[int], same: bool, reason: str) -> None:
    assert _judge([v * MS for v in perturbed], [v * MS for v in reference], same) == reason


def test_a_lead_of_less_than_a_millisecond_is_no_lead() -> None:
    assert _judge([500_000, 1_400_000, 9 * MS, 9 * MS], [MS] * 4) == "no clear winner under the perturbed simulator"


def test_upheld_means_both_versions_recommend_the_same_design() -> None:
    upheld = _judge([100 * MS, 200 * MS, 300 * MS, 400 * MS], [90 * MS, 200 * MS, 300 * MS, 400 * MS])
    overturned = _judge([100 * MS, 200 * MS, 300 * MS, 400 * MS], [250 * MS, 200 * MS, 300 * MS, 400 * MS])
    assert isinstance(upheld, Assessment)
    assert isinstance(overturned, Assessment)
    assert (upheld.outcome, upheld.presented, upheld.answer) == ("upheld", "a", "a")
    assert (overturned.outcome, overturned.presented, overturned.answer) == ("overturned", "a", "b")
    assert upheld.perturbed_lead == 1.0


def test_the_lead_is_relative_to_the_best_value() -> None:
    assert lead({"a": Prediction(200, ""), "b": Prediction(250, ""), "c": Prediction(900, "")}) == (0.25, 50)


@pytest.mark.parametrize(("flips", "held"), [(0, 10), (3, 7), (4, 0), (10, 0)])
def test_a_label_must_hold_on_seven_of_ten_traces(flips: int, held: int) -> None:
    """The first `flips` traces recommend another design; more than three failures end the count early."""
    steady = {"a": (100 * MS, ""), "b": (200 * MS, "")}
    flipped = {"a": (300 * MS, ""), "b": (200 * MS, "")}

    class Traces(Table):
        def predict(self, case: Case, design: str, _perturbation: str | None) -> Prediction:
            return Prediction(*(flipped if case.system["flip"] else steady)[design])

    domain = Traces({None: steady})
    assessment = Assessment(
        {n: Prediction(*v) for n, v in steady.items()}, {n: Prediction(*v) for n, v in steady.items()}
    )
    traces = [Case("routing", {"flip": i < flips}, []) for i in range(10)]
    assert confirmations(domain, traces, "p", assessment) == held  # type: ignore[arg-type]
