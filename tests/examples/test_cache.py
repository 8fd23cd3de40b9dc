"""The worked example of a domain goes all the way: built, verified, asked and reported with the ordinary commands."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

from proctor.errors import InputError
from proctor.siris.problems.domain import Case
from proctor.siris.problems.domains import ALLOWED, choose_domain
from proctor.siris.problems.suites import Suite, load_suite
from proctor.siris.review.briefs import briefs

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "cache"
CLASS = "cache_study.domain:CacheDomain"
TELLING = re.compile(
    r"perturb|mutat|inject|limitation|upheld|overturn|bug|fixme|todo|hack|wrong|ground.?truth|oracle|flaw|"
    r"read_cap|write_transfer",
    re.I,
)
Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def proctor(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """The command as a user has it who put the example's folder on PYTHONPATH."""

    def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([*filter(None, sys.path), str(EXAMPLE)])
        environment = {**os.environ, "PYTHONPATH": path, **variables}
        command = [sys.executable, "-m", "proctor", "siris", *arguments]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)

    folder = tmp_path_factory.mktemp("cache")
    return run


@pytest.fixture(scope="module")
def built(proctor: Command, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite with one pair of each perturbation, found by the ordinary search in two worker processes."""
    out = tmp_path_factory.mktemp("suite") / "cache-suite"
    kinds = ("--perturbation", "read_cap", "--perturbation", "write_transfer")
    done = proctor("build", "--domain", CLASS, *kinds, "--pairs", "1", "--out", str(out), "--workers", "2")
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture
def domain(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(EXAMPLE)
    monkeypatch.setenv(ALLOWED, CLASS)
    return choose_domain(CLASS)


@pytest.fixture
def suite(built: Path, domain: Any) -> Suite:
    assert domain.name == "cache"
    return load_suite(built)


def test_the_suite_verifies_for_those_who_have_the_domain_and_for_nobody_else(proctor: Command, built: Path) -> None:
    done = proctor("verify", str(built), PROCTOR_DOMAINS=CLASS)
    assert (done.returncode, done.stdout) == (0, "own: 4 of 4 problems regenerated identically\n"), done.stderr
    done = proctor("verify", str(built))
    assert done.returncode == 2
    assert "unknown domain 'cache'" in done.stderr
    assert done.stderr.count("\n") == 1


def test_following_gets_half_and_the_reference_all_through_the_ordinary_conversation(
    proctor: Command, built: Path
) -> None:
    models = ("--model", "rule/follow", "--model", "rule/reference")
    done = proctor("run", "--suite", str(built), *models, "--log-dir", "logs", PROCTOR_DOMAINS=CLASS)
    assert done.returncode == 0, done.stderr
    report = proctor("report", "logs", "--json")  # a report needs the logs alone
    assert report.returncode == 0, report.stderr
    groups = {group["model"]: group["final"] for group in json.loads(report.stdout)["groups"]}
    found = {model: [final[name]["estimate"] for name in ("U", "O", "J")] for model, final in groups.items()}
    assert found == {"rule/follow": [100.0, 0.0, 50.0], "rule/reference": [100.0, 100.0, 100.0]}


def test_there_is_one_admitted_pair_of_each_perturbation(suite: Suite) -> None:
    assert sorted(problem.perturbation for problem in suite.problems) == ["read_cap"] * 2 + ["write_transfer"] * 2
    for problem in suite.problems:
        for values in (problem.perturbed, problem.reference):
            first, second = sorted(values.values())[:2]
            assert second - first >= max(0.03 * first, 1_000_000)


def test_a_packet_tells_neither_what_was_changed_nor_what_the_reference_says(suite: Suite) -> None:
    for problem in suite.problems:
        perturbed, reference = (suite.evidence(problem, version) for version in ("perturbed", "reference"))
        assert perturbed.description == reference.description
        assert perturbed.parameters == reference.parameters
        assert perturbed.configuration == reference.configuration
        text = "\n".join(perturbed.all_files().values())
        assert not TELLING.search(text + problem.question)
        moved = [ns for label, ns in problem.reference.items() if ns != problem.perturbed[label]]
        assert moved
        assert not any(str(ns) in text or str(ns / 1e9) in text for ns in moved)
        [(path, lines)] = suite.changed_lines(problem, "perturbed").items()
        assert (path, len(lines)) == ("simulator/store.py", 1)


def test_prompts_speak_of_what_a_packet_of_this_domain_holds(suite: Suite) -> None:
    script = next(iter(briefs(suite, "perturbed", "instructed").values())).script
    both = script.first_turn + script.review_turn
    assert not re.search(r"latency|serving|replica|request|token|p95", both.replace(suite.problems[0].question, ""))
    for named in ("simulator/", "cost-parameters/", "configuration.json", "prediction.json", "execution-records/"):
        assert f"`{named}`" in both


def test_predictions_follow_from_the_execution_records(suite: Suite) -> None:
    problem = suite.problems[0]
    evidence = suite.evidence(problem, "perturbed")
    shown = json.loads(evidence.predictions["prediction.json"])
    for label, values in shown["candidates"].items():
        rows = [json.loads(line) for line in evidence.records[f"execution-records/{label}.jsonl"].splitlines()]
        assert values == {"total": sum(row["ns"] for row in rows) / 1e9, "hits": sum(row["hit"] for row in rows)}
        assert problem.perturbed[label] == sum(row["ns"] for row in rows)


# A cache of 100 KiB; a hit takes 2, an access 10, a KiB 1 to read and 3 to write.
TABLE = "name,ns\nhit,2\naccess,10\nread_per_kib,1\nwrite_per_kib,3\n"
REQUESTS = [("put", "a", 60), ("get", "b", 30), ("get", "b", 30), ("get", "a", 60), ("get", "c", 40), ("get", "b", 30)]


@pytest.mark.parametrize(
    ("design", "perturbation", "times"),
    [
        # b goes for c, then a (dirty, now the oldest) for b.
        ("lru", None, [2, 42, 2, 2, 2 + 50, 2 + 40 + 190]),
        # b goes for c (both were used twice, a later); c, used once, for b.
        ("lfu", None, [2, 42, 2, 2, 2 + 50, 2 + 40]),
        # a goes for c, and b is still there at the end.
        ("largest_first", None, [2, 42, 2, 2, 2 + 50 + 190, 2]),
        # b goes for c, then c for b, as a would have to be written back.
        ("clean_first", None, [2, 42, 2, 2, 2 + 50, 2 + 40]),
        ("largest_first", "write_transfer", [2, 42, 2, 2, 2 + 50 + 10, 2]),
        ("largest_first", "read_cap", [2, 42, 2, 2, 2 + 50 + 190, 2]),
    ],
)
def test_the_simulator_takes_the_times_of_its_description(
    design: str, perturbation: str | None, times: list[int], domain: Any
) -> None:
    """Worked out by hand."""
    assert [row.ns for row in _serve(domain, design, perturbation, REQUESTS)] == times


def test_reads_are_capped_at_64_kib_in_one_version_only(domain: Any) -> None:
    for perturbation, ns in ((None, 2 + 10 + 90), ("read_cap", 2 + 10 + 64)):
        assert [row.ns for row in _serve(domain, "lru", perturbation, [("get", "a", 90)])] == [ns]


def _serve(domain: Any, design: str, perturbation: str | None, requests: list[tuple[str, str, int]]) -> Any:
    module: ModuleType = sys.modules[type(domain).__module__]
    rows = [{"op": op, "object": name, "kib": kib} for op, name, kib in requests]
    return module._run(100, TABLE, rows, design, perturbation)[0]


def _case(system: Mapping[str, Any] | None = None, row: Mapping[str, Any] | None = None) -> Case:
    good = {"store": "tlc-ssd", "capacity_kib": 100}
    return Case("eviction", {**good, **(system or {})}, [{"op": "get", "object": "a", "kib": 60, **(row or {})}])


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (_case({"store": "../../secret"}), "'tlc-ssd' or 'qlc-ssd'"),
        (_case({"capacity_kib": "100"}), "valid integer"),
        (_case({"more": 1}), "Extra inputs"),
        (_case(row={"kib": 101}), "larger than the cache"),
        (_case(row={"kib": -1}), "greater than 0"),
        (_case(row={"op": "delete"}), "'get' or 'put'"),
        (Case("routing", {}, []), "'routing' is not that of read_cap"),
    ],
)
def test_a_case_that_cannot_be_simulated_is_one_clear_line(case: Case, message: str, domain: Any) -> None:
    with pytest.raises(InputError, match=message) as caught:
        domain.check(case, "read_cap", domain.designs("eviction"))
    assert "\n" not in str(caught.value)


def test_generated_cases_pass_their_own_check(domain: Any) -> None:
    for number in range(20):
        rng = Random(number)
        frame = domain.frame("eviction", rng)
        domain.check(domain.generate(frame, domain.propose(frame, rng), 0), "read_cap", domain.designs("eviction"))


def test_files_of_another_domain_are_not_recomputed(domain: Any) -> None:
    assert domain.recompute({f"candidates/{label}.py": "class Router: ..." for label in "ABCD"}) is None


@pytest.mark.slow
def test_once_installed_the_domain_is_found_by_name_alone(proctor: Command, built: Path, tmp_path: Path) -> None:
    """The package as pip installs it: its entry point and its data files are all there."""
    pytest.importorskip("hatchling", reason="hatchling is in the extra dev")
    site = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "-qq", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(site), str(EXAMPLE)], check=True, cwd=tmp_path)
    path = os.pathsep.join([str(site), *filter(None, sys.path)])
    done = proctor("verify", str(built), PYTHONPATH=path)
    assert done.returncode == 0, done.stderr
    again = tmp_path / "again"
    kind = ("--perturbation", "read_cap", "--pairs", "1", "--workers", "2")
    done = proctor("build", "--domain", "cache", *kind, "--out", str(again), PYTHONPATH=path)
    assert done.returncode == 0, done.stderr


def test_the_page_shows_the_files_as_they_are() -> None:
    page = (EXAMPLE.parents[1] / "simulators.md").read_text(encoding="utf-8")
    excerpts = re.findall(r"^```(?:diff|toml)\n(.*?)^```", page, re.M | re.S)
    excerpts += [block for block in re.findall(r"^```python\n(.*?)^```", page, re.M | re.S) if "def victim" in block]
    texts = [p.read_text(encoding="utf-8") for p in EXAMPLE.rglob("*") if p.suffix in (".diff", ".toml", ".py")]
    assert len(excerpts) == 3
    assert [excerpt for excerpt in excerpts if not any(excerpt in text for text in texts)] == []
