"""Small systems whose runs can be worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from proctor.serving.simulator.config import Config
from proctor.serving.simulator.simulate import simulate
from proctor.serving.simulator.workload import from_rows


class TokenCosts:
    """A step takes 1,000 ns and 10 ns for each of its query tokens."""

    def step(self, batch):
        return 1000 + 10 * sum(q for q, _ in batch)


@pytest.fixture(scope="session")
def row():
    """Makes a row of a workload; a prompt given as a number shares nothing with others."""

    def make(name, prompt, output, at=0, **more):
        prompt = [[f"prompt of {name}", prompt]] if isinstance(prompt, int) else prompt
        return {"id": name, "arrival_ns": at, "prompt": prompt, "output_tokens": output, **more}

    return make


@pytest.fixture(scope="session")
def serve():
    """Serves rows on one replica with room for everything, or on what else is asked for, and records the steps."""

    def run(rows, design=None, costs=None, **changes):
        settings = {"replicas": 1, "kv_blocks": 1000, "max_num_batched_tokens": 2048, "max_num_seqs": 256}
        return simulate(Config(**settings | changes), costs or TokenCosts(), from_rows(rows), design, record_steps=True)

    return run


@pytest.fixture(scope="session")
def items():
    """The batches of a run as text, a step each: `request:query tokens@cached tokens`."""

    def read(run, replica=0):
        steps = [step["items"] for step in run.steps if step["step_on"] == replica]
        return [" ".join(f"{name}:{q}@{kv}" for name, q, kv in step) for step in steps]

    return read


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
