"""`proctor siris report` and `proctor siris score` as a person meets them: output, errors, exit codes."""

import json
import os
import subprocess
import sys

import pytest

from proctor.cli import siris_compare
from proctor.cli.siris_verdict import register


@pytest.fixture
def command(in_process):
    return in_process(register)


def test_report_prints_tables_for_a_folder(command, log):
    result = command("report", log.parent)
    assert result.exit_code == 0
    assert "mockllm/model" in result.stdout
    assert "+50.0 [" in result.stdout


def test_report_json_is_one_object_and_markdown_is_tables(command, log):
    [group] = json.loads(command("report", log, "--json").stdout)["groups"]
    assert group["final"]["D"]["estimate"] == pytest.approx(50)
    assert "| mockllm/model | perturbed | 12 |" in command("report", log, "--markdown").stdout


def test_only_one_form_at_a_time(command, log):
    result = command("report", log, "--json", "--markdown")
    assert result.exit_code == 2


def test_a_path_without_logs_is_one_line_and_exit_2(tmp_path):
    """Through a real process: no traceback reaches the user."""
    args = [sys.executable, "-m", "proctor", "siris", "report", str(tmp_path / "nothing")]
    done = subprocess.run(args, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    assert line.startswith("error: ")
    assert "no such file or folder" in line


def test_a_report_through_a_pipe_is_neither_cut_nor_coloured(log):
    args = [sys.executable, "-m", "proctor", "siris", "report", str(log)]
    done = subprocess.run(args, capture_output=True, text=True, env={**os.environ, "COLUMNS": "40"})
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert "+50.0 [" in done.stdout


@pytest.fixture
def suite(monkeypatch, small_suite):
    """The small suite, under every name."""
    monkeypatch.setattr("proctor.siris.problems.suites.load_suite", lambda _name: small_suite)
    return small_suite


def answers(path, suite, **more):
    rows = [
        {"problem": p.id, "initial": p.presented, "final": p.presented, "model": "agent", "condition": "perturbed"}
        for p in suite.problems
    ]
    path.write_text("\n".join(json.dumps(row | more) for row in rows))
    return path


def test_score_gives_the_same_report_as_logs(command, suite, tmp_path):
    """Following everywhere, written down by hand: U 100, O 0."""
    result = command("score", answers(tmp_path / "a.jsonl", suite), "--suite", "any", "--json")
    [group] = json.loads(result.stdout)["groups"]
    assert (group["final"]["U"]["estimate"], group["final"]["O"]["estimate"]) == pytest.approx((100, 0))
    assert group["reach_any_turn"]["pct"] is None


def test_score_says_how_many_answers_are_missing(command, suite, tmp_path):
    path = answers(tmp_path / "a.jsonl", suite)
    path.write_text(path.read_text().splitlines()[0])
    assert "3 assigned conversations have no line in a.jsonl" in command("score", path, "--suite", "any").stdout


def test_score_prints_one_line_for_each_bad_line_and_exits_with_2(command, suite, tmp_path):
    path = answers(tmp_path / "a.jsonl", suite)
    path.write_text(path.read_text() + '\n{"problem"\n{"problem": "cap-1"}\n')
    result = command("score", path, "--suite", "any")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert [line.split(": ")[1] for line in result.stderr.splitlines()] == [f"{path}, line 5", f"{path}, line 6"]


@pytest.fixture
def compare(in_process):
    return in_process(siris_compare.register)


def test_compare_says_in_words_what_is_not_resolved(compare, log):
    result = compare(log)
    assert result.exit_code == 0
    assert "Turns compared" in result.stdout
    assert "J, D not resolved" in result.stdout
    assert "flipping the signs of whole pairs" in result.stdout


def test_compare_json_and_markdown_and_the_papers_rows(compare, log):
    found = json.loads(compare(log, "--by", "turn", "--published", "--json").stdout)
    assert found["version"] == 1
    rows = {(r["model"], r["quantity"]): r["estimate"] for r in found["tables"]["compare_turns"]}
    assert rows["GPT-5.6 Sol", "mcnemar_p"] == pytest.approx(0.0015, abs=0.0001)
    assert rows["mockllm/model", "dJ"] == 0
    assert "GPT-5.6 Sol (published)" in compare(log, "--by", "turn", "--published", "--markdown").stdout


def test_compare_says_when_there_is_nothing_to_compare_and_refuses_unknown_ways(compare, log):
    assert "nothing to compare" in compare(log, "--by", "model").stdout
    assert compare(log, "--by", "colour").exit_code == 2
