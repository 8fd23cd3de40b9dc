"""Labels are spread and fixed rules stay at chance; a suite in which they are not is caught."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proctor.siris.problems.leaks import labels, rules


@pytest.fixture(scope="module")
def problems(frozen):
    return [exhibit.problem for exhibit in frozen]


def verdicts(module, problems):
    return {check.name: check.holds for check in module.judge(problems, [None] * len(problems))}


def swapped(problem, label):
    """The same problem with the answer at another label."""
    other = {problem.answer: label, label: problem.answer}

    def new(old):
        return other.get(old, old)

    def moved(values):
        return {new(old): value for old, value in values.items()}

    return replace(
        problem,
        labels=moved(problem.labels),
        presented=new(problem.presented),
        answer=label,
        reference=moved(problem.reference),
        perturbed=moved(problem.perturbed),
    )


def test_the_frozen_suite_is_balanced(problems):
    assert verdicts(labels, problems) == {"outcome balance": True, "answer labels": True, "presented labels": True}
    assert verdicts(rules, problems) == {"fixed rules": True}


def test_answers_at_one_label_are_caught(problems):
    """In overturned problems alone: over all problems the label would still look harmless to a rule."""
    leaning = [swapped(p, "A") if p.outcome == "overturned" else p for p in problems]
    assert verdicts(labels, leaning)["answer labels"] is False
    assert verdicts(rules, leaning) == {"fixed rules": False}


def test_presented_labels_at_one_place_are_caught(problems):
    leaning = [swapped(p, "C") if p.outcome == "upheld" else p for p in problems]
    assert verdicts(labels, leaning)["presented labels"] is False


def test_more_problems_of_one_outcome_are_caught(problems):
    assert verdicts(labels, problems[1:])["outcome balance"] is False


def test_a_design_that_answers_most_problems_is_caught(problems):
    favored = [replace(p, labels={**p.labels, p.answer: "the one"}) for p in problems]
    [check] = rules.judge(favored, [None] * len(favored))
    assert check.holds is False
    assert "one design" in check.figure


def test_rules_score_what_a_count_by_hand_gives(problems):
    """Follow: 100 on upheld, 0 on overturned. Each label answers three of twelve. The runner-up: counted here."""
    [check] = rules.judge(problems, [None] * len(problems))
    assert check.values["predicted first (follow)"] == 50
    assert [check.values[f"always {label}"] for label in "ABCD"] == [25, 25, 25, 25]
    overturned = [p for p in problems if p.outcome == "overturned"]
    second = sum(sorted(p.perturbed.values())[1] == p.perturbed[p.answer] for p in overturned)
    assert check.values["predicted second (runner-up)"] == pytest.approx(50 * second / 12)
