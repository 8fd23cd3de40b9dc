"""The audit as a whole: frozen suites pass, and a suite whose packets do not suffice is caught."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from proctor.siris.problems.audit import audit
from proctor.siris.problems.domain import Solver
from proctor.siris.problems.domains import get_domain
from proctor.siris.problems.suites import Suite, frozen_suites, load_suite


class Other:
    """The serving domain with another solver, or with none."""

    name = "other"

    def __init__(self, solve=None):
        if solve:
            self.solve = solve

    def __getattr__(self, name):
        if name == "solve":
            raise AttributeError(name)
        return getattr(get_domain("serving"), name)


@dataclass(frozen=True)
class Part(Suite):
    """One pair of the frozen suite, on a domain of its own."""

    other: object = None

    @property
    def domain(self):
        return self.other


def part(domain):
    suite = load_suite("routing-v1")
    pair = suite.manifest.problems[0].pair
    entries = tuple(entry for entry in suite.manifest.problems if entry.pair == pair)
    return Part(suite.folder, suite.manifest.model_copy(update={"problems": entries}), domain)


def solvability(domain):
    seen = []
    checks = audit(part(domain), lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]
    return {check.name: check for check in checks}["solvability"]


@pytest.mark.slow
@pytest.mark.parametrize("name", frozen_suites())
def test_every_frozen_suite_passes_every_check(name):
    checks = audit(load_suite(name), print)
    assert {check.name: check.details for check in checks if check.holds is not True} == {}


def test_packets_from_which_the_reference_follows_are_solvable():
    check = solvability(get_domain("serving"))
    assert check.holds is True
    assert check.values == {"solved": 2, "problems": 2}


def test_a_domain_without_a_solver_is_skipped_with_the_reason():
    check = solvability(Other())
    assert (check.holds, check.figure) == (None, "the domain 'other' has no solver")


def test_a_solver_that_follows_the_perturbed_simulator_does_not_pass():
    """It reaches the answer of the upheld problem, with other metrics, and misses that of the overturned one."""
    from proctor.siris.problems.analyst import study

    check = solvability(Other(lambda packet: study(packet).as_given))
    assert check.holds is False
    assert sorted(line.split(": ")[1] for line in check.details) == [
        "the solver's answer is not the reference answer",
        "the solver's metrics are not the reference's",
    ]


def test_a_solver_that_cannot_read_a_packet_is_a_finding():
    check = solvability(Other(lambda packet: {}[min(packet)]))
    assert check.holds is False
    assert "the solver fails (KeyError: 'candidates/A.py')" in check.details[0]


def test_the_serving_domain_is_a_solver():
    assert isinstance(get_domain("serving"), Solver)
    assert not isinstance(Other(), Solver)
