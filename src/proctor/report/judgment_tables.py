"""The paper's Tables 4, 5 and 9: review, judgment by condition, solved problems and pairs."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan

from proctor.report.numbers import Column, Number, NumberTable, Row
from proctor.report.siris_rows import (
    ACCURACIES,
    FOLLOW,
    GROUP,
    MODEL,
    PAPER,
    Runs,
    accuracies,
    count,
    exact,
    final_accuracies,
    metric,
    paper_models,
    published_count,
    rule_rows,
    rule_solved,
)
from proctor.siris.verdict.counts import Movement, Review, percent
from proctor.siris.verdict.published import PROBLEMS_OF_A_KIND, PublishedModel
from proctor.siris.verdict.summary import Summary

_CONDITIONS = ("perturbed", "reference", "none")


def movement(runs: Runs, published: bool = False) -> NumberTable:
    """Table 4: how review moved the choices, for every condition; beside the paper's counts, J and D of both turns."""
    rows = [Row(tuple(s.group), _movement(s), remark=_change(s)) for s in runs.summaries]
    for model in paper_models(published):
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
                **final_accuracies(runs.get(suite, model, "perturbed")),
            },
        )
        for suite, model in runs.models(*_CONDITIONS)
    ]
    rows += rule_rows(runs, _rule_conditions, len(MODEL))
    rows += [Row((PAPER, m.name), _published_conditions(m), "published") for m in paper_models(published)]
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


def solved_counts(runs: Runs, published: bool = False) -> NumberTable:
    """Table 9: problems and pairs solved under the perturbed simulator, pairs under the two others."""
    rows = [
        Row((suite, model), _counts({name: runs.get(suite, model, name) for name in _CONDITIONS}))
        for suite, model in runs.models(*_CONDITIONS)
    ]
    rows += rule_rows(runs, lambda rule, suite, summary: _rule_counts(rule, runs, suite, summary), len(MODEL))
    rows += [Row((PAPER, m.name), _published_counts(m), "published") for m in paper_models(published)]
    columns = (
        Column("U", "U"),
        Column("O", "O"),
        Column("all", "all %"),
        *(Column(f"pair_{condition}", f"pairs {condition}") for condition in _CONDITIONS),
    )
    return NumberTable("solved", "Solved problems and pairs, counts", MODEL, columns, tuple(rows), paper=9)


def _counts(asked: Mapping[str, Summary | None]) -> dict[str, Number]:
    """From the summaries of one model by condition."""
    perturbed = asked["perturbed"]
    return {
        "U": count(perturbed, "final_U"),
        "O": count(perturbed, "final_O"),
        "all": metric(perturbed, "final_all"),
        **{f"pair_{condition}": count(summary, "pair") for condition, summary in asked.items()},
    }


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
        "all": exact(final.all_pct, n=2 * PROBLEMS_OF_A_KIND),
        **{f"pair_{condition}": published_count(value) for condition, value in model.pairs_solved.items()},
    }
