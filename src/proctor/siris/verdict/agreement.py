"""How far two annotators agree on whether a conversation identifies the limitation (paper appendix B.4)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from proctor.siris.verdict.annotation import Annotated
from proctor.siris.verdict.intervals import LEVEL, SEED, UNIT
from proctor.stats import DRAWS, Interval, clustered_kappa

_CELLS: tuple[tuple[bool | None, ...], ...] = ((True, True), (True, False), (False, True), (False, False))


@dataclass(frozen=True, slots=True)
class Agreement:
    """Over the conversations that both labelled validly. `kappa` is clustered on the pair, NaN where undefined."""

    first: str
    second: str
    both_yes: int
    first_alone: int
    second_alone: int
    both_no: int
    kappa: Interval

    @property
    def labelled(self) -> int:
        return self.both_yes + self.first_alone + self.second_alone + self.both_no

    @property
    def agreed(self) -> int:
        return self.both_yes + self.both_no

    def json(self) -> dict[str, Any]:
        """All of it as data; what is undefined is NaN."""
        return {**asdict(self), "labelled": self.labelled, "agreed": self.agreed}

    def in_words(self) -> str:
        """One line, as the paper states it; says what a degenerate kappa means."""
        who = f"{self.first} and {self.second}"
        if not self.labelled:
            return f"{who} have labelled no conversation in common"
        counts = f"{who} agree on {self.agreed} of {self.labelled} conversations that both labelled"
        return f"{counts}; {self._kappa_in_words()}"

    def _kappa_in_words(self) -> str:
        kappa = self.kappa
        if math.isnan(kappa.estimate):
            label = "yes" if self.both_yes else "no"
            return f"kappa is undefined: both say {label} of every conversation, which chance alone would explain"
        if math.isnan(kappa.low):
            return f"kappa {kappa.estimate:.2f}, without an interval: {kappa.units} pairs do not tell how far it varies"
        bounds = f"[{kappa.low:.2f}, {kappa.high:.2f}]"
        complete = "; they agree throughout, so the lower bound is Wilson's" if kappa.method == "wilson" else ""
        return f"kappa {kappa.estimate:.2f} {bounds}, {kappa.level:.0%} clustered on {kappa.units} pairs{complete}"


def agreement(
    first: Mapping[str, Annotated],
    second: Mapping[str, Annotated],
    pairs: Mapping[str, Hashable],
    names: tuple[str, str],
    *,
    draws: int = DRAWS,
) -> Agreement:
    """Compare annotations by conversation; `pairs` gives each conversation's pair, and those without one stay out."""
    tables: dict[Hashable, list[int]] = {}
    for key, pair in pairs.items():
        labels = tuple(side[key].identified if key in side else None for side in (first, second))
        if None not in labels:
            tables.setdefault(pair, [0, 0, 0, 0])[_CELLS.index(labels)] += 1
    rows = [tables[pair] for pair in sorted(tables, key=str)]
    both_yes, first_alone, second_alone, both_no = np.sum(rows or [[0, 0, 0, 0]], axis=0).tolist()
    return Agreement(*names, both_yes, first_alone, second_alone, both_no, _interval(rows, draws))


def _interval(rows: list[list[int]], draws: int) -> Interval:
    if not rows:
        return Interval(math.nan, math.nan, math.nan, LEVEL, "none", UNIT, 0)
    return clustered_kappa(rows, unit=UNIT, rng=np.random.default_rng(SEED), level=LEVEL, draws=draws)
