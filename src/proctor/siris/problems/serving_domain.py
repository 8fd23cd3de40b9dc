"""The LLM serving simulator as a `Domain`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from importlib import import_module, resources
from random import Random
from types import ModuleType
from typing import Any

import jinja2

from proctor.errors import InputError, nearest
from proctor.serving import designs, files, profiles
from proctor.serving.simulator.config import Config
from proctor.siris.problems import perturbations
from proctor.siris.problems.domain import Case, Evidence, Frame, Prediction, Version
from proctor.siris.problems.perturbations.limitations import LIMITATIONS
from proctor.siris.problems.versions import load_package, reference_source

_PARTS = ("config", "costs", "metrics", "simulate", "workload")
_CONFIG_FIELDS = tuple(field.name for field in fields(Config))


def _source(perturbation: str | None) -> Mapping[str, str]:
    return perturbations.get(perturbation).source if perturbation else reference_source()


@cache
def _simulator(perturbation: str | None) -> Mapping[str, ModuleType]:
    """The modules of one version, loaded from its text."""
    package = load_package(_source(perturbation))
    return {part: import_module(f"{package}.{part}") for part in _PARTS}


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
        files.check_values(case.system, case.workload)

    def _run(self, case: Case, design: str, perturbation: str | None, record_steps: bool = False) -> Any:
        modules = _simulator(perturbation)
        return modules["simulate"].simulate(
            modules["config"].Config(**_settings(case)),
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
        return _render(f"question_{case.design_problem}.md.j2", metric=_METRIC_NAMES[case.system["metric"]])

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
            code=_source(perturbation),
            parameters={f"cost-parameters/{name}": text for name, text in sorted(texts.items())},
            configuration={"configuration.json": json.dumps(_configuration(case), indent=2) + "\n"},
            predictions={
                "prediction.json": _predictions(
                    metric, {label: metrics.summary(run.calls, metric) for label, run in runs.items()}
                )
            },
            records={
                f"execution-records/{label}.jsonl": _json_lines(
                    [*(metrics.request_row(call) for call in run.calls), *run.steps]
                )
                for label, run in runs.items()
            },
        )

    def changed_lines(self, perturbation: str, version: Version) -> dict[str, frozenset[int]]:
        return perturbations.changed_lines(perturbation, version)

    def limitation(self, perturbation: str) -> str:
        return f"{perturbations.get(perturbation).limitation}\n{LIMITATIONS[perturbation]}"


_METRIC_NAMES = {"e2e": "end-to-end latency", "ttft": "time to first token"}


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(
            lambda name: resources.files("proctor.siris.problems").joinpath("texts", name).read_text(encoding="utf-8")
        ),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def _render(template: str, **values: Any) -> str:
    return _environment().get_template(template).render(**values)


@cache
def _provenance(profile: str) -> Mapping[str, Any]:
    about: Mapping[str, Any] = json.loads(profiles.provenance(profile))
    return about


def _description(case: Case) -> str:
    about = _provenance(case.system["profile"])
    return _render(
        "system-description.md.j2",
        design_problem=case.design_problem,
        model=about["model"],
        gpu=about["gpu"],
        system=case.system,
    )


def _configuration(case: Case) -> dict[str, Any]:
    about = _provenance(case.system["profile"])
    return {"model": about["model"], "accelerator": about["gpu"], **_settings(case)}


def _settings(case: Case) -> dict[str, Any]:
    """What the simulator's own configuration takes from the system."""
    return {name: case.system[name] for name in _CONFIG_FIELDS if name in case.system}


def _predictions(metric: str, summaries: Mapping[str, Mapping[str, int]]) -> str:
    candidates = {
        label: {name: round(ns / 1e9, 6) for name, ns in summary.items()} for label, summary in summaries.items()
    }
    return json.dumps({"metric": _METRIC_NAMES[metric], "unit": "s", "candidates": candidates}, indent=2) + "\n"


def _json_lines(rows: Iterable[Any]) -> str:
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)


def workload_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """workload.json: one request per line, so that people and readers see rows."""
    lines = ",\n".join(json.dumps(row) for row in rows)
    return f'{{"version": 1, "requests": [\n{lines}\n]}}\n'
