"""The paper's Tables 6, 7, 8 and 11: parts of the evidence, reading of the changed code, prompts."""

from __future__ import annotations

from typing import Any

from proctor.report.numbers import Column, Number, NumberTable, Row, Unit
from proctor.report.siris_rows import (
    ACCURACIES,
    GROUP,
    MODEL,
    PAPER,
    Runs,
    count,
    exact,
    final_accuracies,
    metric,
    paper_models,
    published_count,
)
from proctor.siris.verdict.published import PROBLEMS_OF_A_KIND, raw
from proctor.siris.verdict.summary import Summary

EVIDENCE = {
    "none": "none",
    "code": "code",
    "code+records": "code+records",
    "code+predictions": "code+predictions",
    "perturbed": "code+both",
    "code-reference": "code_correct",
}
"""Conditions of Table 6 and what the published file calls them."""
ARMS = (("predictions-only", "standard"), ("perturbed", "standard"), ("perturbed", "comparison"))
"""(condition, prompt) of Table 11."""
_COMPONENTS = ("code", "code+records", "code+predictions", "code-reference")
_PRINTED_ARMS = ("predictions_only", "full_standard", "full_comparison")
_SOLVED = {"U": "final_U", "O": "final_O", "pair": "pair"}


def components(runs: Runs, published: bool = False) -> NumberTable:
    """Table 6: which parts of the simulator's evidence a model sees. Follow counts overturned problems."""
    asked = runs.models(*_COMPONENTS)
    rows = [
        Row((suite, model, condition), _evidence(summary))
        for suite, model in asked
        for condition in EVIDENCE
        if (summary := runs.get(suite, model, condition)) is not None
    ]
    table: dict[str, Any] = raw()["table6_evidence_components_pct"] if published else {}
    for model, printed in table.items():
        if model != "columns":
            rows += [_published_evidence(model, name, printed[EVIDENCE[name]]) for name in EVIDENCE]
    columns = (*(Column(x, x) for x in (*ACCURACIES, "pair")), Column("follow", "follow", bounds=False))
    labels = (*MODEL, "evidence")
    return NumberTable("components", "Evidence components", labels, columns, tuple(rows), paper=6)


def _evidence(summary: Summary) -> dict[str, Number]:
    rest = {"pair": metric(summary, "pair"), "follow": count(summary, "follow_overturned")}
    return {**final_accuracies(summary), **rest}


def _published_evidence(model: str, condition: str, printed: list[int | None]) -> Row:
    units: dict[str, Unit] = {"D": "points", "follow": "count"}
    names = (*ACCURACIES, "pair", "follow")
    numbers = {
        name: exact(value, units.get(name, "%"))
        for name, value in zip(names, printed, strict=True)
        if value is not None
    }
    return Row((PAPER, model, condition), numbers, "published")


def reach(runs: Runs, published: bool = False) -> NumberTable:
    """Table 7: share of conversations that reach a changed line, under both simulators, in any turn and the first."""
    cells = [(condition, turn) for turn in ("any", "initial") for condition in ("perturbed", "reference")]
    rows = [
        Row(
            (suite, model),
            {f"{turn}_{c}": metric(runs.get(suite, model, c), f"reach_{turn}") for c, turn in cells},
        )
        for suite, model in runs.models("perturbed", "reference")
    ]
    for model in paper_models(published):
        numbers = {f"{turn}_{c}": exact(model.reach_pct[c, turn], n=2 * PROBLEMS_OF_A_KIND) for c, turn in cells}
        rows.append(Row((PAPER, model.name), numbers, "published"))
    words = {"any": "any turn", "initial": "first turn"}
    columns = tuple(Column(f"{turn}_{c}", f"{words[turn]}, {c}") for c, turn in cells)
    title = "Conversations that reach the changed code, in percent"
    return NumberTable("reach", title, MODEL, columns, tuple(rows), paper=7)


def instructed(runs: Runs, published: bool = False) -> NumberTable:
    """Table 8: the perturbed simulator with the standard and the instructed prompt; reach in the first turn."""
    asked = [(s.group.suite, s.group.model) for s in runs.summaries if s.group.prompt == "instructed"]
    rows = [
        Row((suite, model, prompt), _prompted(summary))
        for suite, model in dict.fromkeys(asked)
        for prompt in ("standard", "instructed")
        if (summary := runs.get(suite, model, "perturbed", prompt)) is not None
    ]
    columns = ("reach", "identified", "U", "O", "pair")
    table: dict[str, Any] = raw()["table8_instructed"] if published else {}
    of = (2 * PROBLEMS_OF_A_KIND,) * 2 + (PROBLEMS_OF_A_KIND,) * 3
    for model, printed in table.items():
        for prompt in ("standard", "instructed") if model != "columns" else ():
            counts = zip(columns, printed[prompt], of, strict=True)
            numbers = {name: published_count(value, n) for name, value, n in counts}
            rows.append(Row((PAPER, model, prompt), numbers, "published"))
    headers = {"reach": "reach 1st"}
    return NumberTable(
        "instructed",
        "Standard and instructed inspection under the perturbed simulator, counts",
        (*MODEL, "inspection"),
        tuple(Column(name, headers.get(name, name)) for name in columns),
        tuple(rows),
        paper=8,
    )


def _prompted(summary: Summary) -> dict[str, Number]:
    return {
        "reach": count(summary, "reach_initial"),
        "identified": count(summary, "identified"),
        **_solved(summary),
    }


def _solved(summary: Summary) -> dict[str, Number]:
    return {name: count(summary, key) for name, key in _SOLVED.items()}


def auxiliary(runs: Runs, published: bool = False) -> NumberTable:
    """Table 11: predictions alone, and guidance to compare the effect on candidates, beside the full evidence."""
    special = [s.group for s in runs.summaries if (s.group.condition, s.group.prompt) in (ARMS[0], ARMS[2])]
    rows = [
        Row((suite, model, condition, prompt), _solved(summary))
        for suite, model in dict.fromkeys((group.suite, group.model) for group in special)
        for condition, prompt in ARMS
        if (summary := runs.get(suite, model, condition, prompt)) is not None
    ]
    for batch in (1, 2) if published else ():
        for arm, printed in zip(ARMS, _PRINTED_ARMS, strict=True):
            counts = raw()["table11_auxiliary_of_60"][printed][3 * (batch - 1) : 3 * batch]
            numbers = {name: published_count(value, 60) for name, value in zip(_SOLVED, counts, strict=True)}
            rows.append(Row((PAPER, f"several models, batch {batch}", *arm), numbers, "published"))
    columns = tuple(Column(name, name) for name in _SOLVED)
    return NumberTable("auxiliary", "Auxiliary studies, counts", GROUP, columns, tuple(rows), paper=11)
