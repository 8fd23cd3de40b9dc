"""Everything the report says about one group of conversations, computed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from proctor.siris.verdict import scoring
from proctor.siris.verdict.counts import Errors, Review, Share
from proctor.siris.verdict.intervals import LEVEL, Measures, measure
from proctor.siris.verdict.loss import Loss, losses
from proctor.siris.verdict.records import Group, Record
from proctor.stats import DRAWS, Interval


@dataclass(frozen=True, slots=True)
class Coverage:
    """Where the assigned conversations went: scored, lost to an error of ours, or absent from what was read.

    `missing`, `invalid` and `ambiguous` say why scored final choices are no choice; they are wrong, not left out.
    """

    assigned: int
    scored: int
    infrastructure: int
    missing: int
    invalid: int
    ambiguous: int

    @property
    def absent(self) -> int:
        return self.assigned - self.scored - self.infrastructure

    @property
    def unscored(self) -> int:
        """How many assigned conversations have no verdict."""
        return self.assigned - self.scored


@dataclass(frozen=True, slots=True)
class Summary:
    """One group's counts and intervals. `measures` is keyed as `intervals.CONTRASTS`.

    `random_pct` is the accuracy of a choice at random, exactly: the mean of 100 / candidates. `annotated` counts the
    conversations with a valid annotation.
    `ended_by` counts, by what it was, the scored conversations of which a limit or a refusal ended the last turn.
    """

    group: Group
    pairs: int
    random_pct: float
    coverage: Coverage
    review: Review
    pairs_solved: Share
    errors: Errors
    follow: Share
    follow_overturned: Share
    reach_first: Share
    reach_any: Share
    losses: Mapping[str, Loss]
    measures: Measures
    ended_by: Mapping[str, int]

    @property
    def intervals(self) -> Mapping[str, Interval]:
        return self.measures.intervals

    @property
    def annotated(self) -> int:
        return self.measures.trials.get("identified", 0)


def summarize(
    records: Iterable[Record],
    assigned: Mapping[Group, int] | None = None,
    *,
    level: float = LEVEL,
    draws: int = DRAWS,
) -> list[Summary]:
    """Summarize each group. `assigned` says how many conversations a group should have, at least those it has.

    Raises ValueError where a group holds one (problem, repetition) twice: nothing may be counted double.
    """
    groups = scoring.by_group(records)
    plan = assigned or {}
    return [_summary(group, rows, plan.get(group, len(rows)), level, draws) for group, rows in groups.items()]


def _summary(group: Group, records: Sequence[Record], assigned: int, level: float, draws: int) -> Summary:
    _refuse_duplicates(group, records)
    kept = scoring.scored(records)
    return Summary(
        group=group,
        pairs=len({r.pair for r in records}),
        random_pct=100 * fmean(1 / len(r.reference) for r in records),
        coverage=_coverage(records, kept, assigned),
        review=scoring.review(kept),
        pairs_solved=scoring.pairs_solved(kept),
        errors=scoring.errors(kept),
        follow=scoring.follow(kept),
        follow_overturned=scoring.follow(kept, "overturned"),
        reach_first=scoring.reach(kept, "initial"),
        reach_any=scoring.reach(kept, "final"),
        losses=losses(kept),
        measures=measure(kept, level=level, draws=draws),
        ended_by=scoring.ended_by(kept),
    )


def _coverage(records: Sequence[Record], kept: Sequence[Record], assigned: int) -> Coverage:
    status = Counter(r.final_status for r in kept)
    return Coverage(
        assigned=max(assigned, len(records)),
        scored=len(kept),
        infrastructure=len(records) - len(kept),
        missing=status["missing"],
        invalid=status["invalid"],
        ambiguous=status["ambiguous"],
    )


def _refuse_duplicates(group: Group, records: Sequence[Record]) -> None:
    twice = [key for key, n in Counter((r.problem, r.repetition) for r in records).items() if n > 1]
    if twice:
        raise ValueError(f"{group}: problem {twice[0][0]!r}, repetition {twice[0][1]} is recorded more than once")
