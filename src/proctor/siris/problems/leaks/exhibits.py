"""What the audit looks at: each problem with its files under both versions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from proctor.siris.problems.domain import Evidence, Problem, Version
from proctor.siris.problems.suites import Suite

VERSIONS: tuple[Version, ...] = ("perturbed", "reference")


@dataclass(frozen=True)
class Exhibit:
    """One problem of a suite, seen from outside and from inside.

    `number` is its place in the suite; `parameters` are those of its workload, shared ones included; `changed` holds,
    by version, the line numbers in which the versions differ; `names` are those of all perturbations and designs of
    the suite.
    """

    number: int
    problem: Problem
    parameters: Mapping[str, Any]
    perturbed: Evidence
    reference: Evidence
    changed: Mapping[Version, Mapping[str, frozenset[int]]]
    names: frozenset[str]

    def texts(self) -> dict[str, str]:
        """Every text that a reader may meet under some condition: "version: path" -> text, and the question."""
        files = {
            f"{version}: {path}": text
            for version in VERSIONS
            for path, text in getattr(self, version).all_files().items()
        }
        return {"question": self.problem.question, **files}


@dataclass(frozen=True)
class Check:
    """One named check of a suite: a number and a verdict.

    `holds` is None where a check was skipped, and `figure` then says why. `details` names what does not hold, or what
    the figure rests on.
    """

    name: str
    holds: bool | None
    figure: str
    details: tuple[str, ...] = ()
    values: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Examiner:
    """Looks at one problem at a time, keeps little of it, and judges what it kept of all."""

    look: Callable[[Exhibit], Any]
    judge: Callable[[Sequence[Problem], Sequence[Any]], list[Check]]


def only_the_problem(exhibit: Exhibit) -> None:
    """What examiners keep for whom nothing but the problem itself counts."""


def exhibits(suite: Suite) -> Iterator[Exhibit]:
    """The problems of a suite in order, simulated one by one under both versions."""
    names = frozenset(name for problem in suite.problems for name in (problem.perturbation, *problem.labels.values()))
    for number, (problem, entry) in enumerate(zip(suite.problems, suite.manifest.problems, strict=True)):
        yield Exhibit(
            number,
            problem,
            {**entry.shared, **entry.parameters},
            suite.evidence(problem, "perturbed"),
            suite.evidence(problem, "reference"),
            {version: suite.changed_lines(problem, version) for version in VERSIONS},
            names,
        )


def listed(name: str, what: str, findings: Sequence[Sequence[str]], problems: Sequence[Problem]) -> Check:
    """A check that holds where no problem has a finding."""
    found = tuple(f"{problem.id}: {text}" for problem, texts in zip(problems, findings, strict=True) for text in texts)
    return Check(name, not found, f"{len(found)} {what}", found, {"found": len(found)})
