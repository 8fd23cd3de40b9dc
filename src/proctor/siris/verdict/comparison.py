"""Which of two models, conditions, prompts or turns judges better, tested on whole pairs.

Two arms are compared on the conversations that both have: same problem, same repetition. The test flips the sign of
each pair's difference (decision 0003); McNemar's exact test, which takes conversations for independent, stands beside
it because readers know it and published counts allow no other. Holm's correction covers each family of comparisons.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from proctor.siris.verdict.intervals import SEED, UNIT, FloatArray, resamples
from proctor.siris.verdict.observations import TURNS
from proctor.siris.verdict.records import Group, Record, Turn
from proctor.siris.verdict.scoring import by_group, scored
from proctor.stats import DRAWS, Contrast, Interval, PairedTest, cluster_contrasts, holm, mcnemar_exact, sign_flips

By = Literal["model", "condition", "prompt", "turn"]
BYS: tuple[By, ...] = ("model", "condition", "prompt", "turn")
ALPHA = 0.05
# What comes first in a comparison and in a table; conditions and prompts not named here follow by name.
ORDER = ("none", "perturbed", "reference", "standard", "instructed", "comparison")

_GAINED, _LOST = {"upheld": 0, "overturned": 1}, {"upheld": 2, "overturned": 3}
# Components: gained and lost on upheld and overturned problems. Most are rarely anything but zero.
_METRICS = {
    "J": Contrast((50.0, 50.0, -50.0, -50.0), cautious=False),
    "D": Contrast((50.0, -50.0, -50.0, 50.0), cautious=False),
}


@dataclass(frozen=True, slots=True)
class Effect:
    """Second minus first, in percentage points; `adjusted` is Holm's p-value within the family."""

    difference: Interval
    test: PairedTest
    adjusted: float

    @property
    def direction(self) -> int:
        """1 where the second is higher, -1 where it is lower, 0 where the family does not resolve it."""
        return 0 if self.adjusted > ALPHA else int(np.sign(self.test.difference))


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two arms that differ in `by` alone; the field of `group` by that name is empty, for a turn none is.

    `only_first` and `only_second` count conversations that just one arm has right, of `matched`; `unmatched` counts
    those that have no partner in the other arm. `family` is how many comparisons Holm's correction covers.
    """

    by: By
    group: Group
    first: str
    second: str
    pairs: int
    matched: int
    unmatched: int
    only_first: int
    only_second: int
    mcnemar_p: float
    judgment: Effect
    disposition: Effect
    family: int


@dataclass(frozen=True, slots=True)
class _Arm:
    """What one side got right: 1, 0 or NaN for each cell (problem, repetition) of its suite."""

    group: Group
    turn: Turn
    right: FloatArray


@dataclass(frozen=True, slots=True)
class _Match:
    """Two arms and, in arrays of shape (pairs, 4), what the second gained and lost and out of how many."""

    first: _Arm
    second: _Arm
    wins: FloatArray
    trials: FloatArray
    unmatched: int

    def differences(self, metric: str) -> FloatArray:
        return np.asarray((self.wins / self.trials) @ np.asarray(_METRICS[metric].weights))


def compare(records: Iterable[Record], by: By, *, draws: int = DRAWS) -> list[Comparison]:
    """Compare all arms that differ in `by` alone, in families: the comparisons of models within one condition and
    prompt, of conditions within one prompt, of prompts within one condition, and of the turns of all models within
    one condition and prompt; always within one suite. Pairs of which a kind of problem is unmatched are left out, and
    arms without a common pair are not compared.
    """
    found: list[Comparison] = []
    for family in _families(records, by):
        found += _tested(by, family, draws)
    return found


def _families(records: Iterable[Record], by: By) -> list[list[_Match]]:
    suites: dict[str, dict[Group, list[Record]]] = {}
    for group, rows in by_group(records).items():
        suites.setdefault(group.suite, {})[group] = scored(rows)
    families: dict[tuple[str, ...], list[_Match]] = {}
    for groups in suites.values():
        cells = _Cells([r for rows in groups.values() for r in rows])
        arms = [_Arm(g, t, cells.right(rows, t)) for g, rows in groups.items() for t in _turns(by)]
        for first, second in combinations(sorted(arms, key=_place), 2):
            if _comparable(first, second, by) and (match := cells.match(first, second)) is not None:
                families.setdefault(_family(first.group, by), []).append(match)
    return list(families.values())


def _turns(by: By) -> tuple[Turn, ...]:
    return TURNS if by == "turn" else ("final",)


def _place(arm: _Arm) -> tuple[str, tuple[int, str], tuple[int, str], bool]:
    return arm.group.model, place(arm.group.condition), place(arm.group.prompt), arm.turn == "final"


def place(name: str) -> tuple[int, str]:
    """Sort key of conditions and of prompts."""
    return (ORDER.index(name) if name in ORDER else len(ORDER), name)


def _comparable(first: _Arm, second: _Arm, by: By) -> bool:
    if by == "turn":
        return first.group == second.group
    return first.group != second.group and first.group._replace(**{by: ""}) == second.group._replace(**{by: ""})


def _family(group: Group, by: By) -> tuple[str, ...]:
    varied = {"model": ("model",), "condition": ("model", "condition"), "prompt": ("model", "prompt")}
    return tuple(getattr(group, name) for name in Group._fields if name not in varied.get(by, ("model",)))


class _Cells:
    """All problems and repetitions of one suite's records, in a fixed order."""

    def __init__(self, records: Sequence[Record]) -> None:
        kinds = {(r.problem, r.repetition): (r.pair, r.outcome) for r in records}
        self.index = {cell: i for i, cell in enumerate(sorted(kinds))}
        self.pairs = {pair: i for i, pair in enumerate(sorted({pair for pair, _ in kinds.values()}))}
        self.pair = np.array([self.pairs[kinds[cell][0]] for cell in self.index], dtype=np.int64)
        self.gained = np.array([_GAINED[kinds[cell][1]] for cell in self.index], dtype=np.int64)

    def right(self, records: Iterable[Record], turn: Turn) -> FloatArray:
        found = np.full(len(self.index), np.nan)
        for record in records:
            found[self.index[record.problem, record.repetition]] = record.correct(turn)
        return found

    def match(self, first: _Arm, second: _Arm) -> _Match | None:
        """Count by pair; None where no pair has both kinds of problem in both arms."""
        seen = np.array([~np.isnan(first.right), ~np.isnan(second.right)])
        both = seen.all(axis=0)
        wins, trials = np.zeros((len(self.pairs), 4)), np.zeros((len(self.pairs), 4))
        lost = self.gained + len(_GAINED)
        np.add.at(wins, (self.pair, self.gained), both & (second.right > first.right))
        np.add.at(wins, (self.pair, lost), both & (first.right > second.right))
        for column in (self.gained, lost):
            np.add.at(trials, (self.pair, column), both)
        whole = (trials > 0).all(axis=1)
        if not whole.any():
            return None
        return _Match(first, second, wins[whole], trials[whole], int(seen.any(axis=0).sum() - trials[whole, :2].sum()))


def _tested(by: By, family: Sequence[_Match], draws: int) -> list[Comparison]:
    intervals = [_intervals(match, draws) for match in family]
    effects = {metric: _effects(family, metric, [found[metric] for found in intervals]) for metric in _METRICS}
    return [_comparison(by, match, len(family), effects["J"][i], effects["D"][i]) for i, match in enumerate(family)]


def _intervals(match: _Match, draws: int) -> dict[str, Interval]:
    shared = resamples(len(match.wins), draws)
    return cluster_contrasts(match.wins, match.trials, _METRICS, unit=UNIT, rng=shared)


def _effects(family: Sequence[_Match], metric: str, intervals: Sequence[Interval]) -> list[Effect]:
    rng = np.random.default_rng(SEED)
    tests = sign_flips([match.differences(metric) for match in family], unit=UNIT, rng=rng)
    adjusted = holm([test.p_value for test in tests])
    return [Effect(interval, test, float(p)) for interval, test, p in zip(intervals, tests, adjusted, strict=True)]


def _comparison(by: By, match: _Match, family: int, judgment: Effect, disposition: Effect) -> Comparison:
    group, totals = match.first.group, match.wins.sum(axis=0)
    gained, lost = int(totals[:2].sum()), int(totals[2:].sum())
    names: Mapping[str, tuple[str, str]] = {"turn": ("initial", "final")}
    first, second = names.get(by) or (getattr(group, by), getattr(match.second.group, by))
    return Comparison(
        by=by,
        group=group if by == "turn" else group._replace(**{by: ""}),
        first=first,
        second=second,
        pairs=len(match.wins),
        matched=int(match.trials[:, :2].sum()),
        unmatched=match.unmatched,
        only_first=lost,
        only_second=gained,
        mcnemar_p=mcnemar_exact(lost, gained),
        judgment=judgment,
        disposition=disposition,
        family=family,
    )
