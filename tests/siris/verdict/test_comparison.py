"""Paired comparisons: against scipy, against the counts they come from, and what must not move them."""

import numpy as np
import pytest
from scipy import stats

from proctor.siris.verdict.comparison import compare
from proctor.siris.verdict.intervals import measure


def arm(make_record, finals, *, repetitions=1, **changes):
    """One record per pair and kind: `finals` gives the labels of a pair's upheld and overturned problem."""
    return [
        make_record(f"p{i:02}", outcome, "A", label, repetition, **changes)
        for i, labels in enumerate(finals)
        for outcome, label in zip(("upheld", "overturned"), labels, strict=True)
        for repetition in range(1, repetitions + 1)
    ]


WEAK = ["AB", "AB", "AA", "BB", "AB", "AB", "AA", "AB", "BA", "AB"]
STRONG = ["AA", "AA", "AA", "AB", "AA", "AB", "AA", "AA", "BA", "BB"]


def test_two_models_are_tested_as_scipy_tests_their_pairs(make_record):
    records = arm(make_record, WEAK, model="weak") + arm(make_record, STRONG, model="strong")
    [found] = compare(records, "model")
    assert (found.first, found.second) == ("strong", "weak")
    judgment = {name: [50.0 * labels.count("A") for labels in rows] for name, rows in (("w", WEAK), ("s", STRONG))}
    expected = stats.permutation_test(
        (judgment["w"], judgment["s"]),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=True,
    )
    assert found.judgment.test.p_value == pytest.approx(expected.pvalue)
    assert found.judgment.test.difference == pytest.approx(expected.statistic)
    assert found.judgment.difference.estimate == pytest.approx(expected.statistic)
    assert (found.judgment.test.unit, found.judgment.test.units, found.pairs) == ("pair", 10, 10)
    assert (found.only_first, found.only_second, found.matched, found.unmatched) == (5, 1, 20, 0)
    assert found.mcnemar_p == pytest.approx(stats.binomtest(1, 6).pvalue)


def test_the_difference_is_that_of_the_tables(make_study):
    records = make_study(models=("model-02", "model-09"), conditions=("perturbed",), pairs=12)
    [found] = compare(records, "model")
    tables = [measure([r for r in records if r.model == name]).intervals for name in (found.first, found.second)]
    for effect, metric in ((found.judgment, "final_J"), (found.disposition, "final_D")):
        assert effect.difference.estimate == pytest.approx(tables[1][metric].estimate - tables[0][metric].estimate)
        assert effect.test.difference == pytest.approx(effect.difference.estimate)


def test_the_turns_difference_and_interval_are_those_of_the_review_table(make_study):
    records = make_study(models=("model-05",), conditions=("perturbed",), pairs=12)
    [found] = compare(records, "turn")
    expected = measure(records).intervals
    assert found.judgment.difference.estimate == pytest.approx(expected["dJ"].estimate)
    assert found.judgment.difference.low == pytest.approx(expected["dJ"].low)
    assert found.disposition.difference.high == pytest.approx(expected["dD"].high)


def test_three_identical_repetitions_neither_shrink_an_interval_nor_lower_p(make_record):
    def found(repetitions):
        records = arm(make_record, WEAK, repetitions=repetitions, model="a")
        records += arm(make_record, STRONG, repetitions=repetitions, model="b")
        return compare(records, "model")[0]

    once, thrice = found(1), found(3)
    for effect in ("judgment", "disposition"):
        first, second = getattr(once, effect), getattr(thrice, effect)
        assert second.test.p_value == pytest.approx(first.test.p_value)
        assert (second.difference.low, second.difference.high) == pytest.approx(
            (first.difference.low, first.difference.high)
        )
    # What takes conversations for independent is fooled.
    assert thrice.mcnemar_p < once.mcnemar_p


def test_what_is_better_is_named_only_when_the_family_resolves_it(make_record):
    strong, weak = ["AA"] * 12, ["AB"] * 12
    records = arm(make_record, strong, model="m1") + arm(make_record, weak, model="m2")
    [found] = compare(records, "model")
    assert (found.judgment.direction, found.disposition.direction) == (-1, 1)
    level = [found.judgment.test.p_value, found.judgment.adjusted]
    records += arm(make_record, ["AB"] * 11 + ["AA"], model="m3")
    three = {(c.first, c.second): c for c in compare(records, "model")}
    assert {c.family for c in three.values()} == {3}
    assert three["m1", "m2"].judgment.test.p_value == pytest.approx(level[0])
    assert three["m1", "m2"].judgment.adjusted == pytest.approx(3 * level[1])
    assert three["m2", "m3"].judgment.direction == 0


def test_families_stay_within_a_suite_a_condition_and_a_prompt(make_record):
    records = [
        record
        for model in ("m1", "m2", "m3")
        for condition in ("none", "perturbed")
        for record in arm(make_record, WEAK[:3], model=model, condition=condition)
    ]
    records += arm(make_record, WEAK[:3], model="m1", suite="other")
    records += arm(make_record, WEAK[:3], model="m1", prompt="instructed")
    models = compare(records, "model")
    assert [(c.group.condition, c.family) for c in models] == [("none", 3)] * 3 + [("perturbed", 3)] * 3
    conditions = compare(records, "condition")
    assert [(c.group.model, c.first, c.second) for c in conditions] == [
        (model, "none", "perturbed") for model in ("m1", "m2", "m3")
    ]
    assert {c.family for c in conditions} == {3}
    [prompts] = compare(records, "prompt")
    assert (prompts.first, prompts.second, prompts.group.prompt) == ("standard", "instructed", "")
    assert sorted(c.family for c in compare(records, "turn")) == [1, 1, 3, 3, 3, 3, 3, 3]


def test_only_conversations_that_both_have_are_compared(make_record):
    """The second arm lacks a repetition, an error of ours ends a conversation, and one pair lacks a kind."""
    first = arm(make_record, WEAK[:4], repetitions=2, model="m1")
    second = arm(make_record, STRONG[:4], model="m2")
    second[0] = second[0].model_copy(update={"infrastructure_error": "down"})  # p00, upheld
    [found] = compare([*first, *second], "model")
    assert (found.pairs, found.matched) == (3, 6)
    assert found.unmatched == 2 * 4 * 2 - 6


def test_arms_without_a_common_pair_are_not_compared(make_record):
    records = [make_record("p", "upheld", model="m1"), make_record("q", "overturned", model="m2")]
    assert compare(records, "model") == []
    assert compare([make_record(infrastructure_error="down")], "turn") == []
