"""The SIRIS paper's Tables 4 to 11 from one's own runs, with the paper's models as further rows if asked.

A table for which no run is at hand is left out, and a line says which run would fill it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isnan
from typing import Any

from proctor.report.numbers import Column, Number, NumberTable, Row
from proctor.report.siris_rows import (
    FOLLOW,
    GROUP,
    PAPER,
    Runs,
    accuracies,
    count,
    exact,
    metric,
    published_count,
    published_pct,
    rule_rows,
    rule_solved,
    with_hidden,
)
from proctor.report.siris_tables import ACCURACIES
from proctor.siris.verdict.counts import Movement, Review, percent
from proctor.siris.verdict.observations import DECISIONS
from proctor.siris.verdict.published import PROBLEMS_OF_A_KIND, PublishedModel, published_models, raw
from proctor.siris.verdict.summary import Summary

MODEL = ("suite", "model")
EVIDENCE = {
    "none": "none",
    "code": "code",
    "code+records": "code+records",
    "code+predictions": "code+predictions",
    "perturbed": "code+both",
    "code-reference": "code_correct",
}
"""Conditions of Table 6 and what the published file calls them."""
_COMPONENTS = ("code", "code+records", "code+predictions", "code-reference")
_PRINTED_DECISIONS: tuple[str, ...] = tuple(name for name in DECISIONS if name != "no_choice")
_ARMS = (("predictions-only", "standard"), ("perturbed", "standard"), ("perturbed", "comparison"))
_PRINTED_ARMS = ("predictions_only", "full_standard", "full_comparison")


def paper_tables(runs: Runs, published: bool = False) -> list[NumberTable]:
    """Tables 4 to 11 as far as there are runs for them, in the paper's order."""
    made = [build(runs, published) for build in _BUILDERS]
    return [with_hidden(table) for table in made if any(row.source == "measured" for row in table.rows)]


def missing_runs(runs: Runs) -> list[str]:
    """Say which runs would fill what is left out of Tables 4 to 11, one line for each table."""
    needs: dict[str, list[tuple[str, str]]] = {
        "Tables 5 and 9": [(name, "standard") for name in ("none", "perturbed", "reference")],
        "Table 6 (evidence components)": [(name, "standard") for name in EVIDENCE],
        "Table 7 (reach)": [("perturbed", "standard"), ("reference", "standard")],
        "Table 8 (instructed inspection)": [("perturbed", "standard"), ("perturbed", "instructed")],
        "Table 11 (auxiliary studies)": list(_ARMS),
    }
    lines = [_need(table, [run for run in wanted if not runs.asked(*run)]) for table, wanted in needs.items()]
    if not any(s.annotated for s in runs.summaries):
        lines.append("Table 10 (identification) needs annotations: proctor siris annotate LOGS --annotator MODEL")
    return [line for line in lines if line]


def _need(table: str, absent: Iterable[tuple[str, str]]) -> str:
    by_prompt: dict[str, list[str]] = {}
    for condition, prompt in absent:
        by_prompt.setdefault(prompt, []).append(f"--condition {condition}")
    runs = [
        " ".join([*conditions, *([f"--prompt {prompt}"] if prompt != "standard" else [])])
        for prompt, conditions in by_prompt.items()
    ]
    return f"{table}: filled by proctor siris run --model MODEL {' and by '.join(runs)}" if runs else ""


def movement(runs: Runs, published: bool = False) -> NumberTable:
    """Table 4: how review moved the choices, for every condition; beside the paper's counts, J and D of both turns."""
    rows = [Row(tuple(s.group), _movement(s), remark=_change(s)) for s in runs.summaries]
    for model in published_models() if published else ():
        labels = (PAPER, model.name, "perturbed", "standard")
        rows.append(Row(labels, _published_movement(model.review), "published", "no interval: pairs not published"))
    counts = [
        Column(f"{kind}_{step}", f"{letter} {sign}", bounds=False)
        for kind, letter in (("upheld", "U"), ("overturned", "O"))
        for step, sign in (("initial", "init."), ("made_correct", "+"), ("made_wrong", "-"), ("final", "fin."))
    ]
    turns = [Column(f"{turn}_{name}", f"{name} {turn}", bounds=False) for name in "JD" for turn in ("initial", "final")]
    columns = (*counts, *turns, Column("dJ", "dJ"), Column("dD", "dD"))
    title = "Review: from initial to final choices"
    return NumberTable("movement", title, GROUP, columns, tuple(rows), paper=4, remark="change")


def _movement(summary: Summary) -> dict[str, Number]:
    steps = {"made_correct": "corrected", "made_wrong": "worsened"}
    found = {}
    for kind, letter in (("upheld", "U"), ("overturned", "O")):
        found[f"{kind}_initial"] = count(summary, f"initial_{letter}")
        found |= {f"{kind}_{step}": count(summary, f"{name}_{kind}") for step, name in steps.items()}
        found[f"{kind}_final"] = count(summary, f"final_{letter}")
    turns = [f"{turn}_{name}" for name in "JD" for turn in ("initial", "final")]
    return found | {name: metric(summary, name) for name in (*turns, "dJ", "dD")}


def _change(summary: Summary) -> str:
    said = []
    for name in ("dJ", "dD"):
        interval = summary.intervals.get(name)
        if interval is None or isnan(interval.estimate):
            continue
        direction = "up" if interval.estimate > 0 else "down"
        said.append(f"{name[1:]} {direction if interval.resolved else 'not resolved'}")
    return ", ".join(said)


def _published_movement(review: Review) -> dict[str, Number]:
    def counts(kind: str, moved: Movement) -> dict[str, Number]:
        steps = {
            "initial": moved.initial,
            "made_correct": moved.made_correct,
            "made_wrong": moved.made_wrong,
            "final": moved.final,
        }
        return {f"{kind}_{step}": published_count(value) for step, value in steps.items()}

    turns = {
        f"{turn}_{name}": number
        for turn, solved in (("initial", review.initial), ("final", review.final))
        for name, number in accuracies(solved, ("J", "D")).items()
    }
    changes = {
        "dJ": exact(review.judgment_change, "points", 2 * PROBLEMS_OF_A_KIND),
        "dD": exact(review.disposition_change, "points", 2 * PROBLEMS_OF_A_KIND),
    }
    return {**counts("upheld", review.upheld), **counts("overturned", review.overturned), **turns, **changes}


def conditions(runs: Runs, published: bool = False) -> NumberTable:
    """Table 5: J without a simulator and under the reference one, U, O, J and D under the perturbed one."""
    rows = [
        Row(
            (suite, model),
            {
                "none_J": metric(runs.get(suite, model, "none"), "final_J"),
                "reference_J": metric(runs.get(suite, model, "reference"), "final_J"),
                **{name: metric(runs.get(suite, model, "perturbed"), f"final_{name}") for name in ACCURACIES},
            },
        )
        for suite, model in runs.models("none", "reference", "perturbed")
    ]
    rows += rule_rows(runs, _rule_conditions, len(MODEL))
    rows += [Row((PAPER, m.name), _published_conditions(m), "published") for m in _published(published)]
    columns = (Column("none_J", "J none"), Column("reference_J", "J reference"), *(Column(x, x) for x in ACCURACIES))
    title = "Judgment by evidence; U, O, J, D under the perturbed simulator"
    return NumberTable("conditions", title, MODEL, columns, tuple(rows), paper=5)


def _rule_conditions(rule: str, _suite: str, summary: Summary) -> Mapping[str, Number]:
    if rule == FOLLOW:  # without a simulator there is nothing to follow
        return {"reference_J": exact(100.0), **rule_solved(rule, summary)}
    chance = exact(summary.random_pct)
    return {"none_J": chance, "reference_J": chance, **rule_solved(rule, summary)}


def _published_conditions(model: PublishedModel) -> Mapping[str, Number]:
    both = 2 * PROBLEMS_OF_A_KIND
    beside = {f"{condition}_J": exact(value, n=both) for condition, value in model.judgment_pct.items()}
    return {**beside, **accuracies(model.review.final)}


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
    found = {name: metric(summary, f"final_{name}") for name in ACCURACIES}
    return {**found, "pair": metric(summary, "pair"), "follow": count(summary, "follow_overturned")}


def _published_evidence(model: str, condition: str, printed: list[int | None]) -> Row:
    units = {"D": "points", "follow": "count"}
    names = (*ACCURACIES, "pair", "follow")
    numbers = {
        name: exact(value, "points" if units.get(name) == "points" else "count" if name in units else "%")
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
    for model in _published(published):
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
        "U": count(summary, "final_U"),
        "O": count(summary, "final_O"),
        "pair": count(summary, "pair"),
    }


def solved_counts(runs: Runs, published: bool = False) -> NumberTable:
    """Table 9: problems and pairs solved under the perturbed simulator, pairs under the two others."""
    rows = [
        Row(
            (suite, model),
            {
                "U": count(runs.get(suite, model, "perturbed"), "final_U"),
                "O": count(runs.get(suite, model, "perturbed"), "final_O"),
                "all": metric(runs.get(suite, model, "perturbed"), "final_all"),
                **{
                    f"pair_{condition}": count(runs.get(suite, model, condition), "pair")
                    for condition in ("perturbed", "reference", "none")
                },
            },
        )
        for suite, model in runs.models("none", "reference", "perturbed")
    ]
    rows += rule_rows(runs, lambda rule, suite, summary: _rule_counts(rule, runs, suite, summary), len(MODEL))
    rows += [Row((PAPER, m.name), _published_counts(m), "published") for m in _published(published)]
    columns = (
        Column("U", "U"),
        Column("O", "O"),
        Column("all", "all %"),
        *(Column(f"pair_{condition}", f"pairs {condition}") for condition in ("perturbed", "reference", "none")),
    )
    return NumberTable("solved", "Solved problems and pairs, counts", MODEL, columns, tuple(rows), paper=9)


def _rule_counts(rule: str, runs: Runs, suite: str, summary: Summary) -> Mapping[str, Number]:
    """Counts out of the most that any group of the suite was asked; random choice on average."""
    trials = [s.measures.trials for s in runs.summaries if s.group.suite == suite]
    most = {name: max((t.get(name, 0) for t in trials), default=0) for name in ("final_U", "final_O", "pair")}
    upheld, overturned, pairs = most["final_U"], most["final_O"], most["pair"]
    if rule == FOLLOW:
        right, wrong, both, sound = float(upheld), 0.0, 0.0, float(pairs)
    else:
        chance = summary.random_pct / 100
        right, wrong, both, sound = chance * upheld, chance * overturned, chance**2 * pairs, chance**2 * pairs
    found = {
        "U": exact(right, "count", upheld),
        "O": exact(wrong, "count", overturned),
        "all": exact(percent(right + wrong, upheld + overturned), n=upheld + overturned),
        "pair_perturbed": exact(both, "count", pairs),
        "pair_reference": exact(sound, "count", pairs),
    }
    return found if rule == FOLLOW else {**found, "pair_none": exact(both, "count", pairs)}


def _published_counts(model: PublishedModel) -> Mapping[str, Number]:
    final = model.review.final
    return {
        "U": published_count(final.upheld),
        "O": published_count(final.overturned),
        "all": published_pct(final.upheld + final.overturned, 2 * PROBLEMS_OF_A_KIND),
        **{f"pair_{condition}": published_count(value) for condition, value in model.pairs_solved.items()},
    }


def identification(runs: Runs, published: bool = False) -> NumberTable:
    """Table 10: what is chosen after the limitation was identified, among the annotated responses (perturbed)."""
    rows = [
        Row((s.group.suite, s.group.model, s.group.prompt), _identified(s))
        for s in runs.summaries
        if s.group.condition == "perturbed" and s.annotated
    ]
    for model in _published(published):
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


def auxiliary(runs: Runs, published: bool = False) -> NumberTable:
    """Table 11: predictions alone, and guidance to compare the effect on candidates, beside the full evidence."""
    special = [s.group for s in runs.summaries if (s.group.condition, s.group.prompt) in (_ARMS[0], _ARMS[2])]
    rows = [
        Row((suite, model, condition, prompt), {name: count(summary, key) for name, key in _SOLVED.items()})
        for suite, model in dict.fromkeys((group.suite, group.model) for group in special)
        for condition, prompt in _ARMS
        if (summary := runs.get(suite, model, condition, prompt)) is not None
    ]
    for batch in (1, 2) if published else ():
        for arm, printed in zip(_ARMS, _PRINTED_ARMS, strict=True):
            counts = raw()["table11_auxiliary_of_60"][printed][3 * (batch - 1) : 3 * batch]
            numbers = {name: published_count(value, 60) for name, value in zip(_SOLVED, counts, strict=True)}
            rows.append(Row((PAPER, f"several models, batch {batch}", *arm), numbers, "published"))
    columns = tuple(Column(name, name) for name in _SOLVED)
    return NumberTable("auxiliary", "Auxiliary studies, counts", GROUP, columns, tuple(rows), paper=11)


_SOLVED = {"U": "final_U", "O": "final_O", "pair": "pair"}
_BUILDERS = (movement, conditions, components, reach, instructed, solved_counts, identification, auxiliary)


def _published(wanted: bool) -> list[PublishedModel]:
    return published_models() if wanted else []
