"""`proctor siris audit`: does anything but judgment tell the answers of a suite, and do its packets suffice?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from proctor.cli import _text
from proctor.cli._progress import progress_bar
from proctor.siris import DEFAULT_SUITE

if TYPE_CHECKING:
    from proctor.siris.problems.leaks import Check

VERDICTS = {True: "holds", False: "DOES NOT HOLD", None: "skipped"}
SHOWN = 10  # findings of one check that the text output shows


def register(app: typer.Typer) -> None:
    app.command(
        "audit",
        short_help="Check a suite for leaks and for solvability.",
        epilog=_text.examples(
            "proctor siris audit", "proctor siris audit my-suite --details", "proctor siris audit my-suite --json"
        ),
    )(audit)


def audit(
    suite: Annotated[str, typer.Argument(help="Name of a frozen suite, or a folder.")] = DEFAULT_SUITE,
    details: Annotated[bool, typer.Option("--details", help="Print what the figures rest on, too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check that nothing but judgment tells the answers of a suite, and that its packets suffice to find them.

    Metadata must not tell upheld from overturned problems, no text may say what it must not, labels must be balanced,
    both versions must come from one template, no reference value may stand in a perturbed packet, no fixed rule may
    beat following, and a scripted reader of each perturbed packet must reach the reference answer. The same suite
    always gets the same figures. Exit status 0 if every check holds, 1 if one does not.
    """
    import json
    from dataclasses import asdict

    from proctor.siris.problems.audit import audit as audit_suite
    from proctor.siris.problems.suites import load_suite

    loaded = load_suite(suite)
    with progress_bar(f"auditing {loaded.name}") as progress:
        checks = audit_suite(loaded, progress)
    holds = all(check.holds is not False for check in checks)
    if as_json:
        about = {"suite": loaded.name, "digest": loaded.digest, "problems": len(loaded.problems), "holds": holds}
        typer.echo(json.dumps({**about, "checks": [asdict(check) for check in checks]}, indent=1))
    else:
        _show(checks, details)
        verdicts = [check.holds for check in checks]
        skipped = f", {verdicts.count(None)} skipped" if None in verdicts else ""
        held = f"{verdicts.count(True)} of {len(checks)} checks hold{skipped}"
        typer.echo(_text.one_line(f"{loaded.name}: {held}"))
    raise typer.Exit(0 if holds else 1)


def _show(checks: Sequence[Check], details: bool) -> None:
    width = max(len(check.name) for check in checks)
    for check in checks:
        typer.echo(_text.one_line(f"{check.name:{width}}  {VERDICTS[check.holds]:13}  {check.figure}"))
        if details or check.holds is False:
            shown = check.details if details else check.details[:SHOWN]
            for line in shown:
                typer.echo(f"{'':{width}}    {_text.one_line(line)}")
            if len(check.details) > len(shown):
                typer.echo(f"{'':{width}}    ... and {len(check.details) - len(shown)} more (--details)")
