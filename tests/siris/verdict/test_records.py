"""A record says what happened in one conversation, cannot contradict itself, and survives the log."""

import pytest
from pydantic import ValidationError

from proctor.siris.verdict.records import Group, Record


def test_a_record_survives_the_split_into_an_inspect_score(make_record):
    record = make_record(outcome="overturned", initial="B", final=None, files_read={"final": ["simulator/cache.py"]})
    value, metadata = record.to_score()
    assert value == {"initial": "B", "final": "", "initial_correct": 0, "final_correct": 0}
    assert Record.from_score(value, metadata) == record


def test_further_metadata_beside_the_record_is_ignored(make_record):
    value, metadata = make_record().to_score()
    assert Record.from_score(value, metadata | {"error_kind": "none", "selection_loss": 0.0}) == make_record()


def test_only_the_reference_answer_is_correct(make_record):
    assert make_record(final="A").correct("final")
    assert not make_record(final="B").correct("final")
    assert not make_record(final=None).correct("final")


def test_the_group_is_what_is_never_pooled(make_record):
    assert make_record(prompt="comparison").group == Group("serving-test", "rule/test", "perturbed", "comparison")


@pytest.mark.parametrize(
    "changes",
    [
        {"version": 2},
        {"presented": "B"},
        {"final": "E"},
        {"final": None, "final_status": "valid"},
        {"final_status": "invalid"},
        {"answer": "E", "presented": "E"},
        {"repetition": 0},
        {"outcome": "unclear"},
        {"surprise": 1},
    ],
)
def test_contradictions_and_unknown_versions_are_refused(make_record, changes):
    with pytest.raises(ValidationError):
        make_record(**changes)


def test_what_an_annotator_found_is_no_part_of_a_score(make_record):
    """It is joined from annotation logs; a score can neither keep nor forge it."""
    value, metadata = make_record(identified=True).to_score()
    assert "identified" not in value
    assert "identified" not in metadata
    assert Record.from_score(value, metadata | {"identified": True}).identified is None
