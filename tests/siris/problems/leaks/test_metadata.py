"""Features of a packet are what a count by hand gives."""

from __future__ import annotations

from dataclasses import replace
from math import log

import pytest

from proctor.siris.problems.domain import Case, Evidence, Problem
from proctor.siris.problems.leaks import Exhibit
from proctor.siris.problems.leaks.metadata import features

EVIDENCE = Evidence(
    description={
        "system-description.md": "",
        "workload.json": '["ab", 10, "c"]\n',
        **{f"candidates/{label}.py": f"# {label}\n" for label in "ABCD"},
    },
    code={"simulator/a.py": '"""Says."""\nx = 1\n# so\ny = 2\n'},
    parameters={},
    configuration={"configuration.json": ""},
    predictions={"prediction.json": "1.25 2 3.5"},
    records={"execution-records/A.jsonl": "1\n", "execution-records/C.jsonl": "1\n2\n3\n"},
)


@pytest.fixture(scope="module")
def found():
    problem = Problem(
        id="p01",
        pair="k01",
        outcome="upheld",
        perturbation="x",
        design_problem="y",
        question="?",
        labels={"A": "one", "B": "two", "C": "three", "D": "four"},
        presented="C",
        answer="C",
        reference={},
        perturbed={"A": 300, "B": 200, "C": 100, "D": 800},
        case=Case("y", {}, []),
    )
    return features(Exhibit(4, problem, {"gap": 7, "sizes": [1, 2], "kind": "z"}, EVIDENCE, EVIDENCE, {}, frozenset()))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("workload.json: characters", 16),
        ("workload.json: lines", 1),
        ("execution-records/ presented: lines", 3),
        ("execution-records/ all: lines", 4),
        ("candidates/ all: characters", 16),
        ("predictions: mean length of numbers", 8 / 3),
        ("predictions: share of numbers with a fraction", 2 / 3),
        ("predictions: mean places of fractions", 1),
        ("description: different names", 2),
        ("description: mean length of names", 1.5),
        ("description: mean letter of names", (97 + 98 + 99) / 3),
        ("code: share of comments", 0.5),
        ("place in the suite", 4),
        ("place of the presented label", 2),
        ("place of the predicted runner-up", 1),
        ("place of four", 3),
        ("predicted lead", log(2)),
        ("predicted spread", log(8)),
        ("predicted value", log(100)),
        ("workload parameter gap", 7),
        ("workload parameter sizes[1]", 2),
    ],
)
def test_a_feature_is_what_it_says(found, name, value):
    assert found[name] == pytest.approx(value)


def test_what_is_not_there_gives_no_feature(found):
    assert not any(name.startswith(("cost-parameters", "workload parameter kind")) for name in found)


def test_the_answer_and_the_reference_are_no_features(frozen):
    """Only what a reader of the perturbed packet sees counts: with another answer the features stay the same."""
    exhibit = frozen[0]
    other = replace(exhibit.problem, answer="B", outcome="overturned", reference={}, pair="k99")
    assert features(replace(exhibit, problem=other, reference=exhibit.perturbed)) == features(exhibit)
