"""The paper's metrics as functions of counts, so that published counts and our own records take the same path.

Everything is in percent, as the paper prints it. A quotient without a denominator is NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


def percent(part: float, whole: float) -> float:
    """Return 100 part / whole, NaN where there is no whole."""
    return 100 * part / whole if whole else math.nan


@dataclass(frozen=True, slots=True)
class Solved:
    """Correct choices and scored conversations of both kinds of problem at one turn (Table 9)."""

    upheld: int
    upheld_of: int
    overturned: int
    overturned_of: int

    @property
    def upheld_pct(self) -> float:
        """U, the accuracy on upheld problems."""
        return percent(self.upheld, self.upheld_of)

    @property
    def overturned_pct(self) -> float:
        """O, the accuracy on overturned problems."""
        return percent(self.overturned, self.overturned_of)

    @property
    def judgment(self) -> float:
        """J = (U + O) / 2, from 0 to 100 (equation 1)."""
        return (self.upheld_pct + self.overturned_pct) / 2

    @property
    def disposition(self) -> float:
        """D = (U - O) / 2, from -50 to 50; positive where upheld problems go better (equation 1)."""
        return (self.upheld_pct - self.overturned_pct) / 2

    @property
    def all_pct(self) -> float:
        """Share of all problems solved; equals J where both kinds have the same number (Table 9, All%)."""
        return percent(self.upheld + self.overturned, self.upheld_of + self.overturned_of)


@dataclass(frozen=True, slots=True)
class Movement:
    """How review moved one kind of problem from the initial to the final choice (Table 4)."""

    initial: int
    made_correct: int
    made_wrong: int
    of: int

    @property
    def final(self) -> int:
        """Correct final choices: those correct before, plus corrections, minus new errors."""
        return self.initial + self.made_correct - self.made_wrong

    @property
    def change(self) -> float:
        """Change of accuracy, final minus initial, in percentage points."""
        return percent(self.made_correct - self.made_wrong, self.of)


@dataclass(frozen=True, slots=True)
class Review:
    """The movements of both kinds of problem: what Table 4 gives a model."""

    upheld: Movement
    overturned: Movement

    @property
    def initial(self) -> Solved:
        return Solved(self.upheld.initial, self.upheld.of, self.overturned.initial, self.overturned.of)

    @property
    def final(self) -> Solved:
        return Solved(self.upheld.final, self.upheld.of, self.overturned.final, self.overturned.of)

    @property
    def judgment_change(self) -> float:
        """dJ = J final - J initial, in points (section 3.3)."""
        return (self.upheld.change + self.overturned.change) / 2

    @property
    def disposition_change(self) -> float:
        """dD = D final - D initial, in points (section 3.3)."""
        return (self.upheld.change - self.overturned.change) / 2


@dataclass(frozen=True, slots=True)
class Errors:
    """Wrong final choices by design identity (section 3.3, appendix B.4); no valid choice is a kind of its own."""

    abandoned_valid: int
    kept_invalid: int
    third_design: int
    no_valid_choice: int

    @property
    def total(self) -> int:
        return self.abandoned_valid + self.kept_invalid + self.third_design + self.no_valid_choice


@dataclass(frozen=True, slots=True)
class Identification:
    """Final choices among the responses that identify the limitation, and how many do not (Table 10).

    `no_choice` counts identifying responses without a valid final choice, which the paper's table does not have.
    """

    correct: int
    upheld_error: int
    kept_presented: int
    third: int
    not_identified: int
    no_choice: int = 0

    @property
    def identified(self) -> int:
        return self.correct + self.incorrect

    @property
    def incorrect(self) -> int:
        """Identified and still wrong: the errors that crediting identification would hide."""
        return self.upheld_error + self.kept_presented + self.third + self.no_choice

    @property
    def responses(self) -> int:
        return self.identified + self.not_identified


@dataclass(frozen=True, slots=True)
class Share:
    """A count out of a denominator: pairs solved, recommendations followed, changed lines reached."""

    count: int
    of: int

    @property
    def pct(self) -> float:
        return percent(self.count, self.of)
