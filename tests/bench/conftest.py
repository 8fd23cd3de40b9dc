"""Everything under tests/bench is a benchmark: `make bench` times it, CI runs it once untimed.

A benchmark takes the fixture `benchmark` of pytest-benchmark and asserts that what it timed gave the right result.
Where it also holds a speed, it does so only when timed: `if benchmark.enabled: assert benchmark.stats["mean"] < …`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what lies in this folder; the hook sees every item of the session."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.bench)
