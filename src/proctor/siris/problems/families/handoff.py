"""Bursts of follow-ups on shared documents, prefilled at few replicas, decoded where a policy says (paper Table 14)."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from proctor.siris.problems.domain import Frame

MS = 1_000_000
START_NS = 3_000 * MS
BURSTS = 5


def frame(rng: Random) -> Frame:
    system = {
        "profile": "rtxpro6000-qwen3-30b-a3b",
        "kv_blocks": 12_000,
        "replicas": 8,
        "max_num_batched_tokens": 2_048,
        "max_num_seqs": 64,
        "nic_bytes_per_s": 1_250_000_000,  # 10 GbE
        "kv_bytes_per_token": 98_304,
        "metric": "e2e",
    }
    shared = {
        "sources": rng.choice((1, 2, 3, 4)),
        "follow_ups": rng.choice((2, 3, 4)),
        "background_per_burst": rng.choice((0, 1, 2)),
        "output_tokens": rng.choice((3, 4, 6, 8, 12, 16, 24)),
    }
    return Frame("handoff", system, shared)


def propose(rng: Random) -> dict[str, Any]:
    return {
        "document_tokens": 128 * rng.randint(4, 28),
        "question_tokens": 16 * rng.randint(4, 24),
        "gap_ms": 10 * rng.randint(5, 80),
        "background_tokens": rng.choice((1_024, 2_048, 4_096)),
    }


def workload(frame: Frame, parameters: Mapping[str, Any], rng: Random) -> list[dict[str, Any]]:
    shared = frame.shared
    sources = sorted(rng.sample(range(frame.system["replicas"]), shared["sources"]))
    rows = [
        _row(f"w{s:02}", 0, [[f"doc-{s}", parameters["document_tokens"]]], 1, source, measured=False)
        for s, source in enumerate(sources)
    ]
    count = background = 0
    for burst in range(BURSTS):
        start = START_NS + burst * parameters["gap_ms"] * MS
        for s, source in enumerate(sources):
            for _ in range(shared["background_per_burst"]):
                prompt = [[f"other-{background}", parameters["background_tokens"]]]
                rows.append(_row(f"b{background:02}", start, prompt, 1, source, measured=False))
                background += 1
            for _ in range(shared["follow_ups"]):
                question = [f"question-{count}", parameters["question_tokens"] + rng.randint(-16, 16)]
                prompt = [[f"doc-{s}", parameters["document_tokens"]], question]
                arrival = start + rng.randint(0, 2) * MS
                rows.append(_row(f"r{count:03}", arrival, prompt, shared["output_tokens"], source, handoff=True))
                count += 1
    return sorted(rows, key=lambda row: row["arrival_ns"])


def _row(name: str, arrival: int, prompt: list[Any], output: int, replica: int, **flags: bool) -> dict[str, Any]:
    return {
        "id": name,
        "arrival_ns": arrival,
        "prompt": prompt,
        "output_tokens": output,
        "replica": replica,
        **flags,
    }
