"""A small suite made by hand: twelve pairs whose files are short and whose numbers are known."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from proctor.siris.problems.domain import Case, Evidence, Problem, Version

LABELS = "ABCD"
CHANGED = {"simulator/replica.py": frozenset({30, 31})}


@dataclass(frozen=True)
class HandMade:
    """Stands where a suite stands. Perturbed and reference code differ in lines 30 and 31 of simulator/replica.py."""

    name: str
    digest: str
    problems: tuple[Problem, ...]

    def evidence(self, problem: Problem, version: Version) -> Evidence:
        p95 = problem.perturbed if version == "perturbed" else problem.reference
        candidates = {label: {"p50": ns / 2e9, "p95": ns / 1e9} for label, ns in p95.items()}
        rows = ",\n".join(json.dumps({"id": f"r{i:03}", "of": problem.id}) for i in range(80))
        code = [f"line_{n} = {n}" for n in range(1, 61)]
        code[29:31] = [f"credit = '{version}'", "limit = 512" if version == "perturbed" else "limit = 16"]
        return Evidence(
            description={
                "system-description.md": "# System\n",
                "workload.json": f'{{"requests": [\n{rows}\n]}}\n',
                **{f"candidates/{label}.py": f"# candidate {label}\n" for label in LABELS},
            },
            code={"simulator/__init__.py": "", "simulator/replica.py": "\n".join(code) + "\n"},
            parameters={"cost-parameters/head.csv": "requests,ns\n1,10\n"},
            configuration={"configuration.json": '{"replicas": 4}\n'},
            predictions={"prediction.json": json.dumps({"metric": "p95", "candidates": candidates}, indent=2) + "\n"},
            records={f"execution-records/{label}.jsonl": '{"request": "r000"}\n' * 500 for label in LABELS},
        )

    def changed_lines(self, problem: Problem, version: Version) -> Mapping[str, frozenset[int]]:  # noqa: ARG002
        return CHANGED


def _problem(number: int) -> Problem:
    """Odd numbers are upheld. Presented and answer move over the labels; the runner-up comes next in the alphabet."""
    pair = number // 2
    upheld = number % 2 == 0
    presented = pair % 4
    answer = presented if upheld else (presented + 1 + pair % 3) % 4
    return Problem(
        id=f"p{number + 1:02}",
        pair=f"pair-{pair + 1}",
        outcome="upheld" if upheld else "overturned",
        perturbation="prefix_cap",
        design_problem="routing",
        question="Which of the candidates A, B, C and D has the lowest p95 end-to-end latency?",
        labels={label: f"design-{label}" for label in LABELS},
        presented=LABELS[presented],
        answer=LABELS[answer],
        reference=_latencies(answer),
        perturbed=_latencies(presented),
        case=Case("routing", {}, []),
    )


def _latencies(best: int) -> dict[str, int]:
    return {label: 10**9 + 10**8 * ((index - best) % 4) for index, label in enumerate(LABELS)}


def make_suite() -> HandMade:
    return HandMade("hand-made", "0" * 64, tuple(_problem(number) for number in range(24)))


@pytest.fixture(scope="session")
def suite() -> HandMade:
    return make_suite()
