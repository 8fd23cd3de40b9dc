"""Configurations and workloads as files that people write, checked here: the simulator meets sound data only."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from proctor.errors import InputError
from proctor.serving import profiles
from proctor.serving.simulator.config import Config
from proctor.serving.simulator.costs import CostTable
from proctor.serving.simulator.simulate import check_fits
from proctor.serving.simulator.workload import Request, from_rows

# Beyond these a number is a mistake of units, and a run would not end in reasonable time.
MAX_TOKENS = 4_000_000
MAX_BLOCKS = 10_000_000
MAX_TIME_NS = 10**9 * 3600 * 24 * 365

Model = TypeVar("Model", bound=BaseModel)
Positive = Annotated[int, Field(gt=0, le=MAX_BLOCKS)]
Tokens = Annotated[int, Field(gt=0, le=MAX_TOKENS)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class ConfigFile(_Strict):
    """configuration.json of `proctor serving run`; `kv_bytes_per_token` matters only where KV state moves."""

    version: Literal[1] = 1
    profile: str = Field(description="name of a shipped cost profile, or a folder of cost tables")
    kv_blocks: Positive = Field(description="KV memory of a replica in blocks of 16 tokens")
    replicas: Annotated[int, Field(gt=0, le=1024)] = 1
    max_num_batched_tokens: Positive = 2048
    max_num_seqs: Positive = 256
    nic_bytes_per_s: Annotated[int, Field(gt=0)] = 1_250_000_000
    kv_bytes_per_token: Annotated[int, Field(ge=0)] = 0
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


class WorkloadFile(_Strict):
    """workload.json: requests in order of arrival."""

    version: Literal[1]
    requests: Annotated[list[RequestRow], Field(min_length=1)]

    @model_validator(mode="after")
    def _ordered(self) -> WorkloadFile:
        seen: set[str] = set()
        for i, row in enumerate(self.requests):
            if row.id in seen:
                raise ValueError(f"requests.{i}.id: {row.id!r} is used twice")
            seen.add(row.id)
            if i and row.arrival_ns < self.requests[i - 1].arrival_ns:
                raise ValueError(f"requests.{i}.arrival_ns: earlier than the request before it; sort by arrival")
        if not any(row.measured for row in self.requests):
            raise ValueError("requests: none is measured")
        return self


@dataclass(frozen=True)
class System:
    """What a configuration file describes."""

    config: Config
    costs: CostTable
    profile: str


def read_config(path: Path) -> System:
    """Raises InputError naming the file and field."""
    parsed = _validate(ConfigFile, path)
    fields = parsed.model_dump(exclude={"version", "profile"})
    return System(Config(**fields), profiles.load(parsed.profile), parsed.profile)


def read_workload(path: Path) -> tuple[Request, ...]:
    """Our workload.json, LLMServingSim's JSON Lines, or a trace in CSV, told apart by the file's ending."""
    if path.suffix in (".jsonl", ".csv"):
        from proctor.serving.importers.workloads import read_workload as import_workload

        return import_workload(path)
    parsed = _validate(WorkloadFile, path)
    return from_rows([row.model_dump() for row in parsed.requests])


def check(system: System, requests: tuple[Request, ...], path: Path) -> None:
    """What only both files together show: replicas that exist, and prompts that fit; raises InputError."""
    for request in requests:
        if request.replica is not None and request.replica >= system.config.replicas:
            raise InputError(
                f"{path}: request {request.id}: replica {request.replica} does not exist; "
                f"the configuration has {system.config.replicas}, numbered from 0"
            )
    try:
        check_fits(system.config, requests)
    except ValueError as error:
        raise InputError(f"{path}: {error}; raise kv_blocks or shorten the request") from error


def read_json(path: Path) -> Any:
    """The JSON value in a file; raises InputError if it cannot be read or is not JSON."""
    try:
        return json.loads(path.read_text(encoding="utf-8"), parse_constant=_no_constant)
    except OSError as error:
        raise InputError(f"{path}: cannot read it ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON ({error}); see docs/serving.md for the format") from error


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _validate(model: type[Model], path: Path) -> Model:
    value = read_json(path)
    try:
        return model.model_validate_json(json.dumps(value))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise InputError(f"{path}: {where + ': ' if where else ''}{message}") from error
