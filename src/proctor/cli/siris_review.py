"""`proctor siris run`, `demo` and `export`: asking models, in Inspect or outside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proctor.cli import _text
from proctor.cli._progress import progress_bar
from proctor.siris import DEFAULT_SUITE

if TYPE_CHECKING:  # `proctor --help` imports this file: what it needs at run time is imported below
    from proctor.siris.run import Plan, Result

SUITE_HELP = "Name of a shipped suite, or a folder that `proctor siris build` wrote."
CONDITION_HELP = (
    "Evidence shown: none, perturbed, reference, code, code+records, code+predictions, code-reference or "
    "predictions-only."
)
PROMPT_HELP = "standard, instructed (read the simulator first) or comparison (compare the effect on candidates)."
PRICES_HELP = (
    "YAML file with a line per model: NAME: {input: .., output: .., input_cache_write: .., input_cache_read: ..}, "
    "in dollars per million tokens."
)
LIMITS = "Limits of a conversation"
CALLS = "Calls to a model"
MAX_RETRIES = 6  # some three minutes, then the conversation is left for the next run; Inspect's own default is for ever
DEMO_MODELS = ("rule/follow", "rule/reject", "rule/random", "rule/reference")


def register(app: typer.Typer) -> None:
    """Attach the commands of this module."""
    app.command(
        "run",
        short_help="Ask models and print how they judge.",
        epilog=_text.examples(
            "proctor siris run --model rule/follow",
            "proctor siris run --model openai/gpt-5 --condition perturbed --repetitions 3 --log-dir logs",
            "proctor siris run --model openai/gpt-5 --condition none --condition perturbed --condition reference",
            "proctor siris run --model openai/gpt-5 --token-limit 400000 --max-retries 8 --attempt-timeout 600",
        ),
    )(run)
    app.command(
        "demo",
        short_help="Run built-in models on a shipped suite: no key, no network.",
        epilog=_text.examples("proctor siris demo"),
    )(demo)
    app.command(
        "export",
        short_help="Write problems as folders for an agent of your own.",
        epilog=_text.examples(
            "proctor siris export --condition perturbed --out problems",
            "proctor siris export --suite my-suite --condition none --out problems-none",
        ),
    )(export)


def run(
    model: Annotated[
        list[str], typer.Option(help="Inspect model name, such as openai/gpt-5 or rule/follow; repeatable.")
    ],
    condition: Annotated[list[str], typer.Option(help=f"{CONDITION_HELP} Repeatable.")] = ["perturbed"],  # noqa: B006
    suite: Annotated[str, typer.Option(help=SUITE_HELP)] = DEFAULT_SUITE,
    prompt: Annotated[str, typer.Option(help=PROMPT_HELP)] = "standard",
    repetitions: Annotated[int, typer.Option(min=1, max=100, help="Conversations per problem and condition.")] = 1,
    log_dir: Annotated[Path, typer.Option(help="Where the Inspect logs go, and what is resumed from.")] = Path("logs"),
    limit: Annotated[int | None, typer.Option(min=1, help="Ask only so many problems, pair by pair.")] = None,
    max_connections: Annotated[int | None, typer.Option(min=1, help="Parallel calls to a model.")] = None,
    token_limit: Annotated[
        int | None, typer.Option(min=1, help="Tokens per conversation.", rich_help_panel=LIMITS)
    ] = None,
    time_limit: Annotated[
        int | None, typer.Option(min=1, help="Seconds of the clock per conversation.", rich_help_panel=LIMITS)
    ] = None,
    working_limit: Annotated[
        int | None, typer.Option(min=1, help="Seconds without waiting for the provider.", rich_help_panel=LIMITS)
    ] = None,
    message_limit: Annotated[
        int | None, typer.Option(min=1, help="Messages per conversation, tool results too.", rich_help_panel=LIMITS)
    ] = None,
    cost_limit: Annotated[
        float | None, typer.Option(min=0, help="Dollars per conversation; needs --prices.", rich_help_panel=LIMITS)
    ] = None,
    prices: Annotated[Path | None, typer.Option(help=PRICES_HELP, rich_help_panel=LIMITS)] = None,
    reasoning_effort: Annotated[
        str | None, typer.Option(help="Passed to the model: low, medium, high, ...", rich_help_panel=CALLS)
    ] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Tokens of one reply.", rich_help_panel=CALLS)] = None,
    temperature: Annotated[
        float | None, typer.Option(min=0, help="Passed to the model.", rich_help_panel=CALLS)
    ] = None,
    max_retries: Annotated[
        int, typer.Option(min=0, help="Of a call that the provider fails, at growing distances.", rich_help_panel=CALLS)
    ] = MAX_RETRIES,
    timeout: Annotated[
        int | None, typer.Option(min=1, help="Seconds for a call with its retries.", rich_help_panel=CALLS)
    ] = None,
    attempt_timeout: Annotated[
        int | None, typer.Option(min=1, help="Seconds for one attempt; then it is retried.", rich_help_panel=CALLS)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
) -> None:
    """Ask every problem of a suite in conversations of two turns, and print how they judge.

    Repeat the command to resume: finished conversations are not asked again. Exit status 0 if all conversations
    finished, 1 if some are missing, 2 if the command cannot work.

    A conversation that reaches a limit ends there and is scored on what it has: a choice not made is wrong. A provider
    that fails is asked again as the options for calls say; a conversation that it ended even so is not scored, and
    asked again when the command is repeated.
    """
    from proctor.siris.run import Plan

    generation = {
        "reasoning_effort": reasoning_effort,
        "max_tokens": max_tokens,
        "temperature": temperature,
        "max_retries": max_retries,
        "timeout": timeout,
        "attempt_timeout": attempt_timeout,
    }
    plan = Plan(
        suite=suite,
        models=model,
        conditions=condition,
        log_dir=log_dir,
        prompt=prompt,
        repetitions=repetitions,
        limit=limit,
        max_connections=max_connections,
        token_limit=token_limit,
        time_limit=time_limit,
        working_limit=working_limit,
        message_limit=message_limit,
        cost_limit=cost_limit,
        prices=prices,
        generation={name: value for name, value in generation.items() if value is not None},
    )
    result = _ask(plan, "asking")
    _show_tables(result, as_json)
    if not as_json:
        _say_where(log_dir)
        if all(name.startswith("rule/") for name in model):
            _say_next()
    if not result.complete:
        typer.echo(f"incomplete: {_text.one_line(result.summary)}", err=True)
        raise typer.Exit(1)


def demo(
    log_dir: Annotated[Path | None, typer.Option(help="Where the Inspect logs go; default: a new folder.")] = None,
) -> None:
    """Run four built-in models on the shipped suite and print how they judge, in well under a minute.

    The models are rules that read the same packets through the same tools as an LLM: rule/follow recommends what the
    simulator predicts best, rule/reject its runner-up, rule/random guesses, and rule/reference runs the reference
    simulator on what it has read.
    """
    import time

    from proctor.siris.run import Plan

    folder = log_dir or Path("demo-logs") / time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    result = _ask(Plan(DEFAULT_SUITE, DEMO_MODELS, ["perturbed"], folder), "asking")
    _print_judgment(result.logs)
    _say_where(folder)
    _say_next()
    if not result.complete:
        raise typer.Exit(1)


def export(
    out: Annotated[Path, typer.Option(help="New folder for the problems.")],
    condition: Annotated[str, typer.Option(help=CONDITION_HELP)] = "perturbed",
    suite: Annotated[str, typer.Option(help=SUITE_HELP)] = DEFAULT_SUITE,
    prompt: Annotated[str, typer.Option(help=PROMPT_HELP)] = "standard",
) -> None:
    """Write each problem as a folder with its files and prompts, so that any agent can answer it.

    README.md in the folder says how to put the questions and how to write the answers for `proctor siris score`.
    """
    from proctor.siris.problems.suites import load_suite
    from proctor.siris.review.export import export as write

    loaded = load_suite(suite)
    total = len(loaded.problems)
    with progress_bar("writing") as progress:
        for done, _ in enumerate(write(loaded, suite, condition, prompt, out), start=1):
            progress(done, total)
    typer.echo(f"{total} problems: {out}")
    typer.echo(f"how to answer them: {out / 'README.md'}")


def _ask(plan: Plan, title: str) -> Result:
    from proctor.siris.run import run

    with progress_bar(title) as progress:
        return run(plan, progress)


def _show_tables(result: Result, as_json: bool) -> None:
    """What a run found; where nothing finished there is nothing, and the caller says why."""
    if result.finished and as_json:
        from proctor.cli.siris_verdict import report

        report(list(result.logs), as_json=True)
    elif result.finished:
        _print_judgment(result.logs)


def _print_judgment(logs: Sequence[Path]) -> None:
    from proctor.report.render import output
    from proctor.report.siris_report import report_logs

    report_logs(logs).show_judgment(output())


def _say_where(log_dir: Path) -> None:
    typer.echo(f"\nlogs: {log_dir}    browse them: inspect view --log-dir {log_dir}")
    typer.echo(f"all tables: proctor siris report {log_dir}")


def _say_next() -> None:
    typer.echo("a real model: proctor siris run --model openai/gpt-5 --condition perturbed --repetitions 1")
    typer.echo("              (needs pip install openai, OPENAI_API_KEY, and costs money; see proctor doctor)")
