"""How fast the measured RTX 4090 run is simulated."""

from __future__ import annotations

import pytest

from proctor.serving import profiles
from proctor.serving.importers.llmservingsim import lookup_costs
from proctor.serving.importers.workloads import read_workload
from proctor.serving.simulator.config import Config
from proctor.serving.simulator.simulate import simulate

CONFIG = Config(replicas=1, kv_blocks=2588, max_num_batched_tokens=2048, max_num_seqs=256)
STEPS_PER_S = 10_000


@pytest.mark.parametrize("tables", ["additive", "lookup"])
def test_the_saturated_run_takes_under_a_second_at_ten_thousand_steps_per_second(benchmark, shared, tables):
    """300 ShareGPT requests in 2,588 KV blocks: some 6,100 steps of 50 requests, with preemptions."""
    requests = read_workload(shared / "validation/workloads/sharegpt-llama-3.1-8b-300-sps10.compact.jsonl")
    bundle = shared / "validation/llmservingsim_profiles/RTX4090/meta-llama/Llama-3.1-8B/bf16"

    def fresh():
        # New costs each round: what an earlier round looked up must not speed up the next.
        costs = lookup_costs(bundle) if tables == "lookup" else profiles.load("rtx4090-llama-3.1-8b")
        return (CONFIG, costs, requests), {}

    run = benchmark.pedantic(simulate, setup=fresh, rounds=5)
    assert 6_000 < run.step_count < 6_300
    benchmark.extra_info["steps"] = run.step_count
    if benchmark.enabled:
        assert benchmark.stats["min"] < 1.0
        assert run.step_count / benchmark.stats["min"] >= STEPS_PER_S
