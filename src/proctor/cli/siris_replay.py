"""`proctor siris replay`: make everything that a log holds anew, and compare."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proctor.cli import _text
from proctor.cli._progress import progress_bar


def register(app: typer.Typer) -> None:
    """Attach the command of this module."""
    app.command(
        "replay",
        short_help="Rebuild what a log holds and compare.",
        epilog=_text.examples(
            "proctor siris replay logs",
            "proctor siris replay logs/*.eval --json",
            "proctor siris replay logs --suite my-suite",
        ),
    )(replay)


def replay(
    logs: Annotated[list[Path], typer.Argument(help="Inspect logs (.eval), or folders to search for them.")],
    suite: Annotated[
        str | None, typer.Option(help="Suite or folder for all these logs; default: the shipped suite that each names.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Rebuild packets, prompts, tool results, choices, scores and figures from a log and compare them with it.

    No model is asked: what it wrote is taken from the log, everything else is made anew. That each tool call gives the
    result that the log has proves that the model saw exactly this packet. Differences are named by problem, turn and
    kind: sources, labels, prompts, tool results, score, summary, conversations.

    Exit status 0 if every conversation is replayed identically, 1 if anything differs or a log in a folder is damaged.
    """
    from proctor.report.siris_replay import replay_logs

    with progress_bar("replaying") as progress:
        found = replay_logs(logs, suite, progress)
    if as_json:
        typer.echo(found.json())
    else:
        for line in found.lines():
            typer.echo(_text.one_line(line))
    raise typer.Exit(0 if found.hold else 1)
