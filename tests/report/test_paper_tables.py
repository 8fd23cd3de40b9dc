"""Golden: records made to the paper's counts give the rows that the paper printed, in every one of Tables 4 to 11."""

import math
from itertools import product

import pytest

from proctor.report.paper_tables import paper_tables
from proctor.report.siris_report import make_report
from proctor.report.siris_rows import Runs
from proctor.siris.verdict.published import published_models, raw
from proctor.siris.verdict.summary import summarize

ATTEMPTS = list(product(range(29), (1, 2, 3)))  # 29 pairs, three repetitions
MODELS = {model.name: model for model in published_models()}


def tables(records, published=False):
    runs = Runs.of(summarize(records, draws=100))
    return {table.name: table for table in paper_tables(runs, published)}


def values(row):
    return {name: number.estimate for name, number in row.numbers.items()}


def as_printed(table, model):
    """(our row, the paper's row) for a model, the paper's columns only."""
    ours, papers = (
        [row for row in table.rows if row.labels[1] == model and row.source == source]
        for source in ("measured", "published")
    )
    return list(zip(map(values, ours), map(values, papers), strict=True))


def filled(counts, rest):
    """87 entries: each key of `counts` as often as it says, then `rest`."""
    entries = [key for key, n in counts.items() for _ in range(n)]
    return entries + [rest] * (len(ATTEMPTS) - len(entries))


def conversations(make_record, upheld, overturned, **changes):
    """Records from 87 (initial, final, identified) of each kind. Answer A; B is presented where overturned."""
    records = []
    for kind, entries in (("upheld", upheld), ("overturned", overturned)):
        for (pair, repetition), (initial, final, identified) in zip(ATTEMPTS, entries, strict=True):
            facts = {"identified": identified} | changes
            records.append(make_record(f"p{pair:02}", kind, initial, final, repetition, **facts))
    return records


@pytest.mark.parametrize("name", ["GPT-5.6 Sol", "Grok 4.7"])
def test_tables_4_and_9_come_out_as_printed(make_record, name):
    review = MODELS[name].review
    entries = []
    for moved, wrong in ((review.upheld, "C"), (review.overturned, "B")):
        kept = moved.initial - moved.made_wrong
        counts = {
            ("A", "A", None): kept,
            (wrong, "A", None): moved.made_correct,
            ("A", wrong, None): moved.made_wrong,
        }
        entries.append(filled(counts, (wrong, wrong, None)))
    found = tables(conversations(make_record, *entries, model=name), published=True)
    [(ours, papers)] = as_printed(found["movement"], name)
    assert {key: ours[key] for key in papers} == pytest.approx(papers)
    [(ours, papers)] = as_printed(found["solved"], name)
    for key in ("U", "O", "all"):
        assert ours[key] == pytest.approx(papers[key])
    [(ours, papers)] = as_printed(found["conditions"], name)
    for key in ("U", "O", "J", "D"):
        assert ours[key] == pytest.approx(papers[key])
    assert math.isnan(ours["none_J"])


@pytest.mark.parametrize("name", ["GPT-5.6 Terra", "GPT-6.1 Sol"])
def test_table_10_comes_out_as_printed(make_record, name):
    found = MODELS[name].identification
    right = min(found.correct // 2, len(ATTEMPTS) - found.upheld_error)  # how they split is not published
    upheld = filled({("A", "A", True): right, ("A", "C", True): found.upheld_error}, ("A", "A", False))
    overturned = filled(
        {
            ("B", "A", True): found.correct - right,
            ("B", "B", True): found.kept_presented,
            ("B", "C", True): found.third,
        },
        ("B", "B", False),
    )
    table = tables(conversations(make_record, upheld, overturned, model=name), published=True)["identification"]
    [(ours, papers)] = as_printed(table, name)
    assert {key: ours[key] for key in papers} == pytest.approx(papers)
    assert ours["no_choice"] == 0


def test_table_6_names_the_papers_evidence_and_counts_follow_on_overturned_problems(make_record):
    """GPT-5.6 Sol with code alone: U 70, O 48, J 59, D 11, and 31 overturned problems on which B is kept."""
    upheld = filled({("A", "A", None): 61}, ("C", "C", None))
    overturned = filled({("A", "A", None): 42, ("B", "B", None): 31}, ("C", "C", None))
    records = conversations(make_record, upheld, overturned, model="GPT-5.6 Sol", condition="code")
    found = tables(records, published=True)["components"]
    [ours] = [row for row in found.rows if row.source == "measured"]
    [papers] = [r for r in found.rows if r.source == "published" and r.labels[1:] == ("GPT-5.6 Sol", "code")]
    for key in ("U", "O", "J", "D", "follow"):
        assert values(ours)[key] == pytest.approx(values(papers)[key], abs=0.5)
    assert ours.numbers["D"].unit == papers.numbers["D"].unit == "points"


def test_tables_7_and_8_count_reach_by_turn_condition_and_prompt(make_record):
    """GPT-5.6 Sol: 7 of 174 first turns reach the changed code under the standard prompt, 173 under the instructed."""
    entries = filled({}, ("A", "A", True))
    records = []
    for prompt, reached in (("standard", 7), ("instructed", 173)):
        made = conversations(make_record, entries, entries, model="GPT-5.6 Sol", prompt=prompt)
        records += [r.model_copy(update={"reached_initial": i < reached}) for i, r in enumerate(made)]
    found = tables(records, published=True)
    rows = as_printed(found["instructed"], "GPT-5.6 Sol")
    assert [(ours["reach"], papers["reach"]) for ours, papers in rows] == [(7, 7), (173, 173)]
    [(ours, papers)] = as_printed(found["reach"], "GPT-5.6 Sol")
    assert ours["initial_perturbed"] == pytest.approx(papers["initial_perturbed"], abs=0.5)
    assert math.isnan(ours["initial_reference"])


def test_table_11_sets_the_arms_beside_each_other(make_record):
    entries = filled({}, ("A", "A", None))
    records = [
        record
        for condition, prompt in (("predictions-only", "standard"), ("perturbed", "comparison"))
        for record in conversations(make_record, entries, entries, condition=condition, prompt=prompt)
    ]
    table = tables(records, published=True)["auxiliary"]
    assert [row.labels[2:] for row in table.rows if row.source == "measured"] == [
        ("predictions-only", "standard"),
        ("perturbed", "comparison"),
    ]
    printed = raw()["table11_auxiliary_of_60"]
    papers = [list(values(row).values()) for row in table.rows if row.source == "published"]
    arms = ("predictions_only", "full_standard", "full_comparison")
    assert papers == [printed[arm][3 * batch : 3 * batch + 3] for batch in (0, 1) for arm in arms]


def test_the_rules_are_computed_not_measured(make_record):
    """Table 5's last row, and random choice among four designs, beside any runs."""
    entries = filled({}, ("A", "B", None))
    found = tables(conversations(make_record, entries, entries))
    rows = {row.labels[1]: row for row in found["conditions"].rows if row.source == "computed"}
    follow = {"reference_J": 100, "U": 100, "O": 0, "J": 50, "D": 50}
    assert values(rows["follow rule"]) == follow
    assert values(rows["random choice"]) == {"none_J": 25, "reference_J": 25, "U": 25, "O": 25, "J": 25, "D": 0}
    solved = {row.labels[1]: values(row) for row in found["solved"].rows if row.source == "computed"}
    assert solved["follow rule"] == {"U": 87, "O": 0, "all": 50, "pair_perturbed": 0, "pair_reference": 87}
    assert solved["random choice"]["pair_none"] == pytest.approx(87 / 16)
    assert not any(number.bounded for row in rows.values() for number in row.numbers.values())


def test_a_table_without_runs_is_left_out_and_what_would_fill_it_is_said(make_record):
    report = make_report([make_record(outcome=o) for o in ("upheld", "overturned")])
    assert [t.name for t in report.tables if t.paper] == ["movement", "conditions", "reach", "solved"]
    said = "\n".join(report.missing)
    assert "Table 6" in said
    assert "--condition code+records" in said
    assert "--condition perturbed --prompt instructed" in said
    assert "proctor siris annotate" in said
    full = make_report(
        [
            make_record(outcome=o, condition=c, prompt=p, identified=c == "perturbed" or None)
            for o in ("upheld", "overturned")
            for c, p in (
                *(("perturbed", prompt) for prompt in ("standard", "instructed", "comparison")),
                *((c, "standard") for c in ("none", "reference", "code", "code+records", "code+predictions")),
                *((c, "standard") for c in ("code-reference", "predictions-only")),
            )
        ]
    )
    assert sorted(t.paper for t in full.tables if t.paper) == [4, 5, 6, 7, 8, 9, 10, 11]
    assert full.missing == ()


def test_published_rows_appear_only_when_asked_for_and_without_intervals(make_record):
    records = [make_record(outcome=o) for o in ("upheld", "overturned")]
    assert not any(row.source == "published" for table in make_report(records).tables for row in table.rows)
    report = make_report(records, published=True)
    rows = [row for table in report.tables for row in table.rows if row.source == "published"]
    assert len({row.labels[1] for row in rows} & set(MODELS)) == 13
    assert not any(number.bounded for row in rows for number in row.numbers.values())
    assert any("no intervals" in note for note in report.notes)
    assert "GPT-6 Astra (published)" in report.markdown()


def test_every_measured_share_and_change_has_an_interval(make_study):
    """Counts of shares too; what is only counted (coverage), tested (p) or fixed (a problem's difficulty) has none."""
    report = make_report(make_study(models=("model-04",), pairs=8))
    without = {
        (table.name, name)
        for table in report.tables
        if table.name not in ("coverage", "problems")
        for row in table.rows
        if row.source == "measured"
        for name, number in row.numbers.items()
        if math.isfinite(number.estimate) and not number.bounded and number.unit != "p"
    }
    counted = {"n", "problems", "only_first", "only_second", "family"}
    # Every wrong choice of this study's overturned problems costs the same: their median has nothing to vary.
    assert {name for _, name in without if not name.startswith(("noticeable", "loss"))} <= counted
