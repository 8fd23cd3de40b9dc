"""Simulates the workload of a measured run and says how far the simulation is off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import numpy as np

from proctor.errors import InputError
from proctor.serving.importers.additive import derive
from proctor.serving.importers.llmservingsim import LookupCosts, lookup_costs
from proctor.serving.importers.models import Model, known_model, model_from_config
from proctor.serving.importers.workloads import read_workload, without_sharing
from proctor.serving.simulator.config import Config
from proctor.serving.simulator.costs import CostTable
from proctor.serving.simulator.simulate import Run, Simulation, check_fits
from proctor.serving.simulator.workload import Request
from proctor.serving.validation.bench import Bench, Row, open_bench
from proctor.serving.validation.latencies import Latencies, errors_pct
from proctor.serving.validation.lockstep import GroupCosts, LockStep

Tables = Literal["lookup", "additive"]


class GroupTable(CostTable):
    """An additive table that can also price a member of a group in lock step."""

    def padded(self, batch: Sequence[tuple[int, int]], tokens: int) -> int:
        """The step of `batch` with token-wise layers run for `tokens` tokens."""
        return self.step(batch) + self.linear(tokens) - self.linear(sum(query for query, _ in batch))


@dataclass(frozen=True)
class ErrorTable:
    """A simulated run beside the measured one.

    `seconds` is the wall time of the simulation alone; `notes` are sentences on what makes the comparison less certain.
    """

    tables: Tables
    simulated: Latencies
    measured: Latencies
    run: Run
    seconds: float
    notes: tuple[str, ...] = ()

    @property
    def errors_pct(self) -> dict[str, Any]:
        """metric -> statistic -> signed percent, and throughput -> signed percent."""
        return errors_pct(self.simulated, self.measured)

    def as_json(self) -> dict[str, Any]:
        """The shape of `proctor serving validate --json`; statistics in ms, throughput in output tokens per s."""
        return {
            "errors_pct": self.errors_pct,
            "tables": self.tables,
            "simulated_ms": self.simulated.statistics(),
            "measured_ms": self.measured.statistics(),
            "throughput": {"simulated": self.simulated.throughput, "measured": self.measured.throughput},
            "requests": len(self.run.calls),
            "steps": self.run.step_count,
            "preemptions": sum(call.preemptions for call in self.run.calls),
            "notes": list(self.notes),
        }


def validate(
    bundle: Path, bench: Path, workload: Path, tables: Tables = "lookup", model_config: Path | None = None
) -> ErrorTable:
    """Runs `workload` through the simulator, set up as the measured run `bench` was, with the costs of `bundle`.

    Raises InputError for files that are not valid or do not belong together.
    """
    measured_run = open_bench(bench)
    model = _model(measured_run, model_config)
    rows, measured = measured_run.measured()
    requests = _requests(workload, measured_run, rows)
    looked_up = _costs(bundle, measured_run, model)
    costs = looked_up if tables == "lookup" else GroupTable(derive(looked_up).texts)
    started = perf_counter()
    run = _simulate(measured_run, measured_run.config(model), costs, requests)
    seconds = perf_counter() - started
    return ErrorTable(tables, latencies_of(run), measured, run, seconds, _notes(measured_run, looked_up))


def latencies_of(run: Run) -> Latencies:
    """The latencies of a simulated run."""
    requests = [call.request for call in run.calls]
    return Latencies.of(
        arrival=np.array([request.arrival_ns for request in requests]) / 1e9,
        first=np.array([call.first_ns for call in run.calls]) / 1e9,
        last=np.array([call.end_ns for call in run.calls]) / 1e9,
        output=np.array([request.output_tokens for request in requests]),
    )


def _model(bench: Bench, config: Path | None) -> Model:
    name = bench.instance.model_name
    return model_from_config(name, config) if config else known_model(name)


def _costs(path: Path, bench: Bench, model: Model) -> LookupCosts:
    costs = lookup_costs(path, model, bench.instance.tp, bench.instance.ep_size, bench.link)
    profiled = costs.bundle.meta
    if (profiled.model, profiled.hardware) != (bench.instance.model_name, bench.instance.hardware):
        raise InputError(
            f"{path}: measured {profiled.model} on {profiled.hardware}, but {bench.path} ran "
            f"{bench.instance.model_name} on {bench.instance.hardware}; pass the bundle of that model and GPU"
        )
    return costs


def _notes(bench: Bench, costs: LookupCosts) -> tuple[str, ...]:
    ran, profiled = bench.meta.engine_kwargs, costs.bundle.meta.engine_effective
    limits = ("max_num_batched_tokens", "max_num_seqs")
    return tuple(
        f"{name} {getattr(ran, name)} exceeds the profiled {getattr(profiled, name)}: larger steps are extrapolated"
        for name in limits
        if getattr(ran, name) > getattr(profiled, name)
    )


def _requests(path: Path, bench: Bench, rows: Sequence[Row]) -> tuple[Request, ...]:
    requests = read_workload(path)
    where = bench.path / "requests.jsonl"
    if len(requests) != len(rows):
        raise InputError(f"{where}: {len(rows)} measured requests, but {path} holds {len(requests)}")
    for place, (request, row) in enumerate(zip(requests, rows, strict=True)):
        if (place, request.prompt_tokens, request.output_tokens) != (row.line, row.prompt, row.output):
            raise InputError(
                f"{where}: bench-{row.line} has {row.prompt} + {row.output} tokens, but request {place} of {path} "
                f"has {request.prompt_tokens} + {request.output_tokens}; pass the workload that was measured"
            )
    return requests if bench.meta.kv_cache.enable_prefix_caching else without_sharing(requests)


def _simulate(bench: Bench, config: Config, costs: GroupCosts, requests: Sequence[Request]) -> Run:
    """Requests go to the instances in turn, as vLLM's and LLMServingSim's balancers do under even load."""
    spread = [replace(request, replica=place % config.replicas) for place, request in enumerate(requests)]
    try:
        check_fits(config, spread)
    except ValueError as error:
        raise InputError(f"{bench.path}: {error}") from None
    return (LockStep if bench.lock_step else Simulation)(config, costs, spread, None).run()
