"""Selection loss: how much worse the chosen design is than the best one, under the reference simulator."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from proctor.siris.verdict.counts import Share
from proctor.siris.verdict.records import Record
from proctor.siris.verdict.scoring import error_kind

NOTICEABLE_PCT = 5.0


@dataclass(frozen=True, slots=True)
class Loss:
    """`median_pct`: the median over `problems` of each problem's median loss; `noticeable`: losses of at least 5 %."""

    median_pct: float
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
    design have no loss and do not appear.
    """
    by_kind: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        kind, loss = error_kind(record), selection_loss_pct(record)
        if kind is not None and loss is not None:
            by_kind[kind][record.problem].append(loss)
    return {kind: _summary(problems) for kind, problems in sorted(by_kind.items())}


def _summary(problems: dict[str, list[float]]) -> Loss:
    everything = [loss for losses in problems.values() for loss in losses]
    noticeable = Share(sum(loss >= NOTICEABLE_PCT for loss in everything), len(everything))
    return Loss(median(median(losses) for losses in problems.values()), len(problems), noticeable)
