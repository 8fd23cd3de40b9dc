"""`proctor siris report` and `proctor siris score`: tables from finished logs, or from answers given elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proctor.cli import _text
from proctor.cli._progress import reading_bar
from proctor.siris import DEFAULT_SUITE

if TYPE_CHECKING:  # `proctor --help` imports this file: what it needs at run time is imported below
    from proctor.report.page import Written
    from proctor.report.siris_report import Report

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]
AsMarkdown = Annotated[bool, typer.Option("--markdown", help="Print the tables as Markdown.")]


def register(app: typer.Typer) -> None:
    """Attach the commands of this module."""
    app.command(
        "report",
        short_help="Tables and figures of finished evaluations.",
        epilog=_text.examples(
            "proctor siris report logs",
            "proctor siris report logs --out report --published",
            "proctor siris report logs/*.eval --markdown > results.md",
        ),
    )(report)
    app.command(
        "score",
        short_help="Score answers that an agent gave outside Inspect.",
        epilog=_text.examples(
            "proctor siris score answers.jsonl",
            "proctor siris score answers.jsonl --suite ./my-suite --json",
        ),
    )(score)


def report(
    logs: Annotated[list[Path], typer.Argument(help="Inspect logs (.eval), or folders to search for them.")],
    out: Annotated[Path | None, typer.Option(help="Also write a page, all tables and all figures here.")] = None,
    published: Annotated[bool, typer.Option(help="Add the paper's thirteen models to tables and figures.")] = False,
    as_json: AsJson = False,
    as_markdown: AsMarkdown = False,
) -> None:
    """Print judgment, disposition and what lies behind them, per model and evidence condition.

    With --out also a folder: index.html (one page, no network needed), tables/ (CSV and Parquet), figures/ (SVG and
    PDF); then only the first table is printed.

    Accuracy on upheld (U) and overturned (O) problems, J = (U + O) / 2, D = (U - O) / 2 and pair accuracy with 95 %
    intervals clustered on the pair; how review moved the choices; the kinds of error and their cost; what was read;
    what is missing. Only finished logs count, each conversation once; what is left out is named.
    """
    from proctor.report.siris_report import report_logs

    one_form(as_json, as_markdown)
    if out is None:
        _print(report_logs(logs, reading_bar, published=published), as_json, as_markdown)
        return
    from proctor.report.page import refuse_files, write_report

    refuse_files(out)
    found = report_logs(logs, reading_bar, published=published)
    written = write_report(found, out, published=published)
    _print_written(found, written, as_json, as_markdown)


def score(
    answers: Annotated[Path, typer.Argument(help="File of answers, one JSON object per line.")],
    suite: Annotated[str, typer.Option(help="Suite that the questions came from: a name or a folder.")] = DEFAULT_SUITE,
    as_json: AsJson = False,
    as_markdown: AsMarkdown = False,
) -> None:
    """Score answers to exported problems and print the same report as for logs.

    Each line: {"problem": "...", "initial": "...", "final": "...", "model": "...", "condition": "perturbed",
    "repetition": 1}. initial and final are the agent's closing message of each turn, raw or just a label, or null;
    repetition may be left out. A problem without a line counts as wrong.
    """
    from proctor.report.siris_report import report_answers
    from proctor.siris.verdict.answers import AnswerFileError

    one_form(as_json, as_markdown)
    try:
        found = report_answers(answers, suite)
    except AnswerFileError as error:
        for line in error.lines:
            typer.echo(f"error: {_text.one_line(line)}", err=True)
        raise typer.Exit(2) from error
    _print(found, as_json, as_markdown)


def _print_written(found: Report, written: Written, as_json: bool, as_markdown: bool) -> None:
    """Say where the folder is; a form that was asked for keeps standard output for itself."""
    formed = as_json or as_markdown
    if formed:
        _print(found, as_json, as_markdown)
    else:
        from proctor.report.render import output

        found.show_judgment(output())
    typer.echo(f"page: {_text.one_line(str(written.page))}", err=formed)
    typer.echo(f"beside it: {len(written.tables)} files of tables, {len(written.figures)} of figures", err=formed)
    if written.missing:
        typer.echo(f"figures without data, the page says what fills them: {', '.join(written.missing)}", err=formed)


def one_form(as_json: bool, as_markdown: bool) -> None:
    """Raise typer's usage error where two forms of output are asked for."""
    if as_json and as_markdown:
        raise typer.BadParameter("give --json or --markdown, not both")


def _print(found: Report, as_json: bool, as_markdown: bool) -> None:
    if as_json or as_markdown:
        typer.echo(found.json() if as_json else found.markdown(), nl=as_json)
        return
    from proctor.report.render import output

    found.show(output())
