"""`proctor doctor`: can this machine run evaluations, and with which models and sandboxes?"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:  # `proctor --help` imports this file: what it needs at run time is imported below
    from proctor.cli.machine import Package, Provider, Resources, Sandbox

LOG_SPACE_BYTES = 200_000_000  # the log of a whole suite with one model is about 10 MB; leave room for twenty


@dataclass(frozen=True)
class Diagnosis:
    """Everything `doctor` says. `problems` holds what keeps the offline evaluations from running, one line each."""

    python: str
    proctor: str
    inspect_ai: Package
    problems: tuple[str, ...]
    packages_unmet: tuple[Package, ...]
    sandboxes: tuple[Sandbox, ...]
    providers: tuple[Provider, ...]
    other_keys: tuple[str, ...]
    resources: Resources

    @property
    def ok(self) -> bool:
        """Whether the offline evaluations can run here."""
        return not self.problems

    def as_json(self) -> dict[str, Any]:
        """The `--json` form; `version` is that of the format."""
        return {"version": 1, "ok": self.ok, **asdict(self)}


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
    with_model: Annotated[
        bool, typer.Option("--with-model", help="Instead, ask a small real model on this machine two problems.")
    ] = False,
) -> None:
    """Say what this machine has and whether the offline evaluations can run.

    Prints the versions of Python, proctor and Inspect; which sandboxes work; which model providers have a key (names
    of variables, never values) and a client installed; cores, memory and free disk. Exits with 0 if the offline
    evaluations can run here and with 1, naming what is missing, if not.

    With --with-model, it instead starts an OpenAI-compatible server for SmolLM2-135M on 127.0.0.1, runs two problems
    through it and says what happened. Exits with 0 if tool calls and answers came through, with 1 if not, and with 2,
    naming the command that installs it, where something is missing. This proves the path, not the model.
    """
    from rich.console import Console

    if with_model:
        from proctor.cli.doctor_model import show

        raise typer.Exit(show(as_json))
    with Console(stderr=True).status("Looking at this machine"):
        found = diagnose()
    typer.echo(json.dumps(found.as_json(), indent=2) if as_json else "\n".join(_lines(found)))
    raise typer.Exit(0 if found.ok else 1)


def diagnose() -> Diagnosis:
    """Look at the machine. Takes a few seconds: it imports Inspect and tries each sandbox."""
    from proctor.cli import machine

    packages, keys, resources = machine.packages(), machine.key_names(), machine.resources()
    unmet = tuple(package for package in packages if not package.fits)
    return Diagnosis(
        python=sys.version.split()[0],
        proctor=version("proctor"),
        inspect_ai=next(package for package in packages if package.name == "inspect-ai"),
        problems=tuple(_problems(unmet, resources)),
        packages_unmet=unmet,
        sandboxes=machine.sandboxes(),
        providers=machine.providers(keys),
        other_keys=machine.other_keys(keys),
        resources=resources,
    )


def _problems(unmet: tuple[Package, ...], resources: Resources) -> list[str]:
    found = [f"{p.name}{p.needed} is needed, {p.installed or 'none'} is there: install proctor again" for p in unmet]
    if not unmet and (failure := _import_failure()):
        found.append(f"Inspect cannot load proctor's tasks: {failure}")
    if not os.access(Path.cwd(), os.W_OK):
        found.append("the current directory is not writable, and logs go to ./logs: change directory")
    if resources.disk_free_bytes < LOG_SPACE_BYTES:
        found.append(f"{resources.disk_free_bytes / 1e6:.0f} MB free here; logs want {LOG_SPACE_BYTES / 1e6:.0f} MB")
    return found


def _import_failure() -> str | None:
    """Why Inspect's entry point of ours does not import, if it does not: whatever the reason, doctor reports it."""
    from importlib.metadata import entry_points

    try:
        for entry in entry_points(group="inspect_ai", name="proctor"):
            entry.load()
            return None
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "its entry point is missing: install proctor again"


def _lines(found: Diagnosis) -> list[str]:
    from proctor.cli._text import one_line

    facts = [*_versions(found), *_sandbox_lines(found.sandboxes), *_provider_lines(found)]
    verdict = [f"problem: {line}" for line in found.problems] or ["The offline evaluations can run here."]
    return [*map(one_line, [*facts, _resource_line(found.resources)]), "", *map(one_line, verdict)]


def _versions(found: Diagnosis) -> list[str]:
    inspect = found.inspect_ai
    return [
        f"python      {found.python}",
        f"proctor     {found.proctor}",
        f"inspect-ai  {inspect.installed or 'not installed'} (needs {inspect.needed})",
    ]


def _sandbox_lines(sandboxes: tuple[Sandbox, ...]) -> list[str]:
    """No sandbox is no problem: agents in `siris` only read text."""
    states = {True: "works", False: "does not work"}
    return [
        f"sandbox     {box.name}: " + " - ".join(filter(None, [states[box.works] if box.present else "", box.detail]))
        for box in sandboxes
    ]


def _provider_lines(found: Diagnosis) -> list[str]:
    lines = []
    for provider in found.providers:
        if provider.keys:
            client = "client installed" if provider.installed else f"client missing, module {provider.module}"
            lines.append(f"models      {provider.name}: {', '.join(provider.keys)} is set; {client}")
    if found.other_keys:
        lines.append(f"models      openai-api/NAME: {', '.join(found.other_keys)} is set")
    return lines or ["models      no provider's key is set; rule/... models need none"]


def _resource_line(resources: Resources) -> str:
    memory, free = resources.memory_bytes / 2**30, resources.memory_available_bytes / 2**30
    disk = resources.disk_free_bytes / 2**30
    return f"machine     {resources.cores} cores, {memory:.1f} GiB memory ({free:.1f} free), {disk:.1f} GiB disk free"
