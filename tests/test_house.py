"""The house keeps its shape: which room may import which, what ships, and what no tracked file may hold."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src"

# Room -> rooms it may import, besides itself. design.md: cli -> report -> {siris, gym} -> {serving, sandboxes, stats}.
ROOMS = {
    "__init__": set(),
    "__main__": {"cli"},
    "errors": set(),
    "stats": set(),
    "sandboxes": {"errors"},
    "serving": {"stats", "errors"},
    "siris": {"serving", "sandboxes", "stats", "errors"},
    "gym": {"serving", "sandboxes", "stats", "errors"},
    "local_model": {"errors"},
    "report": {"siris", "gym", "serving", "sandboxes", "stats", "errors"},
    "_registry": {"siris", "gym", "sandboxes", "errors"},
    "cli": {"report", "siris", "gym", "local_model", "serving", "sandboxes", "stats", "errors", "_registry"},
}
# The steps of a suite, in the order of the arrows; `scorer` and `task` wire them, `run` runs the task;
# `exchanges`, `annotation_task` and `annotate` do the same for annotation.
STEPS = {
    "siris": {
        "problems": set(),
        "review": {"problems"},
        "verdict": {"review", "problems"},
        "scorer": {"verdict", "review", "problems"},
        "task": {"scorer", "verdict", "review", "problems"},
        "prices": set(),
        "log_dir": {"task"},
        "run": {"prices", "log_dir", "task", "scorer", "verdict", "review", "problems"},
        "exchanges": {"verdict", "review", "problems"},
        "annotation_task": {"exchanges", "verdict", "review", "problems"},
        "annotate": {"run", "log_dir", "prices", "annotation_task", "verdict"},
    },
    "gym": {
        "packages": set(),
        "run": {"packages"},
        "verdict": {"run", "packages"},
        "task": {"verdict", "run", "packages"},
    },
}
HEAVY = ("inspect_ai", "pandas", "scipy", "numpy", "pyarrow", "pydantic", "hypothesis", "rich", "psutil", "altair")
# Hosts that a tracked file may name: where a reader finds a standard, a paper or a project.
PUBLIC_HOSTS = {
    "127.0.0.1",
    "arxiv.org",
    "github.com",
    "inspect.aisi.org.uk",
    "keepachangelog.com",
    "semver.org",
    "www.apache.org",
}


def modules() -> dict[str, Path]:
    """Dotted name -> file, for every module of ours."""
    found = {}
    for path in sorted(SRC.rglob("*.py")):
        parts = path.relative_to(SRC).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def imported(name: str) -> set[str]:
    """Modules that the module `name` imports anywhere in its text; ours as exactly as the statement tells."""
    path = MODULES[name]
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *filter(None, [node.module])])
            found.update(deeper if (deeper := f"{source}.{a.name}") in MODULES else source for a in node.names)
    return found


def room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


@lru_cache(maxsize=1)
def ours() -> list[tuple[str, str]]:
    """Every arrow between two modules of ours."""
    return [(name, target) for name in MODULES for target in sorted(imported(name)) if target.startswith("proctor.")]


def test_every_room_has_a_place_in_the_plan():
    """A new top-level module or folder must be given its arrows here first."""
    assert {room_of(name) for name in MODULES} <= ROOMS.keys()


def test_rooms_import_only_along_the_arrows():
    """siris and gym never import each other, serving only stats and errors, stats nothing of ours."""
    wrong = [
        f"{name} imports {target}"
        for name, target in ours()
        if room_of(target) != room_of(name) and room_of(target) not in ROOMS[room_of(name)]
    ]
    assert wrong == []


@pytest.mark.parametrize("suite", STEPS)
def test_steps_of_a_suite_import_only_along_the_arrows(suite):
    """Judging knows asking, asking knows making, never the other way round."""
    wrong = []
    for name, target in ours():
        if name.startswith(f"proctor.{suite}.") and target.startswith(f"proctor.{suite}."):
            step, other = name.split(".")[2], target.split(".")[2]
            if other != step and other not in STEPS[suite].get(step, set()):
                wrong.append(f"{name} imports {target}")
    assert wrong == []


def test_no_circles():
    """No module reaches itself through what it imports, not even through an import inside a function."""
    arrows = [(name, target) for name, target in ours() if target != name]
    graph = {name: {target for source, target in arrows if source == name} for name in MODULES}
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" -> ".join(reversed(error.args[1])))


def test_the_visible_simulator_imports_only_the_standard_library_and_itself():
    """A packet shows this folder whole: what it does must be readable from it."""
    core = "proctor.serving.simulator"
    wrong = [
        f"{name} imports {target}"
        for name in MODULES
        if name.startswith(core)
        for target in imported(name)
        if target.split(".")[0] not in sys.stdlib_module_names and not target.startswith(core)
    ]
    assert wrong == []


def test_help_imports_nothing_heavy():
    """`proctor --help` builds the whole command tree; none of it may cost the seconds that Inspect or scipy take."""
    script = "import sys\nfrom typer.testing import CliRunner\nfrom proctor.cli import app\n" + (
        "result = CliRunner().invoke(app, ['--help'])\nassert result.exit_code == 0, result.output\n"
        f"print(*(name for name in {HEAVY!r} if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.fixture(scope="module")
def texts(tracked: list[Path]) -> list[tuple[str, str]]:
    """Name and text of every tracked file; bytes that are not UTF-8 are replaced."""
    return [(str(path.relative_to(ROOT)), path.read_bytes().decode("utf-8", "replace")) for path in tracked]


def test_no_file_names_a_place_on_one_machine(texts):
    """A path that exists on its author's machine alone breaks on everyone else's."""
    place = re.compile(r"(?<![\w.:/])/(?:work|farm|home|root|Users|opt)/[\w.]+")
    assert [f"{name}: {hit[0]}" for name, text in texts for hit in place.finditer(text)] == []


def test_files_name_only_public_hosts(texts):
    """No mirror, registry or intranet host slips in: each URL's host stands in the list above."""
    url = re.compile(r"https?://[\w.\-\[\]:@]+")
    named = {(name, urlsplit(hit[0].rstrip(".:")).hostname) for name, text in texts for hit in url.finditer(text)}
    assert sorted((name, host) for name, host in named if host not in PUBLIC_HOSTS) == []


def test_constraints_are_exact_versions_and_nothing_else():
    """Every line is a comment or name==version: no path, no address, no option, not proctor itself."""
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(r"[\w.\-]+==[\w.!+]+", line)] == []
    names = {re.sub(r"[-_.]+", "-", line.split("==")[0]).lower() for line in lines}
    assert "inspect-ai" in names
    assert "proctor" not in names


def build(kind: str, into: Path) -> Path:
    """Build a wheel or an sdist without network; the file it is."""
    pytest.importorskip("hatchling", reason="hatchling is in the extra dev")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(into)], cwd=ROOT, check=True)
    return next(into.iterdir())


def test_the_wheel_holds_licences_and_every_data_file(tracked, tmp_path):
    """What a user installs carries LICENSE, NOTICE with both MIT texts, the types marker, and all data under src."""
    with zipfile.ZipFile(build("wheel", tmp_path)) as wheel:
        names = set(wheel.namelist())
        licences = {name.rsplit("/")[-1]: wheel.read(name).decode() for name in names if "/licenses/" in name}
    assert licences.keys() == {"LICENSE", "NOTICE"}
    assert "Apache License" in licences["LICENSE"]
    assert licences["NOTICE"].count("Permission is hereby granted, free of charge") == 2
    assert {str(path.relative_to(SRC)) for path in tracked if SRC in path.parents} - names == set()


def test_the_source_archive_holds_what_a_rebuild_needs(tracked, tmp_path):
    """From the sdist alone one can build, test and read: sources, tests, data, licences, constraints."""
    with tarfile.open(build("sdist", tmp_path)) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    wanted = {"pyproject.toml", "Makefile", "constraints.txt", "README.md", "LICENSE", "NOTICE", "tests/conftest.py"}
    wanted |= {str(path.relative_to(ROOT)) for path in tracked if SRC in path.parents}
    assert wanted - names == set()


@pytest.mark.slow
def test_the_wheel_runs_outside_the_repository(tmp_path):
    """Installed from the wheel alone, away from the clone, the command finds everything it needs."""
    wheel, site = build("wheel", tmp_path / "dist"), tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "-qq", "--no-deps", "--no-index", "--target", str(site), str(wheel)]
    subprocess.run(pip, check=True)
    command = [sys.executable, "-m", "proctor", "doctor", "--json"]
    env = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    where = [sys.executable, "-c", "import proctor; print(proctor.__file__)"]
    there = subprocess.run(where, cwd=tmp_path, env=env, capture_output=True, text=True).stdout.strip()
    assert Path(there).is_relative_to(site)


def test_make_without_a_fit_python_says_so_in_one_line(tmp_path):
    """A machine whose python3 is too old, or lacks venv, is told what to install."""
    done = subprocess.run(["make", "test", "PYTHON=", f"VENV={tmp_path}/v"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode != 0
    assert done.stderr.startswith("proctor needs Python 3.11 or newer")
    assert not (tmp_path / "v").exists()
