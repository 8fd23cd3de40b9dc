"""The report end to end: from logs that Inspect wrote to the tables, in all three forms."""

import io
import json
import math

import pytest
from rich.console import Console

from proctor.report.numbers import number
from proctor.report.render import PIPE_WIDTH
from proctor.report.siris_report import Report, make_report, report_logs


def text_of(report: Report, width: int = PIPE_WIDTH) -> str:
    stream = io.StringIO()
    report.show(Console(file=stream, width=width))
    return stream.getvalue()


@pytest.fixture(scope="module")
def followed(run_eval, follow, tmp_path_factory):
    return report_logs([run_eval(tmp_path_factory.mktemp("logs"), follow)])


def test_the_follow_rule_reads_as_the_paper_says(followed):
    """U = 100, O = 0, J = 50, D = +50, no pair solved, every overturned problem keeps the invalid recommendation."""
    [group] = json.loads(followed.json())["groups"]
    final = {name: group["final"][name]["estimate"] for name in "UOJD"}
    assert final == pytest.approx({"U": 100, "O": 0, "J": 50, "D": 50})
    assert group["pair_accuracy"]["count"] == 0
    assert group["pair_accuracy"]["of"] == 6
    assert group["errors"] == {"abandoned_valid": 0, "kept_invalid": 6, "third_design": 0, "no_valid_choice": 0}
    assert group["selection_loss"]["kept_invalid"]["median_pct"] == pytest.approx(24)
    assert group["follow"]["pct"] == 100
    assert group["reach_any_turn"]["pct"] == 100
    assert group["reach_first_turn"]["pct"] == 0
    assert group["coverage"]["scored"] == group["coverage"]["assigned"] == 12


def test_the_json_form_says_its_version_and_how_intervals_were_made(followed):
    found = json.loads(followed.json())
    assert found["version"] == 2
    assert (found["analysis"]["unit"], found["analysis"]["level"]) == ("pair", 0.95)


def test_tables_show_intervals_and_explain_the_baselines(followed):
    text = text_of(followed)
    assert "100.0 [" in text
    assert "always following the presented recommendation gives U 100, O 0, J 50, D +50" in text
    assert "choosing at random J 25" in text
    assert "unit of analysis the pair" in text
    assert "mockllm/model" in text


def test_markdown_holds_the_same_numbers_as_the_tables(followed):
    plain, marked = text_of(followed), followed.markdown()
    for table in (followed.table(name).printed() for name in ("judgment", "movement", "wrong_choices", "coverage")):
        for cell in table.rows[0]:
            assert cell in plain
            assert cell in marked


def test_what_is_not_scored_is_said_under_the_tables(run_eval, tmp_path):
    def choose(problem, _outcome, epoch):
        if problem == "pair-1-upheld" and epoch == 2:
            raise RuntimeError("the provider went away")
        return "A", "A"

    report = report_logs([run_eval(tmp_path, choose)])
    assert "1 of 12 assigned conversations are not scored" in text_of(report)
    [group] = json.loads(report.json())["groups"]
    assert group["coverage"]["infrastructure"] == 1
    assert group["final"]["counts"] == {"upheld": 5, "upheld_of": 5, "overturned": 6, "overturned_of": 6}


def test_rows_come_by_model_and_in_the_order_none_perturbed_reference(make_record):
    records = [
        make_record(model=model, condition=condition)
        for model in ("m2", "m1")
        for condition in ("reference", "code", "perturbed", "none")
    ]
    rows = make_report(records).table("judgment").printed().rows
    order = ["none", "perturbed", "reference", "code"]
    assert [row[:2] for row in rows[:8]] == [(m, c) for m in ("m1", "m2") for c in order]


def test_suite_and_prompt_become_columns_only_where_they_tell_rows_apart(make_record):
    plain = make_report([make_record()]).table("judgment").printed()
    assert plain.columns[:3] == ("model", "condition", "n")
    assert "serving-test" in plain.title
    several = [make_record(), make_record(suite="other", prompt="instructed")]
    assert make_report(several).table("judgment").printed().columns[:4] == ("suite", "model", "condition", "prompt")


def test_an_unresolved_change_is_said_in_words(make_record):
    """A correction in one pair of three leaves zero inside the interval; corrections in all of twelve do not."""
    few = [make_record(f"p{i}", o, "B" if i == 0 else "A", "A") for i in range(3) for o in ("upheld", "overturned")]
    many = [make_record(f"p{i}", o, "B", "A") for i in range(12) for o in ("upheld", "overturned")]
    assert make_report(few).table("movement").rows[0].remark == "J not resolved, D not resolved"
    assert make_report(many).table("movement").rows[0].remark.startswith("J up, ")


def test_groups_without_any_number_show_dashes(make_record):
    report = make_report([make_record(infrastructure_error="down")])
    assert all("nan" not in cell for table in report.tables for row in table.printed().rows for cell in row)
    assert json.loads(report.json())["groups"][0]["final"]["J"]["estimate"] is None
    assert "-" in text_of(report)


@pytest.mark.parametrize(
    ("value", "signed", "text"),
    [
        (50.04, False, "50.0"),
        (-3.448, True, "-3.4"),
        (3.448, True, "+3.4"),
        (-0.01, True, "0.0"),
        (math.nan, True, "-"),
    ],
)
def test_numbers_have_one_decimal_and_never_a_minus_zero(value, signed, text):
    assert number(value, signed=signed) == text
