"""The event loop: arrivals, steps, handoffs, and what every run must conserve."""

from __future__ import annotations

from collections import defaultdict
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.serving import designs
from proctor.serving.simulator.config import Config
from proctor.serving.simulator.metrics import request_row
from proctor.serving.simulator.simulate import Simulation, check_fits, simulate
from proctor.serving.simulator.workload import from_rows

# 100 bytes a token over 10^9 bytes a second: 100 ns a token.
TWO = {"replicas": 2, "kv_bytes_per_token": 100, "nic_bytes_per_s": 10**9}


class Costs:
    def step(self, batch):
        return 100 + sum(q for q, _ in batch)


def to(target):
    """A design that decodes on one replica."""
    return SimpleNamespace(Placement=lambda: SimpleNamespace(choose=lambda _replicas, _source: target))


def transfers(run):
    """Replica of the prefill, of the decode, sent, landed, end."""
    return [(call.source, call.replica, call.sent_ns, call.landed_ns, call.end_ns) for call in run.calls]


def test_a_handoff_moves_the_prompt_and_goes_on_where_it_lands(row, serve, items):
    """Prefill of 32 tokens until 1320, 3,200 bytes until 4520, two decodes on the other replica."""
    run = serve([row("a", 32, 3, handoff=True, replica=0)], to(1), **TWO)
    assert items(run, 0) == ["a:32@0"]
    assert items(run, 1) == ["a:1@32", "a:1@33"]
    assert transfers(run) == [(0, 1, 1320, 4520, 4520 + 2 * 1010)]
    assert run.calls[0].first_ns == 1320
    records = request_row(run.calls[0])
    assert (records["prefill_replica"], records["replica"]) == (0, 1)
    assert (records["sent_ns"], records["landed_ns"]) == (1320, 4520)


def test_handoffs_of_one_step_leave_one_after_another(row, serve):
    """Both prompts end in one step (until 1520); the second transfer waits for the first: 3,200 and 2,000 bytes."""
    rows = [row("a", 32, 2, handoff=True, replica=0), row("b", 20, 2, handoff=True, replica=0)]
    assert transfers(serve(rows, to(1), **TWO)) == [(0, 1, 1520, 4720, 5730), (0, 1, 1520, 6720, 7730)]


@pytest.mark.parametrize(
    ("target", "changes"), [(1, {"output": 1}), (1, {"handoff": False}), (0, {})], ids=["one token", "unmarked", "stay"]
)
def test_what_does_not_move(row, serve, target, changes):
    """A request that has ended, one that is not marked, and one that is told to stay."""
    marked = {"output": 2, "handoff": True} | changes
    run = serve([row("a", 32, marked["output"], handoff=marked["handoff"], replica=0)], to(target), **TWO)
    assert transfers(run)[0][:4] == (-1, 0, -1, -1)
    assert "landed_ns" not in request_row(run.calls[0])


def test_a_cached_prefix_is_part_of_the_transfer(row, serve):
    """The KV state of the whole prompt moves, credited or not: 48 tokens take 4,800 ns."""
    rows = [row("w", [["doc", 32]], 1, replica=0), row("a", [["doc", 32], ["u", 16]], 2, 9000, handoff=True, replica=0)]
    run = serve(rows, to(1), **TWO)
    assert run.calls[1].hit == 32
    assert transfers(run)[1] == (0, 1, 10160, 14960, 15970)


def test_the_source_gives_its_memory_back_when_it_sends(row, serve):
    """b needs all memory of replica 0 and starts as soon as a is on its way."""
    run = serve([row("a", 32, 3, handoff=True, replica=0), row("b", 33, 1, replica=0)], to(1), kv_blocks=3, **TWO)
    assert run.steps[1]["items"] == [["b", 33, 0]]
    assert run.steps[1]["start_ns"] == 1320


def test_a_landed_request_queues_for_memory_like_others(row, serve, items):
    """Replica 1 is full with b until it ends; a lands at 4520 and waits."""
    rows = [row("a", 32, 2, handoff=True, replica=0), row("b", 32, 9, replica=1)]
    run = serve(rows, to(1), kv_blocks=3, **TWO)
    end_of_b = 1320 + 8 * 1010
    assert items(run, 1) == ["b:32@0", *(f"b:1@{kv}" for kv in range(32, 40)), "a:1@32"]
    assert transfers(run)[0] == (0, 1, 1320, 4520, end_of_b + 1010)


def test_landed_state_can_be_reused_where_it_landed(row, serve):
    """c on replica 1 begins with a's prompt."""
    rows = [row("a", [["doc", 32]], 2, handoff=True, replica=0), row("c", [["doc", 32], ["u", 4]], 1, 9000, replica=1)]
    assert serve(rows, to(1), **TWO).calls[1].hit == 32


def test_a_request_preempted_after_its_handoff_is_computed_again_where_it_is(row, serve, items):
    """a lands at 4520, joins b on replica 1 at 5440 and is preempted when b needs a fourth block for its token 49.

    By then a knows 37 tokens. b's block was a's third one, so a finds the two of its prompt when b has ended.
    """
    rows = [row("a", 32, 10, handoff=True, replica=0), row("b", 40, 20, replica=1)]
    run = serve(rows, to(1), kv_blocks=6, **TWO)
    assert items(run, 1) == [
        "b:40@0",
        *(f"b:1@{kv}" for kv in range(40, 44)),
        *(f"b:1@{kv + 12} a:1@{kv}" for kv in range(32, 36)),
        *(f"b:1@{kv}" for kv in range(48, 59)),
        "a:5@32",
        *(f"a:1@{kv}" for kv in range(37, 41)),
    ]
    assert run.calls[0].preemptions == 1


def test_ends_of_steps_come_before_landings_and_arrivals_of_the_same_moment(row, serve):
    """The router sees replica 0 idle when a request arrives at the very end of its last step."""
    seen = []

    class Router:
        def choose(self, replicas, _request, _now):
            seen.append([r.active() for r in replicas])
            return 0

    serve([row("a", 20, 1), row("b", 20, 1, at=1200)], SimpleNamespace(Router=Router), replicas=2)
    assert seen == [[0, 0], [0, 0]]


def test_requests_that_arrive_together_are_placed_in_the_order_of_the_workload(row, serve):
    """The second sees the first."""
    run = serve([row(name, 20, 1) for name in "abcd"], designs.load("load_only"), replicas=3)
    assert [call.replica for call in run.calls] == [0, 1, 2, 0]


def test_without_a_policy_everything_runs_on_the_first_replica_unless_pinned(row, serve):
    """What `--design` leaves open."""
    run = serve([row("a", 20, 1), row("b", 20, 1, replica=2)], replicas=3)
    assert [call.replica for call in run.calls] == [0, 2]


def test_steps_that_take_no_time_end(row, serve):
    """A table of zeros is a table."""
    free = SimpleNamespace(step=lambda _batch: 0)
    run = serve([row("a", 40, 9), row("b", 40, 9, at=3)], costs=free, max_num_batched_tokens=16)
    assert [(call.first_ns, call.end_ns) for call in run.calls] == [(0, 0), (3, 3)]


def test_a_request_larger_than_memory_is_refused_by_name():
    """The last generated token needs no memory: 33 + 16 - 1 tokens fit into three blocks, one more does not."""
    config = Config(1, 3, 16, 1)
    rows = [{"id": "big", "arrival_ns": 0, "prompt": [["a", 33]], "output_tokens": 16}]
    check_fits(config, from_rows(rows))
    assert simulate(config, Costs(), from_rows(rows)).calls[0].end_ns > 0
    rows[0]["output_tokens"] = 17
    with pytest.raises(ValueError, match="request big needs 4 KV blocks, a replica has 3"):
        simulate(config, Costs(), from_rows(rows))


def test_a_run_without_progress_names_the_requests_that_are_left(row):
    """A subclass that never starts a step leaves everything waiting."""

    class Stuck(Simulation):
        def start_step(self, replica, now):
            pass

    rows = [row("a", 20, 1), row("b", 20, 1)]
    with pytest.raises(RuntimeError, match="no progress for requests a, b"):
        Stuck(Config(1, 10, 16, 1), Costs(), from_rows(rows), None).run()


def test_memory_that_is_not_given_back_is_noticed(row):
    """The check at the end of every run."""

    class Leaky(Simulation):
        def end_step(self, replica, now):
            index = super().end_step(replica, now)
            replica.pool.take()
            return index

    with pytest.raises(RuntimeError, match="replica 0 did not give back all memory"):
        Leaky(Config(1, 10, 32, 1), Costs(), from_rows([row("a", 20, 1)]), None).run()


@given(data=st.data())
@settings(deadline=None, max_examples=150)
def test_every_design_conserves_requests_tokens_and_time(systems, data):
    """On random systems under all twelve designs: whole prompts, one token after another, no step above its limits."""
    config, rows = data.draw(systems)
    design = designs.load(data.draw(st.sampled_from(designs.names())))
    run = simulate(config, Costs(), from_rows(rows), design, record_steps=True)
    assert [call.request.id for call in run.calls] == [row["id"] for row in rows]
    assert run.step_count == len(run.steps)
    cap = getattr(design, "PREFILL_CHUNK_CAP", None) or config.max_num_batched_tokens
    busy_until = defaultdict(int)
    taken = defaultdict(list)
    for step in run.steps:
        assert step["start_ns"] >= busy_until[step["step_on"]]
        busy_until[step["step_on"]] = step["start_ns"] + step["duration_ns"]
        names = [name for name, _, _ in step["items"]]
        assert len(set(names)) == len(names) <= config.max_num_seqs
        assert sum(q for _, q, _ in step["items"]) <= config.max_num_batched_tokens
        for name, q, kv in step["items"]:
            assert 1 <= q <= cap
            taken[name].append((q, kv, step["start_ns"], busy_until[step["step_on"]]))
    for call in run.calls:
        whole_request(call, taken[call.request.id])


def whole_request(call, taken):
    """The steps of one request: no token left out, a token generated whenever all known ones are computed."""
    prompt, generated, done, restarts = call.request.prompt_tokens, 0, 0, -1
    assert taken[0][1] == call.hit <= prompt - 1
    assert taken[0][2] >= call.request.arrival_ns
    for q, kv, _, end in taken:
        if kv != done or restarts < 0:
            assert kv % 16 == 0
            restarts += 1
        done = kv + q
        assert done <= prompt + generated
        if done == prompt + generated:
            generated += 1
            if generated == 1:
                assert call.first_ns == end
    assert (generated, call.end_ns) == (call.request.output_tokens, taken[-1][3])
    assert restarts <= call.preemptions


@given(data=st.data())
@settings(deadline=None, max_examples=60)
def test_the_same_input_gives_the_same_run(systems, data):
    """Policies with a memory start afresh in each run."""
    config, rows = data.draw(systems)
    design = designs.load(data.draw(st.sampled_from(designs.names())))
    runs = [simulate(config, Costs(), from_rows(rows), design, record_steps=True) for _ in range(2)]
    assert runs[0].steps == runs[1].steps
    assert [request_row(call) for call in runs[0].calls] == [request_row(call) for call in runs[1].calls]
