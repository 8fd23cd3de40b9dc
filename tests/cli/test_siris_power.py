"""`proctor siris power` as a person meets it: table, JSON, errors."""

import json

import pytest

from proctor.cli.siris_power import register
from proctor.errors import InputError


@pytest.fixture
def command(in_process):
    return in_process(register)


def test_power_of_planned_studies_with_what_is_assumed(command):
    result = command("--pairs", 12, "--pairs", 29, "--repetitions", 1, "--repetitions", 3, "--gap", 20)
    assert result.exit_code == 0
    assert "Power to resolve a difference of 20 points of J" in result.stdout
    assert result.stdout.count("[0.") == 4
    assert "correlate by 0.6" in result.stdout
    assert "level 0.05" in result.stdout


def test_json_holds_assumptions_and_rows(command):
    args = ("--pairs", 29, "--repetitions", 2, "--gap", 20, "--comparisons", 5, "--json")
    found = json.loads(command(*args).stdout)
    assert found["version"] == 1
    assert found["assumptions"]["comparisons"] == 5
    [row] = found["rows"]
    assert (row["pairs"], row["repetitions"], row["conversations"]) == (29, 2, 116)
    assert 0 < row["low"] < row["power"] < row["high"] < 1
    assert command(*args).stdout == command(*args).stdout  # seeded


def test_the_pairs_that_a_wished_power_needs(command):
    [row] = json.loads(command("--power", 0.8, "--gap", 25, "--json").stdout)["rows"]
    assert row["power"] >= 0.8
    assert row["pairs"] < 60
    [none] = json.loads(command("--power", 0.8, "--gap", 0.2, "--json").stdout)["rows"]
    assert (none["pairs"], none["power"]) == (None, None)
    assert "> 2000" in command("--power", 0.8, "--gap", 0.2).stdout


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (("--gap", 10), "either --pairs"),
        (("--gap", 10, "--pairs", 20, "--power", 0.8), "either --pairs"),
        (("--gap", 50, "--pairs", 20), "above 100"),
    ],
)
def test_plans_that_make_no_sense_are_one_clear_line(command, args, complaint):
    with pytest.raises(InputError, match=complaint):
        command(*args)


def test_numbers_out_of_range_are_usage_errors(command):
    assert command("--gap", 10, "--pairs", 0).exit_code == 2
    assert command("--gap", 10, "--pairs", 20, "--within", 1).exit_code == 2
