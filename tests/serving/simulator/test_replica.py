"""Scheduling inside one replica, on runs worked out by hand (a step takes 1,000 ns and 10 ns per query token)."""

from __future__ import annotations

from types import SimpleNamespace

import pytest


def capped(tokens):
    """A design that caps prefill chunks."""
    return SimpleNamespace(PREFILL_CHUNK_CAP=tokens)


def times(run):
    """First and last token of each request."""
    return [(call.first_ns, call.end_ns) for call in run.calls]


def test_a_long_prompt_is_prefilled_in_chunks_of_the_budget(row, serve, items):
    """40 tokens in steps of 16; the step that completes the prompt yields the first token, two decodes the others."""
    run = serve([row("a", 40, 3)], max_num_batched_tokens=16)
    assert items(run) == ["a:16@0", "a:16@16", "a:8@32", "a:1@40", "a:1@41"]
    assert times(run) == [(1160 + 1160 + 1080, 3400 + 2 * 1010)]


def test_a_request_for_one_token_ends_with_its_prefill(row, serve, items):
    """No decode follows; its latency is the step."""
    run = serve([row("a", 40, 1)])
    assert items(run) == ["a:40@0"]
    assert times(run) == [(1400, 1400)]


def test_a_prompt_of_one_token_is_served(row, serve, items):
    """The smallest request there is."""
    run = serve([row("a", 1, 2)])
    assert items(run) == ["a:1@0", "a:1@1"]
    assert times(run) == [(1010, 2020)]


def test_first_come_first_served_within_the_budget(row, serve, items):
    """What is left of the budget goes to the next in line, in part if need be; running requests come first."""
    run = serve([row("a", 20, 2), row("b", 20, 2), row("c", 4, 1)], max_num_batched_tokens=32)
    assert items(run) == ["a:20@0 b:12@0", "a:1@20 b:8@12 c:4@0", "b:1@20"]
    assert times(run) == [(1320, 2450), (2450, 3460), (2450, 2450)]


def test_a_decode_leaves_the_rest_of_the_budget_to_a_prefill(row, serve, items):
    """Running requests first: with four tokens a step, the prefill gets three."""
    run = serve([row("a", 4, 4), row("b", 6, 1)], max_num_batched_tokens=4)
    assert items(run) == ["a:4@0", "a:1@4 b:3@0", "a:1@5 b:3@3", "a:1@6"]


def test_requests_that_arrive_during_a_step_wait_for_its_end(row, serve, items):
    """b arrives within the first step, c at the moment of its end: both join the second."""
    run = serve([row("a", 20, 3), row("b", 5, 1, at=7), row("c", 6, 1, at=1200), row("d", 7, 1, at=1201)])
    assert items(run) == ["a:20@0", "a:1@20 b:5@0 c:6@0", "a:1@21 d:7@0"]
    assert [step["start_ns"] for step in run.steps] == [0, 1200, 2320]


def test_an_idle_replica_starts_at_the_arrival(row, serve):
    """Nothing happens between requests."""
    run = serve([row("a", 20, 1), row("b", 20, 1, at=5000)])
    assert times(run) == [(1200, 1200), (6200, 6200)]


def test_no_more_requests_run_than_allowed(row, serve, items):
    """The third waits until one of two has ended."""
    run = serve([row(name, 4, 2) for name in "abc"], max_num_seqs=2)
    assert items(run) == ["a:4@0 b:4@0", "a:1@4 b:1@4", "c:4@0", "c:1@4"]


def test_the_chunk_cap_holds_for_each_request_by_itself(row, serve, items):
    """Two prompts advance by 16 tokens each in one step; decodes are not touched."""
    run = serve([row("a", 40, 2), row("b", 20, 1)], capped(16))
    assert items(run) == ["a:16@0 b:16@0", "a:16@16 b:4@16", "a:8@32", "a:1@40"]


def test_the_budget_binds_below_the_cap(row, serve, items):
    """The cap is no promise."""
    run = serve([row("a", 20, 1), row("b", 20, 1)], capped(16), max_num_batched_tokens=24)
    assert items(run) == ["a:16@0 b:8@0", "a:4@16 b:12@8"]


def test_admission_needs_memory_for_the_whole_prompt(row, serve, items):
    """b's first chunk would fit beside a, its four blocks do not: it waits, and c, which would fit, behind it."""
    run = serve([row("a", 16, 3), row("b", 50, 1), row("c", 4, 1)], capped(16), kv_blocks=4)
    assert items(run) == ["a:16@0", "a:1@16", "a:1@17", "b:16@0 c:4@0", "b:16@16", "b:16@32", "b:2@48"]


def test_admission_does_not_reserve_what_it_checked(row, serve, items):
    """b's three blocks are free when it is let in; a, which goes on to three of the four, preempts it for the last."""
    run = serve([row("a", 48, 1), row("b", 48, 1)], capped(16), kv_blocks=4)
    assert items(run) == ["a:16@0 b:16@0", "a:16@16 b:16@16", "a:16@32", "b:16@16", "b:16@32"]
    assert [call.preemptions for call in run.calls] == [0, 1]


def test_the_newest_running_request_is_preempted_and_computed_again(row, serve, items):
    """Five blocks; a and b have two each. Their 33rd tokens need a block each, and there is one.

    b starts over when a has ended. Meanwhile a's 49th token took the last block of b's prompt, so b finds one of its
    two blocks again and computes 17 tokens: 16 of its prompt and the one that it had generated.
    """
    run = serve([row("a", 32, 20), row("b", 32, 20)], kv_blocks=5)
    decodes_of_a = [f"a:1@{kv}" for kv in range(32, 51)]
    decodes_of_b = [f"b:1@{kv}" for kv in range(33, 51)]
    assert items(run) == ["a:32@0 b:32@0", *decodes_of_a, "b:17@16", *decodes_of_b]
    end_of_a = 1640 + 19 * 1010
    assert times(run) == [(1640, end_of_a), (1640, end_of_a + 1170 + 18 * 1010)]
    assert [(call.preemptions, call.hit) for call in run.calls] == [(0, 0), (1, 0)]


def test_a_step_with_a_preemption_admits_nobody_and_the_preempted_go_first(row, serve, items):
    """a's third block costs c, the newest, its memory. d would fit at once, but waits behind c."""
    run = serve([row("a", 32, 4), row("b", 20, 2), row("c", 20, 2), row("d", 4, 1, at=1)], kv_blocks=6)
    assert items(run) == [
        "a:32@0 b:20@0 c:20@0",
        "a:1@32 b:1@20",  # c gave up two blocks, a took one: d's single block is there
        "a:1@33 c:5@16 d:4@0",  # b has ended; c finds the first block of its prompt
        "a:1@34",
    ]


@pytest.mark.parametrize(
    ("prompt", "hit"),
    [
        ([["doc", 48], ["u", 1]], 48),
        ([["doc", 48]], 32),  # a token is left to compute
        ([["doc", 47], ["u", 9]], 32),  # whole blocks only
        ([["doc", 15], ["u", 40]], 0),
        ([["other", 48]], 0),
        ([["u", 1], ["doc", 48]], 0),  # not a prefix
        ([["doc", 64]], 48),
    ],
)
def test_the_longest_cached_prefix_is_credited_in_whole_blocks(row, serve, items, prompt, hit):
    """The first request leaves 48 tokens of `doc` and the next is credited with as much of them as it begins with."""
    run = serve([row("a", [["doc", 48]], 1), row("b", prompt, 1, at=9000)])
    tokens = sum(count for _, count in prompt)
    assert items(run) == ["a:48@0", f"b:{tokens - hit}@{hit}"]
    assert run.calls[1].hit == hit
    assert times(run)[1] == (9000 + 1000 + 10 * (tokens - hit),) * 2


def test_blocks_are_shared_from_the_start_of_the_step_that_computes_them(row, serve, items):
    """Both arrive together: b uses the blocks that a computes in the same step."""
    run = serve([row("a", [["doc", 32], ["x", 1]], 1), row("b", [["doc", 32], ["y", 1]], 1)])
    assert items(run) == ["a:33@0 b:1@32"]


def test_only_blocks_that_the_step_fills_are_shared(row, serve, items):
    """With a cap of 16, a computes one block in the first step and b the second one, both at a time."""
    run = serve([row("a", [["doc", 32], ["x", 1]], 1), row("b", [["doc", 32], ["y", 1]], 1)], capped(16))
    assert items(run) == ["a:16@0 b:16@16", "a:16@16 b:1@32", "a:1@32"]


@pytest.mark.parametrize(("output", "hit"), [(12, 16), (13, 32)])
def test_generated_tokens_can_be_reused_once_they_were_computed(row, serve, output, hit):
    """A conversation goes on. The last token generated was never computed: of 20 + 12 only 31 are, so one block."""
    follow_up = [["doc", 20], ["output of a", output], ["u", 5]]
    run = serve([row("a", [["doc", 20]], output), row("b", follow_up, 1, at=100_000)])
    assert run.calls[1].hit == hit


def test_a_hit_on_idle_blocks_needs_their_memory(row, serve, items):
    """Two of a's idle blocks are what b begins with. They count as taken, so c's three blocks must wait for b's end."""
    rows = [
        row("a", [["doc", 32]], 1),
        row("b", [["doc", 32], ["u", 8]], 2, at=9000),
        row("c", 33, 1, at=9000),
    ]
    assert items(serve(rows, kv_blocks=5)) == ["a:32@0", "b:8@32", "b:1@40", "c:33@0"]
    assert items(serve(rows, kv_blocks=6)) == ["a:32@0", "b:8@32 c:33@0", "b:1@40"]


def test_what_a_policy_sees(row, serve):
    """Calls and prompt tokens not yet taken up, at the moment of an arrival during a step."""
    seen = []

    class Router:
        def choose(self, replicas, request, now):
            (r,) = replicas
            cached = r.cached_tokens(request.keys, request.prompt_tokens)
            seen.append((now, r.active(), r.queued_tokens(), cached))
            return 0

    rows = [
        row("a", [["doc", 40]], 2),
        row("b", [["doc", 40]], 1, at=10),
        row("c", 10, 1, at=20),
        row("d", 5, 1, at=2000),
    ]
    serve(rows, SimpleNamespace(Router=Router), max_num_batched_tokens=20)
    # At 10: a's first 20 of 40 tokens are being computed, one full block of them. At 20: b waits with 40 more.
    # At 2000 a's second step runs (1200-2400), nothing of a is left; b and c wait.
    assert seen == [(0, 0, 0, 0), (10, 1, 20, 16), (20, 2, 60, 0), (2000, 3, 50, 0)]
