"""A suite folder from somebody else is checked before anything is done with it, and verify notices every change."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from proctor.errors import InputError
from proctor.siris.problems.manifest import MANIFEST, digest
from proctor.siris.problems.suites import frozen_suites, load_suite, verify

Edit = Callable[[dict[str, Any]], object]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(frozen_suites()["routing-v1"], tmp_path / "copy"))


def _edit(folder: Path, edit: Edit) -> None:
    path = folder / MANIFEST
    manifest = json.loads(path.read_text())
    edit(manifest)
    path.write_text(json.dumps(manifest))


def _first(manifest: dict[str, Any]) -> dict[str, Any]:
    entry: dict[str, Any] = manifest["problems"][0]
    return entry


def _swap_pairs(manifest: dict[str, Any]) -> None:
    one, other = manifest["problems"][:2]
    one["pair"], other["pair"] = other["pair"], one["pair"]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda m: _first(m)["labels"].update({"../../evil": "load_only"}), "labels: expected A, B, C and D"),
        (lambda m: _first(m)["labels"].pop("A"), "labels: expected A, B, C and D"),
        (lambda m: _first(m).update(id="../p01"), "id"),
        (lambda m: m.update(problems=[]), "at least 2"),
        (lambda m: m["problems"].append(_first(m)), "an id is used twice"),
        (lambda m: m["problems"].pop(), "expected one upheld and one overturned"),
        (_swap_pairs, "pair k"),
        (lambda m: _first(m)["reference"].popitem(), "reference: expected one value for each design"),
        (
            lambda m: _first(m).update(outcome={"upheld": "overturned", "overturned": "upheld"}[_first(m)["outcome"]]),
            "outcome",
        ),
        (lambda m: _first(m).update(confirmed=11), "confirmed"),
    ],
)
def test_a_manifest_that_contradicts_itself_is_one_clear_line(copy: Path, edit: Edit, message: str) -> None:
    _edit(copy, edit)
    with pytest.raises(InputError, match=message) as caught:
        load_suite(copy)
    assert "\n" not in str(caught.value)


def _nowhere(field: str) -> Edit:
    return lambda m: [entry["system"].pop(field) for entry in m["problems"]]


def _everywhere(field: str, value: Any) -> Edit:
    """Both problems of every pair, so that the manifest stays consistent in itself."""
    return lambda m: [entry["system"].update({field: value}) for entry in m["problems"]]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (_everywhere("replicas", 0), "system: replicas"),
        (_everywhere("kv_blocks", 1), "KV blocks"),
        (_everywhere("kv_blocks", "x"), "system: kv_blocks"),
        (_everywhere("metric", "speed"), "system: metric"),
        (_everywhere("profile", "/etc"), "is not shipped"),
        (_nowhere("profile"), "system: profile: missing"),
        (_nowhere("metric"), "system: metric: missing"),
        (_nowhere("max_num_seqs"), "system: max_num_seqs: missing"),
        (lambda m: [e.update(design_problem="../x") for e in m["problems"]], "design_problem"),
        (lambda m: [e.update(perturbation="shared_nic") for e in m["problems"]], "not that of perturbation"),
    ],
)
def test_a_case_that_cannot_be_simulated_is_one_clear_line(copy: Path, edit: Edit, message: str) -> None:
    _edit(copy, edit)
    with pytest.raises(InputError, match=message) as caught:
        _ = load_suite(copy).problems
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["[]", "{", '{"requests": 3}', '{"requests": []}', '{"requests": [{"id": 1}]}'])
def test_a_workload_that_is_none_is_one_clear_line(copy: Path, text: str) -> None:
    (copy / "workloads" / "p01.json").write_text(text)
    _edit(copy, lambda m: next(e for e in m["problems"] if e["id"] == "p01").update(workload_digest=digest(text)))
    with pytest.raises(InputError) as caught:
        _ = load_suite(copy).problems
    assert "\n" not in str(caught.value)


def test_verify_reads_the_stored_workloads(copy: Path) -> None:
    (copy / "workloads" / "p02.json").unlink()
    with pytest.raises(InputError, match=r"p02\.json"):
        list(verify(load_suite(copy)))


def test_verify_of_a_suite_without_workloads_is_one_clear_line(copy: Path) -> None:
    shutil.rmtree(copy / "workloads")
    with pytest.raises(InputError, match="workloads: cannot read the workloads"):
        list(verify(load_suite(copy)))


@pytest.mark.parametrize("value", [None, "x", [], {"a": 1}, 1.5])
def test_verify_simulates_no_workload_of_nonsense(copy: Path, value: Any) -> None:
    """What the manifest says is generated anew, so that it is checked as the stored workload is."""
    pair = json.loads((copy / MANIFEST).read_text())["problems"][0]["pair"]

    def nonsense(manifest: dict[str, Any]) -> None:
        manifest["problems"] = [e for e in manifest["problems"] if e["pair"] == pair]
        for entry in manifest["problems"]:
            entry["shared"]["output_tokens"] = value
            entry["parameters"]["prefix_tokens"] = value

    _edit(copy, nonsense)
    found = dict(verify(load_suite(copy)))
    for entry in load_suite(copy).manifest.problems:
        assert found[entry.id] == ["parameters: no workload can be generated from them"]


def test_verify_names_what_was_changed_in_the_manifest(copy: Path) -> None:
    def tamper(manifest: dict[str, Any]) -> None:
        manifest["problems"] = [e for e in manifest["problems"] if e["pair"] == _first(manifest)["pair"]]
        for entry in manifest["problems"]:
            entry["confirmed"] = entry["confirmed"] - 1

    _edit(copy, tamper)
    kept = {entry.id for entry in load_suite(copy).manifest.problems}
    found = dict(verify(load_suite(copy)))
    assert all(found[problem] == ["confirmations"] for problem in kept)
    assert len(found) == 24
    assert all(found[name] == ["a workload that the manifest does not name"] for name in found.keys() - kept)


@pytest.mark.slow
def test_a_killed_build_leaves_neither_processes_nor_half_a_suite(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "proctor", "siris", "build", "--perturbation", "prefix_cap", "--out", "suite"]
    build = subprocess.Popen([*command, "--workers", "2"], cwd=tmp_path, stderr=subprocess.DEVNULL)
    children: list[psutil.Process] = []
    deadline = time.monotonic() + 60
    while len(children) < 3 and time.monotonic() < deadline:
        time.sleep(0.2)
        children = psutil.Process(build.pid).children(recursive=True)
    assert len(children) >= 3, "two workers and a resource tracker"
    time.sleep(2)
    os.kill(build.pid, signal.SIGKILL)
    build.wait()
    _, alive = psutil.wait_procs(children, timeout=30)
    assert alive == []
    assert not (tmp_path / "suite" / MANIFEST).exists()
