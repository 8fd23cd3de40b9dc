"""`proctor siris compare`: which model, condition, prompt or turn judges better, tested on whole pairs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from proctor.cli import _text
from proctor.cli._progress import reading_bar
from proctor.cli.siris_verdict import AsJson, AsMarkdown, one_form


class Way(StrEnum):
    """What the two sides of a comparison differ in."""

    model = "model"
    condition = "condition"
    prompt = "prompt"
    turn = "turn"


def register(app: typer.Typer) -> None:
    """Attach the command of this module."""
    app.command(
        "compare",
        short_help="Test which of two models, conditions, prompts or turns judges better.",
        epilog=_text.examples(
            "proctor siris compare logs", "proctor siris compare logs --by model --by turn --published"
        ),
    )(compare)


def compare(
    logs: Annotated[list[Path], typer.Argument(help="Inspect logs (.eval), or folders to search for them.")],
    by: Annotated[list[Way] | None, typer.Option(help="What to compare, repeatable; default: all.")] = None,
    published: Annotated[bool, typer.Option(help="Add the paper's models, before and after review.")] = False,
    as_json: AsJson = False,
    as_markdown: AsMarkdown = False,
) -> None:
    """Compare models, conditions, prompts and turns on the conversations that both sides have.

    Differences of J and D with intervals clustered on the pair; p-values by flipping the signs of whole pairs, with
    Holm's correction over the family; McNemar's counts and exact test beside them. What is not resolved is said so.
    """
    from proctor.report.render import output
    from proctor.report.siris_compare import compare_logs
    from proctor.siris.verdict.comparison import BYS

    one_form(as_json, as_markdown)
    wanted = {way.value for way in by} if by else set(BYS)
    found = compare_logs(logs, [way for way in BYS if way in wanted], reading_bar, published=published)
    if as_json or as_markdown:
        typer.echo(found.json() if as_json else found.markdown(), nl=as_json)
    else:
        found.show(output())
