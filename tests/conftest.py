"""Fixtures that every room's tests may use."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def tracked() -> list[Path]:
    """Files that git tracks or, being neither tracked nor ignored, would."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip("needs a git clone: " + done.stderr.strip())
    return [path for name in done.stdout.split("\0") if name and (path := ROOT / name).is_file()]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of measured and published data that is not part of the product: `PROCTOR_SHARED`, else `../shared`.

    Skips the test where there is none. A `PROCTOR_SHARED` that names no folder is an error: somebody meant it.
    """
    named = os.environ.get("PROCTOR_SHARED")
    folder = Path(named) if named else ROOT.parent / "shared"
    if folder.is_dir():
        return folder.resolve()
    if named:
        pytest.fail(f"PROCTOR_SHARED={named} is not a folder")
    pytest.skip("needs the measured data in ../shared, which is not part of the repository")
