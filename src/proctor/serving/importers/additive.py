"""Condenses a measured bundle into the small additive cost table that the simulator's `CostTable` reads.

The additive form prices a step as linear(tokens) + head(requests) + layers * (launch + sum of attention per request) +
host. Attention cells come from single points of the measured 4-D grid; `host` closes the gap that is left to the
look-up costs on one fixed synthetic traffic, so no measured run enters a table.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from proctor.errors import InputError
from proctor.serving.importers.coverage import check_coverage
from proctor.serving.importers.llmservingsim import LookupCosts
from proctor.serving.importers.smooth import rising, rising_table
from proctor.serving.simulator.cache import BLOCK, blocks_for
from proctor.serving.simulator.config import Config
from proctor.serving.simulator.costs import CostTable
from proctor.serving.simulator.simulate import simulate
from proctor.serving.simulator.workload import Request

QUERIES = (16, 32, 64, 128, 256, 512, 1024, 2048)
KVS = (0, *(16 << power for power in range(11)))
REQUESTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
DECODES = 32
"""Decodes in the batch that row 1 and row 1+ are measured in: the middle of the grid's axis 1 ... 256, rounded up."""
CHUNK, CHUNK_KV = 512, 1024
"""The prefill chunk, and its cached tokens, that row 1+ is measured beside."""
TRAFFIC_REQUESTS, TRAFFIC_RUNNING, TRAFFIC_MEAN = 512, 128, 512
HOST_UNIT_NS = 10_000

FORMULAE = {
    "attention.csv 16 ... 2048": "a(q, kv, 0, 0) - launch",
    "attention.csv 1": f"(a(0, 0, {DECODES}, kv) - launch) / {DECODES}",
    "attention.csv 1+": f"(a({CHUNK}, {CHUNK_KV}, {DECODES}, kv) - a({CHUNK}, {CHUNK_KV}, 0, 0)) / {DECODES}",
    "attention.csv smoothing": "cells below 0 become 0; isotonic regression along kv, then along q for 16 ... 2048; "
    "every row at least row 1",
    "linear.csv": "prologue + final norm + layers * (dense layers of a block + collectives + experts) at q tokens",
    "head.csv": "output head + sampler at n requests",
    "launch_ns": "least measured a(...)",
    "host_ns": f"mean of (look-up step - additive step without host) over the steps of {TRAFFIC_REQUESTS} requests, "
    f"all there from the start, {TRAFFIC_RUNNING} running at most, prompts and outputs exponential with mean "
    f"{TRAFFIC_MEAN} tokens; at least 0, rounded to {HOST_UNIT_NS} ns",
}
"""How each part follows from the bundle; a(prefill tokens, their cached tokens, decodes, cached tokens per decode)."""


@dataclass(frozen=True)
class Derived:
    """The four texts of a cost table by file name, and where they come from."""

    texts: dict[str, str]
    provenance: dict[str, Any]

    def write(self, folder: Path) -> None:
        """Writes the texts and `provenance.json` into `folder`, which is made if needed."""
        provenance = json.dumps(self.provenance, indent=2) + "\n"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in {**self.texts, "provenance.json": provenance}.items():
                (folder / name).write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise InputError(f"{folder}: cannot be written ({error.strerror})") from None


def derive(costs: LookupCosts) -> Derived:
    """The additive table of a bundle under the model and parallelism of `costs`. Takes about half a second.

    Raises InputError for a bundle without the attention measurements that FORMULAE start from.
    """
    check_coverage(costs.grid.points, costs.bundle.tables("attention.csv", costs.tp), DECODES, CHUNK, CHUNK_KV)
    texts = _texts(costs, host=0)
    host = _host_ns(costs, CostTable(texts))
    return Derived(_texts(costs, host), _provenance(costs, host))


def _texts(costs: LookupCosts, host: int) -> dict[str, str]:
    at, launch = costs.grid.at, costs.grid.least
    alone = at(CHUNK, CHUNK_KV, 0, 0)
    decode = rising([max(0, at(0, 0, DECODES, kv) - launch) / DECODES for kv in KVS])
    beside = rising([max(0, at(CHUNK, CHUNK_KV, DECODES, kv) - alone) / DECODES for kv in KVS])
    prefill = rising_table([[max(0, at(q, kv, 0, 0) - launch) for kv in KVS] for q in QUERIES])
    linear = {q: costs.linear_ns(q) for q in (1, *QUERIES)}
    head = {n: costs.head_ns(n) for n in REQUESTS}
    constants = {"layers": costs.model.layers, "launch_ns": launch, "host_ns": host}
    return cost_texts(decode, beside, prefill, linear, head, constants)


def cost_texts(
    decode: Sequence[float],
    beside: Sequence[float],
    prefill: Sequence[Sequence[float]],
    linear: Mapping[int, int],
    head: Mapping[int, int],
    constants: Mapping[str, int],
) -> dict[str, str]:
    """The four files of a cost table.

    decode: row 1, over KVS. beside: row 1+. prefill: one row per entry of QUERIES. No cell ends up below row 1.
    """
    named = zip(("1", "1+", *QUERIES), (decode, beside, *prefill), strict=True)
    attention = [[name, *(round(max(pair)) for pair in zip(cells, decode, strict=True))] for name, cells in named]
    return {
        "attention.csv": _csv(("query_tokens", *KVS), attention),
        "linear.csv": _csv(("query_tokens", "ns"), linear.items()),
        "head.csv": _csv(("requests", "ns"), head.items()),
        "constants.csv": _csv(("name", "value"), constants.items()),
    }


def _csv(header: Sequence[object], rows: Iterable[Iterable[object]]) -> str:
    return "".join(",".join(map(str, row)) + "\n" for row in (header, *rows))


def reference_traffic() -> tuple[Request, ...]:
    """The synthetic requests that fix `host_ns`; none shares a prefix with another."""
    random = Random(0)
    requests, key = [], 0
    for number in range(TRAFFIC_REQUESTS):
        prompt, output = (1 + int(random.expovariate(1 / TRAFFIC_MEAN)) for _ in range(2))
        blocks = (prompt + output) // BLOCK
        requests.append(Request(f"r{number}", 0, prompt, output, tuple(range(key, key + blocks)), f"r{number}"))
        key += blocks
    return tuple(requests)


class _Gap:
    """Look-up costs that add up how much more they charge than the table."""

    def __init__(self, costs: LookupCosts, table: CostTable) -> None:
        self.costs, self.table = costs, table
        self.total = self.steps = 0

    def step(self, batch: Sequence[tuple[int, int]]) -> int:
        duration = self.costs.step(batch)
        self.total += duration - self.table.step(batch)
        self.steps += 1
        return duration


def _host_ns(costs: LookupCosts, table: CostTable) -> int:
    requests = reference_traffic()
    memory = sum(blocks_for(request.prompt_tokens + request.output_tokens) for request in requests)
    gap = _Gap(costs, table)
    simulate(Config(1, memory, QUERIES[-1], TRAFFIC_RUNNING), gap, requests)
    return max(0, round(gap.total / gap.steps / HOST_UNIT_NS) * HOST_UNIT_NS)


def _provenance(costs: LookupCosts, host: int) -> dict[str, Any]:
    bundle, meta = costs.bundle, costs.bundle.meta
    link = {"bytes_per_s": costs.link.bytes_per_s, "latency_ns": costs.link.latency_ns}
    return {
        "version": 1,
        "source": "LLMServingSim v2, casys-kaist/LLMServingSim, profiler/perf",
        "licence": "MIT, (c) 2024 CASYS Lab at KAIST",
        "bundle": "/".join(filter(None, (meta.hardware, meta.model, meta.variant))),
        "gpu": meta.gpu or meta.hardware,
        "model": costs.model.name,
        "vllm_version": meta.vllm_version,
        "profiled_at": meta.profiled_at,
        "parallelism": {"tensor": costs.tp, "expert": costs.ep} | ({"link": link} if costs.tp * costs.ep > 1 else {}),
        "files_sha256": digests(bundle.path, bundle.used),
        "formulae": FORMULAE,
        "host_ns": host,
    }


def digests(folder: Path, used: Iterable[Path]) -> dict[str, str]:
    """SHA-256 of each source file by its path inside `folder`."""
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(used)}
