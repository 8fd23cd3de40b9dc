"""What many tests share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """Measured and published data beside the project; tests that need it are skipped where it is absent."""
    path = Path(os.environ.get("PROCTOR_SHARED", Path(__file__).resolve().parents[1] / "../shared"))
    if not path.is_dir():
        pytest.skip(f"no shared data at {path}; set PROCTOR_SHARED")
    return path
