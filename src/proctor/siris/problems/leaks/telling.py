"""Whether metadata tells upheld from overturned: classifiers over all features, and each feature alone.

Partners of a pair share frame and recommendation, so outcomes are swapped within pairs: under the null of no leak
every swap is as likely as what is there. Two families of tests, each held at 5 % by Holm's rule: the three classifiers,
and the features one by one. A suite without a leak fails either with a probability of at most 5 %, and the same suite
always gets the same numbers. docs/decisions/0007-leak-audit.md has the measured power.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from proctor.siris.problems.domain import Problem
from proctor.siris.problems.leaks.exhibits import Check, Examiner
from proctor.siris.problems.leaks.metadata import features
from proctor.stats import SwapTest, gaussian_kernel, held_out, holm, mcnemar_exact, swap_test

ALPHA = 0.05
SEED = 20_260_101
FAR = "distance from the middle of {}"  # the same test for what is extreme in one outcome and central in the other


@dataclass(frozen=True)
class Table:
    """Features by pair: (pairs, features) of the upheld and of the overturned problems, as ranks from -1 to 1.

    Ranks are taken among the problems of one design problem, which everyone sees; a missing feature is 0 there.
    """

    names: tuple[str, ...]
    upheld: np.ndarray
    overturned: np.ndarray

    @property
    def differences(self) -> np.ndarray:
        """Upheld minus overturned, each feature scaled to a root mean square of 1 over the pairs."""
        raw = self.upheld - self.overturned
        scale = np.sqrt((raw**2).mean(axis=0))
        return np.asarray(raw / np.where(scale > 0, scale, 1))


def _verdict(least: float, tests: int, pairs: int) -> tuple[bool | None, str]:
    """Whether the least adjusted p-value stays above ALPHA; None, and why, where so few pairs could not bring it down.

    A swap of all pairs at once tells nothing, so no test can get below 2 / 2^pairs.
    """
    if tests * 2.0 ** (1 - pairs) > ALPHA:
        return None, f"too few pairs to tell ({pairs} for {tests} tests); "
    return least > ALPHA, ""


def judge(problems: Sequence[Problem], looks: Sequence[Mapping[str, float]]) -> list[Check]:
    table = _table(problems, looks)
    return [_classifiers(table), _single_features(table)]


def _table(problems: Sequence[Problem], looks: Sequence[Mapping[str, float]]) -> Table:
    names = sorted({name for look in looks for name in look})
    values = np.array([[look.get(name, np.nan) for name in names] for look in looks])
    groups = np.array([problem.design_problem for problem in problems])
    for group in np.unique(groups):
        values[groups == group] = _ranks(values[groups == group])
    moving = [j for j in range(len(names)) if np.ptp(values[:, j]) > 0]
    rows = {(problem.pair, problem.outcome): i for i, problem in enumerate(problems)}
    pairs = sorted({problem.pair for problem in problems})
    upheld, overturned = (
        values[np.ix_([rows[pair, side] for pair in pairs], moving)] for side in ("upheld", "overturned")
    )
    return Table(tuple(names[j] for j in moving), upheld, overturned)


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks per column from -1 to 1, ties at their mean rank; missing values and constant columns become 0."""
    ranks = rankdata(values, axis=0, nan_policy="omit")
    count = np.maximum((~np.isnan(values)).sum(axis=0), 2)
    return np.asarray(np.nan_to_num((2 * ranks - 1 - count) / (count - 1)))


def _classifiers(table: Table) -> Check:
    """Two classifiers that see one packet, one that sees both packets of a pair and says which is upheld."""
    pairs = len(table.upheld)
    packets = np.vstack([table.upheld, table.overturned])
    outcome = np.repeat([1.0, -1.0], pairs)
    clusters = np.tile(np.arange(pairs), 2)
    both = table.differences
    rng = np.random.default_rng(SEED)
    found = {
        "linear": swap_test(held_out(packets @ packets.T, clusters), outcome, clusters, rng=rng),
        "Gaussian kernel": swap_test(held_out(gaussian_kernel(packets), clusters), outcome, clusters, rng=rng),
        "linear on pairs": swap_test(
            held_out(both @ both.T, np.arange(pairs)), np.ones(pairs), np.arange(pairs), rng=rng
        ),
    }
    adjusted = holm([test.p_value for test in found.values()]).tolist()
    best = min(range(len(adjusted)), key=lambda i: adjusted[i])
    name = [*found][best]
    holds, caveat = _verdict(adjusted[best], len(found), pairs)
    return Check(
        "metadata classifier",
        holds,
        f"{caveat}{name}: {100 * found[name].accuracy:.0f} % right (chance 50 %), Holm p = {adjusted[best]:.3f}, "
        f"must exceed {ALPHA}",
        tuple(_line(each, test, p) for (each, test), p in zip(found.items(), adjusted, strict=True)),
        {"features": len(table.names), **{f"p {each}": test.p_value for each, test in found.items()}},
    )


def _line(name: str, test: SwapTest, adjusted: float) -> str:
    right = f"{100 * test.accuracy:.1f} % right over {test.pairs} pairs"
    return f"{name}: {right}, p = {test.p_value:.4f}, Holm {adjusted:.4f}"


def _single_features(table: Table) -> Check:
    """Sign test per feature: in how many pairs is it greater, or further from the middle, in the upheld problem?

    Features that lean alike in every pair (characters and lines, say) are one test.
    """
    tests: dict[tuple[float, ...], list[str]] = {}
    for form, change in (("{}", table.upheld - table.overturned), (FAR, abs(table.upheld) - abs(table.overturned))):
        for name, leaning in zip(table.names, np.sign(np.round(change, 9)).T, strict=True):
            if leaning.any():
                first = leaning[np.flatnonzero(leaning)[0]]
                tests.setdefault(tuple((leaning * first).tolist()), []).append(form.format(name))
    counts = [(key.count(1.0), key.count(-1.0)) for key in tests]
    adjusted = holm([mcnemar_exact(*count) for count in counts]).tolist()
    order = sorted(range(len(counts)), key=lambda i: (adjusted[i], -max(counts[i])))
    lines = [
        f"{', '.join([*tests.values()][i])}: leans one way in {max(counts[i])} of {sum(counts[i])} pairs, "
        f"Holm p = {adjusted[i]:.4f}"
        for i in order
    ]
    caught = sum(p <= ALPHA for p in adjusted)
    holds, caveat = _verdict(min(adjusted, default=1.0), len(tests), len(table.upheld))
    return Check(
        "single features",
        holds,
        f"{caveat}{caught} of {len(counts)} different features tell the outcome (sign test, Holm p <= {ALPHA})",
        tuple(lines[: max(3, caught)]),
        {"tests": len(counts), "caught": caught, "least Holm p": min(adjusted, default=1.0)},
    )


EXAMINER = Examiner(features, judge)
