"""`proctor siris show` as a person meets it: the text, the list, JSON, and charts in every format."""

import ast
import errno
import json
import math
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import proctor
from proctor.cli.siris_show import register
from proctor.errors import InputError
from proctor.report import problem_chart, siris_show
from proctor.siris.problems.portrait import portrait
from proctor.siris.problems.suites import load_suite


@pytest.fixture(scope="module")
def suite():
    return load_suite("routing-v1")


@pytest.fixture
def command(in_process):
    """The command, on routing-v1 where nothing else is said."""
    run = in_process(register)
    return lambda *args: run(*(() if "--suite" in args else ("--suite", "routing-v1")), *args)


def printed(seen, **options):
    console = Console(record=True, file=open("/dev/null", "w"), **options)  # noqa: SIM115, PTH123
    siris_show.show_problem(console, seen)
    return console.export_text()


def test_a_problem_is_shown_with_everything_an_evaluator_asks(command, seen):
    problem, found = seen.problem, seen.difficulty
    text = command(problem.id).stdout
    assert f"{problem.id} of routing-v1: overturned, the answer is {problem.answer}" in text
    for label, design in problem.labels.items():
        row = next(
            line for line in text.splitlines() if line.split()[:2] == [label, design] and "perturbed" not in line
        )
        assert seen.scale.number(problem.perturbed[label]) in row
        assert seen.scale.number(problem.reference[label]) in row
    for sentence in seen.explanation:
        assert sentence in text
    assert "+        return self.cached_tokens(call.keys, call.reached) // 256 * 256" in text
    assert f"are the same on {seen.entry.confirmed} of 10 further traces" in text
    assert f"level {found.level}: shift / lead {found.shift_over_lead:.2f} against rival {found.rival}" in text
    assert f"kv_blocks {seen.entry.system['kv_blocks']}" in text
    total = sum(row["output_tokens"] for row in problem.case.workload)
    assert re.search(rf"output_tokens +{seen.requests} .* {total:,}\b", text)


def test_bars_are_as_long_as_their_values_and_fit_the_terminal(seen):
    for width in (60, 80, 200):
        text = printed(seen, width=width, force_terminal=True)
        drawn = [line for line in text.splitlines() if re.search("[█▒]", line)]
        bars = [len(re.findall("[█▒]", line)) for line in drawn]
        values = [v[label] for label in seen.problem.labels for v in (seen.problem.perturbed, seen.problem.reference)]
        assert bars == [max(1, round(max(bars) * value / max(values))) for value in values]
        assert max(map(len, drawn)) <= width
        assert text.count("< best") == 2


def test_a_terminal_of_plain_characters_gets_plain_bars(seen, tmp_path):
    with (tmp_path / "out").open("w", encoding="ascii") as file:
        siris_show.show_problem(Console(file=file, width=100), seen)
    text = (tmp_path / "out").read_text()
    assert "reference ====" in text
    assert "perturbed ####" in text


def test_no_control_character_of_a_suite_reaches_the_terminal(seen):
    """Suites come from others too."""
    system = {**seen.entry.system, "profile": "\x1b[2Jgone"}
    hostile = replace(seen, suite="\x1b]0;owned\x07", entry=seen.entry.model_copy(update={"system": system}))
    text = printed(hostile, width=100)
    assert "\\x1b[2Jgone" in text
    assert not {"\x1b", "\x07"} & set(text)


def test_without_a_problem_all_are_listed_with_a_warning(command, suite):
    text = command().stdout
    rows = [line.split() for line in text.splitlines() if re.match(r" +p\d\d ", line)]
    assert [row[0] for row in rows] == [problem.id for problem in suite.problems]
    assert {row[2] for row in rows} == {"upheld", "overturned"}
    assert "gives answers away" in text


def test_json_is_one_object_with_plain_numbers(command, seen):
    shown = json.loads(command(seen.problem.id, "--json").stdout)
    expected = (seen.problem.id, seen.problem.answer, seen.problem.presented)
    assert (shown["id"], shown["answer"], shown["presented"]) == expected
    assert shown["perturbed"] == seen.problem.perturbed
    assert shown["difficulty"]["level"] == seen.difficulty.level
    assert shown["explanation"] == seen.explanation
    assert shown["workload"]["ranges"]["prompt"]["total"] == seen.ranges["prompt"].total


def test_an_infinite_tolerance_is_null_in_json(command, suite):
    listed = json.loads(command("--json").stdout)
    assert len(listed["problems"]) == len(suite.problems)
    for problem in listed["problems"]:
        assert (problem["difficulty"]["tolerance"] is None) == (problem["difficulty"]["shift_over_lead"] <= 0)
    endless = next(problem["id"] for problem in listed["problems"] if problem["difficulty"]["tolerance"] is None)
    assert math.isinf(portrait(suite, endless).difficulty.tolerance)
    assert "tolerance without end" in command(endless).stdout


def test_the_chart_holds_both_predictions_of_every_design(seen):
    chart = problem_chart.problem_chart(seen).to_dict()
    [rows] = chart["datasets"].values() if "datasets" in chart else [chart["data"]["values"]]
    assert len(rows) == 8
    for row in rows:
        label = row["design"][0]
        assert row["value"] == pytest.approx(getattr(seen.problem, row["simulator"])[label] / seen.scale.factor)
    lowest = {(row["simulator"], row["design"][0]) for row in rows if "lowest" in row["shown"]}
    assert lowest == {("perturbed", seen.problem.presented), ("reference", seen.problem.answer)}


@pytest.mark.parametrize(
    ("name", "start", "holds"),
    [
        ("p.svg", b"<svg", b"load_only"),
        ("p.png", b"\x89PNG", b"IEND"),
        ("p.pdf", b"%PDF", b"%%EOF"),
        ("p.html", b"<!DOCTYPE html>", b"load_only"),
    ],
)
def test_the_chart_is_drawn_in_every_format_without_the_network(command, tmp_path, name, start, holds):
    """HTML holds the drawing code itself: no element loads anything."""
    result = command("p02", "--plot", tmp_path / name)
    assert result.exit_code == 0
    drawn = (tmp_path / name).read_bytes()
    assert drawn.lstrip().startswith(start)
    assert holds in drawn
    assert not re.search(rb"<(script|link|img)[^>]+(src|href)=.?https?:", drawn)


def test_a_chart_that_cannot_be_written_leaves_the_earlier_one(command, tmp_path, monkeypatch):
    chart = tmp_path / "p.png"
    chart.write_bytes(b"earlier")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fchmod", full)
    with pytest.raises(InputError, match="No space left"):
        command("p02", "--plot", chart)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"p.png": b"earlier"}


def test_json_stays_json_with_a_chart(command, tmp_path):
    assert json.loads(command("p02", "--json", "--plot", tmp_path / "p.svg").stdout)["id"] == "p02"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("p99",), "suite routing-v1 has no problem 'p99': did you mean p"),
        (("p02", "--suite", "nowhere"), "nowhere: no such suite or folder"),
        (("p02", "--plot", "p.gif"), r"p\.gif: a chart's name ends in one of \.svg"),
        (("p02", "--plot", "no/such/folder/p.svg"), "there is no folder no/such/folder"),
    ],
)
def test_a_mistake_is_one_line(command, arguments, message):
    with pytest.raises(InputError, match=message):
        command(*arguments)


def test_a_chart_of_all_problems_is_a_usage_error(command):
    result = command("--plot", "p.svg")
    assert result.exit_code == 2
    assert "name it" in result.stderr


def test_no_part_of_a_conversation_can_reach_the_evaluators_view():
    """Nothing that asks a model imports it: not prompts, packets, tools, solver or rules."""
    folder = Path(proctor.__file__).parent / "siris"
    asking = [*(folder / "review").rglob("*.py"), folder / "task.py", folder / "scorer.py", folder / "run.py"]
    secret = ("portrait", "explanation", "siris_show")
    for path in asking:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            assert not [name for name in names for word in secret if word in name], path
