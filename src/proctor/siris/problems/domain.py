"""What a simulator must offer so that problems can be built on it.

Everything else in the suite (admission, pairing, search, packets, conversation, scores) knows a simulator only
through `Domain`. The serving simulator is the first to meet it (`serving_domain`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal, Protocol

Outcome = Literal["upheld", "overturned"]
Version = Literal["perturbed", "reference"]
LABELS = ("A", "B", "C", "D")


@dataclass(frozen=True)
class Case:
    """A design problem on one system with one workload; both are JSON data that only the domain reads."""

    design_problem: str
    system: Mapping[str, Any]
    workload: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Prediction:
    """What one simulator version says of one design: the target metric in ns and a digest of all its predictions."""

    value: int
    digest: str


@dataclass(frozen=True)
class Frame:
    """What the two workloads of a pair have in common: the system and the parameters that set the size of a packet."""

    design_problem: str
    system: Mapping[str, Any]
    shared: Mapping[str, Any]


@dataclass(frozen=True)
class Evidence:
    """The files of one problem under one simulator version, packet path -> text (paper, Table 12)."""

    description: Mapping[str, str]
    code: Mapping[str, str]
    parameters: Mapping[str, str]
    configuration: Mapping[str, str]
    predictions: Mapping[str, str]
    records: Mapping[str, str]

    def all_files(self) -> dict[str, str]:
        parts = (self.description, self.code, self.parameters, self.configuration, self.predictions, self.records)
        return {path: text for part in parts for path, text in sorted(part.items())}

    def chars(self) -> int:
        """The size of all files together, in characters."""
        return sum(map(len, self.all_files().values()))


class Domain(Protocol):
    """A simulator with candidate designs, workload generators and perturbations."""

    name: str

    def designs(self, design_problem: str) -> tuple[str, ...]:
        """The candidate designs."""

    def design_problem(self, perturbation: str) -> str:
        """The design problem that a perturbation belongs to; raises InputError for an unknown one."""

    def frame(self, design_problem: str, rng: Random) -> Frame:
        """Draw what a pair has in common."""

    def propose(self, frame: Frame, rng: Random) -> dict[str, Any]:
        """Draw the parameters in which the workloads of a pair may differ."""

    def generate(self, frame: Frame, parameters: Mapping[str, Any], seed: int) -> Case:
        """The workload of a seed; the same arguments give the same case on every machine."""

    def predict(self, case: Case, design: str, perturbation: str | None) -> Prediction:
        """Run one candidate; `None` means the reference simulator."""

    def check(self, case: Case, perturbation: str, designs: Iterable[str]) -> None:
        """Raise InputError for a case that cannot be simulated, naming the field."""

    def question(self, case: Case) -> str:
        """What is asked; the wording depends on the design problem alone."""

    def evidence(self, case: Case, labels: Mapping[str, str], perturbation: str | None) -> Evidence:
        """The files that one version yields; labels maps A-D to designs."""

    def changed_lines(self, perturbation: str, version: Version) -> dict[str, frozenset[int]]:
        """Where the versions differ: packet path -> line numbers (from 1) in the given version."""

    def limitation(self, perturbation: str) -> str:
        """What the perturbed simulator gets wrong: one line in short, then an explanation (evaluator only)."""


@dataclass(frozen=True)
class Problem:
    """One question with its evaluator-only facts. Latencies are in ns by label."""

    id: str
    pair: str
    outcome: Outcome
    perturbation: str
    design_problem: str
    question: str
    labels: Mapping[str, str]
    presented: str
    answer: str
    reference: Mapping[str, int]
    perturbed: Mapping[str, int]
    case: Case = field(repr=False)
