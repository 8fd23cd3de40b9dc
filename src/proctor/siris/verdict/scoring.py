"""From records to the paper's counts. Functions take records of one group; order never matters.

Records with an infrastructure error are left out everywhere: they are no verdict. A missing, invalid or ambiguous
choice is a wrong choice and stays in every denominator (section 3.3).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from proctor.siris.verdict.counts import Errors, Movement, Review, Share, Solved
from proctor.siris.verdict.observations import Decision, decision
from proctor.siris.verdict.records import Group, Outcome, Record, Turn


def by_group(records: Iterable[Record]) -> dict[Group, list[Record]]:
    """Sort records into the groups that are never pooled, groups in order of their names."""
    groups: dict[Group, list[Record]] = defaultdict(list)
    for record in records:
        groups[record.group].append(record)
    return {group: groups[group] for group in sorted(groups)}


def scored(records: Iterable[Record], outcome: Outcome | None = None) -> list[Record]:
    """Keep what may be scored, of one kind of problem if asked."""
    return [r for r in records if r.scored and outcome in (None, r.outcome)]


def solved(records: Iterable[Record], turn: Turn = "final") -> Solved:
    """Count correct choices at one turn by kind of problem (Table 9)."""
    kept = scored(records)
    right = [r.outcome for r in kept if r.correct(turn)]
    asked = [r.outcome for r in kept]
    return Solved(*(f(kind) for kind in ("upheld", "overturned") for f in (right.count, asked.count)))


def review(records: Iterable[Record]) -> Review:
    """Count how review moved choices from initial to final (Table 4)."""
    kept = scored(records)
    return Review(_movement(scored(kept, "upheld")), _movement(scored(kept, "overturned")))


def _movement(records: Sequence[Record]) -> Movement:
    turns = [(r.correct("initial"), r.correct("final")) for r in records]
    return Movement(
        initial=sum(before for before, _ in turns),
        made_correct=turns.count((False, True)),
        made_wrong=turns.count((True, False)),
        of=len(turns),
    )


def pairs_solved(records: Iterable[Record]) -> Share:
    """Pair accuracy: correct final choices on both problems of a pair in the same repetition (appendix B.4).

    An attempt counts where both conversations were scored; an error of ours in one leaves no verdict on the pair.
    """
    attempts = pair_attempts(records)
    return Share(sum(attempts.values()), len(attempts))


def pair_attempts(records: Iterable[Record]) -> dict[tuple[str, int], bool]:
    """Map (pair, repetition) to whether both final choices are correct, where both conversations were scored."""
    seen: dict[tuple[str, int], dict[Outcome, bool]] = defaultdict(dict)
    for record in scored(records):
        seen[record.pair, record.repetition][record.outcome] = record.correct("final")
    return {key: all(both.values()) for key, both in sorted(seen.items()) if len(both) == 2}


# Section 3.3's names of what Table 10 calls otherwise.
_ERRORS: dict[Decision, str] = {
    "upheld_error": "abandoned_valid",
    "kept_presented": "kept_invalid",
    "third": "third_design",
    "no_choice": "no_valid_choice",
}


def error_kind(record: Record) -> str | None:
    """Name the kind of a wrong final choice, a field of `Errors`; None where it is correct or not scored."""
    return _ERRORS.get(decision(record)) if record.scored else None


def errors(records: Iterable[Record]) -> Errors:
    """Count wrong final choices by kind; the kinds add up to all wrong choices."""
    kinds = [error_kind(r) for r in records]
    return Errors(*(kinds.count(field) for field in Errors.__slots__))


def ended_by(records: Iterable[Record]) -> dict[str, int]:
    """Count conversations by what ended their last turn in the model's place (keys of `records.ENDINGS`)."""
    last = (list(r.ended_by.values())[-1] for r in scored(records) if r.ended_by)
    return dict(sorted(Counter(last).items()))


def follow(records: Iterable[Record], outcome: Outcome | None = None) -> Share:
    """Count final choices of the perturbed simulator's top design, shown or not (Table 6, last column)."""
    kept = scored(records, outcome)
    return Share(sum(r.final == r.presented for r in kept), len(kept))


def reach(records: Iterable[Record], turn: Turn = "final") -> Share:
    """Count conversations that reached a changed line in the first turn (`initial`) or in any (`final`) (Table 7).

    Conversations whose condition shows no simulator code have no such count and are left out.
    """
    reached = [r.reached_initial if turn == "initial" else r.reached_any for r in scored(records)]
    return Share(sum(bool(x) for x in reached), sum(x is not None for x in reached))
