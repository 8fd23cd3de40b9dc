"""`proctor siris run`, `demo` and `export` as a user types them, on the shipped suite."""

import json
import os
import subprocess
import sys
from functools import partial
from importlib.metadata import entry_points

import pytest

from proctor.cli import main
from proctor.siris import DEFAULT_SUITE
from proctor.siris.problems.suites import load_suite

LIMIT = ("--limit", "4")


def without_keys():
    return {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}


def run_in(folder, *arguments, check=True):
    """Run the command in a folder, without any key."""
    environment = {**without_keys(), "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "COLUMNS": "200"}
    command = [sys.executable, "-m", "proctor", "siris", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert not check or done.returncode == 0, done.stderr
    return done


@pytest.fixture
def proctor(tmp_path):
    """Run the command in an empty folder."""
    return partial(run_in, tmp_path)


def row(output, model):
    return next(line.split() for line in output.splitlines() if line.split()[:1] == [model])


RUN = ("run", "--model", "rule/follow", "--log-dir", "my-logs", *LIMIT)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a finished run, and what the run printed."""
    folder = tmp_path_factory.mktemp("finished")
    return folder, run_in(folder, *RUN)


def test_run_ends_with_the_table_the_logs_and_the_way_to_a_real_model(finished):
    folder, done = finished
    assert row(done.stdout, "rule/follow")[:4] == ["rule/follow", "perturbed", "4", "100.0"]
    assert "logs: my-logs" in done.stdout
    assert "proctor siris run --model openai/" in done.stdout
    assert list((folder / "my-logs").glob("*.eval"))
    assert done.stderr == ""


def test_the_same_command_again_asks_nothing_and_prints_the_same_or_one_json_object(finished):
    folder, first = finished
    before = {path: path.read_bytes() for path in (folder / "my-logs").glob("*.eval")}
    assert run_in(folder, *RUN).stdout == first.stdout
    [group] = json.loads(run_in(folder, *RUN, "--json").stdout)["groups"]
    assert group["model"] == "rule/follow"
    assert {path: path.read_bytes() for path in (folder / "my-logs").glob("*.eval")} == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "rule/folow"], "did you mean rule/follow?"),
        (["--model", "opnai/gpt-5"], "model 'opnai/gpt-5' cannot be used: "),
        (["--model", "openai/gpt-5"], "model 'openai/gpt-5' cannot be used: "),
        (["--model", "rule/follow", "--condition", "prturbed"], "did you mean perturbed?"),
        (["--model", "rule/follow", "--suite", "routing-v2"], "routing-v2"),
        (["--model", "rule/follow", "--prompt", "instructed", "--condition", "none"], "needs all simulator evidence"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(monkeypatch, capsys, tmp_path, arguments, message):
    """In this process: that no traceback reaches a user of a real one, another test shows."""
    for name in os.environ.keys() - without_keys().keys():
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["proctor", "siris", "run", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    out, err = capsys.readouterr()
    assert (stopped.value.code, out, len(err.splitlines())) == (2, "", 1)
    assert err.startswith("error: ")
    assert message in err
    assert not list((tmp_path / "logs").glob("*.eval"))


def test_run_without_a_model_says_what_is_missing(proctor):
    done = proctor("run", check=False)
    assert done.returncode == 2
    assert "--model" in done.stderr


def test_exported_problems_can_be_answered_and_scored(proctor, tmp_path):
    """An agent outside Inspect that always takes the best prediction scores as rule/follow does."""
    assert "24 problems: problems" in proctor("export", "--suite", "routing-v1", "--out", "problems").stdout
    answers = []
    for folder in sorted(path for path in (tmp_path / "problems").iterdir() if path.is_dir()):
        predicted = json.loads((folder / "packet" / "prediction.json").read_text())["candidates"]
        best = min(predicted, key=lambda label: predicted[label]["p95"])
        common = {"problem": folder.name, "model": "outside", "condition": "perturbed"}
        answers.append({**common, "initial": f"I recommend {best}.", "final": json.dumps({"choice": best})})
    lines = "".join(json.dumps(answer) + "\n" for answer in answers)
    (tmp_path / "answers.jsonl").write_text(lines)
    done = proctor("score", "answers.jsonl", "--suite", "routing-v1")
    follow = row(done.stdout, "outside")
    assert follow[:4] == ["outside", "perturbed", "24", "100.0"]
    assert done.stdout.split()[0] != "error:"


def test_export_does_not_touch_what_is_there(proctor, tmp_path):
    (tmp_path / "problems").mkdir()
    (tmp_path / "problems" / "mine").write_text("mine")
    done = proctor("export", "--out", "problems", check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "not an empty folder" in done.stderr


@pytest.mark.slow
def test_the_demo_shows_the_four_rules_as_they_must_be_within_a_minute(proctor):
    """Following: U 100, O 0. The oracle: 100. Rejecting: U 0. (The subprocess has its own time limit.)"""
    done = proctor("demo")
    table = [
        line.split() for line in done.stdout.splitlines() if line.split()[:1] and line.split()[0].startswith("rule/")
    ]
    scores = {(cells[0], cells[1]): (cells[3], cells[6]) for cells in table}
    assert scores["rule/follow", "perturbed"] == ("100.0", "0.0")
    assert scores["rule/reference", "perturbed"] == ("100.0", "100.0")
    assert scores["rule/reject", "perturbed"][0] == "0.0"
    assert len(scores) == 4
    assert "proctor siris run --model" in done.stdout


@pytest.mark.slow
def test_the_analyst_solves_the_shipped_suite_from_its_packets(proctor):
    """Through the ordinary conversation and tools: J = 100, with predictions and records and without."""
    conditions = ("perturbed", "code")
    chosen = [option for condition in conditions for option in ("--condition", condition)]
    done = proctor("run", "--model", "rule/analyst", *chosen)
    rows = [line.split() for line in done.stdout.splitlines() if line.split()[:1] == ["rule/analyst"]]
    finals = {cells[1]: (cells[2], cells[3], cells[6], cells[9]) for cells in rows if cells[1] in conditions}
    problems = str(len(load_suite(DEFAULT_SUITE).problems))
    assert finals == dict.fromkeys(conditions, (problems, "100.0", "100.0", "100.0"))


def test_inspect_itself_runs_the_task(tmp_path):
    """`inspect eval proctor/siris --model rule/follow -T condition=perturbed`, found through the entry point."""
    if not any(point.name == "proctor" for point in entry_points(group="inspect_ai")):
        pytest.skip("needs proctor installed, so that Inspect finds its entry point")
    command = [sys.executable, "-m", "inspect_ai", "eval", "proctor/siris", "--model", "rule/follow"]
    options = ["-T", "condition=perturbed", "--limit", "2", "--log-dir", "logs", "--display", "plain"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([*command, *options], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "judgment" in done.stdout
