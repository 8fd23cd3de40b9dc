"""How fast the command line answers."""

from __future__ import annotations

import subprocess
import sys

HELP = (sys.executable, "-m", "proctor", "--help")


def test_help_answers_within_a_second(benchmark):
    """A person who types `proctor --help` does not wait for Inspect, pandas or scipy."""
    done = benchmark.pedantic(lambda: subprocess.run(HELP, capture_output=True, text=True), rounds=5, warmup_rounds=1)
    assert done.stdout.startswith("Usage: proctor")
    if benchmark.enabled:
        assert benchmark.stats["min"] < 1.0
