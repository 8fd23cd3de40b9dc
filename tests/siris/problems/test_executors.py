"""Where the work is done changes nothing in what comes out."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

from proctor.errors import InputError
from proctor.siris.problems.executors import executor, processes, ray_cluster
from proctor.siris.problems.search import search
from proctor.siris.problems.serving_domain import ServingDomain

needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed (extra: ray)")


def here(function, arguments):
    return (function(*each) for each in arguments)


def test_an_unknown_executor_is_refused() -> None:
    with pytest.raises(InputError, match="did you mean ray"):
        executor("rai")


def test_a_pool_gives_results_in_the_order_of_the_arguments() -> None:
    with processes(2) as run:
        assert list(run(pow, [(2, n) for n in range(40)])) == [2**n for n in range(40)]


def test_a_failure_in_a_worker_reaches_the_caller() -> None:
    with pytest.raises(ZeroDivisionError), processes(2) as run:
        list(run(divmod, [(1, 1), (1, 0), (2, 1)]))


@pytest.mark.skipif(importlib.util.find_spec("ray") is not None, reason="Ray is installed")
def test_without_ray_one_line_says_what_to_install() -> None:
    with pytest.raises(InputError, match=r"pip install 'proctor\[ray\]'"), ray_cluster():
        pass


@pytest.mark.slow
def test_a_pool_finds_what_one_process_finds(domain: ServingDomain) -> None:
    with processes(2) as run:
        assert search(domain, "step_aggregation", 1, 5, run) == search(domain, "step_aggregation", 1, 5, here)


@needs_ray
@pytest.mark.slow
def test_a_ray_cluster_with_two_workers_builds_a_byte_identical_suite(tmp_path) -> None:
    command = (
        "import sys; from proctor.cli import main; sys.argv[0] = 'proctor'; main()",
        *("siris", "build", "--perturbation", "step_aggregation", "--pairs", "1", "--seed", "5"),
    )
    for name in ("ray", "processes"):
        subprocess.run(
            [sys.executable, "-c", *command, "--executor", name, "--workers", "2", "--out", tmp_path / name],
            check=True,
            capture_output=True,
        )
    texts = [
        {path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name).rglob("*.json")}
        for name in ("ray", "processes")
    ]
    assert texts[0] == texts[1]
    assert len(texts[0]) == 4  # manifest, search report, two workloads
