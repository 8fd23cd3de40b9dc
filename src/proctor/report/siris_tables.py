"""The siris report's own tables: judgment, wrong choices and their cost, coverage; one row per group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proctor.report.numbers import Column, Number, NumberTable, Row
from proctor.report.siris_rows import (
    ACCURACIES,
    FOLLOW,
    GROUP,
    PAPER,
    Runs,
    accuracies,
    count,
    exact,
    final_accuracies,
    metric,
    paper_models,
    published_pct,
    rule_rows,
    rule_solved,
    with_hidden,
)
from proctor.siris.verdict.counts import Errors
from proctor.siris.verdict.intervals import LEVEL, UNIT
from proctor.siris.verdict.published import raw
from proctor.siris.verdict.summary import Summary

_LOSSES = {"abandoned_valid": "abandoned", "kept_invalid": "kept", "third_design": "third"}


def judgment(runs: Runs, published: bool = False) -> NumberTable:
    """U, O, J, D and pair accuracy of the final choices under every condition, with the two rules to compare with."""
    rows = [
        Row(tuple(s.group), {"n": exact(s.coverage.scored, "count"), **final_accuracies(s), "pair": metric(s, "pair")})
        for s in runs.summaries
    ]
    rows += rule_rows(runs, _rule_judgment, len(GROUP))
    for model in paper_models(published):
        pairs = published_pct(model.pairs_solved["perturbed"])
        numbers = {**accuracies(model.review.final), "pair": pairs}
        rows.append(Row((PAPER, model.name, "perturbed", "standard"), numbers, "published"))
    columns = (Column("n", "n"), *(Column(name, name) for name in (*ACCURACIES, "pair")))
    return with_hidden(NumberTable("judgment", "Judgment on final choices", GROUP, columns, tuple(rows)))


def _rule_judgment(rule: str, _suite: str, summary: Summary) -> Mapping[str, Number]:
    pair = 0.0 if rule == FOLLOW else summary.random_pct**2 / 100  # both at once, independently
    return {**rule_solved(rule, summary), "pair": exact(pair)}


def wrong_choices(runs: Runs, published: bool = False) -> NumberTable:
    """Wrong final choices by kind, what they cost under the reference simulator, and how often advice is followed."""
    rows = [Row(tuple(s.group), _wrong(s)) for s in runs.summaries]
    if published:
        printed = raw()["selection_loss"]["median_pct"]
        kinds = {"abandoned_valid": "upheld_error", "kept_invalid": "kept_presented", "third_design": "third_design"}
        medians = {f"loss_{kind}": exact(printed[name]) for kind, name in kinds.items()}
        labels = (PAPER, "eight models, where identified", "perturbed", "standard")
        rows.append(Row(labels, medians, "published"))
    columns = (
        Column("abandoned_valid", "abandoned valid", bounds=False),
        Column("kept_invalid", "kept invalid", bounds=False),
        Column("third_design", "third design", bounds=False),
        Column("no_valid_choice", "no choice", bounds=False),
        *(Column(f"loss_{kind}", f"loss: {word} %", bounds=False) for kind, word in _LOSSES.items()),
        Column("follow", "follow %", bounds=False),
        Column("follow_overturned", "follow % (O)", bounds=False),
    )
    title = "Wrong final choices, and their selection loss"
    return with_hidden(NumberTable("wrong_choices", title, GROUP, columns, tuple(rows)))


def _wrong(summary: Summary) -> Mapping[str, Number]:
    kinds = {kind: _error_count(summary, kind) for kind in Errors.__slots__}
    losses = {f"loss_{kind}": Number.of(loss.median, loss.problems) for kind, loss in summary.losses.items()}
    noticeable = {
        f"noticeable_{kind}": exact(loss.noticeable.count, "count", loss.noticeable.of)
        for kind, loss in summary.losses.items()
    }
    follow = {name: metric(summary, name) for name in ("follow", "follow_overturned")}
    return {**kinds, **losses, **noticeable, **follow}


def _error_count(summary: Summary, kind: str) -> Number:
    found = count(summary, kind)
    # On upheld problems "no choice" is no error of identity, so a kind may have no trials at all; it then counts 0.
    return found if found.n else exact(0, "count", 0)


def coverage(runs: Runs) -> NumberTable:
    """Where the assigned conversations went, and which of them read the changed code."""
    names = ("assigned", "scored", "infrastructure", "absent", "missing", "invalid", "ambiguous")
    headers = {"infrastructure": "our errors"}
    rows = [
        Row(
            tuple(s.group),
            {
                **{name: exact(getattr(s.coverage, name), "count", s.coverage.assigned) for name in names},
                "reach_initial": metric(s, "reach_initial"),
                "reach_any": metric(s, "reach_any"),
            },
        )
        for s in runs.summaries
    ]
    columns = (
        *(Column(name, headers.get(name, name)) for name in names),
        Column("reach_initial", "reach 1st %", bounds=False),
        Column("reach_any", "reach any %", bounds=False),
    )
    title = "Coverage, and reading of the changed code"
    return with_hidden(NumberTable("coverage", title, GROUP, columns, tuple(rows)))


def legend(summaries: Sequence[Summary]) -> list[str]:
    """Explain the columns and the two baselines, one line each."""
    chances = {round(summary.random_pct, 6) for summary in summaries}
    random = f"; choosing at random J {chances.pop():.0f}, D 0 on average" if len(chances) == 1 else ""
    return [
        "U, O: % correct on upheld, overturned problems; J = (U + O) / 2; D = (U - O) / 2; pair: both problems right "
        f"in one repetition; [low, high]: {LEVEL:.0%} interval, unit of analysis the {UNIT}.",
        f"Baselines: always following the presented recommendation gives U 100, O 0, J 50, D +50{random}.",
        "Review: correct initial choices + made correct - made wrong = correct final choices; not resolved: 0 is in "
        "the interval. No valid choice is a wrong choice; an error of ours is not scored.",
        "Wrong choices: a sound recommendation abandoned, an unsound one kept, or replaced by a third design.",
        "Loss: how much worse the chosen design is than the best under the reference simulator, median over problems. "
        "Follow: the perturbed simulator's top design chosen, overall and on overturned problems (O).",
        "Coverage: assigned = problems x repetitions; absent: no conversation; missing, invalid, ambiguous: final "
        "answers without a valid choice. Reach: conversations that read a changed line of the simulator (the rules "
        "read no code).",
    ]
