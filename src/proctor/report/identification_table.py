"""The paper's Table 10: what is chosen after the limitation was identified."""

from __future__ import annotations

from proctor.report.numbers import Column, Number, NumberTable, Row
from proctor.report.siris_rows import (
    MODEL,
    PAPER,
    Runs,
    count,
    metric,
    paper_models,
    published_count,
    published_pct,
)
from proctor.siris.verdict.observations import DECISIONS
from proctor.siris.verdict.summary import Summary

_PRINTED_DECISIONS: tuple[str, ...] = tuple(name for name in DECISIONS if name != "no_choice")


def identification(runs: Runs, published: bool = False) -> NumberTable:
    """Table 10: what is chosen after the limitation was identified, among the annotated responses (perturbed)."""
    rows = [
        Row((s.group.suite, s.group.model, s.group.prompt), _identified(s))
        for s in runs.summaries
        if s.group.condition == "perturbed" and s.annotated
    ]
    for model in paper_models(published):
        found = model.identification
        n = found.responses
        kinds = {name: published_count(getattr(found, name), n) for name in _PRINTED_DECISIONS}
        after = published_pct(found.correct, found.identified)
        rest = {"not_identified": published_count(found.not_identified, n), "correct_if_identified": after}
        numbers = {"identified": published_count(found.identified, n), **kinds, **rest}
        rows.append(Row((PAPER, model.name, "standard"), numbers, "published"))
    headers = {
        "identified": "identified",
        "correct": "correct",
        "upheld_error": "upheld error",
        "kept_presented": "kept presented",
        "third": "third",
        "no_choice": "no choice",
        "not_identified": "not identified",
    }
    columns = (
        *(Column(name, header, bounds=False) for name, header in headers.items()),
        Column("correct_if_identified", "correct after identification %"),
    )
    title = "Final choices after the limitation was identified, perturbed simulator"
    return NumberTable("identification", title, (*MODEL, "prompt"), columns, tuple(rows), paper=10)


def _identified(summary: Summary) -> dict[str, Number]:
    identified = count(summary, "identified")
    n = summary.annotated
    rest = Number(n - identified.estimate, n - identified.high, n - identified.low, n, "count", identified.method)
    shares = {f"{name}_if_identified": metric(summary, f"{name}_if_identified") for name in DECISIONS}
    return {
        "identified": identified,
        **{name: count(summary, f"identified_{name}") for name in DECISIONS},
        "not_identified": rest,
        **shares,
    }
