"""The siris report's tables, from summaries."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from proctor.report.render import Table
from proctor.siris.verdict.counts import Movement, Share
from proctor.siris.verdict.intervals import LEVEL, UNIT
from proctor.siris.verdict.loss import Loss
from proctor.siris.verdict.summary import Summary
from proctor.stats import Interval

Cells = Callable[[Summary], Sequence[str]]

_CONDITIONS = ("none", "perturbed", "reference")
_KINDS = ("abandoned_valid", "kept_invalid", "third_design")


def tables(summaries: Sequence[Summary]) -> list[Table]:
    """Build the four tables: judgment, review, wrong choices, coverage. One row per group, always in the same order."""
    rows = sorted(summaries, key=_order)
    return [
        _table("Judgment on final choices", ("n", "U", "O", "J", "D", "pair"), _judgment, rows),
        _table("Review: from initial to final choices", _REVIEW, _review, rows),
        _table("Wrong final choices, and their selection loss", _WRONG, _wrong, rows),
        _table("Coverage, and reading of the changed code", _COVERAGE, _coverage, rows),
    ]


def legend(summaries: Sequence[Summary]) -> list[str]:
    """Explain the columns and the two baselines, one line each."""
    options = {summary.options for summary in summaries}
    chance = 100 / options.pop() if len(options) == 1 else None
    random = f"; choosing at random J {chance:.0f}, D 0 on average" if chance else ""
    return [
        "U, O: % correct on upheld, overturned problems; J = (U + O) / 2; D = (U - O) / 2; pair: both problems right "
        f"in one repetition; [low, high]: {LEVEL:.0%} interval, unit of analysis the {UNIT}.",
        f"Baselines: always following the presented recommendation gives U 100, O 0, J 50, D +50{random}.",
        "Review: correct initial choices + made correct - made wrong = correct final choices; ~: not resolved, 0 is in "
        "the interval. No valid choice is a wrong choice; an error of ours is not scored.",
        "Wrong choices: a sound recommendation abandoned, an unsound one kept, or replaced by a third design.",
        "Loss: how much worse the chosen design is than the best under the reference simulator, median over problems "
        "(their number). Follow: the perturbed simulator's top design chosen, overall and on overturned problems (O).",
        "Coverage: assigned = problems x repetitions; absent: no conversation; missing, invalid, ambiguous: final "
        "answers without a valid choice. Reach: conversations that read a changed line of the simulator (the rules "
        "read no code).",
    ]


def _order(summary: Summary) -> tuple[str, str, int, str, str]:
    group = summary.group
    place = _CONDITIONS.index(group.condition) if group.condition in _CONDITIONS else len(_CONDITIONS)
    return group.suite, group.model, place, group.condition, group.prompt


def _table(title: str, columns: Sequence[str], cells: Cells, rows: Sequence[Summary]) -> Table:
    labels = [name for name in ("suite", "model", "condition", "prompt") if _shown(name, rows)]
    body = tuple((*(getattr(row.group, name) for name in labels), *cells(row)) for row in rows)
    suites = sorted({row.group.suite for row in rows})
    where = f" ({suites[0]})" if len(suites) == 1 else ""
    return Table(title + where, (*labels, *columns), body, labels=len(labels))


def _shown(name: str, rows: Sequence[Summary]) -> bool:
    """Suite and prompt are columns only where rows differ in them or a prompt is out of the ordinary."""
    values = {getattr(row.group, name) for row in rows}
    return name in ("model", "condition") or len(values) > 1 or (name == "prompt" and values != {"standard"})


def _judgment(summary: Summary) -> Sequence[str]:
    i = summary.intervals
    names = ("final_U", "final_O", "final_J", "final_D", "pair")
    return str(summary.coverage.scored), *(with_interval(i.get(name), signed=name == "final_D") for name in names)


_REVIEW = ("upheld", "overturned", "J initial", "J final", "D initial", "D final", "dJ", "dD")


def _review(summary: Summary) -> Sequence[str]:
    before, after = summary.review.initial, summary.review.final
    judgment = [number(turn.judgment) for turn in (before, after)]
    disposition = [number(turn.disposition, signed=True) for turn in (before, after)]
    changes = [_change(summary.intervals.get(name)) for name in ("dJ", "dD")]
    return _moved(summary.review.upheld), _moved(summary.review.overturned), *judgment, *disposition, *changes


def _moved(movement: Movement) -> str:
    """Write Table 4's four counts as the sum that they are."""
    return f"{movement.initial} +{movement.made_correct} -{movement.made_wrong} = {movement.final}"


def _change(interval: Interval | None) -> str:
    text = with_interval(interval, signed=True)
    return text if interval is None or interval.resolved else f"{text} ~"


_WRONG = (
    "abandoned valid", "kept invalid", "third design", "no choice",
    "loss: abandoned", "loss: kept", "loss: third", "follow %", "follow % (O)",
)  # fmt: skip


def _wrong(summary: Summary) -> Sequence[str]:
    errors = summary.errors
    counts = (errors.abandoned_valid, errors.kept_invalid, errors.third_design, errors.no_valid_choice)
    losses = [_loss(summary.losses, kind) for kind in _KINDS]
    return *map(str, counts), *losses, _share(summary.follow), _share(summary.follow_overturned)


def _loss(losses: Mapping[str, Loss], kind: str) -> str:
    return f"{losses[kind].median_pct:.0f} % ({losses[kind].problems})" if kind in losses else "-"


_COVERAGE = (
    "assigned", "scored", "our errors", "absent", "missing", "invalid", "ambiguous", "reach 1st %", "reach any %"
)  # fmt: skip


def _coverage(summary: Summary) -> Sequence[str]:
    c = summary.coverage
    counts = (c.assigned, c.scored, c.infrastructure, c.absent, c.missing, c.invalid, c.ambiguous)
    return *map(str, counts), _share(summary.reach_first), _share(summary.reach_any)


def _share(share: Share) -> str:
    return number(share.pct)


def number(value: float, *, signed: bool = False) -> str:
    """One decimal, a sign if asked, a dash where there is no number; never minus zero."""
    if math.isnan(value):
        return "-"
    value = round(value, 1) + 0.0
    return f"{value:+.1f}" if signed and value else f"{value:.1f}"


def with_interval(interval: Interval | None, *, signed: bool = False) -> str:
    """Write an estimate with its bounds: `50.0 [44.1, 55.9]`."""
    if interval is None or math.isnan(interval.estimate):
        return "-"
    low, high = (number(bound, signed=signed) for bound in (interval.low, interval.high))
    return f"{number(interval.estimate, signed=signed)} [{low}, {high}]"
