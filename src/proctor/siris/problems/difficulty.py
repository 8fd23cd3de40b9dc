"""How hard a problem is, as numbers that follow from its predictions alone.

To decide rightly a reader must size the effect of the change: by how much it moves the recommended design against a
rival, compared with the lead that it has. `shift_over_lead` is that comparison; the closer to 1, the more precisely
the effect must be known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Level = Literal["easy", "medium", "hard"]
LEVELS: tuple[Level, ...] = ("easy", "medium", "hard")
HARD_BELOW = 1.5
MEDIUM_BELOW = 3.0


@dataclass(frozen=True)
class Difficulty:
    """Of one problem; designs or labels are named as in the predictions.

    Attributes:
        perturbed_margin_pct: Lead of the best candidate over the second best under the perturbed simulator, in percent
            of the best.
        reference_margin_pct: The same under the reference simulator.
        effect_pct: By design, how much higher the reference prediction is than the perturbed one, in percent of the
            perturbed one.
        rival: The design to compare with: the answer of an overturned problem; in an upheld one the design that comes
            closest to overtaking.
        shift_over_lead: (effect on the recommended design - effect on the rival) / (perturbed lead over the rival).
            Above 1 the rival overtakes; at or below 0 the change favors the recommended design.
        tolerance: The factor by which a reader may missize the shift and still decide rightly; infinite where the
            change favors the recommended design.
    """

    perturbed_margin_pct: float
    reference_margin_pct: float
    effect_pct: Mapping[str, float]
    rival: str
    shift_over_lead: float
    tolerance: float

    @property
    def level(self) -> Level:
        """hard: a tolerance below 1.5; medium: below 3; easy: the rest."""
        if self.tolerance < HARD_BELOW:
            return "hard"
        return "medium" if self.tolerance < MEDIUM_BELOW else "easy"


def difficulty(perturbed: Mapping[str, int], reference: Mapping[str, int]) -> Difficulty:
    """From the target metric by design or label under both versions, each of which must have one best design."""
    presented, answer = ranked(perturbed)[0], ranked(reference)[0]

    def shift(rival: str) -> float:
        moved = (reference[presented] - perturbed[presented]) - (reference[rival] - perturbed[rival])
        return moved / (perturbed[rival] - perturbed[presented])

    rival = answer if answer != presented else max((name for name in perturbed if name != presented), key=shift)
    ratio = shift(rival)
    return Difficulty(
        perturbed_margin_pct=_margin_pct(perturbed),
        reference_margin_pct=_margin_pct(reference),
        effect_pct={name: 100 * (reference[name] / value - 1) for name, value in perturbed.items()},
        rival=rival,
        shift_over_lead=ratio,
        tolerance=max(ratio, 1 / ratio) if ratio > 0 else float("inf"),
    )


def ranked(values: Mapping[str, int]) -> list[str]:
    """Designs or labels from the best, which has the lowest value, to the worst; equal ones by name."""
    return sorted(values, key=lambda name: (values[name], name))


def _margin_pct(values: Mapping[str, int]) -> float:
    first, second = sorted(values.values())[:2]
    return 100 * (second / first - 1)
