"""Frozen suites as data (a manifest, its workloads, digests of all evidence), and how they are read and verified."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from proctor.errors import InputError
from proctor.siris.problems.domain import Case, Domain, Evidence, Frame, Problem, Version
from proctor.siris.problems.domains import get_domain
from proctor.siris.problems.manifest import (
    MANIFEST,
    Manifest,
    ProblemEntry,
    digest,
    evidence_digest,
    read_manifest,
)


def frozen_suites() -> dict[str, Path]:
    """The suites that come with the package, name -> folder."""
    root = Path(str(files(__name__)))
    return {folder.name: folder for folder in sorted(root.iterdir()) if (folder / MANIFEST).is_file()}


@dataclass(frozen=True)
class Suite:
    """Problems in a fixed order; evidence is simulated when it is asked for, never stored."""

    folder: Path
    manifest: Manifest

    @property
    def name(self) -> str:
        return self.manifest.name

    @cached_property
    def digest(self) -> str:
        """sha256 of the manifest: two suites with one digest are the same suite."""
        return digest(self.manifest.text())

    @property
    def domain(self) -> Domain:
        return get_domain(self.manifest.domain)

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(self._problem(entry) for entry in self.manifest.problems)

    def _problem(self, entry: ProblemEntry) -> Problem:
        case = Case(entry.design_problem, entry.system, self._workload(entry))
        return Problem(
            id=entry.id,
            pair=entry.pair,
            outcome=entry.outcome,
            perturbation=entry.perturbation,
            design_problem=entry.design_problem,
            question=self.domain.question(case),
            labels=dict(entry.labels),
            presented=entry.presented,
            answer=entry.answer,
            reference={label: entry.reference[design] for label, design in entry.labels.items()},
            perturbed={label: entry.perturbed[design] for label, design in entry.labels.items()},
            case=case,
        )

    def _workload(self, entry: ProblemEntry) -> list[dict[str, Any]]:
        path = self.folder / "workloads" / f"{entry.id}.json"
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{path}: cannot read the workload of {entry.id} ({error}); restore the file") from error
        if digest(text) != entry.workload_digest:
            raise InputError(f"{path}: differs from the workload that the manifest names; restore the file")
        rows: list[dict[str, Any]] = json.loads(text)["requests"]
        return rows

    def evidence(self, problem: Problem, version: Version) -> Evidence:
        """Simulate every candidate under one version and write the files of the packet."""
        perturbation = problem.perturbation if version == "perturbed" else None
        return self.domain.evidence(problem.case, problem.labels, perturbation)

    def changed_lines(self, problem: Problem, version: Version) -> dict[str, frozenset[int]]:
        """Evaluator only: packet path -> line numbers (from 1) in which the versions differ."""
        return self.domain.changed_lines(problem.perturbation, version)


def load_suite(name_or_folder: str | Path) -> Suite:
    """A frozen suite by name, or any suite by folder; raises InputError with what there is."""
    frozen = frozen_suites()
    folder = frozen.get(str(name_or_folder), Path(name_or_folder))
    if not folder.exists():
        raise InputError(f"{name_or_folder}: no such suite or folder; frozen suites are {', '.join(frozen) or 'none'}")
    return Suite(folder, read_manifest(folder))


def verify(suite: Suite) -> Iterator[tuple[str, list[str]]]:
    """Regenerate every problem from the manifest; yields its id and what differs (nothing, if it holds)."""
    for entry in suite.manifest.problems:
        yield entry.id, _differences(suite, entry)


def _differences(suite: Suite, entry: ProblemEntry) -> list[str]:
    frame = Frame(entry.design_problem, entry.system, entry.shared)
    case = suite.domain.generate(frame, entry.parameters, entry.workload_seed)
    found = []
    versions: tuple[tuple[Version, str | None], ...] = (("perturbed", entry.perturbation), ("reference", None))
    for version, perturbation in versions:
        values = {d: suite.domain.predict(case, d, perturbation).value for d in entry.labels.values()}
        if values != getattr(entry, version):
            found.append(f"{version} predictions")
        if entry.labels[entry.presented if perturbation else entry.answer] != min(values, key=lambda d: values[d]):
            found.append(f"{version} recommendation")
        evidence = suite.domain.evidence(case, entry.labels, perturbation)
        if digest(evidence.description["workload.json"]) != entry.workload_digest:
            found.append("workload")
        if evidence_digest(evidence) != entry.evidence_digest.get(version):
            found.append(f"{version} evidence digest")
    if (entry.presented == entry.answer) != (entry.outcome == "upheld"):
        found.append("outcome")
    return sorted(set(found))
