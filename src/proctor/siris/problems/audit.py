"""Audit a suite: nothing but judgment tells its answers, and its packets suffice to find them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from proctor.errors import InputError
from proctor.siris.problems.domain import Domain, Solver
from proctor.siris.problems.leaks import Check, Exhibit, exhibits, leak_checks
from proctor.siris.problems.suites import Suite


def audit(suite: Suite, progress: Callable[[int, int], None]) -> list[Check]:
    """All checks, each with a number and a verdict. Raises InputError for a suite that cannot be read."""
    solvability = _Solvability(suite.domain)
    total = len(suite.manifest.problems)

    def watched() -> Iterator[Exhibit]:
        for done, exhibit in enumerate(exhibits(suite), start=1):
            solvability.look(exhibit)
            yield exhibit
            progress(done, total)

    return [*leak_checks(watched()), solvability.check()]


@dataclass
class _Solvability:
    """Whether a scripted reader of the perturbed packet alone finds the reference answers."""

    domain: Domain
    asked: int = 0
    unsolved: list[str] = field(default_factory=list)

    def look(self, exhibit: Exhibit) -> None:
        if not isinstance(self.domain, Solver):
            return
        self.asked += 1
        problem = exhibit.problem
        try:
            found = self.domain.solve(exhibit.perturbed.all_files())
        except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError, InputError) as error:
            self.unsolved.append(f"{problem.id}: the solver fails ({type(error).__name__}: {error})")
            return
        if min(found, key=lambda label: (found[label], label)) != problem.answer:
            self.unsolved.append(f"{problem.id}: the solver's answer is not the reference answer")
        elif found != problem.reference:
            self.unsolved.append(f"{problem.id}: the solver's metrics are not the reference's")

    def check(self) -> Check:
        if not isinstance(self.domain, Solver):
            return Check("solvability", None, f"the domain {self.domain.name!r} has no solver")
        solved = self.asked - len(self.unsolved)
        return Check(
            "solvability",
            not self.unsolved,
            f"{solved} of {self.asked} problems solved from the perturbed packet alone, with the reference's metrics",
            tuple(self.unsolved),
            {"solved": solved, "problems": self.asked},
        )
