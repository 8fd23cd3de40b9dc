"""Error tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.table import Table

from proctor.serving.validation.compare import ErrorTable
from proctor.serving.validation.latencies import METRICS, STATISTICS

LABELS = {"ttft": "TTFT", "tpot": "TPOT", "e2e": "E2E"}


def error_table(result: ErrorTable) -> Table:
    """One validated run: measured and simulated values with the error of each statistic."""
    table = _table()
    measured, simulated = result.measured.statistics(), result.simulated.statistics()
    for column in ("measured", "simulated", "error"):
        table.add_column(column, justify="right")
    for metric, statistic, error in _cells(result.errors_pct):
        values = (measured[metric][statistic], simulated[metric][statistic])
        table.add_row(f"{LABELS[metric]} {statistic} (ms)", *map(_number, values), _percent(error))
    rates = (result.measured.throughput, result.simulated.throughput)
    error = result.errors_pct["throughput"]
    table.add_row("throughput (tokens/s)", *map(_number, rates), _percent(error))
    return table


def comparison_table(errors: Mapping[str, Mapping[str, Any]]) -> Table:
    """Errors of several simulations of one measured run, by the simulation's name."""
    table = _table()
    for column in errors:
        table.add_column(column, justify="right")
    for metric in METRICS:
        for statistic in STATISTICS:
            table.add_row(f"{LABELS[metric]} {statistic}", *(_percent(e[metric][statistic]) for e in errors.values()))
    table.add_row("throughput", *(_percent(e["throughput"]) for e in errors.values()))
    return table


def _table() -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("metric")
    return table


def _cells(errors: Mapping[str, Any]) -> Iterator[tuple[str, str, float | None]]:
    return ((metric, statistic, errors[metric][statistic]) for metric in METRICS for statistic in STATISTICS)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}"


def _percent(error: float | None) -> str:
    return "-" if error is None else f"{error:+.1f} %"
