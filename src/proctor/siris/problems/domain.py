"""What a simulator must offer so that problems can be built on it.

Everything else in the suite (admission, pairing, search, packets, conversation, scores) knows a simulator only
through `Domain`. The serving simulator meets it in `serving_domain`, a small cache simulator in docs/examples/cache;
docs/simulators.md says how to write another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal, Protocol, runtime_checkable

from proctor.errors import InputError

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
    """What one simulator version says of one design: the target metric and a digest of all its predictions.

    The metric is a positive integer in the domain's unit (the serving simulator's are ns), the lower the better.
    """

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
    """The files of one problem under one simulator version, packet path -> text (paper, Table 12).

    Prompts and built-in models rely on the paths, so a domain must use these and no others: `system-description.md`,
    `workload.json` and `candidates/A`, B, C and D with any ending in `description`; files below `simulator/` in `code`
    and below `cost-parameters/` in `parameters`; `configuration.json`; `prediction.json`; files below
    `execution-records/` in `records`. `parameters` and `records` may be empty. `packet_files` has the contents.
    Raises InputError for a file that belongs elsewhere.
    """

    description: Mapping[str, str]
    code: Mapping[str, str]
    parameters: Mapping[str, str]
    configuration: Mapping[str, str]
    predictions: Mapping[str, str]
    records: Mapping[str, str]

    def __post_init__(self) -> None:
        candidates = sorted(path.partition(".")[0] for path in self.description if path.startswith("candidates/"))
        expected = [f"candidates/{label}" for label in LABELS]
        if candidates != expected:
            raise InputError(f"evidence: description: has {candidates} where {expected} are expected; mend the domain")
        for part, needed, folder in _LAYOUT:
            paths = set(getattr(self, part))
            stray = sorted(path for path in paths - needed if not path.startswith(folder or "/"))
            if stray or needed - paths:
                what = f"lacks {sorted(needed - paths)}" if needed - paths else f"has {stray[0]!r}, which is not its"
                raise InputError(f"evidence: {part}: {what}; mend the domain")

    def all_files(self) -> dict[str, str]:
        parts = (self.description, self.code, self.parameters, self.configuration, self.predictions, self.records)
        return {path: text for part in parts for path, text in sorted(part.items())}

    def chars(self) -> int:
        """The size of all files together, in characters."""
        return sum(map(len, self.all_files().values()))


_LAYOUT: tuple[tuple[str, set[str], str | None], ...] = (
    ("description", {"system-description.md", "workload.json"}, "candidates/"),
    ("code", set(), "simulator/"),
    ("parameters", set(), "cost-parameters/"),
    ("configuration", {"configuration.json"}, None),
    ("predictions", {"prediction.json"}, None),
    ("records", set(), "execution-records/"),
)


class Domain(Protocol):
    """A simulator with candidate designs, workload generators and perturbations.

    Attributes:
        name: What a suite's manifest calls the domain.
        unit: Of the target metric, such as "ns".
        min_lead: A design that is ahead by less, in that unit, is no clear winner (beside the 3 % that always hold).
    """

    name: str
    unit: str
    min_lead: int

    def designs(self, design_problem: str) -> tuple[str, ...]:
        """The candidate designs, four."""

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

    def recompute(self, files: Mapping[str, str]) -> Mapping[str, int] | None:
        """The target metric that the reference simulator predicts, by label, from files of a packet (path -> text).

        Given are the workload, the candidates, the configuration and the parameters, nothing else. None for files that
        are not of this domain. `rule/reference` asks this, which proves that a packet suffices.
        """


@runtime_checkable
class Solver(Protocol):
    """A domain may also have a scripted reader; `proctor siris audit` then checks that packets suffice."""

    def solve(self, packet: Mapping[str, str]) -> Mapping[str, int]:
        """From the files of a perturbed packet alone, path -> text: the reference metric of each candidate, in the
        domain's unit."""


@dataclass(frozen=True)
class Problem:
    """One question with its evaluator-only facts. `reference` and `perturbed` hold the target metric by label, in the
    domain's unit."""

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
