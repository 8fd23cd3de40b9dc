"""`proctor siris build`, `verify` and `suites`: making problems and checking that a suite is what it was."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proctor.cli import _text
from proctor.cli._progress import progress_bar
from proctor.siris import DEFAULT_SUITE

if TYPE_CHECKING:
    from proctor.siris.problems.difficulty import Level
    from proctor.siris.problems.domain import Domain
    from proctor.siris.problems.search import SearchReport

DEFAULT_PAIRS = 6
DOMAIN_HELP = (
    "Simulator to build on: the name of an installed one, or MODULE:CLASS, whose code is run; default: serving."
)


def register(app: typer.Typer) -> None:
    app.command(
        "build",
        short_help="Build a fresh suite of paired problems.",
        epilog=_text.examples(
            "proctor siris build --perturbation prefix_cap --pairs 6 --seed 1 --out my-suite",
            "proctor siris build --like serving-v1 --seed 7 --out fresh",
            "proctor siris build --perturbation shared_nic --pairs 2 --difficulty hard --out hard",
        ),
    )(build)
    app.command(
        "verify",
        short_help="Regenerate a suite and compare digests.",
        epilog=_text.examples("proctor siris verify", "proctor siris verify my-suite --json"),
    )(verify)
    app.command(
        "suites",
        short_help="List the frozen suites.",
        epilog=_text.examples("proctor siris suites", "proctor siris suites --json"),
    )(suites)


def build(
    out: Annotated[Path, typer.Option(help="New folder for the suite.")],
    perturbation: Annotated[
        list[str] | None,
        typer.Option(
            help="Which change to the simulator, repeatable; of serving: prefix_cap, reuse_granularity, shared_nic, "
            "query_interpolation, step_aggregation, coordinate_swap or interpolation_arithmetic."
        ),
    ] = None,
    like: Annotated[
        str | None, typer.Option(help="Take perturbations and numbers of pairs from this suite: a name or a folder.")
    ] = None,
    pairs: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Pairs for each perturbation; default: 6, or as in --like.")
    ] = None,
    difficulty: Annotated[
        str | None, typer.Option(help="Only problems of this difficulty: easy, medium or hard; default: all.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the suite, shown in reports; default: own, or like-SUITE.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Another seed gives another suite.")] = 1,
    domain: Annotated[str | None, typer.Option(help=DOMAIN_HELP)] = None,
    executor: Annotated[str, typer.Option(help="Where the search runs: processes, or ray (a cluster).")] = "processes",
    workers: Annotated[int | None, typer.Option(min=1, help="Processes or Ray tasks; default: all cores.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the search report as JSON.")] = False,
) -> None:
    """Search workloads until that many pairs are found, and freeze them as a suite.

    Each pair holds an upheld and an overturned problem. The same arguments give byte-identical suites on every machine,
    whatever the executor and the number of workers. A problem is hard if its reader may missize the effect of the
    change by a factor below 1.5 and medium if below 3.
    """
    import json

    from proctor.siris.problems import executors
    from proctor.siris.problems.freeze import assemble, write_suite
    from proctor.siris.problems.search import search

    simulator, plan = _plan(perturbation, like, pairs, domain)
    level = _level(difficulty)
    start = executors.executor(executor, workers)
    _make_folder(out)
    found, reports = [], {}
    with start as run:
        for kind, count in plan.items():
            with progress_bar(f"searching {kind}") as progress:
                pairs_found, reports[kind] = search(simulator, kind, count, seed, run, level, progress)
            found += pairs_found
    manifest, workloads = assemble(simulator, name or (f"like-{Path(like).name}" if like else "own"), seed, found)
    searched = {
        "seed": seed,
        "pairs": plan,
        "difficulty": level,
        "reports": {kind: vars(report) for kind, report in reports.items()},
    }
    write_suite(out, manifest, workloads, searched)
    if as_json:
        typer.echo(json.dumps({"suite": str(out), **searched}, indent=1))
        return
    for kind, report in reports.items():
        _show_report(kind, report)
    typer.echo(f"suite of {len(found)} pairs: {out}")
    typer.echo(f"run it:  proctor siris run --suite {out} --model rule/follow")


def _plan(
    perturbation: list[str] | None, like: str | None, pairs: int | None, domain: str | None
) -> tuple[Domain, dict[str, int]]:
    """The domain, and how many pairs of which perturbation."""
    from proctor.errors import InputError
    from proctor.siris.problems.domains import check_candidates, choose_domain
    from proctor.siris.problems.suites import load_suite

    if bool(perturbation) == bool(like):
        raise InputError("build: give either --perturbation (repeatable) or --like with a suite")
    chosen = choose_domain(domain or "serving")  # a suite of --like may need what it allows
    if like:
        suite = load_suite(like)
        if domain and chosen.name != suite.manifest.domain:
            raise InputError(f"--domain: the suite of --like is of the domain {suite.manifest.domain}; leave it out")
        return suite.domain, {kind: pairs or count for kind, count in suite.pairs_by_perturbation.items()}
    kinds = perturbation or []
    if len(set(kinds)) < len(kinds):
        raise InputError("--perturbation: one is given twice; give each once and raise --pairs")
    for kind in kinds:
        check_candidates(chosen, kind)
    return chosen, dict.fromkeys(kinds, pairs or DEFAULT_PAIRS)


def _level(difficulty: str | None) -> Level | None:
    from proctor.errors import InputError, nearest
    from proctor.siris.problems.difficulty import LEVELS

    for level in LEVELS:
        if level == difficulty:
            return level
    if difficulty is None:
        return None
    raise InputError(f"--difficulty: unknown level {difficulty!r}: {nearest(difficulty, LEVELS)}")


def _make_folder(out: Path) -> None:
    """Make it now: a folder that cannot be made must not cost a search."""
    from proctor.errors import InputError
    from proctor.siris.problems.freeze import refuse_used_folder

    refuse_used_folder(out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out}: cannot make that folder ({error.strerror})") from error


def _show_report(name: str, report: SearchReport) -> None:
    typer.echo(f"{name}: {report.proposals} proposals in {report.frames} frames, {report.candidates} candidate pairs")
    for reason, count in report.rejections.most_common():
        typer.echo(f"  {count:6}  {reason}")


def verify(
    suite: Annotated[str, typer.Argument(help="Name of a frozen suite, or a folder.")] = DEFAULT_SUITE,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Regenerate every workload, prediction and packet of a suite and compare them with the frozen digests.

    Exit status 0 if all are the same, 1 if anything differs.
    """
    import json

    from proctor.siris.problems.suites import load_suite
    from proctor.siris.problems.suites import verify as regenerate

    loaded = load_suite(suite)
    total = len(loaded.manifest.problems)
    differing: dict[str, list[str]] = {}
    with progress_bar(f"regenerating {loaded.name}") as progress:
        for done, (problem, differences) in enumerate(regenerate(loaded), start=1):
            progress(done, total)
            if differences:
                differing[problem] = differences
    if as_json:
        typer.echo(
            json.dumps({"suite": loaded.name, "digest": loaded.digest, "problems": total, "differing": differing})
        )
    else:
        for problem, differences in differing.items():
            typer.echo(_text.one_line(f"{problem}: {', '.join(differences)}"))
        same = f"{loaded.name}: {total - len(differing)} of {total} problems regenerated identically"
        typer.echo(_text.one_line(same))
    raise typer.Exit(1 if differing else 0)


def suites(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the frozen suites that come with proctor."""
    import json

    from proctor.siris.problems.suites import frozen_suites, load_suite

    rows = []
    for name in frozen_suites():
        suite = load_suite(name)
        rows.append(
            {
                "name": name,
                "problems": len(suite.manifest.problems),
                "pairs": suite.pairs_by_perturbation,
                "digest": suite.digest,
            }
        )
    if as_json:
        typer.echo(json.dumps(rows, indent=1))
        return
    for row in rows:
        kinds_text = ", ".join(f"{count} {kind}" for kind, count in row["pairs"].items())  # type: ignore[attr-defined]
        typer.echo(f"{row['name']}: {row['problems']} problems in pairs: {kinds_text}")
