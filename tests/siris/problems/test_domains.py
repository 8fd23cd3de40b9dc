"""Whose code is run for a suite: what its reader installed or named, never what the suite says."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from proctor.errors import InputError
from proctor.siris.problems import domains
from proctor.siris.problems.domain import Evidence
from proctor.siris.problems.domains import ALLOWED, available, check_candidates, choose_domain, get_domain
from proctor.siris.problems.manifest import MANIFEST
from proctor.siris.problems.serving_domain import ServingDomain
from proctor.siris.problems.suites import frozen_suites, load_suite

MODULE = """
from proctor.siris.problems.serving_domain import ServingDomain

class Mine(ServingDomain):
    name = {name!r}

class Thief(ServingDomain):
    name = "serving"

class Three(ServingDomain):
    name = "three"
    def designs(self, design_problem):
        return super().designs(design_problem)[:3]

class Half:
    name = "half"
    def predict(self): ...

class Greedy(ServingDomain):
    name = "greedy"
    def __init__(self, more): ...

def function():
    raise AssertionError("called")
"""

Install = Callable[..., str]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Put a module of domains on the path, and packages that offer one of its classes; returns the module's name."""
    monkeypatch.setenv(ALLOWED, "")  # so that the end of the test removes what the test leaves there
    monkeypatch.delenv(ALLOWED)
    monkeypatch.syspath_prepend(tmp_path)
    made: list[str] = []

    def install(name: str, packages: tuple[str, ...] = (), target: str = "Mine", offered: str | None = None) -> str:
        module = f"module_of_{name}_{tmp_path.name}".replace("-", "_")
        made.append(module)
        (tmp_path / f"{module}.py").write_text(MODULE.format(name=name))
        for package in packages:
            info = tmp_path / f"{package}-1.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
            (info / "entry_points.txt").write_text(f"[proctor.domains]\n{offered or name} = {module}:{target}\n")
        importlib.invalidate_caches()
        _forget()
        return module

    yield install
    for module in made:
        sys.modules.pop(module, None)
    _forget()


def _forget() -> None:
    for cached in (domains._find, domains._installed, domains._load):
        cached.cache_clear()


def test_an_installed_domain_is_found_by_its_name(install: Install) -> None:
    module = install("mine", ("package-of-mine",))
    assert type(get_domain("mine")).__module__ == module
    assert [domain.name for domain in available()][:2] == ["serving", "mine"]


def test_installed_domains_are_not_imported_before_they_are_asked_for(install: Install) -> None:
    module = install("mine", ("package-of-mine",))
    assert type(get_domain("serving")) is ServingDomain
    assert module not in sys.modules


@pytest.mark.parametrize("named", ["{module}", "{module}:Mine", "mine"])
def test_a_suite_cannot_have_code_imported_that_its_reader_did_not_choose(
    named: str, install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even if the code lies in the suite's folder, where the reader happens to be, and could be imported."""
    module = install("mine")
    folder = shutil.copytree(frozen_suites()["routing-v1"], tmp_path / "suite")
    shutil.copy(tmp_path / f"{module}.py", folder)
    manifest = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps(manifest | {"domain": named.format(module=module)}))
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    with pytest.raises(InputError, match=r"manifest\.json: domain: unknown domain .*PROCTOR_DOMAINS=MODULE:CLASS"):
        _ = load_suite(folder).problems
    assert module not in sys.modules


def test_a_class_named_on_the_command_line_is_allowed_here_and_in_processes_started_here(install: Install) -> None:
    module = install("mine")
    assert choose_domain(f"{module}:Mine").name == "mine"
    assert type(get_domain("mine")).__module__ == module
    assert os.environ[ALLOWED] == f"{module}:Mine"


def test_a_class_named_in_the_environment_is_allowed(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    module = install("mine")
    monkeypatch.setenv(ALLOWED, f"{module}:Three, {module}:Mine,")
    assert type(get_domain("mine")).__module__ == module
    assert [domain.name for domain in available()] == ["serving", "three", "mine"]


def test_the_class_that_a_person_names_comes_before_the_installed_one(install: Install) -> None:
    """So that an author can try a changed copy."""
    install("mine", ("package-of-mine",))
    other = install("mine_too")
    Path(sys.path[0], f"{other}.py").write_text(MODULE.format(name="mine"))
    choose_domain(f"{other}:Mine")
    assert type(get_domain("mine")).__module__ == other


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{module}:Nothing", "cannot be imported.*has no attribute 'Nothing'.*PYTHONPATH"),
        ("no_such_module:Mine", "cannot be imported.*No module named 'no_such_module'"),
        ("garbled_module:Mine", "cannot be imported.*garbled_module.py, line 1"),
        ("{module}:", "expected MODULE:CLASS"),
        (":Mine", "expected MODULE:CLASS"),
        (".{module}:Mine", "expected MODULE:CLASS"),
        ("{module}:function", "not a class"),
        ("{module}:Half", "not a Domain, for it lacks changed_lines, check, design_problem, designs, evidence"),
        ("{module}:Greedy", "cannot be made without arguments"),
        ("{module}:Thief", "the name 'serving' is taken"),
        ("servin", "unknown domain 'servin': did you mean serving"),
    ],
)
def test_what_is_no_domain_is_one_clear_line(text: str, message: str, install: Install) -> None:
    module = install("mine")
    Path(sys.path[0], "garbled_module.py").write_text("def (")
    with pytest.raises(InputError, match=message) as caught:
        choose_domain(text.format(module=module))
    assert "\n" not in str(caught.value)
    assert ALLOWED not in os.environ


def test_two_packages_with_one_name_are_an_error_that_names_them(install: Install) -> None:
    install("mine", ("one-package", "other-package"), target="Mine")
    places = domains._installed()["mine"]
    assert len(places) == 2
    with pytest.raises(InputError, match="offered by several packages") as caught:
        get_domain("mine")
    assert "one-package" in str(caught.value)
    assert "other-package" in str(caught.value)


def test_a_package_must_offer_a_domain_under_its_own_name(install: Install) -> None:
    install("mine", ("package-of-mine",), offered="yours")
    with pytest.raises(InputError, match=r"offers domain 'yours', but .* calls itself 'mine'"):
        get_domain("yours")


def test_no_package_can_stand_in_for_the_serving_domain(install: Install) -> None:
    install("mine", ("package-of-mine",), target="Thief", offered="serving")
    assert type(get_domain("serving")) is ServingDomain


def test_a_design_problem_needs_four_designs(install: Install) -> None:
    module = install("mine")
    with pytest.raises(InputError, match=r"routing has the designs load_only, longest_prefix, preble; .* needs 4"):
        check_candidates(choose_domain(f"{module}:Three"), "prefix_cap")
    check_candidates(get_domain("serving"), "prefix_cap")


GOOD = {
    "description": ["system-description.md", "workload.json", *(f"candidates/{label}.py" for label in "ABCD")],
    "code": ["simulator/a.py"],
    "parameters": [],
    "configuration": ["configuration.json"],
    "predictions": ["prediction.json"],
    "records": ["execution-records/A.jsonl"],
}


@pytest.mark.parametrize(
    ("part", "paths", "message"),
    [
        ("description", GOOD["description"][:-1], "description: has .* where .*candidates/D.* are expected"),
        ("description", [*GOOD["description"], "answer.txt"], "description: has 'answer.txt'"),
        ("description", GOOD["description"][1:], r"description: lacks \['system-description.md'\]"),
        ("code", ["source/a.py"], "code: has 'source/a.py'"),
        ("predictions", ["predictions.json"], r"predictions: lacks \['prediction.json'\]"),
        ("records", ["records/A.jsonl"], "records: has 'records/A.jsonl'"),
    ],
)
def test_evidence_keeps_to_the_layout_that_prompts_speak_of(part: str, paths: list[str], message: str) -> None:
    files = {name: dict.fromkeys(names, "") for name, names in GOOD.items()}
    Evidence(**files)
    with pytest.raises(InputError, match=message):
        Evidence(**files | {part: dict.fromkeys(paths, "")})
