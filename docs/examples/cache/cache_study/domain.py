"""The cache simulator as a domain of proctor: the one class that proctor asks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from importlib.resources import files
from random import Random
from types import ModuleType
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, ValidationError

from cache_study import workloads
from cache_study.perturbations import CATALOGUE
from proctor.errors import InputError
from proctor.siris.problems.domain import Case, Evidence, Frame, Prediction, Version
from proctor.siris.problems.packet_files import json_lines, prediction_text, render, workload_rows, workload_text

POLICIES = ("lru", "lfu", "largest_first", "clean_first")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Request(_Strict):
    """A row of workload.json."""

    op: Literal["get", "put"]
    object: str
    kib: PositiveInt


class System(_Strict):
    """What a manifest says of the system."""

    store: Literal["tlc-ssd", "qlc-ssd"]
    capacity_kib: int = Field(ge=1, le=1 << 20)


class CacheDomain:
    """See `proctor.siris.problems.domain.Domain`."""

    name = "cache"
    unit = "ns"
    min_lead = 1_000_000

    def designs(self, design_problem: str) -> tuple[str, ...]:  # noqa: ARG002 - there is one design problem
        return POLICIES

    def design_problem(self, perturbation: str) -> str:
        return CATALOGUE.named(perturbation).design_problem

    def frame(self, design_problem: str, rng: Random) -> Frame:
        return workloads.frame(design_problem, rng)

    def propose(self, frame: Frame, rng: Random) -> dict[str, Any]:  # noqa: ARG002 - the same for all frames
        return workloads.propose(rng)

    def generate(self, frame: Frame, parameters: Mapping[str, Any], seed: int) -> Case:
        return workloads.generate(frame, parameters, seed)

    def check(self, case: Case, perturbation: str, designs: Iterable[str]) -> None:
        """Suites may come from strangers: nothing of them is used before it has been looked at."""
        if case.design_problem != self.design_problem(perturbation):
            raise InputError(f"design_problem: {case.design_problem!r} is not that of {perturbation}")
        if unknown := set(designs) - set(POLICIES):
            raise InputError(f"labels: {min(unknown)!r} is no policy; choose from {', '.join(POLICIES)}")
        try:
            system = System.model_validate(dict(case.system))
            requests = [Request.model_validate(dict(row)) for row in case.workload]
        except (TypeError, ValidationError) as error:
            raise InputError(f"system or workload: {str(error).splitlines()[-2].strip()}") from error
        if any(request.kib > system.capacity_kib for request in requests):
            raise InputError("workload: an object is larger than the cache")

    def predict(self, case: Case, design: str, perturbation: str | None) -> Prediction:
        served, summary = _run_case(case, design, perturbation)
        times = ",".join(str(row.ns) for row in served)
        return Prediction(summary["total_ns"], hashlib.sha256(times.encode()).hexdigest())

    def question(self, case: Case) -> str:  # noqa: ARG002 - one wording
        return render("cache_study.texts", "question.md")

    def evidence(self, case: Case, labels: Mapping[str, str], perturbation: str | None) -> Evidence:
        runs = {label: _run_case(case, design, perturbation) for label, design in sorted(labels.items())}
        predicted = {label: {"total": s["total_ns"] / 1e9, "hits": s["hits"]} for label, (_, s) in runs.items()}
        return Evidence(
            description={
                "system-description.md": render("cache_study.texts", "system-description.md.j2", **case.system),
                "workload.json": workload_text(case.workload),
                **{f"candidates/{label}.py": _policy_text(design) for label, design in labels.items()},
            },
            code=CATALOGUE.source(perturbation),
            parameters={"cost-parameters/store.csv": _table(case.system["store"])},
            configuration={"configuration.json": json.dumps(dict(case.system), indent=2) + "\n"},
            predictions={"prediction.json": prediction_text("total time", "s", predicted, target="total")},
            records={f"execution-records/{label}.jsonl": _records(served) for label, (served, _) in runs.items()},
        )

    def changed_lines(self, perturbation: str, version: Version) -> dict[str, frozenset[int]]:
        return CATALOGUE.changed_lines(perturbation, version)

    def limitation(self, perturbation: str) -> str:
        return CATALOGUE.named(perturbation).limitation

    def recompute(self, files: Mapping[str, str]) -> dict[str, int] | None:
        policies = {_policy_text(design).strip(): design for design in POLICIES}
        candidates = {path[11]: text.strip() for path, text in files.items() if path.startswith("candidates/")}
        if not policies.keys() >= set(candidates.values()):
            return None
        capacity = json.loads(files["configuration.json"])["capacity_kib"]
        table, requests = files["cost-parameters/store.csv"], workload_rows(files["workload.json"])
        runs = {label: _run(capacity, table, requests, policies[text], None) for label, text in candidates.items()}
        return {label: summary["total_ns"] for label, (_, summary) in runs.items()}


def _run_case(case: Case, design: str, perturbation: str | None) -> tuple[Any, dict[str, int]]:
    return _run(case.system["capacity_kib"], _table(case.system["store"]), case.workload, design, perturbation)


def _run(
    capacity_kib: int, table: str, requests: Sequence[Mapping[str, Any]], design: str, perturbation: str | None
) -> tuple[Any, dict[str, int]]:
    """Serve requests with one policy on one version of the simulator; what was served, and its summary."""
    simulate = CATALOGUE.module(perturbation, "simulate")
    store = CATALOGUE.module(perturbation, "store").Store(table)
    served = simulate.simulate(capacity_kib, store, requests, _policy(design).victim)
    return served, simulate.summary(served)


def _policy(design: str) -> ModuleType:
    return import_module(f"cache_study.policies.{design}")


def _table(store: str) -> str:
    return files("cache_study.stores").joinpath(f"{store}.csv").read_text(encoding="utf-8")


def _policy_text(design: str) -> str:
    return files("cache_study.policies").joinpath(f"{design}.py").read_text(encoding="utf-8")


def _records(served: Iterable[Any]) -> str:
    return json_lines(
        {**row.request, "hit": row.hit, "evicted": [[e.object, e.kib, e.dirty] for e in row.evicted], "ns": row.ns}
        for row in served
    )
