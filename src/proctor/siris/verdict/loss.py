"""Selection loss: how much worse the chosen design is than the best one, under the reference simulator."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from proctor.siris.verdict.counts import Share
from proctor.siris.verdict.intervals import LEVEL, UNIT, resamples
from proctor.siris.verdict.records import Record
from proctor.siris.verdict.scoring import error_kind
from proctor.stats import Interval, percentile_bounds

NOTICEABLE_PCT = 5.0


@dataclass(frozen=True, slots=True)
class Loss:
    """`median`: the median, in percent, over `problems` of each problem's median loss; `noticeable`: losses >= 5 %."""

    median: Interval
    problems: int
    noticeable: Share


def selection_loss_pct(record: Record) -> float | None:
    """Relative gap of the final choice's metric to the best one, in percent; None without a valid choice (B.2)."""
    if record.final is None:
        return None
    best = min(record.reference.values())
    return 100 * (record.reference[record.final] - best) / best


def losses(records: Iterable[Record]) -> dict[str, Loss]:
    """Loss of the wrong final choices by kind of error, kinds without any left out (appendix B.2).

    One median per problem comes first, so that repeated answers to the same problem do not dominate. Choices of no
    design have no loss and do not appear. A kind of error befalls one kind of problem, so its problems are as many
    pairs, and the interval draws pairs.
    """
    by_kind: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        kind, loss = error_kind(record), selection_loss_pct(record)
        if kind is not None and loss is not None:
            by_kind[kind][record.problem].append(loss)
    return {kind: _summary(list(problems.values())) for kind, problems in sorted(by_kind.items())}


def _summary(problems: list[list[float]]) -> Loss:
    everything = np.concatenate([np.asarray(losses) for losses in problems])
    noticeable = Share(int((everything >= NOTICEABLE_PCT).sum()), everything.size)
    medians = np.sort([np.median(losses) for losses in problems])
    estimate = float(np.median(medians))
    low, high = percentile_bounds(_drawn_medians(medians), estimate, len(problems), level=LEVEL)
    return Loss(
        Interval(estimate, low, high, LEVEL, "bootstrap-expanded", UNIT, len(problems)), len(problems), noticeable
    )


def _drawn_medians(ordered: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The median of each draw of problems: shape (draws,). `ordered` is sorted, so counts say where the middle is."""
    reached = np.cumsum(resamples(ordered.size), axis=1)
    lower, upper = ((ordered.size - 1) // 2, ordered.size // 2)
    first = (reached > lower).argmax(axis=1)
    second = (reached > upper).argmax(axis=1)
    return np.asarray((ordered[first] + ordered[second]) / 2)
