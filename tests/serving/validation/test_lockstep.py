"""Replicas in lock step."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.serving import profiles
from proctor.serving.simulator.config import Config
from proctor.serving.simulator.simulate import simulate
from proctor.serving.simulator.workload import Request
from proctor.serving.validation.compare import GroupTable
from proctor.serving.validation.lockstep import LockStep

CONFIG = Config(replicas=2, kv_blocks=1000, max_num_batched_tokens=64, max_num_seqs=8)


class PerToken:
    """10 ns per token of the largest member and 1 ns per cached token of the member itself."""

    def step(self, batch):
        return self.padded(batch, sum(query for query, _ in batch))

    def padded(self, batch, tokens):
        return 10 * tokens + sum(cached for _, cached in batch)


def request(name, arrival, prompt, output, replica):
    """A request that shares nothing: its number, the digits of its name, spaces its keys from all others'."""
    start = 1000 * int(name[1:] or ord(name))
    return Request(name, arrival, prompt, output, tuple(range(start, start + (prompt + output) // 16)), name, replica)


def ends(calls):
    """First and last instants by request."""
    return {call.request.id: (call.first_ns, call.end_ns) for call in calls}


def test_a_step_lasts_as_long_as_on_its_slowest_member():
    """By hand: prompts of 30 and 10 tokens take 300 ns together; then both decode one token over 30 cached."""
    requests = [request("a", 0, 30, 2, 0), request("b", 0, 10, 2, 1)]
    run = LockStep(CONFIG, PerToken(), requests, None).run()
    assert ends(run.calls) == {"a": (300, 340), "b": (300, 340)}
    assert run.step_count == 2


def test_an_arrival_on_an_idle_member_waits_for_the_step_of_the_group():
    """b comes at 5 ns to an idle replica, starts at 300 ns and pads a's decode to its own 10 tokens."""
    requests = [request("a", 0, 30, 2, 0), request("b", 5, 10, 1, 1)]
    run = LockStep(CONFIG, PerToken(), requests, None).run()
    assert ends(run.calls) == {"a": (300, 300 + 100 + 30), "b": (430, 430)}


def test_an_additive_table_pads_only_its_linear_part():
    """A member of a group pays the linear part of the largest member's tokens; alone it pays its own."""
    table = GroupTable(profiles.texts("rtxpro6000-qwen3-30b-a3b"))
    batch = [(1, 500), (100, 0)]
    assert table.padded(batch, 101) == table.step(batch)
    assert table.padded(batch, 512) - table.step(batch) == table.linear(512) - table.linear(101)


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(1, 100), st.integers(1, 20)), min_size=1, max_size=12))
def test_one_member_in_lock_step_is_a_plain_simulation(bodies):
    """With a single replica nothing waits for anybody."""
    config = Config(replicas=1, kv_blocks=1000, max_num_batched_tokens=64, max_num_seqs=8)
    arrivals = sorted(bodies)
    requests = [request(f"r{i}", at, prompt, output, 0) for i, (at, prompt, output) in enumerate(arrivals)]
    together = LockStep(config, PerToken(), requests, None).run()
    assert ends(together.calls) == ends(simulate(config, PerToken(), requests).calls)


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(1, 100), st.integers(1, 20)), min_size=1, max_size=12))
def test_every_request_finishes_and_all_memory_is_given_back(bodies):
    """The simulation's own conservation checks hold in lock step too."""
    requests = [request(f"r{i}", at, prompt, output, i % 2) for i, (at, prompt, output) in enumerate(sorted(bodies))]
    run = LockStep(CONFIG, PerToken(), requests, None).run()
    assert all(call.request.arrival_ns < call.first_ns <= call.end_ns for call in run.calls)
