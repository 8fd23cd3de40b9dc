"""`proctor siris audit` as a user types it: figures and verdicts, JSON, and exit codes 0, 1 and 2."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from proctor.cli import app
from proctor.errors import InputError
from proctor.siris.problems.freeze import write_suite
from proctor.siris.problems.suites import load_suite

NAMES = [
    "metadata classifier",
    "single features",
    "word list",
    "outcome balance",
    "answer labels",
    "presented labels",
    "one template",
    "reference values",
    "fixed rules",
    "solvability",
]


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["siris", "audit", *arguments])
    if isinstance(done.exception, InputError):
        raise done.exception
    return done.exit_code, done.stdout


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Folders with two pairs of the frozen suite: as they are, and with all answers at one label."""
    suite = load_suite("routing-v1")
    kept = sorted({entry.pair for entry in suite.manifest.problems})[:2]
    entries = [entry for entry in suite.manifest.problems if entry.pair in kept]
    texts = {e.id: (suite.folder / "workloads" / f"{e.id}.json").read_text() for e in entries}
    folders = {}
    for name, problems in {"plain": entries, "leaning": [_answer_at_a(entry) for entry in entries]}.items():
        folder = tmp_path_factory.mktemp("suites") / name
        write_suite(folder, suite.manifest.model_copy(update={"name": name, "problems": tuple(problems)}), texts)
        folders[name] = str(folder)
    return folders


def _answer_at_a(entry: Any) -> Any:
    other = {entry.answer: "A", "A": entry.answer}
    labels = {other.get(label, label): design for label, design in entry.labels.items()}
    presented = other.get(entry.presented, entry.presented)
    return entry.model_copy(update={"labels": labels, "answer": "A", "presented": presented})


def test_every_check_has_a_line_with_a_verdict_and_json_says_the_same(pairs: dict[str, str]) -> None:
    code, text = run(pairs["plain"])
    rows = [line for line in text.splitlines() if not line.startswith(" ")]
    assert [line.split("  ")[0] for line in rows[:-1]] == NAMES
    assert "solvability          holds          4 of 4 problems solved" in text
    assert text.splitlines()[-1].endswith(" of 10 checks hold, 2 skipped")
    json_code, report = run(pairs["plain"], "--json")
    parsed = json.loads(report)
    assert [check["name"] for check in parsed["checks"]] == NAMES
    assert (json_code, parsed["holds"]) == (code, code == 0)


def test_a_suite_whose_answers_are_at_one_label_fails_with_code_1_and_says_where(pairs: dict[str, str]) -> None:
    code, text = run(pairs["leaning"])
    assert code == 1
    assert "answer labels        DOES NOT HOLD  counts differ by 2, at most 1" in text
    assert "upheld: A 2 B 0 C 0 D 0" in text
    assert "fixed rules          skipped        too few pairs to tell: the best, always A, has J = 100.0" in text


def test_a_suite_that_does_not_exist_is_an_input_error() -> None:
    with pytest.raises(InputError, match="no such suite or folder; frozen suites are"):
        run("routing-v9")
