"""Configurations and workloads as files that people write, checked here: the simulator meets sound data only."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from proctor.errors import InputError, nearest
from proctor.serving import profiles
from proctor.serving.importers.reading import text_of
from proctor.serving.importers.workloads import LONGEST, MOST
from proctor.serving.importers.workloads import read_workload as import_workload
from proctor.serving.simulator.cache import BLOCK
from proctor.serving.simulator.config import Config
from proctor.serving.simulator.costs import CostTable
from proctor.serving.simulator.simulate import check_fits
from proctor.serving.simulator.workload import Request, from_rows

# Beyond these a number is a mistake of units, and a run would not end in reasonable time or memory.
MAX_BLOCKS = 10_000_000
MAX_TIME_NS = 10**9 * 3600 * 24 * 365
MAX_BYTES = 10**15

Model = TypeVar("Model", bound=BaseModel)
Positive = Annotated[int, Field(gt=0, le=MAX_BLOCKS)]
Tokens = Annotated[int, Field(gt=0, le=LONGEST)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class ConfigFile(_Strict):
    """configuration.json of `proctor serving run`; `kv_bytes_per_token` is needed only where KV state moves."""

    version: Literal[1] = 1
    profile: str = Field(min_length=1, description="name of a shipped cost profile, or a folder of cost tables")
    kv_blocks: Positive = Field(description="KV memory of a replica in blocks of 16 tokens")
    replicas: Annotated[int, Field(gt=0, le=1024)] = 1
    max_num_batched_tokens: Positive = 2048
    max_num_seqs: Positive = 256
    nic_bytes_per_s: Annotated[int, Field(gt=0, le=MAX_BYTES)] = 1_250_000_000
    kv_bytes_per_token: Annotated[int, Field(ge=0, le=MAX_BYTES)] = 0
    metric: Literal["e2e", "ttft"] = "e2e"


class RequestRow(_Strict):
    """One request of workload.json."""

    id: str = Field(min_length=1)
    arrival_ns: Annotated[int, Field(ge=0, le=MAX_TIME_NS)]
    prompt: Annotated[list[tuple[Annotated[str, Field(min_length=1)], Tokens]], Field(min_length=1, strict=False)]
    output_tokens: Tokens
    replica: Annotated[int, Field(ge=0)] | None = None
    measured: bool = True
    handoff: bool = False

    def tokens(self) -> int:
        """Prompt and output together."""
        return sum(count for _, count in self.prompt) + self.output_tokens

    def without_keys(self) -> Request:
        """The request but for its block keys, which take long to make."""
        return Request(
            id=self.id,
            arrival_ns=self.arrival_ns,
            prompt_tokens=self.tokens() - self.output_tokens,
            output_tokens=self.output_tokens,
            keys=(),
            prefix=self.prompt[0][0],
            replica=self.replica,
            measured=self.measured,
            handoff=self.handoff,
        )


class WorkloadFile(_Strict):
    """workload.json: requests in order of arrival."""

    version: Literal[1]
    requests: Annotated[list[RequestRow], Field(min_length=1)]

    @model_validator(mode="after")
    def _consistent(self) -> WorkloadFile:
        seen: set[str] = set()
        last = total = 0
        for i, row in enumerate(self.requests):
            total += row.tokens()
            if row.id in seen:
                raise ValueError(f"requests.{i}.id: {row.id!r} is used twice")
            if row.arrival_ns < last:
                raise ValueError(f"requests.{i}.arrival_ns: earlier than the request before it; sort by arrival")
            if row.tokens() > LONGEST:
                raise ValueError(f"requests.{i}.prompt: more than {LONGEST} tokens with the output")
            if total > MOST:
                raise ValueError(f"requests.{i}: more than {MOST} tokens up to here; split the workload")
            seen.add(row.id)
            last = row.arrival_ns
        if not any(row.measured for row in self.requests):
            raise ValueError("requests: none is measured")
        return self


@dataclass(frozen=True)
class System:
    """What a configuration file describes."""

    config: Config
    costs: CostTable
    path: Path  # of the file


def read_config(path: Path) -> System:
    """Raises InputError naming file and field. A folder of cost tables is looked for from the file's own folder."""
    parsed = _validate(ConfigFile, path)
    try:
        costs = profiles.load(parsed.profile, path.parent)
    except InputError as error:
        raise InputError(f"{path}: profile: {error}") from error
    system = System(Config(**parsed.model_dump(exclude={"version", "profile"})), costs, path)
    _check_costs(system)
    return system


def _check_costs(system: System) -> None:
    """Costs go on beyond a table's last points along the last straight pieces, and must not fall below 0 there.

    They are linear along each axis between points, so the least values are at points or at the largest possible step.
    """
    costs, config = system.costs, system.config
    queries = [*costs.queries, config.max_num_batched_tokens]
    cached = [*costs.kvs, config.kv_blocks * BLOCK]
    found = {
        "attention.csv": min(
            costs.attention(rows, q, kv) for rows in (costs.rows, costs.mixed_rows) for q in queries for kv in cached
        ),
        "linear.csv": costs.linear(config.max_num_batched_tokens),
        "head.csv": costs.head(config.max_num_seqs),
    }
    for name, least in found.items():
        if least < 0:
            raise InputError(
                f"{system.path}: profile: {name} falls towards its last point, and for the largest step of this "
                f"configuration it goes down to {least} ns; add a point there"
            )


def read_workload(path: Path, system: System | None = None) -> tuple[Request, ...]:
    """Our workload.json, LLMServingSim's JSON Lines, or a trace in CSV, told apart by the file's ending.

    With a system, a request that its memory cannot hold is refused before the blocks of millions of tokens get keys.
    """
    if path.suffix in (".jsonl", ".csv"):
        return import_workload(path)
    parsed = _validate(WorkloadFile, path)
    if system:
        _check_memory(system, [row.without_keys() for row in parsed.requests], path)
    return from_rows([row.model_dump() for row in parsed.requests])


def check(system: System, requests: tuple[Request, ...], path: Path, design: ModuleType | None = None) -> None:
    """What only all parts together show; raises InputError. path: the workload's file.

    Replicas that exist, requests that fit into memory, and a size for the KV state that the design moves.
    """
    for request in requests:
        if request.replica is not None and request.replica >= system.config.replicas:
            raise InputError(
                f"{path}: request {request.id}: replica {request.replica} does not exist; "
                f"{system.path} has {system.config.replicas}, numbered from 0"
            )
    _check_memory(system, requests, path)
    if hasattr(design, "Placement") and not system.config.kv_bytes_per_token and any(r.handoff for r in requests):
        raise InputError(
            f"{system.path}: kv_bytes_per_token: needed, as the design moves KV state "
            "(131072 for Llama-3.1-8B, 98304 for Qwen3-30B-A3B)"
        )


def check_values(system: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> None:
    """The same checks for a configuration with a shipped profile, and for workload rows, that are not in files."""
    try:
        parsed = ConfigFile.model_validate_json(json.dumps(dict(system)))
    except ValidationError as error:
        raise InputError(f"system: {_first(error, ConfigFile)}") from error
    try:
        workload = WorkloadFile.model_validate_json(json.dumps({"version": 1, "requests": rows}))
    except ValidationError as error:
        raise InputError(f"workload: {_first(error, WorkloadFile)}") from error
    if parsed.profile not in profiles.names():
        raise InputError(
            f"system: profile: {parsed.profile!r} is not shipped: {nearest(parsed.profile, profiles.names())}"
        )
    config = Config(**parsed.model_dump(exclude={"version", "profile"}))
    system_ = System(config, profiles.load(parsed.profile), Path("system"))
    check(system_, tuple(row.without_keys() for row in workload.requests), Path("workload"))


def _check_memory(system: System, requests: Sequence[Request], path: Path) -> None:
    try:
        check_fits(system.config, requests)
    except ValueError as error:
        raise InputError(f"{path}: {error}; raise kv_blocks in {system.path} or shorten the request") from error


def _validate(model: type[Model], path: Path) -> Model:
    text = text_of(path)
    try:
        parsed = model.model_validate_json(text)
        json.loads(text, object_pairs_hook=_names_once)
    except ValidationError as error:
        raise InputError(f"{path}: {_first(error, model)}") from error
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error
    return parsed


def _names_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names: set[str] = set()
    for name, _ in pairs:
        if name in names:
            raise ValueError(f"{name}: given twice in one object")
        names.add(name)
    return dict(pairs)


def _first(error: ValidationError, model: type[BaseModel]) -> str:
    """The first violation as `field: what is wrong`."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        known = RequestRow if len(first["loc"]) > 1 else model
        return f"{where}: unknown field, {nearest(str(first['loc'][-1]), known.model_fields)}"
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] in ("missing", "json_invalid", "model_type"):
        message += "; see docs/serving.md for the format"
    elif first["type"] != "value_error":
        message += f", found {first['input']!r:.40}"
    return f"{where}: {message}" if where else message
