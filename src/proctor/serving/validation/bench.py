"""Reads a measured vLLM run: `config.json` (cluster), `meta.json` (engine), `requests.jsonl` (time stamps)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt

from proctor.errors import InputError
from proctor.serving.importers.collectives import Link
from proctor.serving.importers.models import Model
from proctor.serving.importers.reading import is_folder, json_file, json_lines, real, whole
from proctor.serving.simulator.cache import BLOCK
from proctor.serving.simulator.config import Config
from proctor.serving.validation.latencies import Latencies

Size = Annotated[float, Field(gt=0, le=10**6)]
"""GiB or GiB per second; neither NaN nor infinite."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, protected_namespaces=())


class Memory(_Frozen):
    """Memory of one GPU in GiB, and the part of it that weights and KV cache may use."""

    mem_size: Size
    mem_util: Size = 0.9


class Instance(_Frozen):
    """One engine. `ep_size` counts the GPUs that share the experts, over all instances of its `dp_group`."""

    model_name: str
    hardware: str
    npu_mem: Memory
    num_npus: PositiveInt = 1
    tp_size: PositiveInt | None = None
    pp_size: PositiveInt = 1
    ep_size: PositiveInt = 1
    dp_group: str | None = None
    pd_type: str | None = None

    @property
    def tp(self) -> int:
        return self.tp_size or self.num_npus


class Node(_Frozen):
    instances: tuple[Instance, ...]


class Cluster(_Frozen):
    """Links run at `link_bw` GiB/s after `link_latency` ns."""

    link_bw: Size = 16.0
    link_latency: NonNegativeInt = 20_000
    nodes: tuple[Node, ...]


class EngineArguments(_Frozen):
    max_num_seqs: PositiveInt
    max_num_batched_tokens: PositiveInt
    tensor_parallel_size: PositiveInt = 1
    data_parallel_size: PositiveInt = 1


class KvCache(_Frozen):
    num_gpu_blocks: PositiveInt | None = None
    block_size: PositiveInt = BLOCK
    enable_prefix_caching: bool = True


class BenchMeta(_Frozen):
    engine_kwargs: EngineArguments
    kv_cache: KvCache = KvCache()
    dataset_path: str = ""


@dataclass(frozen=True)
class Bench:
    """A measured run. All instances are alike; they step together when they share experts."""

    path: Path
    instance: Instance
    instances: int
    link: Link
    meta: BenchMeta

    @property
    def lock_step(self) -> bool:
        return self.instances > 1 and self.instance.dp_group is not None and self.instance.ep_size > 1

    def config(self, model: Model) -> Config:
        """The simulated system. KV blocks are those the engine reported, else what the weights leave of its memory."""
        engine = self.meta.engine_kwargs
        blocks = self.meta.kv_cache.num_gpu_blocks or self._computed_blocks(model)
        return Config(
            replicas=self.instances,
            kv_blocks=blocks,
            max_num_batched_tokens=engine.max_num_batched_tokens,
            max_num_seqs=engine.max_num_seqs,
            kv_bytes_per_token=model.kv_bytes_per_token(self.instance.tp),
        )

    def _computed_blocks(self, model: Model) -> int:
        memory, tp = self.instance.npu_mem, self.instance.tp
        usable = int(memory.mem_size * (1 << 30) * memory.mem_util)
        left = usable - model.weight_bytes(tp, self.instance.ep_size)
        blocks = left // (BLOCK * model.kv_bytes_per_token(tp))
        if blocks < 1:
            raise InputError(f"{self.path / 'config.json'}: npu_mem: the weights of {model.name} leave no KV memory")
        return blocks

    def measured(self) -> tuple[list[Row], Latencies]:
        """The measured requests by line of the workload, and their latencies."""
        rows = sorted(_rows(self.path / "requests.jsonl"), key=lambda row: row.line)
        return rows, Latencies.of(
            arrival=np.array([row.queued_s for row in rows]),
            first=np.array([row.first_s for row in rows]),
            last=np.array([row.last_s for row in rows]),
            output=np.array([row.output for row in rows]),
        )


@dataclass(frozen=True, slots=True)
class Row:
    """One measured request; times in s on the engine's monotonic clock. `line` is its place in the workload, from 0."""

    line: int
    prompt: int
    output: int
    queued_s: float
    first_s: float
    last_s: float


def open_bench(path: Path) -> Bench:
    """Opens the folder of a measured run. Raises InputError for what cannot be simulated alike."""
    if not is_folder(path):
        raise InputError(f"{path}: no such folder; expected config.json, meta.json and requests.jsonl")
    cluster = json_file(path / "config.json", Cluster)
    meta = json_file(path / "meta.json", BenchMeta)
    instances = [instance for node in cluster.nodes for instance in node.instances]
    where = path / "config.json"
    if not instances or any(instance != instances[0] for instance in instances):
        raise InputError(f"{where}: instances: expected one or more that are all alike")
    _check_supported(instances[0], len(instances), meta, path)
    link = Link(int(cluster.link_bw * (1 << 30)), cluster.link_latency)
    return Bench(path, instances[0], len(instances), link, meta)


def _check_supported(instance: Instance, instances: int, meta: BenchMeta, path: Path) -> None:
    engine, where, ran_as = meta.engine_kwargs, path / "config.json", path / "meta.json"
    if instance.pp_size != 1:
        raise InputError(f"{where}: pp_size: pipeline parallelism is not supported, expected 1")
    if instance.pd_type is not None:
        raise InputError(f"{where}: pd_type: separate prefill and decode instances are not supported, expected null")
    if meta.kv_cache.block_size != BLOCK:
        raise InputError(f"{ran_as}: kv_cache.block_size: expected {BLOCK}, found {meta.kv_cache.block_size}")
    for name, ran, described in (
        ("tensor_parallel_size", engine.tensor_parallel_size, instance.tp),
        ("data_parallel_size", engine.data_parallel_size, instances),
    ):
        if ran != described:
            raise InputError(f"{ran_as}: engine_kwargs.{name}: {ran}, but config.json describes {described}")


def _rows(path: Path) -> list[Row]:
    found: dict[int, Row] = {}
    for line, row in json_lines(path):
        where = f"{path} line {line}"
        place = _place(row.get("request_id"), where)
        if place in found:
            raise InputError(f"{where}: request_id: bench-{place} stands twice")
        queued, first, last = (real(row, name, where) for name in ("queued_ts", "first_token_ts", "last_token_ts"))
        if not queued <= first <= last:
            raise InputError(f"{where}: expected queued_ts <= first_token_ts <= last_token_ts")
        prompt, output = (whole(row, name, where, least=1) for name in ("input_toks", "output_toks"))
        found[place] = Row(place, prompt, output, queued, first, last)
    if not found:
        raise InputError(f"{path}: holds no request")
    return list(found.values())


def _place(name: object, where: str) -> int:
    number = str(name).removeprefix("bench-")
    if not number.isdecimal():
        raise InputError(f"{where}: request_id: expected bench-<line of the workload>, found {str(name)[:40]!r}")
    return int(number)
