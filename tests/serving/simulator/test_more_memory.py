"""What more KV memory does to preemptions.

It may add some. Admission checks the prompt, not the output (vLLM's rule, which the simulator follows): with little
memory a request waits until the one before it has ended, with more it is let in beside it and preempted when both
grow. `test_more_memory_can_add_a_preemption` shows the smallest case. What does hold, for every workload and policy:

* with room for the `max_num_seqs` largest requests at once, and any memory beyond, nothing is preempted;
* one request at a time is never preempted;
* requests that get all their memory at once (prompt within one chunk, output within the prompt's last block) are never
  preempted, whatever the memory;
* once there is room for all requests of a workload together, more memory changes nothing at all.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.serving.simulator.cache import blocks_for
from proctor.serving.simulator.config import Config
from proctor.serving.simulator.simulate import simulate
from proctor.serving.simulator.workload import from_rows

slow_start = settings(deadline=None, max_examples=60)


class Costs:
    def step(self, batch):
        return 100 + sum(q for q, _ in batch)


def needs(rows):
    """Blocks of each request at its largest, in falling order."""
    return sorted((blocks_for(sum(n for _, n in r["prompt"]) + r["output_tokens"] - 1) for r in rows), reverse=True)


def preemptions(config, rows):
    return sum(call.preemptions for call in simulate(config, Costs(), from_rows(rows)).calls)


def test_more_memory_can_add_a_preemption(row, serve, items):
    """Two prompts of two blocks, three blocks each in the end.

    Three blocks: b waits for a. Four and five: b is let in, and when both need their third block it is preempted.
    Six: room for both.
    """
    rows = [row("a", 32, 3), row("b", 32, 6)]
    runs = {blocks: serve(rows, kv_blocks=blocks) for blocks in (3, 4, 5, 6)}
    assert {blocks: run.calls[1].preemptions for blocks, run in runs.items()} == {3: 0, 4: 1, 5: 1, 6: 0}
    assert items(runs[3])[:4] == ["a:32@0", "a:1@32", "a:1@33", "b:32@0"]
    assert items(runs[4])[:3] == ["a:32@0 b:32@0", "a:1@32", "a:1@33"]


@given(data=st.data())
@slow_start
def test_with_room_for_the_largest_that_may_run_together_nothing_is_preempted(systems, data):
    """The sum of the max_num_seqs largest needs is enough, and so is any memory beyond it."""
    config, rows = data.draw(systems)
    enough = sum(needs(rows)[: config.max_num_seqs])
    more = data.draw(st.integers(0, 20))
    assert preemptions(replace(config, kv_blocks=enough + more), rows) == 0


@given(data=st.data())
@slow_start
def test_one_at_a_time_is_never_preempted(systems, data):
    """Whatever fits alone runs to its end alone."""
    config, rows = data.draw(systems)
    blocks = needs(rows)[0] + data.draw(st.integers(0, 20))
    assert preemptions(replace(config, max_num_seqs=1, kv_blocks=blocks), rows) == 0


@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(1, 16), st.integers(0, 15), st.integers(0, 99)), min_size=1),
    st.integers(0, 12),
)
@slow_start
def test_requests_that_take_all_their_memory_at_once_are_never_preempted(drawn, more):
    """The prompt is one chunk, and the output stays within its last block."""
    rows, at = [], 0
    for i, (blocks, last, spare, wait) in enumerate(drawn):
        prompt, output, at = 16 * (blocks - 1) + last, 1 + spare % (17 - last), at + wait
        rows.append({"id": f"r{i}", "arrival_ns": at, "prompt": [[f"p{i}", prompt]], "output_tokens": output})
    budget = sum(row["prompt"][0][1] for row in rows) + len(rows)
    config = Config(1, needs(rows)[0] + more, max_num_batched_tokens=budget, max_num_seqs=16)
    assert preemptions(config, rows) == 0


@given(data=st.data())
@slow_start
def test_once_everything_fits_more_memory_changes_nothing(systems, data):
    """The same steps at the same times, with reuse and all."""
    config, rows = data.draw(systems)
    room = sum(needs(rows))
    runs = [
        simulate(replace(config, kv_blocks=blocks), Costs(), from_rows(rows), record_steps=True)
        for blocks in (room, room + data.draw(st.integers(1, 50)))
    ]
    assert runs[0].steps == runs[1].steps
    assert [call.end_ns for call in runs[0].calls] == [call.end_ns for call in runs[1].calls]
