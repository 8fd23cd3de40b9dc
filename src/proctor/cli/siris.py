"""`proctor siris`: the design-judgment suite. Its commands live beside this file, one module per step of the suite."""

from __future__ import annotations

import typer

from proctor.cli import (
    siris_annotate,
    siris_audit,
    siris_build,
    siris_compare,
    siris_power,
    siris_replay,
    siris_review,
    siris_show,
    siris_verdict,
)

siris_app = typer.Typer(
    help="Ask models whether a simulator's flaw overturns its recommendation (the SIRIS paper).",
    short_help="Design judgment under a flawed simulator.",
    no_args_is_help=True,
)

# In the order in which a suite is used; `--help` lists them so.
for _step in (
    siris_build,
    siris_show,
    siris_audit,
    siris_review,
    siris_annotate,
    siris_verdict,
    siris_compare,
    siris_power,
    siris_replay,
):
    _step.register(siris_app)
