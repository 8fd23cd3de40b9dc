"""`proctor doctor` tells the truth about a machine, and keeps its secrets."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest
import typer

from proctor.cli import doctor, machine
from proctor.errors import InputError

SECRET = "sk-thisvaluemustneverbeseen"


def run(*args: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "proctor", "doctor", *args]
    return subprocess.run(command, cwd=cwd, env={**os.environ, **variables}, capture_output=True, text=True)


def program(folder: Path, name: str, script: str) -> None:
    """Put a program of that name, a shell script, into the folder."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def test_a_machine_that_runs_these_tests_can_run_the_offline_evaluations(tmp_path):
    """Exit 0, and the versions are those that are installed."""
    done = run("--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert (done.returncode, found["ok"], found["problems"]) == (0, True, [])
    assert found["version"] == 1
    assert found["python"] == sys.version.split()[0]
    assert found["inspect_ai"]["installed"] == version("inspect-ai")
    assert found["inspect_ai"]["needed"] == ">=0.3.285"
    assert found["resources"]["cores"] >= 1
    assert found["resources"]["memory_bytes"] >= found["resources"]["memory_available_bytes"] > 0


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_keys_are_named_and_never_shown(form, tmp_path):
    """Names of the variables that hold keys appear, from the environment and from .env; no value does."""
    (tmp_path / ".env").write_text(f"ANTHROPIC_API_KEY={SECRET}2\n")
    done = run(*form, cwd=tmp_path, OPENAI_API_KEY=SECRET, LOCAL_API_KEY=SECRET, GROQ_API_KEY="")
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "LOCAL_API_KEY"):
        assert name in done.stdout
    assert "GROQ_API_KEY" not in done.stdout
    assert SECRET not in done.stdout + done.stderr


def test_a_dotenv_that_cannot_be_read_is_one_line(tmp_path):
    """Bytes that are no text in .env are the user's to mend: exit 2, naming the file."""
    (tmp_path / ".env").write_bytes(b"KEY=\xff\xfe")
    done = run(cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {tmp_path}/.env: expected")
    assert done.stderr.count("\n") == 1


def test_a_sandbox_is_tried_and_not_only_looked_for(tmp_path, monkeypatch):
    """Present, working, and the reason why not are three different things."""
    program(tmp_path, "good", "echo 1.2.3")
    program(tmp_path, "bad", "echo starting >&2; echo no daemon >&2; exit 1")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert machine.sandboxes({name: (name,) for name in ("good", "bad", "none")}) == (
        machine.Sandbox("good", present=True, works=True, detail="1.2.3"),
        machine.Sandbox("bad", present=True, works=False, detail="no daemon"),
        machine.Sandbox("none", present=False, works=False, detail="not installed"),
    )


def test_a_sandbox_that_does_not_answer_does_not_hold_the_others_up(monkeypatch):
    """A hanging daemon costs the time-out once, however many hang."""
    monkeypatch.setattr(machine, "PROBE_SECONDS", 0.5)
    hang = (sys.executable, "-c", "import time; time.sleep(20)")
    started = time.monotonic()
    boxes = machine.sandboxes(dict.fromkeys("abc", hang))
    assert [box.detail for box in boxes] == ["no answer in 0.5 s"] * 3
    assert time.monotonic() - started < 5


def test_an_inspect_that_is_too_old_is_a_problem(monkeypatch):
    """Below the floor: not ok, and the line names package, need and what is there."""
    monkeypatch.setattr(machine, "version", lambda name: "0.3.1" if name == "inspect-ai" else version(name))
    found = doctor.diagnose()
    assert not found.ok
    assert found.problems == ("inspect-ai>=0.3.285 is needed, 0.3.1 is there: install proctor again",)


def test_a_task_that_does_not_import_is_a_problem(monkeypatch):
    """Inspect loads our registry at start; if that fails, no evaluation runs."""
    monkeypatch.setitem(sys.modules, "proctor._registry", None)
    found = doctor.diagnose()
    assert not found.ok
    assert found.problems[0].startswith("Inspect cannot load proctor's tasks: ModuleNotFoundError")


def test_a_full_disk_is_a_problem_and_exits_with_1(monkeypatch, capsys):
    """The check does not hold: status 1, the problem on stdout."""
    full = machine.Resources(cores=2, memory_bytes=2**33, memory_available_bytes=2**32, disk_free_bytes=1_000_000)
    monkeypatch.setattr(machine, "resources", lambda: full)
    with pytest.raises(typer.Exit) as stopped:
        doctor.doctor()
    assert stopped.value.exit_code == 1
    assert "problem: 1 MB free here; logs want 200 MB" in capsys.readouterr().out


def test_every_declared_dependency_is_checked():
    """What pyproject.toml declares is what doctor looks at: extras are not."""
    names = {package.name for package in machine.packages()}
    assert {"inspect-ai", "numpy", "typer"} <= names
    assert "pytest" not in names


def test_unreadable_dotenv_raises_input_error(tmp_path, monkeypatch):
    """The function says so to its callers too."""
    (tmp_path / ".env").write_bytes(b"\xff")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"\.env: expected"):
        machine.key_names()
