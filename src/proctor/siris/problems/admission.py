"""Which proposals become problems (paper Appendix A.1; the bounds are this project's, see docs/building.md).

Every check is code and every rejection has a named reason that the search counts and reports.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from proctor.siris.problems.domain import Case, Domain, Outcome, Prediction

MIN_LEAD_PERCENT = 3
CONFIRMATIONS = 10
MIN_CONFIRMED = 7
UNCLEAR = {version: f"no clear winner under the {version} simulator" for version in ("perturbed", "reference")}


@dataclass(frozen=True)
class Assessment:
    """All candidates of one case under both versions, by design."""

    perturbed: Mapping[str, Prediction]
    reference: Mapping[str, Prediction]

    @property
    def presented(self) -> str:
        return best(self.perturbed)

    @property
    def answer(self) -> str:
        return best(self.reference)

    @property
    def outcome(self) -> Outcome:
        return "upheld" if self.presented == self.answer else "overturned"

    @property
    def perturbed_lead(self) -> float:
        """Relative lead of the recommended design over the runner-up, as the perturbed simulator sees it."""
        return lead(self.perturbed)[0]


def best(predictions: Mapping[str, Prediction]) -> str:
    """The design with the lowest value; among equals the first (admission rejects such cases)."""
    return min(predictions, key=lambda design: predictions[design].value)


def lead(predictions: Mapping[str, Prediction]) -> tuple[float, int]:
    """By how much the best value is ahead of the second best: relative to the best, and in the domain's unit."""
    first, second = sorted(p.value for p in predictions.values())[:2]
    return (second - first) / first, second - first


def _wins_clearly(domain: Domain, predictions: Mapping[str, Prediction]) -> bool:
    relative, absolute = lead(predictions)
    return relative * 100 >= MIN_LEAD_PERCENT and absolute >= domain.min_lead


def predictions(domain: Domain, case: Case, perturbation: str | None) -> dict[str, Prediction]:
    """All candidates under one version; `None` means the reference simulator."""
    return {design: domain.predict(case, design, perturbation) for design in domain.designs(case.design_problem)}


def assess(domain: Domain, case: Case, perturbation: str, presented: str | None = None) -> Assessment | str:
    """Run the candidates under both versions; returns why the case is not admitted, as soon as that is clear.

    With `presented`, a case in which another design is recommended is not admitted.
    """
    perturbed = predictions(domain, case, perturbation)
    if not _wins_clearly(domain, perturbed):
        return UNCLEAR["perturbed"]
    if presented not in (None, best(perturbed)):
        return "another recommendation than the partner's"
    judged = judge(domain, perturbed, predictions(domain, case, None))
    if judged == UNCLEAR["reference"] or predictions(domain, case, perturbation) == perturbed:
        return judged
    return "a repeated run predicts something else"


def judge(domain: Domain, perturbed: Mapping[str, Prediction], reference: Mapping[str, Prediction]) -> Assessment | str:
    """What the predictions of both versions amount to: an admissible case, or why it is none."""
    if not _wins_clearly(domain, perturbed):
        return UNCLEAR["perturbed"]
    if not _wins_clearly(domain, reference):
        return UNCLEAR["reference"]
    if all(perturbed[d].digest == reference[d].digest for d in reference):
        return "the change alters no prediction"
    if all(perturbed[d].value == reference[d].value for d in reference):
        return "the change alters no target metric"
    return Assessment(perturbed, reference)


def confirmations(domain: Domain, traces: Iterable[Case], perturbation: str, assessment: Assessment) -> int:
    """On how many of the traces both versions recommend what they recommend here; stops once too many have failed."""
    held = failed = 0
    for case in traces:
        same = (
            best(predictions(domain, case, perturbation)) == assessment.presented
            and best(predictions(domain, case, None)) == assessment.answer
        )
        held += same
        failed += not same
        if failed > CONFIRMATIONS - MIN_CONFIRMED:
            break
    return held
