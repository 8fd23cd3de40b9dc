"""`proctor serving`: the serving simulator, its cost tables and its accuracy."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proctor.cli import _text, serving_run

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from proctor.serving.importers.additive import Derived
    from proctor.serving.importers.collectives import Link
    from proctor.serving.importers.models import Model
    from proctor.serving.validation.accuracy import MeasuredRun

serving_app = typer.Typer(
    help="Simulate LLM serving, import measured costs, and compare with measured runs.",
    short_help="The serving simulator.",
    no_args_is_help=True,
)
serving_run.register(serving_app)


class Tables(StrEnum):
    """Which step costs to simulate with."""

    lookup = "lookup"
    additive = "additive"


ModelConfig = Annotated[
    Path | None, typer.Option("--model-config", help="Hugging Face config.json of a model that is not shipped.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@serving_app.command(
    "validate",
    short_help="Compare the simulator with one measured run.",
    epilog=_text.examples(
        "proctor serving validate --bundle PROFILE_DIR --bench BENCH_DIR --workload FILE",
        "proctor serving validate --bundle PROFILE_DIR --bench BENCH_DIR --workload FILE --tables additive --json",
    ),
)
def validate_command(
    bundle: Annotated[Path, typer.Option(help="Profile bundle: a folder with meta.yaml and tpN/*.csv.")],
    bench: Annotated[Path, typer.Option(help="Measured run: a folder with config.json, meta.json and requests.jsonl.")],
    workload: Annotated[Path, typer.Option(help="The measured workload: .jsonl (LLMServingSim) or .csv trace.")],
    tables: Annotated[Tables, typer.Option(help="4-D look-up tables, or the additive table derived from them.")] = (
        Tables.lookup
    ),
    model_config: ModelConfig = None,
    as_json: AsJson = False,
) -> None:
    """Simulate a measured run and print the error of TTFT, TPOT, end-to-end latency and throughput, in percent."""
    from proctor.serving.validation.compare import validate
    from proctor.serving.validation.tables import error_table

    result = validate(bundle, bench, workload, tables.value, model_config)
    for note in result.notes:
        typer.echo(f"note: {note}", err=True)
    if as_json:
        _show_json(result.as_json())
    else:
        _show_table(f"{bench}, simulated with {tables.value} costs", error_table(result))


@serving_app.command(
    "accuracy",
    short_help="Compare the simulator with all measured runs of a folder, beside LLMServingSim.",
    epilog=_text.examples("proctor serving accuracy", "proctor serving accuracy --shared DIR --json"),
)
def accuracy_command(
    shared: Annotated[
        Path,
        typer.Option(envvar="PROCTOR_SHARED", help="Folder that holds validation/ with bundles and measured runs."),
    ] = Path("../shared"),
    as_json: AsJson = False,
) -> None:
    """Print our errors with both kinds of cost tables beside LLMServingSim's, recomputed from its outputs."""
    from rich.progress import track

    from proctor.serving.validation.accuracy import measured_runs
    from proctor.serving.validation.tables import comparison_table

    found = measured_runs(shared)
    errors = {run.name: _errors(run) for run in track(found, "simulating", console=_stderr(), transient=True)}
    if as_json:
        _show_json({"runs": [{"name": name, "errors_pct": by_source} for name, by_source in errors.items()]})
        return
    for name, by_source in errors.items():
        _show_table(f"{name}: error against vLLM", comparison_table(by_source))


def _errors(run: MeasuredRun) -> dict[str, Any]:
    errors = {tables.value: run.validate(tables.value).errors_pct for tables in Tables}
    theirs = run.llmservingsim_errors()
    return errors | ({"llmservingsim": theirs} if theirs else {})


@serving_app.command(
    "import-profile",
    short_help="Derive an additive cost table from measured profiles.",
    epilog=_text.examples(
        "proctor serving import-profile PROFILE_DIR --out DIR",
        "proctor serving import-profile PROFILE_DIR --out DIR --tp 2 --link-latency-ns 20000",
        "proctor serving import-profile VIDUR_MODEL_DIR --out DIR --model-config config.json",
    ),
)
def import_profile_command(
    bundle: Annotated[
        Path,
        typer.Argument(
            help="LLMServingSim bundle (meta.yaml, tpN/*.csv) or Vidur model folder (mlp.csv, attention.csv)."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder to write the table to; made if needed.")],
    tp: Annotated[int, typer.Option(min=1, help="GPUs that share each layer.")] = 1,
    ep: Annotated[int, typer.Option(min=1, help="GPUs that share the experts.")] = 1,
    link_gib_per_s: Annotated[float, typer.Option(help="Rate of a link between two GPUs, 0.001 to 1000000.")] = 16.0,
    link_latency_ns: Annotated[int, typer.Option(min=0, help="Latency of a link between two GPUs.")] = 20_000,
    model_config: ModelConfig = None,
) -> None:
    """Write attention.csv, linear.csv, head.csv, constants.csv and provenance.json."""
    from proctor.errors import InputError
    from proctor.serving.importers.collectives import Link

    if not 0.001 <= link_gib_per_s <= 1e6:  # NaN is not either
        raise InputError(f"--link-gib-per-s: expected GiB per second from 0.001 to 1000000, found {link_gib_per_s}")
    link = Link(int(link_gib_per_s * (1 << 30)), link_latency_ns)
    _derive(bundle, tp, ep, link, _model(bundle, model_config)).write(out)
    typer.echo(f"wrote {out}")


def _derive(bundle: Path, tp: int, ep: int, link: Link, model: Model | None) -> Derived:
    from proctor.serving.importers.additive import derive
    from proctor.serving.importers.llmservingsim import lookup_costs
    from proctor.serving.importers.models import check_expert_parallelism
    from proctor.serving.importers.reading import is_file
    from proctor.serving.importers.vidur import derive_from_vidur

    if is_file(bundle / "mlp.csv"):
        check_expert_parallelism("a model in Vidur's format", 1, ep)
        return derive_from_vidur(bundle, model, tp, link)
    return derive(lookup_costs(bundle, model, tp, ep, link))


def _model(bundle: Path, config: Path | None) -> Model | None:
    from proctor.serving.importers.models import model_from_config

    return model_from_config(bundle.name, config) if config else None


def _show_json(what: dict[str, Any]) -> None:
    typer.echo(json.dumps(what, indent=2))


def _show_table(title: str, table: Table) -> None:
    from rich.console import Console

    typer.echo(title)
    Console().print(table)
    typer.echo()


def _stderr() -> Console:
    from rich.console import Console

    return Console(stderr=True)
