"""How many routing problems are simulated in a second; searching a suite takes thousands of such runs.

`test_serving_accuracy_run` times the measured RTX 4090 run.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from time import process_time

import pytest

from proctor.serving import designs, profiles
from proctor.serving.simulator.config import Config
from proctor.serving.simulator.simulate import simulate
from proctor.serving.simulator.workload import from_rows
from proctor.siris.problems.families import routing

PROBLEMS = 10
RUNS_PER_S = 90


def problems():
    """Configuration, profile and requests of routing problems with 100 measured requests, as a search draws them."""
    rng = Random(1)
    drawn = []
    for _ in range(PROBLEMS):
        frame = routing.frame(rng)
        frame = replace(frame, shared=frame.shared | {"requests": 100})
        system = dict(frame.system)
        profile = system.pop("profile")
        rows = routing.workload(frame, routing.propose(rng), rng)
        drawn.append((Config(**system), profile, from_rows(rows)))
    return drawn


@pytest.mark.benchmark(timer=process_time)  # of one core, whatever else the machine is doing
def test_ninety_routing_runs_a_second_on_one_core(benchmark):
    """Ten problems under four designs each. Step costs are looked up afresh in every round."""
    drawn = problems()
    policies = [designs.load(name) for name in designs.FAMILIES["routing"]]

    def fresh():
        return ({name: profiles.load(name) for name in profiles.names()},), {}

    def all_runs(costs):
        return [simulate(config, costs[name], requests, d) for config, name, requests in drawn for d in policies]

    runs = benchmark.pedantic(all_runs, setup=fresh, rounds=7)
    assert len(runs) == 4 * PROBLEMS
    assert all(sum(call.request.measured for call in run.calls) == 100 for run in runs)
    if benchmark.enabled:
        benchmark.extra_info["runs_per_s"] = len(runs) / benchmark.stats["min"]
        assert len(runs) / benchmark.stats["min"] >= RUNS_PER_S
