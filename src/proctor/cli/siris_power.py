"""`proctor siris power`: how likely a planned study is to tell two models apart, or how many pairs it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from proctor.cli import _text

if TYPE_CHECKING:
    from proctor.siris.verdict.planning import Plan


def register(app: typer.Typer) -> None:
    """Attach the command of this module."""
    app.command(
        "power",
        short_help="Plan a study: its power, or the pairs it needs.",
        epilog=_text.examples(
            "proctor siris power --pairs 29 --repetitions 3 --gap 10",
            "proctor siris power --pairs 29 --pairs 60 --repetitions 1 --repetitions 3 --gap 10",
            "proctor siris power --power 0.8 --gap 10 --comparisons 78",
        ),
    )(power)


def power(
    gap: Annotated[float, typer.Option(min=0.1, max=100, help="True difference of J, in points, to be seen.")],
    pairs: Annotated[list[int] | None, typer.Option(min=2, max=2000, help="Pairs of the suite; repeatable.")] = None,
    wanted: Annotated[
        float | None, typer.Option("--power", min=0.5, max=0.99, help="Find the pairs that give this power.")
    ] = None,
    repetitions: Annotated[
        list[int] | None, typer.Option(min=1, max=100, help="Conversations per problem; repeatable. Default: 3.")
    ] = None,
    judgment: Annotated[float, typer.Option(min=0, max=100, help="J of the weaker model, in percent.")] = 60.0,
    within: Annotated[
        float, typer.Option(min=0, max=0.99, help="Correlation of repetitions: of two answers to one problem.")
    ] = 0.6,
    between: Annotated[
        float, typer.Option(min=-1, max=1, help="Correlation of the two models' accuracies over problems.")
    ] = 0.3,
    alpha: Annotated[float, typer.Option(min=0.001, max=0.5, help="Level of the two-sided test.")] = 0.05,
    comparisons: Annotated[int, typer.Option(min=1, max=1000, help="Comparisons that Holm corrects for.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the table.")] = False,
) -> None:
    """Say how likely a study of so many pairs is to resolve a difference of J between two models.

    Studies are simulated from assumptions that are printed with the result, and tested as the report tests: by
    flipping the signs of whole pairs. With --power the pairs needed are searched instead.
    """
    from proctor.errors import InputError
    from proctor.siris.verdict.planning import Plan

    if bool(pairs) == (wanted is not None):
        raise InputError("give either --pairs, to get the power, or --power, to get the pairs")
    if judgment + gap > 100:
        raise InputError(f"--judgment {judgment:g} + --gap {gap:g}: the better model's J would be above 100")
    plans = [Plan(n, gap, judgment, within, between, alpha, comparisons) for n in repetitions or [3]]
    rows = [row for plan in plans for row in _rows(plan, pairs or [], wanted)]
    if as_json:
        _print_json(plans[0], rows)
    else:
        _print_table(plans[0], rows)


def _rows(plan: Plan, pairs: list[int], wanted: float | None) -> list[dict[str, Any]]:
    from proctor.siris.verdict.planning import pairs_needed, planned_power

    asked: list[int | None] = [*pairs] if wanted is None else [pairs_needed(plan, wanted)]
    rows = []
    for n in asked:
        found = planned_power(plan, n) if n is not None else None
        rows.append(
            {
                "pairs": n,
                "repetitions": plan.repetitions,
                "conversations": None if n is None else 2 * n * plan.repetitions,
                "power": found and found.estimate,
                "low": found and found.low,
                "high": found and found.high,
            }
        )
    return rows


def _print_json(plan: Plan, rows: list[dict[str, Any]]) -> None:
    import json
    from dataclasses import asdict

    assumptions = {name: value for name, value in asdict(plan).items() if name != "repetitions"}
    typer.echo(json.dumps({"version": 1, "assumptions": assumptions, "rows": rows}, indent=2))


def _print_table(plan: Plan, rows: list[dict[str, Any]]) -> None:
    from proctor.report.render import Table, output, show
    from proctor.siris.verdict.planning import MOST_PAIRS

    def cells(row: dict[str, Any]) -> tuple[str, ...]:
        if row["pairs"] is None:
            return (f"> {MOST_PAIRS}", str(row["repetitions"]), "-", "-")
        power = f"{row['power']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"
        return (str(row["pairs"]), str(row["repetitions"]), str(row["conversations"]), power)

    title = f"Power to resolve a difference of {plan.gap:g} points of J"
    columns = ("pairs", "repetitions", "conversations a model", "power")
    show(output(), [Table(title, columns, tuple(map(cells, rows)), labels=0)], _assumptions(plan))


def _assumptions(plan: Plan) -> list[str]:
    family = f", the hardest step of Holm's correction over {plan.comparisons}" if plan.comparisons > 1 else ""
    return [
        f"Assumed: the models' J is {plan.judgment:g} and {plan.judgment + plan.gap:g}, on upheld and overturned "
        "problems alike.",
        f"Assumed: two answers of a model to one problem correlate by {plan.within:g}, so repetitions add little where "
        f"that is high; the models' accuracies over problems correlate by {plan.between:g}; the two problems of a pair "
        "are independent.",
        f"Test: signs of whole pairs are flipped, two-sided, level {plan.level:.3g}{family}. [low, high]: what 2000 "
        "simulated studies leave open.",
    ]
