"""What a packet's files say, and that they say the same everywhere."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping

import numpy as np
import pytest

from proctor.serving import designs
from proctor.siris.problems.domain import Case, Evidence
from proctor.siris.problems.perturbations import CATALOGUE
from proctor.siris.problems.serving_domain import ServingDomain

SEVERAL = [("routing", "prefix_cap"), ("handoff", "shared_nic"), ("local_scheduling", "step_aggregation")]
several = pytest.mark.parametrize(("design_problem", "perturbation"), SEVERAL)
# Words that would tell a reader that something was changed, or how a problem was made (paper B.3, concealment).
TELLING = re.compile(
    r"perturb|mutat|inject|limitation|upheld|overturn|bug|fixme|todo|hack|wrong|ground.?truth|oracle|flaw", re.I
)


def _labels(design_problem: str) -> dict[str, str]:
    return dict(zip("ABCD", designs.FAMILIES[design_problem], strict=True))


def _evidence(domain: ServingDomain, case: Case, perturbation: str | None) -> Evidence:
    return domain.evidence(case, _labels(case.design_problem), perturbation)


def _rows(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


@several
def test_predictions_follow_from_the_execution_records(
    domain: ServingDomain, cases: Mapping[str, Case], design_problem: str, perturbation: str
) -> None:
    """An independent computation of the nearest-rank p95 from the rows of measured requests."""
    case = cases[design_problem]
    evidence = _evidence(domain, case, perturbation)
    shown = json.loads(evidence.predictions["prediction.json"])["candidates"]
    end = "first_token_ns" if case.system["metric"] == "ttft" else "end_ns"
    for label in "ABCD":
        rows = [r for r in _rows(evidence.records[f"execution-records/{label}.jsonl"]) if r.get("measured")]
        values = [r[end] - r["arrival_ns"] for r in rows]  # type: ignore[operator]
        p95 = np.percentile(values, 95, method="inverted_cdf")
        assert shown[label]["p95"] == pytest.approx(p95 / 1e9, abs=1e-6)


@several
def test_step_records_account_for_every_token(
    domain: ServingDomain, cases: Mapping[str, Case], design_problem: str, perturbation: str
) -> None:
    """Prefilled and credited tokens make up the prompt; each later token takes one query token (no preemption here)."""
    evidence = _evidence(domain, cases[design_problem], perturbation)
    for text in evidence.records.values():
        rows = _rows(text)
        spent: dict[str, int] = {}
        for step in (r for r in rows if "items" in r):
            for name, query, _ in step["items"]:  # type: ignore[attr-defined]
                spent[name] = spent.get(name, 0) + query
        for r in (r for r in rows if "request" in r):
            assert "preemptions" not in r
            expected = r["prompt_tokens"] - r["prefix_hit_tokens"] + r["output_tokens"] - 1  # type: ignore[operator]
            assert spent[r["request"]] == expected  # type: ignore[index]


@several
def test_no_file_tells_that_something_was_changed(
    domain: ServingDomain, cases: Mapping[str, Case], design_problem: str, perturbation: str
) -> None:
    for version in (perturbation, None):
        for path, text in _evidence(domain, cases[design_problem], version).all_files().items():
            assert not TELLING.search(text), (path, TELLING.search(text))
            assert not TELLING.search(path)


@several
def test_packets_show_no_design_names(
    domain: ServingDomain, cases: Mapping[str, Case], design_problem: str, perturbation: str
) -> None:
    text = "\n".join(_evidence(domain, cases[design_problem], perturbation).all_files().values()).lower()
    for name in (*designs.TITLES, *designs.TITLES.values(), "sglang", "preble", "dualmap", *CATALOGUE):
        if name not in ("stay",):  # an English word
            assert name.lower() not in text, name


@several
def test_a_packet_stays_under_a_megabyte(
    domain: ServingDomain, cases: Mapping[str, Case], design_problem: str, perturbation: str
) -> None:
    assert sum(map(len, _evidence(domain, cases[design_problem], perturbation).all_files().values())) < 1_000_000


def test_the_specification_is_the_same_for_both_workloads_of_a_pair(domain: ServingDomain) -> None:
    from random import Random

    rng = Random(3)
    frame = domain.frame("routing", rng)
    cases = [domain.generate(frame, domain.propose(frame, rng), 0) for _ in range(2)]
    first, second = (_evidence(domain, case, None).description for case in cases)
    assert first["system-description.md"] == second["system-description.md"]
    assert first["workload.json"] != second["workload.json"]


DIGEST = """
import hashlib
from random import Random
from proctor.serving import designs
from proctor.siris.problems.serving_domain import ServingDomain
domain = ServingDomain()
rng = Random("tests/routing")
frame = domain.frame("routing", rng)
case = domain.generate(frame, domain.propose(frame, rng), 0)
labels = dict(zip("ABCD", designs.FAMILIES["routing"]))
files = domain.evidence(case, labels, "prefix_cap").all_files()
print(hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest())
"""


def test_evidence_is_byte_identical_in_another_process(domain: ServingDomain, cases: Mapping[str, Case]) -> None:
    files = _evidence(domain, cases["routing"], "prefix_cap").all_files()
    here = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()
    environment = {**os.environ, "PYTHONHASHSEED": "12345", "LC_ALL": "C", "TZ": "Asia/Tokyo"}
    there = subprocess.run([sys.executable, "-c", DIGEST], env=environment, capture_output=True, text=True, check=True)
    assert there.stdout.strip() == here
