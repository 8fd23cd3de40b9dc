"""Frozen suites as data (a manifest, its workloads, digests of all evidence), and how they are read and verified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from proctor.errors import InputError
from proctor.siris.problems.admission import best, confirmations, judge, predictions
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
from proctor.siris.problems.packet_files import workload_rows
from proctor.siris.problems.pairs import confirmation_traces

# What `verify` holds the shipped manifests against; scripts/refreeze_suite.py prints the new one.
FROZEN_DIGESTS = {
    "routing-v1": "c5f57a830309064723a3690306d5efb76a78bb4f1573453aa1f3c4a210ef878e",
    "serving-v1": "23419493067125d4deac874dc0d6584bbd5d6a2d7667047cc4d5b409edc46b9e",
}


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
        try:
            return get_domain(self.manifest.domain)
        except InputError as error:
            raise InputError(f"{self.folder / MANIFEST}: domain: {error}") from error

    @property
    def pairs_by_perturbation(self) -> dict[str, int]:
        """How many pairs of which perturbation, by name."""
        kinds = (entry.perturbation for entry in self.manifest.problems if entry.outcome == "upheld")
        return dict(sorted(Counter(kinds).items()))

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(self._problem(entry) for entry in self.manifest.problems)

    def _problem(self, entry: ProblemEntry) -> Problem:
        case = Case(entry.design_problem, entry.system, self._workload(entry))
        try:
            self.domain.check(case, entry.perturbation, entry.labels.values())
        except InputError as error:
            raise InputError(f"{self.folder}: problem {entry.id}: {error}; restore the suite") from error
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
        try:
            return workload_rows(text)
        except (ValueError, LookupError, TypeError) as error:
            raise InputError(f"{path}: not a workload ({error}); restore the file") from error

    def evidence(self, problem: Problem, version: Version) -> Evidence:
        """Simulate every candidate under one version and write the files of the packet."""
        perturbation = problem.perturbation if version == "perturbed" else None
        return self.domain.evidence(problem.case, problem.labels, perturbation)

    def changed_lines(self, problem: Problem, version: Version) -> dict[str, frozenset[int]]:
        """Evaluator only: packet path -> line numbers (from 1) in which the versions differ."""
        return self.domain.changed_lines(problem.perturbation, version)

    def limitation(self, problem: Problem) -> str:
        """Evaluator only: what the perturbed simulator gets wrong, in words."""
        return self.domain.limitation(problem.perturbation)


def load_suite(name_or_folder: str | Path) -> Suite:
    """A frozen suite by name, or any suite by folder; raises InputError with what there is."""
    frozen = frozen_suites()
    folder = frozen.get(str(name_or_folder), Path(name_or_folder))
    if not folder.exists():
        raise InputError(f"{name_or_folder}: no such suite or folder; frozen suites are {', '.join(frozen) or 'none'}")
    return Suite(folder, read_manifest(folder))


def verify(suite: Suite) -> Iterator[tuple[str, list[str]]]:
    """Regenerate every problem from the manifest; yields its id and what differs (nothing, if it holds).

    A suite that comes with the package is also compared with the digest that the code knows: its id is then the suite's
    name. Raises InputError for stored files that do not fit the manifest.
    """
    known = FROZEN_DIGESTS.get(suite.name)
    if suite.folder == frozen_suites().get(suite.name) and known != suite.digest:
        yield suite.name, ["manifest digest"]
    workloads = suite.folder / "workloads"
    try:
        stored = {path.stem for path in workloads.iterdir()}
    except OSError as error:
        raise InputError(f"{workloads}: cannot read the workloads ({error.strerror}); restore the folder") from error
    for entry, _ in zip(suite.manifest.problems, suite.problems, strict=True):
        yield entry.id, _differences(suite, entry)
    for name in sorted(stored - {entry.id for entry in suite.manifest.problems}):
        yield name, ["a workload that the manifest does not name"]


def _differences(suite: Suite, entry: ProblemEntry) -> list[str]:
    frame = Frame(entry.design_problem, entry.system, entry.shared)
    try:
        case = suite.domain.generate(frame, entry.parameters, entry.workload_seed)
        suite.domain.check(case, entry.perturbation, entry.labels.values())
    except (LookupError, TypeError, ValueError, OverflowError):  # an InputError is a ValueError
        return ["parameters: no workload can be generated from them"]
    found = []
    versions: tuple[tuple[Version, str | None], ...] = (("perturbed", entry.perturbation), ("reference", None))
    predicted = {}
    for version, perturbation in versions:
        predicted[version] = predictions(suite.domain, case, perturbation)
        values = {design: prediction.value for design, prediction in predicted[version].items()}
        if values != getattr(entry, version):
            found.append(f"{version} predictions")
        if entry.labels[entry.presented if perturbation else entry.answer] != best(predicted[version]):
            found.append(f"{version} recommendation")
        evidence = suite.domain.evidence(case, entry.labels, perturbation)
        if digest(evidence.description["workload.json"]) != entry.workload_digest:
            found.append("workload")
        if evidence_digest(evidence) != entry.evidence_digest.get(version):
            found.append(f"{version} evidence digest")
    assessment = judge(suite.domain, predicted["perturbed"], predicted["reference"])
    if isinstance(assessment, str):
        found.append(assessment)
    elif not found:
        traces = confirmation_traces(suite.domain, frame, entry.parameters)
        if confirmations(suite.domain, traces, entry.perturbation, assessment) != entry.confirmed:
            found.append("confirmations")
    return sorted(set(found))
