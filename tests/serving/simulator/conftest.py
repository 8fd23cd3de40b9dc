"""Random systems."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from proctor.serving.simulator.config import Config


@st.composite
def random_systems(draw):
    """A configuration and a workload's rows; memory is short, so that eviction, preemption and refusal happen."""
    replicas = draw(st.integers(1, 3))
    names = st.sampled_from(["a", "b", "c", "output of r0", "output of r1"])
    prompts = st.lists(st.tuples(names, st.integers(1, 60)), min_size=1, max_size=3)
    rows, arrival = [], 0
    for i in range(draw(st.integers(1, 10))):
        arrival += draw(st.sampled_from([0, 0, 1, 83, 400, 2000]))
        row = {"id": f"r{i}", "arrival_ns": arrival, "prompt": draw(prompts), "output_tokens": draw(st.integers(1, 40))}
        row |= {"handoff": draw(st.booleans()), "replica": draw(st.none() | st.integers(0, replicas - 1))}
        rows.append(row)
    largest = max(sum(n for _, n in row["prompt"]) + row["output_tokens"] - 1 for row in rows)
    config = Config(
        replicas=replicas,
        kv_blocks=-(-largest // 16) + draw(st.integers(0, 8)),
        max_num_batched_tokens=draw(st.sampled_from([1, 7, 16, 40, 64, 2048])),
        max_num_seqs=draw(st.integers(1, 6)),
        nic_bytes_per_s=draw(st.sampled_from([10**8, 10**9])),
        kv_bytes_per_token=draw(st.integers(0, 3)),
    )
    return config, rows


@pytest.fixture(scope="session")
def systems():
    """A strategy of pairs: a configuration and the rows of a workload."""
    return random_systems()
