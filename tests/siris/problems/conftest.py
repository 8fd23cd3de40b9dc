"""Small cases of each design problem."""

from __future__ import annotations

from random import Random

import pytest

from proctor.siris.problems.domain import Case
from proctor.siris.problems.serving_domain import ServingDomain


@pytest.fixture(scope="session")
def domain() -> ServingDomain:
    return ServingDomain()


@pytest.fixture(scope="session")
def cases(domain: ServingDomain) -> dict[str, Case]:
    """One generated case per design problem."""
    made = {}
    for design_problem in ("routing", "handoff", "local_scheduling"):
        rng = Random(f"tests/{design_problem}")
        frame = domain.frame(design_problem, rng)
        made[design_problem] = domain.generate(frame, domain.propose(frame, rng), 0)
    return made
