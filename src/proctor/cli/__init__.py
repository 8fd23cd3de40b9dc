"""The command `proctor`: one thin module per noun.

Nothing heavy is imported here or at the top of a noun's module: `proctor --help` answers at once, and a command imports
what it needs when it runs (tests/test_house.py holds this).
"""

from __future__ import annotations

import errno
import os
import sys
from importlib.metadata import version
from typing import Annotated, NoReturn

import typer

from proctor.cli import _text
from proctor.cli.doctor import doctor as doctor_command
from proctor.cli.serving import serving_app
from proctor.cli.siris import siris_app
from proctor.errors import InputError

INTERRUPTED = 130  # what shells report for a program stopped by Ctrl-C
# What only the user can mend, wherever it is met; other OSErrors that nobody caught are bugs of ours.
MENDABLE = {
    errno.EACCES: "give yourself the right to it, or name another place",
    errno.EROFS: "name a place that can be written to",
    errno.ENAMETOOLONG: "give a shorter path",
    errno.ENOSPC: "make room, or write elsewhere",
    errno.EDQUOT: "make room, or write elsewhere",
}

app = typer.Typer(
    name="proctor",
    help="Measure how well LLM agents do AI research.",
    epilog=_text.examples("proctor doctor", "proctor siris --help"),
    no_args_is_help=True,
    rich_markup_mode=None,  # plain text: the same in a log, a pipe and a terminal
    pretty_exceptions_enable=False,  # a traceback is a bug of ours: show it as Python does
)
app.command(
    "doctor",
    short_help="Say what this machine has and can run.",
    epilog=_text.examples("proctor doctor", "proctor doctor --json"),
)(doctor_command)
app.add_typer(siris_app, name="siris")
app.add_typer(serving_app, name="serving")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"proctor {version('proctor')}")
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """What every command shares: nothing but `--version`."""


def main() -> NoReturn:
    """Run the command line and exit: 0 fine, 1 the thing checked does not hold, 2 usage or input error, 130 Ctrl-C."""
    code = _run()
    try:
        sys.stdout.flush()
    except OSError as error:  # Python's own flush at exit must not complain either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # where the reader (`| head`) has gone there is nothing to say
            code = code or _say_mendable(error)
    sys.exit(code)


def _run() -> int | str | None:
    try:
        app(prog_name="proctor")
    except InputError as error:
        typer.echo(f"error: {_text.one_line(str(error))}", err=True)
        return 2
    except OSError as error:
        return _say_mendable(error)
    except (SystemExit, KeyboardInterrupt) as stop:
        code = stop.code if isinstance(stop, SystemExit) else INTERRUPTED
        if code == INTERRUPTED:
            typer.echo("interrupted", err=True)
        return code
    return 0


def _say_mendable(error: OSError) -> int:
    """Say in one line what was in the way and what to do about it; raises any other error again."""
    if error.errno not in MENDABLE:
        raise error
    where = error.filename or "output"
    typer.echo(f"error: {_text.one_line(f'{where}: {error.strerror}; {MENDABLE[error.errno]}')}", err=True)
    return 2
