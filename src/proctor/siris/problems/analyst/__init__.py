"""A scripted reader of serving packets: the machine form of the paper's blind solvers.

It sees the files of a packet and nothing else. It loads the simulator that the packet shows, probes each computation
that the specification defines, replaces what departs, and runs the packet's candidates on the packet's workload. It
knows neither the catalogue of changes nor the simulator that proctor ships.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache, partial
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

from proctor.siris.problems.analyst import specified
from proctor.siris.problems.analyst.probes import Departure, probe_costs, probe_credit, probe_network
from proctor.siris.problems.analyst.specified import Interfaces, StepCost
from proctor.siris.problems.versions import FOLDER, load_package

__all__ = ["UNREAD", "Departure", "Study", "can_study", "study"]

UNREAD = ("execution-records/", "prediction.json")  # what a study does not need
_MODULES = ("config", "costs", "network", "replica", "simulate", "workload")
_KEPT = 64  # studies remembered: a conversation asks in both turns, and many conversations run at once
Files = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Study:
    """What a reader of one packet works out; both metrics are the target metric in ns by label.

    `as_given` is what the packet's simulator predicts, `recomputed` what it predicts once it does what is specified.
    """

    departures: tuple[Departure, ...]
    as_given: Mapping[str, int]
    recomputed: Mapping[str, int]

    @property
    def presented(self) -> str:
        """The label that the packet's simulator recommends."""
        return _best(self.as_given)

    @property
    def answer(self) -> str:
        """The label that comes out best as specified."""
        return _best(self.recomputed)


def can_study(paths: Mapping[str, str] | list[str]) -> bool:
    """Whether files of these paths suffice: code, cost parameters and configuration must be there."""
    needed = (f"{FOLDER}/simulate.py", "cost-parameters/attention.csv", "configuration.json")
    return all(path in paths for path in needed)


def study(files: Mapping[str, str]) -> Study:
    """Study a packet, path -> text; execution records and predictions are not needed.

    Runs the Python text that it is given: for packets of suites that you trust.
    """
    needed = {p: text for p, text in files.items() if not p.startswith(UNREAD)}
    return _study(tuple(sorted(needed.items())))


@lru_cache(maxsize=_KEPT)
def _study(packet: Files) -> Study:
    files = dict(packet)
    modules = _load(files)
    cost_files = _below("cost-parameters", files)
    table = modules["costs"].CostTable(cost_files)
    departures = (
        *probe_costs(modules["costs"], table, StepCost(cost_files)),
        *probe_network(modules["network"]),
        *probe_credit(modules),
    )
    as_given = _run_all(files, modules, modules["costs"].CostTable(cost_files), ())
    recomputed = _run_all(files, modules, table, departures) if departures else as_given
    return Study(departures, as_given, recomputed)


def _load(files: Mapping[str, str]) -> Mapping[str, ModuleType]:
    """The modules of the packet's simulator. They are shared with whoever loads the same text, so never changed."""
    package = load_package({path: text for path, text in files.items() if path.startswith(f"{FOLDER}/")})
    return {name: import_module(f"{package}.{name}") for name in _MODULES}


def _run_all(
    files: Mapping[str, str], modules: Mapping[str, ModuleType], table: Any, departures: tuple[Departure, ...]
) -> dict[str, int]:
    settings = json.loads(files["configuration.json"])
    known = {field.name for field in fields(modules["config"].Config)}
    config = modules["config"].Config(**{name: value for name, value in settings.items() if name in known})
    requests = modules["workload"].from_rows(json.loads(files["workload.json"])["requests"])
    metrics = {}
    for file, text in _below("candidates", files).items():
        simulation = modules["simulate"].Simulation(config, table, requests, _candidate(text))
        _correct(simulation, {departure.computation for departure in departures})
        metrics[file.removesuffix(".py")] = specified.p95(simulation.run().calls, config.metric)
    return metrics


def _correct(simulation: Any, departing: set[str]) -> None:
    """Put what is specified in the place of what departs, in this one simulation; costs come corrected."""
    if "send" in departing:
        simulation.network = Interfaces(simulation.config.nic_bytes_per_s)
    if "credit" in departing:
        for replica in simulation.replicas:
            replica.credit = partial(specified.credit, replica)


def _candidate(text: str) -> Any:
    """The names that the file of a candidate defines."""
    names: dict[str, Any] = {"__name__": "candidate"}
    exec(text, names)
    return SimpleNamespace(**names)


def _below(folder: str, files: Mapping[str, str]) -> dict[str, str]:
    return {p.removeprefix(f"{folder}/"): text for p, text in files.items() if p.startswith(f"{folder}/")}


def _best(values: Mapping[str, int]) -> str:
    return min(values, key=lambda label: (values[label], label))
