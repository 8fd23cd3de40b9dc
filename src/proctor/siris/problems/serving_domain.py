"""The LLM serving simulator as a `Domain`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import cache
from importlib import import_module
from pathlib import PurePath
from random import Random
from types import ModuleType
from typing import Any

from proctor.errors import InputError, nearest
from proctor.serving import designs, files, profiles
from proctor.serving.simulator.config import Config
from proctor.siris.problems import analyst, perturbations
from proctor.siris.problems.domain import Case, Evidence, Frame, Prediction, Version
from proctor.siris.problems.packet_files import json_lines, prediction_text, render, workload_rows, workload_text
from proctor.siris.problems.perturbations.limitations import LIMITATIONS

_PARTS = ("config", "costs", "metrics", "simulate", "workload")
_CONFIG_FIELDS = tuple(field.name for field in fields(Config))
_NEEDED = ("profile", "metric", *(field.name for field in fields(Config) if field.default is MISSING))


@cache
def _simulator(perturbation: str | None) -> Mapping[str, ModuleType]:
    """The modules of one version."""
    return {part: perturbations.CATALOGUE.module(perturbation, part) for part in _PARTS}


@cache
def _costs(perturbation: str | None, profile: str) -> Any:
    return _simulator(perturbation)["costs"].CostTable(profiles.texts(profile))


@cache
def _family(design_problem: str) -> ModuleType:
    return import_module(f"proctor.siris.problems.families.{design_problem}")


class _Requests:
    """Parsing a workload makes block keys, so the requests of the latest case and version are kept."""

    def __init__(self) -> None:
        self.rows: Sequence[Mapping[str, Any]] | None = None
        self.perturbation: str | None = None
        self.requests: Any = ()

    def of(self, case: Case, perturbation: str | None) -> Any:
        if self.rows is not case.workload or self.perturbation != perturbation:
            self.rows, self.perturbation = case.workload, perturbation
            self.requests = _simulator(perturbation)["workload"].from_rows(case.workload)
        return self.requests


class ServingDomain:
    """See `proctor.siris.problems.domain.Domain`."""

    name = "serving"
    unit = "ns"
    min_lead = 1_000_000

    def __init__(self) -> None:
        self._requests = _Requests()

    def designs(self, design_problem: str) -> tuple[str, ...]:
        return designs.FAMILIES[design_problem]

    def design_problem(self, perturbation: str) -> str:
        return perturbations.get(perturbation).design_problem

    def frame(self, design_problem: str, rng: Random) -> Frame:
        frame: Frame = _family(design_problem).frame(rng)
        return frame

    def propose(self, frame: Frame, rng: Random) -> dict[str, Any]:
        parameters: dict[str, Any] = _family(frame.design_problem).propose(rng)
        return parameters

    def generate(self, frame: Frame, parameters: Mapping[str, Any], seed: int) -> Case:
        rng = Random(json.dumps([dict(frame.shared), dict(parameters), seed], sort_keys=True))
        rows = _family(frame.design_problem).workload(frame, parameters, rng)
        return Case(frame.design_problem, frame.system, rows)

    def check(self, case: Case, perturbation: str, designs_: Iterable[str]) -> None:
        if perturbations.get(perturbation).design_problem != case.design_problem:
            raise InputError(f"design_problem: {case.design_problem!r} is not that of perturbation {perturbation}")
        for design in designs_:
            if design not in designs.FAMILIES[case.design_problem]:
                hint = nearest(design, designs.FAMILIES[case.design_problem])
                raise InputError(f"labels: {design!r} is no design of {case.design_problem}: {hint}")
        for name in _NEEDED:
            if name not in case.system:
                raise InputError(f"system: {name}: missing; expected {', '.join(_NEEDED)}")
        files.check_values(case.system, case.workload)

    def _run(self, case: Case, design: str, perturbation: str | None, record_steps: bool = False) -> Any:
        modules = _simulator(perturbation)
        return modules["simulate"].simulate(
            modules["config"].Config(**_settings(case.system)),
            _costs(perturbation, case.system["profile"]),
            self._requests.of(case, perturbation),
            designs.load(design),
            record_steps,
        )

    def predict(self, case: Case, design: str, perturbation: str | None) -> Prediction:
        calls = self._run(case, design, perturbation).calls
        times = ",".join(f"{call.first_ns}:{call.end_ns}" for call in calls)
        value = _simulator(perturbation)["metrics"].summary(calls, case.system["metric"])["p95"]
        return Prediction(value, hashlib.sha256(times.encode()).hexdigest())

    def question(self, case: Case) -> str:
        metric = _METRIC_NAMES[case.system["metric"]]
        return render(_TEXTS, f"texts/question_{case.design_problem}.md.j2", metric=metric)

    def evidence(self, case: Case, labels: Mapping[str, str], perturbation: str | None) -> Evidence:
        metrics = _simulator(perturbation)["metrics"]
        runs = {label: self._run(case, design, perturbation, True) for label, design in sorted(labels.items())}
        metric = case.system["metric"]
        texts = profiles.texts(case.system["profile"])
        return Evidence(
            description={
                "system-description.md": _description(case),
                "workload.json": workload_text(case.workload),
                **{f"candidates/{label}.py": designs.source(design) for label, design in sorted(labels.items())},
            },
            code=perturbations.CATALOGUE.source(perturbation),
            parameters={f"cost-parameters/{name}": text for name, text in sorted(texts.items())},
            configuration={"configuration.json": json.dumps(_configuration(case), indent=2) + "\n"},
            predictions={
                "prediction.json": prediction_text(
                    _METRIC_NAMES[metric],
                    "s",
                    {label: _seconds(metrics.summary(run.calls, metric)) for label, run in runs.items()},
                )
            },
            records={
                f"execution-records/{label}.jsonl": json_lines(
                    [*(metrics.request_row(call) for call in run.calls), *run.steps]
                )
                for label, run in runs.items()
            },
        )

    def changed_lines(self, perturbation: str, version: Version) -> dict[str, frozenset[int]]:
        return perturbations.changed_lines(perturbation, version)

    def solve(self, packet: Mapping[str, str]) -> Mapping[str, int]:
        return analyst.study(packet).recomputed

    def limitation(self, perturbation: str) -> str:
        return f"{perturbations.get(perturbation).limitation}\n{LIMITATIONS[perturbation]}"

    def recompute(self, files: Mapping[str, str]) -> dict[str, int] | None:
        known = {designs.source(name).strip(): name for name in designs.names()}
        candidates = _below("candidates/", files)
        if not all(text.strip() in known for text in candidates.values()):
            return None
        modules, settings = _simulator(None), json.loads(files["configuration.json"])
        config = modules["config"].Config(**_settings(settings))
        costs = modules["costs"].CostTable(_below("cost-parameters/", files))
        requests = modules["workload"].from_rows(workload_rows(files["workload.json"]))
        values = {}
        for name, text in candidates.items():
            run = modules["simulate"].simulate(config, costs, requests, designs.load(known[text.strip()]))
            values[PurePath(name).stem] = modules["metrics"].summary(run.calls, config.metric)["p95"]
        return values


def _below(folder: str, files: Mapping[str, str]) -> dict[str, str]:
    return {path.removeprefix(folder): text for path, text in files.items() if path.startswith(folder)}


_TEXTS = "proctor.siris.problems"
_METRIC_NAMES = {"e2e": "end-to-end latency", "ttft": "time to first token"}


@cache
def _provenance(profile: str) -> Mapping[str, Any]:
    about: Mapping[str, Any] = json.loads(profiles.provenance(profile))
    return about


def _description(case: Case) -> str:
    about = _provenance(case.system["profile"])
    return render(
        _TEXTS,
        "texts/system-description.md.j2",
        design_problem=case.design_problem,
        model=about["model"],
        gpu=about["gpu"],
        system=case.system,
    )


def _configuration(case: Case) -> dict[str, Any]:
    about = _provenance(case.system["profile"])
    return {"model": about["model"], "accelerator": about["gpu"], **_settings(case.system)}


def _settings(system: Mapping[str, Any]) -> dict[str, Any]:
    """What the simulator's own configuration takes from the system."""
    return {name: system[name] for name in _CONFIG_FIELDS if name in system}


def _seconds(summary: Mapping[str, int]) -> dict[str, float]:
    return {name: round(ns / 1e9, 6) for name, ns in summary.items()}
