"""Paired comparisons as tables, and in words what they do not resolve."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from proctor.report.numbers import Column, Number, NumberTable, Row
from proctor.report.siris_rows import GROUP, PAPER, exact, with_hidden
from proctor.siris.verdict.comparison import ALPHA, BYS, By, Comparison, Effect, compare
from proctor.siris.verdict.counts import Review
from proctor.siris.verdict.published import published_models
from proctor.siris.verdict.records import Record
from proctor.stats import holm, mcnemar_exact

_WORDS: Mapping[By, tuple[str, str]] = {
    "model": ("Models compared", "all pairs of models under one condition and prompt"),
    "condition": ("Conditions compared", "all pairs of conditions of all models, with one prompt"),
    "prompt": ("Prompts compared", "all pairs of prompts of all models, under one condition"),
    "turn": ("Turns compared", "the turns of all models under one condition and prompt"),
}
_COLUMNS = (
    Column("only_first", "only first"),
    Column("only_second", "only second"),
    Column("mcnemar_p", "McNemar p"),
    Column("dJ", "dJ"),
    Column("p_J", "p"),
    Column("holm_J", "Holm p"),
    Column("dD", "dD"),
    Column("p_D", "p"),
    Column("holm_D", "Holm p"),
)


def compare_all(records: Iterable[Record], bys: Sequence[By] = BYS) -> list[Comparison]:
    """Everything that can be compared in the given ways."""
    kept = list(records)
    return [comparison for by in bys for comparison in compare(kept, by)]


def comparison_tables(comparisons: Sequence[Comparison], published: bool = False) -> list[NumberTable]:
    """One table for each way of comparing that occurs; `published` adds the paper's models to the turns (Table 4)."""
    ways = [by for by in BYS if any(c.by == by for c in comparisons)]
    return [with_hidden(comparison_table([c for c in comparisons if c.by == by], by, published)) for by in ways]


def comparison_table(comparisons: Sequence[Comparison], by: By, published: bool = False) -> NumberTable:
    """Second minus first in J and D with intervals and p-values; McNemar's test takes conversations for independent."""
    labels = (*(name for name in GROUP if name != by), "first", "second")
    rows = [_row(comparison, by) for comparison in comparisons]
    if published and by == "turn":
        rows += _published_turns()
    return NumberTable(f"compare_{by}s", _WORDS[by][0], labels, _COLUMNS, tuple(rows), remark="second is")


def comparison_legend(tables: Sequence[NumberTable]) -> list[str]:
    """Explain the columns, and over which comparisons Holm's correction goes."""
    if not tables:
        return []
    families = "; ".join(_family(table) for table in tables)
    return [
        "Comparisons: second minus first, on conversations that both have; p by flipping the signs of whole pairs; "
        f"Holm's correction over a family: {families}; not resolved: Holm p above {ALPHA}.",
        "Only first, only second: conversations that just one has right; McNemar's exact test takes them for "
        "independent, which repetitions are not, so trust the test of pairs.",
    ]


def unmatched_notes(comparisons: Sequence[Comparison]) -> list[str]:
    """Say where comparisons had to leave conversations out, one line for each way of comparing."""
    lines = []
    for by in BYS:
        partial = [c for c in comparisons if c.by == by and c.unmatched]
        if partial:
            worst = max(partial, key=lambda c: c.unmatched)
            lines.append(
                f"{_WORDS[by][0].lower()}: in {len(partial)} comparisons conversations are left out that have no "
                f"partner (same problem and repetition) in the other; {worst.first} and {worst.second} lack most, "
                f"{worst.unmatched} beside {worst.matched} matched"
            )
    return lines


def _family(table: NumberTable) -> str:
    return next(family for by, (_, family) in _WORDS.items() if table.name == f"compare_{by}s")


def _row(c: Comparison, by: By) -> Row:
    shared = [getattr(c.group, name) for name in GROUP if name != by]
    numbers = {
        "only_first": exact(c.only_first, "count", c.matched),
        "only_second": exact(c.only_second, "count", c.matched),
        "mcnemar_p": exact(c.mcnemar_p, "p", c.matched),
        **_effect("J", c.judgment, c.matched),
        **_effect("D", c.disposition, c.matched),
        "family": exact(c.family, "count"),
    }
    return Row((*shared, c.first, c.second), numbers, remark=_verdict(c))


def _effect(name: str, effect: Effect, n: int) -> dict[str, Number]:
    return {
        f"d{name}": Number.of(effect.difference, n, "points"),
        f"p_{name}": Number(effect.test.p_value, n=effect.test.units, unit="p", method=effect.test.method),
        f"holm_{name}": Number(effect.adjusted, n=effect.test.units, unit="p", method="holm"),
    }


def _verdict(c: Comparison) -> str:
    words = {1: "higher", -1: "lower", 0: "not resolved"}
    judgment, disposition = words[c.judgment.direction], words[c.disposition.direction]
    if judgment == disposition == "not resolved":
        return "J, D not resolved"
    return f"J {judgment}, D {disposition}"


def _published_turns() -> list[Row]:
    """The paper's models before and after review: McNemar's test on Table 4, Holm over the thirteen."""
    models = published_models()
    moves = [_moves(model.review) for model in models]
    p_values = [mcnemar_exact(lost, gained) for gained, lost in moves]
    return [
        Row(
            (PAPER, model.name, "perturbed", "standard", "initial", "final"),
            {
                "only_first": exact(lost, "count"),
                "only_second": exact(gained, "count"),
                "mcnemar_p": exact(p, "p"),
                "mcnemar_holm": exact(float(adjusted), "p"),
                "dJ": exact(model.review.judgment_change, "points"),
                "dD": exact(model.review.disposition_change, "points"),
                "family": exact(len(models), "count"),
            },
            "published",
            _published_verdict(gained - lost, float(adjusted)),
        )
        for model, (gained, lost), p, adjusted in zip(models, moves, p_values, holm(p_values), strict=True)
    ]


def _moves(review: Review) -> tuple[int, int]:
    """Choices made correct and made wrong in review."""
    return (
        review.upheld.made_correct + review.overturned.made_correct,
        review.upheld.made_wrong + review.overturned.made_wrong,
    )


def _published_verdict(change: int, adjusted: float) -> str:
    word = "not resolved" if adjusted > ALPHA else "higher" if change > 0 else "lower"
    return f"J {word} (McNemar, Holm p {adjusted:.3f}; pairs not published)"
