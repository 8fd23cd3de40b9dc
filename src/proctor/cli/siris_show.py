"""`proctor siris show`: a problem, or all problems of a suite, as an evaluator sees them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proctor.cli import _text
from proctor.siris import DEFAULT_SUITE


def register(app: typer.Typer) -> None:
    """Attach the command of this module."""
    app.command(
        "show",
        short_help="Show problems with their answers, for evaluators.",
        epilog=_text.examples(
            "proctor siris show",
            "proctor siris show p07",
            "proctor siris show p07 --suite my-suite --plot p07.svg",
        ),
    )(show)


def show(
    problem: Annotated[str | None, typer.Argument(help="Problem to show; without one, all are listed.")] = None,
    suite: Annotated[str, typer.Option(help="Name of a shipped suite, or a folder.")] = DEFAULT_SUITE,
    plot: Annotated[
        Path | None, typer.Option(help="Also draw the predictions into a file: .svg, .png, .pdf or .html.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what both simulators predict for a problem, what was changed, and why the answer is what it is.

    This is the evaluator's view: it holds ANSWERS. Never show it to a model or put it where one can read it; models see
    packets alone (proctor siris export).
    """
    from proctor.siris.problems.suites import load_suite

    if problem is None and plot is not None:
        raise typer.BadParameter("--plot draws one problem: name it")
    if problem is None:
        _show_suite(suite, as_json)
        return
    from proctor.report import problem_chart, siris_show
    from proctor.report.render import output
    from proctor.siris.problems.portrait import portrait

    if plot is not None:
        problem_chart.check_plot(plot)
    seen = portrait(load_suite(suite), problem)
    if as_json:
        typer.echo(siris_show.problem_json(seen))
    else:
        siris_show.show_problem(output(), seen)
    if plot is not None:
        problem_chart.save_chart(seen, plot)
        typer.echo(f"chart: {plot}", err=as_json)


def _show_suite(name: str, as_json: bool) -> None:
    from proctor.report import siris_show
    from proctor.report.render import output
    from proctor.siris.problems.suites import load_suite

    suite = load_suite(name)
    if as_json:
        typer.echo(siris_show.suite_json(suite))
    else:
        siris_show.show_suite(output(), suite)
