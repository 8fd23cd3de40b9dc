"""The command line as a person or a script meets it: exit codes, one-line errors, help."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from proctor import cli
from proctor.cli import app, main
from proctor.cli._text import one_line
from proctor.errors import InputError

PROCTOR = (sys.executable, "-m", "proctor")


def run(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROCTOR, *args], capture_output=True, text=True)


def tree(command: object, *words: str) -> dict[tuple[str, ...], bool]:
    """Every command and group, as its words after `proctor`, and whether it is a group."""
    below = getattr(command, "commands", None)
    found = {words: below is not None}
    for name, child in (below or {}).items():
        found |= tree(child, *words, name)
    return found


COMMANDS = tree(typer.main.get_command(app))


@pytest.fixture
def stops_with(monkeypatch):
    """`main()` run on an app whose one command raises what it is given; the exit status."""

    def stop(error: BaseException) -> object:
        failing = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)

        @failing.command()
        def fail() -> None:
            raise error

        monkeypatch.setattr(cli, "app", failing)
        monkeypatch.setattr(sys, "argv", ["proctor"])
        with pytest.raises(SystemExit) as stopped:
            main()
        return stopped.value.code

    return stop


def test_version_is_that_of_the_installed_package():
    """`proctor --version` prints one line a script can split."""
    done = run("--version")
    assert done.returncode == 0
    assert done.stdout.split() == ["proctor", "0.1.0"]


@pytest.mark.parametrize("words", [("--help",), ("doctor", "--help"), ("siris", "--help")])
def test_help_goes_to_stdout_and_succeeds(words):
    """Asking for help is no error."""
    done = run(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: proctor")


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_shows_examples_that_exist(words):
    """Each help ends with examples, one a line, each naming a command there is. Groups list their commands instead."""
    shown = CliRunner().invoke(app, [*words, "--help"], prog_name="proctor", terminal_width=200).stdout
    _, _, examples = shown.partition("Examples:")
    lines = [line.split() for line in examples.splitlines() if line.strip()]
    assert lines or COMMANDS[words]
    for line in lines:
        if line[0] == "proctor":
            assert any(tuple(line[1 : 1 + len(known)]) == known for known in COMMANDS if known), line


@pytest.mark.parametrize("words", [("nonsense",), ("doctor", "--nonsense"), ("siris", "nonsense")])
def test_wrong_usage_exits_with_2_and_names_the_word(words):
    """Usage errors go to stderr and say which word is wrong."""
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "nonsense" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_input_error_is_one_line_and_exits_with_2(stops_with, capsys):
    """The message of an InputError, whatever it holds, is one line on stderr without a traceback."""
    assert stops_with(InputError("a\nb.json: field x: expected \x1b[31m a number")) == 2
    assert capsys.readouterr() == ("", "error: a\\nb.json: field x: expected \\x1b[31m a number\n")


def test_a_bug_of_ours_keeps_its_traceback(monkeypatch):
    """Only InputError is the user's: anything else must be seen whole."""

    def broken(**_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(cli, "app", broken)
    with pytest.raises(ZeroDivisionError):
        main()


@pytest.mark.parametrize("number", [errno.EACCES, errno.ENAMETOOLONG, errno.ENOSPC])
def test_what_the_machine_refuses_is_one_line(stops_with, capsys, number):
    """A folder without permission, a path too long, a full disk: the user's to mend, wherever it is met."""
    assert stops_with(OSError(number, os.strerror(number), "a/b")) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"error: a/b: {os.strerror(number)}; ")
    assert err.count("\n") == 1


def test_a_file_of_ours_that_is_missing_keeps_its_traceback(stops_with):
    """Paths that users give are looked for where they are read; any other missing file is a bug."""
    with pytest.raises(FileNotFoundError):
        stops_with(FileNotFoundError(errno.ENOENT, "gone", "a/b"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("words", [("--version",), ("siris", "power", "--pairs", "4", "--gap", "10")])
def test_output_that_cannot_be_written_is_one_line(words):
    """Output redirected to a full disk is reported and does not end as success."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*PROCTOR, *words], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("error: output: ")


def test_ctrl_c_in_a_command_exits_with_130_and_one_line(stops_with, capsys):
    """Stopped by hand is not a failure of what was checked."""
    assert stops_with(KeyboardInterrupt()) == 130
    assert capsys.readouterr() == ("", "interrupted\n")


def test_sigint_reaches_a_running_command():
    """The same through a real signal, sent while a command waits."""
    script = (
        "import signal, typer, time, proctor.cli as c\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a background job of a shell ignores it
        "@c.app.command()\ndef wait():\n    print('ready', flush=True)\n    time.sleep(30)\nc.main()"
    )
    command = [sys.executable, "-c", script, "wait"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as waiting:
        assert waiting.stdout is not None
        assert waiting.stdout.readline() == "ready\n"
        started = time.monotonic()
        waiting.send_signal(signal.SIGINT)
        _, err = waiting.communicate(timeout=20)
    assert (waiting.returncode, err) == (130, "interrupted\n")
    assert time.monotonic() - started < 10


def test_a_reader_that_goes_away_is_no_news():
    """`proctor … | head` ends without a complaint from us or from Python's exit."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run([*PROCTOR, "--help"], stdout=writer, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(writer)
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [("plain é", "plain é"), ("a\r\nb", "a\\r\\nb"), ("\x1b]0;t\x07", "\\x1b]0;t\\x07"), ("\ud800", "\\ud800")],
)
def test_one_line_escapes_what_a_terminal_would_obey(text, shown):
    """Line ends, escape sequences and lone surrogates are shown, not sent."""
    assert one_line(text) == shown
