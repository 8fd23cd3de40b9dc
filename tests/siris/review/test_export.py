"""Exported problems: complete, neutral, and readable by somebody who knows nothing of proctor."""

import json
import re

import pytest

from proctor.errors import InputError
from proctor.siris.review.briefs import briefs
from proctor.siris.review.export import FILE_TIME, export


def written(suite, out, condition="perturbed", prompt="standard"):
    return list(export(suite, "hand-made", condition, prompt, out))


def contents(folder):
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("condition", ["none", "perturbed", "reference"])
def test_each_problem_is_a_folder_with_its_packet_and_both_prompts(suite, tmp_path, condition):
    """What an outside agent gets is byte for byte what a model under Inspect can read."""
    assert written(suite, tmp_path / "out", condition) == [problem.id for problem in suite.problems]
    asked = briefs(suite, condition, "standard")
    for problem in suite.problems:
        brief = asked[problem.id]
        expected = {f"packet/{path}": text for path, text in brief.packet.files.items()}
        expected |= {"first-turn.md": brief.script.first_turn, "review-turn.md": brief.script.review_turn}
        assert contents(tmp_path / "out" / problem.id) == expected


def test_nothing_of_the_evaluator_is_in_any_file_or_name(suite, tmp_path):
    """No label of design, pair, perturbation, outcome; no reference value; no date that tells an order."""
    written(suite, tmp_path)
    for problem in suite.problems:
        secrets = (problem.pair, problem.perturbation, *problem.labels.values(), "upheld", "overturned", "reference")
        for path, text in contents(tmp_path / problem.id).items():
            assert not [secret for secret in secrets if secret in text or secret in path], path
    assert {path.stat().st_mtime for path in tmp_path.rglob("*") if path != tmp_path} == {FILE_TIME}
    assert not re.search("upheld|overturned|perturbation", (tmp_path / "README.md").read_text())


@pytest.mark.parametrize("prompt", ["standard", "comparison"])
def test_the_readme_shows_a_line_that_can_be_scored(suite, tmp_path, prompt):
    """Its example, put on one line as it says, is an answer that `proctor siris score` accepts."""
    from proctor.siris.verdict.answers import read_answers

    written(suite, tmp_path / "out", prompt=prompt)
    readme = (tmp_path / "out" / "README.md").read_text()
    example = " ".join(re.search(r"^ {4}(\{.*?\})$", readme, re.M | re.S)[1].split())
    assert json.loads(example)["condition"] == "perturbed"
    (tmp_path / "answers.jsonl").write_text(example + "\n")
    [answer] = read_answers(tmp_path / "answers.jsonl", suite)
    assert (answer.problem, answer.prompt) == (suite.problems[0].id, prompt)
    assert "proctor siris score answers.jsonl --suite hand-made" in readme


def test_a_folder_that_holds_anything_is_left_alone(suite, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="exists and is not an empty folder; give a new one"):
        written(suite, tmp_path)
    assert contents(tmp_path) == {"mine.txt": "mine"}


def test_a_file_in_the_place_of_the_folder_is_named(suite, tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(InputError, match="out: exists and is not an empty folder"):
        written(suite, tmp_path / "out")
    with pytest.raises(InputError, match="cannot be written"):
        written(suite, tmp_path / "out" / "deeper")


def test_a_condition_that_does_not_exist_writes_nothing(suite, tmp_path):
    with pytest.raises(InputError, match="did you mean perturbed"):
        written(suite, tmp_path / "out", "perturbd")
    assert not (tmp_path / "out").exists()
