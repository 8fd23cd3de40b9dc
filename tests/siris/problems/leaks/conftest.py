"""The frozen suite as exhibits, and how to doctor them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from proctor.siris.problems.domain import Evidence
from proctor.siris.problems.leaks import Exhibit, exhibits
from proctor.siris.problems.suites import load_suite

Edit = Callable[[str], str]


@pytest.fixture(scope="session")
def frozen() -> list[Exhibit]:
    return list(exhibits(load_suite("routing-v1")))


def rewritten(evidence: Evidence, path: str, edit: Edit) -> Evidence:
    """The evidence with one of its files rewritten."""
    for part in ("description", "code", "parameters", "configuration", "predictions", "records"):
        files = getattr(evidence, part)
        if path in files:
            return replace(evidence, **{part: {**files, path: edit(files[path])}})
    raise AssertionError(path)


def doctored(exhibit: Exhibit, path: str, edit: Edit, *versions: str) -> Exhibit:
    """An exhibit with one file rewritten in the given versions, in both if none is given."""
    changed = {v: rewritten(getattr(exhibit, v), path, edit) for v in versions or ("perturbed", "reference")}
    return replace(exhibit, **changed)


@pytest.fixture
def doctor() -> Callable[..., Exhibit]:
    return doctored
