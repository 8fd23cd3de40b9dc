"""`proctor siris annotate`: have a model say which conversations name the simulator's limitation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proctor.cli import _text
from proctor.cli._progress import progress_bar, reading_bar
from proctor.cli.siris_review import PRICES_HELP

if TYPE_CHECKING:  # `proctor --help` imports this file: what it needs at run time is imported below
    from proctor.report.annotation_report import AnnotationReport


def register(app: typer.Typer) -> None:
    """Attach the command of this module."""
    app.command(
        "annotate",
        short_help="Label which conversations name the simulator's limitation.",
        epilog=_text.examples(
            "proctor siris annotate logs --annotator rule/annotator",
            "proctor siris annotate logs --annotator openai/gpt-5 --second anthropic/claude-sonnet-4-5",
            "proctor siris annotate logs --annotator openai/gpt-5 --limit 20 --json",
        ),
    )(annotate)


def annotate(
    logs: Annotated[list[Path], typer.Argument(help="Inspect logs of the suite (.eval), or folders to search.")],
    annotator: Annotated[str, typer.Option(help="Inspect model that labels; rule/annotator needs no key.")],
    second: Annotated[str | None, typer.Option(help="Another one, to see how far they agree.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the annotation logs; default: `annotations` in the first of LOGS.")
    ] = None,
    condition: Annotated[
        list[str], typer.Option(help="Evidence conditions to label, of those that show the perturbed simulator.")
    ] = ["perturbed"],  # noqa: B006
    limit: Annotated[int | None, typer.Option(min=1, help="Label so many conversations, drawn by chance.")] = None,
    suite: Annotated[list[str], typer.Option(help="Folder of a suite that has moved since; repeatable.")] = [],  # noqa: B006
    schema: Annotated[bool, typer.Option(help="Have the provider hold the reply to the form, where it can.")] = True,
    max_connections: Annotated[int | None, typer.Option(min=1, help="Parallel calls to a model.")] = None,
    token_limit: Annotated[int | None, typer.Option(min=1, help="Tokens per annotation.")] = None,
    cost_limit: Annotated[float | None, typer.Option(min=0, help="Dollars per annotation; needs --prices.")] = None,
    prices: Annotated[Path | None, typer.Option(help=PRICES_HELP)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
) -> None:
    """Label finished conversations with a fixed rubric: is the simulator's limitation identified, where, to what end?

    The annotator sees the question, a description of the limitation and the two closing messages; not the answer, the
    outcome or the model. What it says enters no accuracy; `proctor siris report` shows it beside the choices. Repeat
    the command to resume: what is labelled is not asked again. Exit status 0 if all are labelled, 1 if some are
    missing, 2 if the command cannot work.
    """
    from proctor.report.annotation_report import choose, report_annotations
    from proctor.report.annotations import default_folder
    from proctor.report.logs import read_logs
    from proctor.siris.annotate import Plan
    from proctor.siris.annotate import annotate as ask

    if second == annotator:
        raise typer.BadParameter("--second names the annotator itself; name another model")
    folder = out or default_folder(logs)
    reading = read_logs([*logs, *([folder] if folder.is_dir() else [])], reading_bar)
    chosen = choose(reading, condition, limit)
    plan = Plan(
        logs=chosen.logs,
        conversations=list(chosen.records),
        annotators=[annotator, *([second] if second else [])],
        out=folder,
        suites=suite,
        schema=schema,
        max_connections=max_connections,
        token_limit=token_limit,
        cost_limit=cost_limit,
        prices=prices,
    )
    with progress_bar("annotating") as progress:
        ran = ask(plan, reading.labels.by_annotator if reading.labels else {}, progress)
    found = report_annotations(chosen, plan.annotators, [*logs, folder])
    _print(found, as_json)
    if not as_json:
        _say_where(logs, folder)
    if found.missing:
        typer.echo(_text.one_line(f"incomplete: {found.missing} annotations are missing; {ran.what_next}"), err=True)
        raise typer.Exit(1)
    if found.useless:
        names = ", ".join(found.useless)
        typer.echo(_text.one_line(f"no reply of {names} could be read; is it an annotator? try another one"), err=True)
        raise typer.Exit(1)


def _print(found: AnnotationReport, as_json: bool) -> None:
    from proctor.report.render import output

    if as_json:
        typer.echo(found.json())
    else:
        found.show(output())


def _say_where(logs: list[Path], folder: Path) -> None:
    import shlex

    from proctor.report.annotations import FOLDER

    found_anyway = any(folder.resolve().is_relative_to(log.resolve()) for log in logs if log.is_dir())
    found_anyway |= any(folder.resolve() == log.resolve().parent / FOLDER for log in logs if log.is_file())
    named = shlex.join(map(str, [*logs, *([] if found_anyway else [folder])]))
    typer.echo(f"\nannotations: {folder}    all tables: proctor siris report {named}")
