"""The information boundary: exactly these files per condition (paper section 3.2, B.3, B.5, Tables 6 and 12)."""

import pytest

from proctor.errors import InputError
from proctor.siris.review.packet import CONDITIONS, build_packet, condition_named

LABELS = "ABCD"
DESCRIPTION = {"system-description.md", "workload.json", *(f"candidates/{label}.py" for label in LABELS)}
CODE = {"simulator/__init__.py", "simulator/replica.py", "cost-parameters/head.csv", "configuration.json"}
RECORDS = {f"execution-records/{label}.jsonl" for label in LABELS}
PREDICTIONS = {"prediction.json"}

FILES = {
    "none": DESCRIPTION,
    "perturbed": DESCRIPTION | CODE | RECORDS | PREDICTIONS,
    "reference": DESCRIPTION | CODE | RECORDS | PREDICTIONS,
    "code": DESCRIPTION | CODE,
    "code+records": DESCRIPTION | CODE | RECORDS,
    "code+predictions": DESCRIPTION | CODE | PREDICTIONS,
    "code-reference": DESCRIPTION | CODE,
    "predictions-only": DESCRIPTION | PREDICTIONS,
}
REFERENCE = {"reference", "code-reference"}


def packet_of(suite, condition, number=1):
    shown = condition_named(condition)
    problem = suite.problems[number]
    return build_packet(suite.evidence(problem, shown.version), shown)


def test_every_condition_of_the_paper_exists():
    """Three main conditions, four of Table 6 beside the complete evidence, one of B.5."""
    assert CONDITIONS.keys() == FILES.keys()


@pytest.mark.parametrize("condition", FILES)
def test_a_packet_holds_exactly_the_files_of_its_condition(suite, condition):
    assert set(packet_of(suite, condition).files) == FILES[condition]


@pytest.mark.parametrize("condition", FILES)
def test_code_is_of_the_version_that_the_condition_names(suite, condition):
    code = packet_of(suite, condition).files.get("simulator/replica.py", "")
    version = "reference" if condition in REFERENCE else "perturbed"
    assert f"credit = '{version}'" in code or "simulator/replica.py" not in FILES[condition]


def test_a_packet_of_one_version_holds_no_number_of_the_other(suite):
    """The winner and its p95 under the reference never appear in an overturned problem's perturbed packet."""
    overturned = suite.problems[1]
    text = packet_of(suite, "perturbed").files["prediction.json"]
    reference = packet_of(suite, "reference").files["prediction.json"]
    assert text != reference
    assert f'"{overturned.presented}": {{\n      "p50": 0.5,\n      "p95": 1.0' in text


def test_files_come_in_the_order_of_their_paths(suite):
    """So that the order tells nothing."""
    files = list(packet_of(suite, "perturbed").files)
    assert files == sorted(files)


def test_labels_are_those_of_the_candidates(suite):
    assert packet_of(suite, "none").labels == tuple(LABELS)


@pytest.mark.parametrize(("name", "hint"), [("pertrubed", "did you mean perturbed"), ("xyz", "choose one of none")])
def test_an_unknown_condition_is_named_with_what_there_is(name, hint):
    with pytest.raises(InputError, match=hint):
        condition_named(name)
