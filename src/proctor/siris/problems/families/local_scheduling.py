"""Many short prompts and a few long ones on one replica: how much of a prompt may a step take (paper Table 3).

The p95 of the time to first token falls on short prompts that wait for long prefills, so few prompts are long.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from proctor.siris.problems.domain import Frame

MS = 1_000_000

SYSTEMS = (
    {"profile": "rtx4090-llama-3.1-8b", "kv_blocks": 2_588},
    {"profile": "rtxpro6000-llama-3.1-8b", "kv_blocks": 12_000},
)


def frame(rng: Random) -> Frame:
    system = {
        **rng.choice(SYSTEMS),
        "replicas": 1,
        "max_num_batched_tokens": 2_048,
        "max_num_seqs": 64,
        "metric": "ttft",
    }
    shared = {
        "requests": rng.choice((40, 48, 56, 64, 80)),
        "burst": rng.choice((1, 2, 4, 8)),
        "short_tokens": [low := rng.randint(16, 56), low + rng.randint(0, 8)],
        "output_tokens": rng.choice((4, 6, 8, 12, 16, 24, 32)),
    }
    return Frame("local_scheduling", system, shared)


def propose(rng: Random) -> dict[str, Any]:
    return {
        "long_tokens": [low := 64 * rng.randint(4, 48), low + 16 * rng.randint(0, 4)],
        "long_percent": rng.randint(2, 6),
        "gap_ms": rng.randint(2, 80),
    }


def workload(frame: Frame, parameters: Mapping[str, Any], rng: Random) -> list[dict[str, Any]]:
    shared = frame.shared
    count = shared["requests"]
    long_ones = _positions(count, max(1, count * parameters["long_percent"] // 100), rng)
    return [
        {
            "id": f"r{i:03}",
            "arrival_ns": i // shared["burst"] * parameters["gap_ms"] * MS,
            "prompt": [
                [f"user-{i}", rng.randint(*(parameters["long_tokens"] if i in long_ones else shared["short_tokens"]))]
            ],
            "output_tokens": shared["output_tokens"],
        }
        for i in range(count)
    ]


def _positions(count: int, chosen: int, rng: Random) -> set[int]:
    """One in each of as many equal stretches, so that traces of other seeds are alike in load."""
    stretch = count // chosen
    return {i * stretch + rng.randrange(stretch // 4, stretch // 2) for i in range(chosen)}
