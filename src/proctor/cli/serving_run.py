"""`proctor serving run`: serve a workload and print its latencies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proctor.cli import _text

if TYPE_CHECKING:
    from proctor.serving.simulator.simulate import Run

PERCENTS = (50, 95, 99)


def register(app: typer.Typer) -> None:
    app.command(
        "run",
        short_help="Simulate a workload under one design.",
        epilog=_text.examples(
            "proctor serving run configuration.json workload.json --design load_only",
            "proctor serving run configuration.json trace.csv --out results --json",
        ),
    )(run)


def run(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="configuration.json: profile, replicas, memory.")],
    workload: Annotated[
        Path, typer.Argument(metavar="WORKLOAD", help="workload.json, LLMServingSim .jsonl or trace .csv.")
    ],
    design: Annotated[
        str | None,
        typer.Option(
            help="Routing: load_only, longest_prefix, preble, dualmap. Handoff: stay, next_instance, least_active, "
            "least_outstanding. Local scheduling: cap_16, cap_24, cap_32, no_cap. Without one, requests run where they "
            "are pinned, else on replica 0."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for records.jsonl and prediction.json.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Simulate a workload under one design and print TTFT, TPOT, end-to-end latency and throughput."""
    import json

    from rich.console import Console

    from proctor.serving import designs, files
    from proctor.serving.simulator.simulate import simulate

    chosen = designs.load(design) if design else None
    with Console(stderr=True).status("simulating"):  # shown on a terminal only
        system = files.read_config(config)
        requests = files.read_workload(workload, system)
        files.check(system, requests, workload, chosen)
        result = simulate(system.config, system.costs, requests, chosen, record_steps=out is not None)
    figures = {"version": 1, "design": design, "metric": system.config.metric, **measure(result)}
    if out:
        write(out, result, figures)
    if as_json:
        typer.echo(json.dumps(figures, indent=1))
    else:
        show(figures, out)


def measure(result: Run) -> dict[str, Any]:
    """Percentiles in seconds over the measured requests, and output tokens per second (None for a run without time).

    TPOT is the mean time between two tokens of a request; a request for one token has none.
    """
    from proctor.serving.simulator.metrics import latency, percentile

    calls = [call for call in result.calls if call.request.measured]
    values = {
        "ttft": [latency(call, "ttft") for call in calls],
        "tpot": [
            (call.end_ns - call.first_ns) // (call.request.output_tokens - 1)
            for call in calls
            if call.request.output_tokens > 1
        ],
        "e2e": [latency(call, "e2e") for call in calls],
    }
    duration_ns = max(call.end_ns for call in calls) - min(call.request.arrival_ns for call in calls)
    tokens = sum(call.request.output_tokens for call in calls)
    return {
        "requests": len(calls),
        "latency_s": {
            name: {f"p{percent}": percentile(ns, percent) / 1e9 for percent in PERCENTS} if ns else None
            for name, ns in values.items()
        },
        "output_tokens_per_s": tokens * 1e9 / duration_ns if duration_ns else None,
        "prefix_hit_tokens": sum(call.hit or 0 for call in calls),
        "preemptions": sum(call.preemptions for call in result.calls),
        "steps": result.step_count,
    }


def write(folder: Path, result: Run, figures: dict[str, Any]) -> None:
    """records.jsonl (a row per request, then a row per step) and prediction.json; raises InputError if it cannot."""
    import json

    from proctor.errors import InputError
    from proctor.serving.simulator.metrics import request_row

    rows = [*(request_row(call) for call in result.calls), *result.steps]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "records.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        (folder / "prediction.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder}: cannot write results there ({error.strerror})") from error


def show(figures: dict[str, Any], out: Path | None) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("latency (s)")
    for percent in PERCENTS:
        table.add_column(f"p{percent}", justify="right")
    for name, row in figures["latency_s"].items():
        table.add_row(name.upper(), *((f"{value:.4f}" for value in row.values()) if row else ["-"] * len(PERCENTS)))
    Console().print(table)
    throughput = figures["output_tokens_per_s"]
    typer.echo(
        f"{figures['design'] or 'no design'}: {figures['requests']} requests, "
        f"{'-' if throughput is None else f'{throughput:.1f}'} output tokens/s, "
        f"{figures['prefix_hit_tokens']} prefix-hit tokens, {figures['preemptions']} preemptions, "
        f"{figures['steps']} steps"
    )
    if out:
        typer.echo(f"records and prediction: {out}")
