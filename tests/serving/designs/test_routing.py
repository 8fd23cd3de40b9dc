"""Where a request goes (paper, Table 13). Situations are made with pinned requests; the last request is routed."""

from __future__ import annotations

import pytest

from proctor.serving import designs
from proctor.serving.simulator.config import Config
from proctor.serving.simulator.replica import Replica
from proctor.serving.simulator.workload import from_rows

SECOND = 10**9
CACHED = 100_000
"""By then pinned requests that arrived at 0 are done and their prompts cached."""


class MillisecondTokens:
    """A step takes a millisecond for each of its query tokens."""

    def step(self, batch):
        return 10**6 * sum(q for q, _ in batch)


@pytest.fixture
def route(serve):
    """Where a design sends the requests that are not pinned."""

    def run(name, rows, costs=None, replicas=3, **changes):
        calls = serve(rows, designs.load(name), costs, replicas=replicas, **changes).calls
        return [call.replica for call in calls if call.request.replica is None]

    return run


class TestLoadOnly:
    """Fewest waiting and running requests, then fewest queued tokens, caches never looked at."""

    def test_calls_come_before_tokens(self, row, route):
        """One call with many tokens is less than two with few."""
        rows = [row("a", 900, 1, replica=0), *(row(f"b{i}", 2, 1, replica=r) for i, r in enumerate((1, 1, 2, 2)))]
        assert route("load_only", [*rows, row("x", 5, 1)]) == [0]

    def test_equal_calls_are_decided_by_queued_tokens(self, row, route):
        """100, 50 and 60 prompt tokens wait."""
        rows = [row("a", 100, 1, replica=0), row("b", 50, 1, replica=1), row("c", 60, 1, replica=2)]
        assert route("load_only", [*rows, row("x", 5, 1)]) == [1]

    def test_tokens_in_execution_are_not_queued(self, row, route):
        """The prompt of a is being computed whole, that of b half."""
        rows = [row("a", 64, 9, replica=0), row("b", 100, 9, replica=1), row("x", 5, 1, at=10)]
        assert route("load_only", rows, replicas=2, max_num_batched_tokens=64) == [0]

    def test_caches_do_not_matter(self, row, route):
        """The prompt lies whole on replica 2, all are idle."""
        rows = [row("a", [["doc", 64]], 1, replica=2), row("x", [["doc", 64]], 1, at=CACHED)]
        assert route("load_only", rows) == [0]


class TestLongestPrefix:
    """The longest cached prefix, then the fewest requests, then the fewest tokens."""

    def test_the_longest_prefix_wins_however_busy_its_replica(self, row, route):
        """48 tokens on the busy replica 2, 32 on the idle 1."""
        rows = [
            row("a", [["doc", 32]], 1, replica=1),
            row("b", [["doc", 48]], 1, replica=2),
            *(row(f"c{i}", 500, 9, at=CACHED, replica=2) for i in range(5)),
            row("x", [["doc", 48], ["u", 9]], 1, at=CACHED),
        ]
        assert route("longest_prefix", rows) == [2]

    def test_ties_go_to_fewest_requests_then_fewest_tokens(self, row, route):
        """Nothing cached; then the prefix on two replicas."""
        rows = [row("a", 9, 1, replica=0), row("b", 50, 1, replica=1), row("c", 40, 1, replica=2)]
        assert route("longest_prefix", [*rows, row("x", 5, 1)]) == [0]
        more = [row(f"c{i}", 2, 1, replica=r) for i, r in enumerate((1, 1, 2, 2))]
        assert route("longest_prefix", [row("a", 900, 1, replica=0), *more, row("x", 5, 1)]) == [0]
        both = [row(f"d{r}", [["doc", 32]], 1, replica=r) for r in (0, 2)]
        load = [row("e", 9, 1, at=CACHED, replica=0), row("f", 8, 1, at=CACHED, replica=2)]
        assert route("longest_prefix", [*both, *load, row("x", [["doc", 32], ["u", 1]], 1, at=CACHED)]) == [2]

    def test_a_prefix_counts_in_whole_blocks_and_leaves_a_token(self, row, route):
        """Of 32 tokens wholly cached 16 count, the same as where only 16 are cached: the index decides."""
        rows = [row("a", [["doc", 16]], 1, replica=0), row("b", [["doc", 32]], 1, replica=1)]
        assert route("longest_prefix", [*rows, row("x", [["doc", 32]], 1, at=CACHED)]) == [0]
        assert route("longest_prefix", [*rows, row("x", [["doc", 32], ["u", 1]], 1, at=CACHED)]) == [1]


class TestPreble:
    """Recent load, tokens to prefill, and recently used prefixes that would be evicted; reuse of more than half."""

    def test_recent_load_counts_after_the_requests_have_ended(self, row, route):
        """Tokens assigned: 101 to replica 0, then 26 to 1, 31 to 2; the next go where the sum is lowest."""
        sizes = [100, 25, 30, 9, 9, 9]
        rows = [row(f"x{i}", n, 1, at=i * CACHED) for i, n in enumerate(sizes)]
        assert route("preble", rows) == [0, 1, 2, 1, 2, 1]  # 1: 26, 36, 46; 2: 31, 41

    @pytest.mark.parametrize(("wait", "replica"), [(3 * SECOND, 1), (3 * SECOND + 1, 0)])
    def test_load_is_recent_for_three_seconds(self, row, route, wait, replica):
        """A request is forgotten when it is older than the window."""
        assert route("preble", [row("x", 100, 1), row("y", 10, 1, at=wait)]) == [0, replica]

    @pytest.mark.parametrize(("rest", "replica"), [(63, 2), (64, 0)])
    def test_reuse_of_more_than_half_leaves_only_those_that_have_it(self, row, route, rest, replica):
        """Replica 2 holds 64 tokens and has a recent load of 501; with half of the prompt or less it competes."""
        rows = [
            row("a", [["doc", 64]], 1, replica=2),
            row("b", [["doc", 64], ["v", 60]], 440, at=CACHED),  # 60 + 440 tokens of load, by reuse
            row("x", [["doc", 64], ["u", rest]], 1, at=20 * CACHED),
        ]
        assert route("preble", rows) == [2, replica]

    def test_among_those_with_the_reuse_the_score_decides(self, row, route):
        """The document is on 1 and 2; the first goes to 1, and its load sends the second to 2."""
        rows = [row(f"a{r}", [["doc", 64]], 1, replica=r) for r in (1, 2)]
        rows += [row(f"x{i}", [["doc", 64], [f"u{i}", 9]], 1, at=CACHED * (i + 1)) for i in range(2)]
        assert route("preble", rows) == [1, 2]

    def test_less_prefill_wins_where_reuse_is_small(self, row, route):
        """Replica 2 saves 16 of 48 tokens; all else is equal."""
        rows = [row("a", [["doc", 16]], 1, replica=2), row("x", [["doc", 16], ["u", 32]], 1, at=CACHED)]
        assert route("preble", rows) == [2]

    def situation(self, row, prompt, at):
        """Replica 0 has one block left beside four of a document, used at CACHED, and a used one without content.

        Its recent load is 2 tokens, that of replica 1 is 11.
        """
        return [
            row("a", [["doc", 64]], 1, replica=0),
            row("b", [["doc", 64], ["v", 1]], 1, at=CACHED),
            row("c", 10, 1, at=CACHED),
            row("x", prompt, 1, at=at),
        ]

    @pytest.mark.parametrize(
        ("prompt", "at", "replica"),
        [
            (8, 2 * CACHED, 0),  # one block is enough: 2 + 8 beats 11 + 8
            (17, 2 * CACHED, 0),  # two: the one without content goes, which costs nothing
            (32, 2 * CACHED, 1),  # three: the document's last block goes; 2 + 32 + 16 loses against 11 + 32
            (32, 4 * SECOND, 0),  # by then the document was not used recently
        ],
    )
    def test_evicting_what_was_used_recently_costs(self, row, route, prompt, at, replica):
        """16 tokens for each block and each recent request that used it."""
        rows = self.situation(row, prompt, at)
        assert route("preble", rows, replicas=2, kv_blocks=6) == [0, 1, replica]

    def test_the_prefix_that_is_reused_is_not_evicted(self, row, route):
        """The document is the oldest content of a full replica, and the request begins with it: no cost for that."""
        rows = [
            row("a", [["doc", 32]], 1, replica=0),
            row("b", [["doc", 32], ["v", 1]], 1, at=CACHED),  # load 2 on replica 0
            row("c", 48, 1, at=2 * CACHED, replica=0),
            row("x", [["doc", 32], ["u", 32]], 1, at=3 * CACHED),
        ]
        # Replica 0: 2 + 32; replica 1: 64. Were both blocks of the document counted as lost, 0 would cost 32 more.
        assert route("preble", rows, replicas=2, kv_blocks=6) == [0, 0]


class TestDualMap:
    """Two candidates by the prefix; the one with more reuse while it meets 0.6 s, else the faster one."""

    # d + o + c is 100 + 111 + 99 = 310. Of four replicas: 310 % 4 = 2 and (310 + 1 + 77 % 3) % 4 = 1.
    PAIR = (2, 1)

    def test_the_candidates_depend_on_the_prefix_alone(self, row, route):
        """Never more than two replicas for a prefix, whatever the load."""
        rows = [row(f"x{i}", [["doc", 64], [f"u{i}", 600]], 1) for i in range(40)]
        assert set(route("dualmap", rows, MillisecondTokens(), replicas=4)) == set(self.PAIR)

    @pytest.mark.parametrize("count", [1, 2, 3, 4, 8])
    def test_candidates_differ_and_names_spread_over_all_replicas(self, count):
        """A thousand names; every replica is somebody's first and somebody's second."""
        router = designs.load("dualmap").Router()
        pairs = [router.candidates(f"document {i}", count) for i in range(1000)]
        assert all(first != second for first, second in pairs) or count == 1
        for place in (0, 1):
            assert {pair[place] for pair in pairs} == set(range(count))

    @pytest.mark.parametrize(("queued", "replica"), [(590, 1), (591, 2)])
    def test_reuse_wins_up_to_the_target(self, row, route, queued, replica):
        """Replica 1 holds the document; with what is queued and 10 tokens of the request's it takes 600 or 601 ms."""
        rows = [
            row("a", [["doc", 64]], 1, replica=1),
            row("q", queued, 1, at=SECOND, replica=1),
            row("x", [["doc", 64], ["u", 10]], 1, at=SECOND),
        ]
        assert route("dualmap", rows, MillisecondTokens(), replicas=4) == [replica]

    def test_beyond_the_target_the_lower_prediction_wins_even_with_less_reuse(self, row, route):
        """601 ms with the document, 700 + 74 ms without it on the other: it stays."""
        rows = [
            row("a", [["doc", 64]], 1, replica=1),
            row("q", 591, 1, at=SECOND, replica=1),
            row("r", 700, 1, at=SECOND, replica=2),
            row("x", [["doc", 64], ["u", 10]], 1, at=SECOND),
        ]
        assert route("dualmap", rows, MillisecondTokens(), replicas=4) == [1]

    def test_equal_reuse_goes_to_the_lower_prediction(self, row, route):
        """Nothing is cached and replica 2 has a queue."""
        rows = [row("q", 20, 1, replica=2), row("x", [["doc", 64]], 1)]
        assert route("dualmap", rows, MillisecondTokens(), replicas=4) == [1]

    def test_the_prediction_is_made_of_full_steps(self):
        """250 tokens at 100 a step: two full steps and one of 50, each at the price of its tokens and its start."""

        class Costs:
            def step(self, batch):
                assert len(batch) == 1
                return 7 + 3 * batch[0][0]

        replica = Replica(0, Costs(), Config(1, 100, max_num_batched_tokens=100, max_num_seqs=8))
        (request,) = from_rows([{"id": "x", "arrival_ns": 0, "prompt": [["doc", 250]], "output_tokens": 1}])
        assert designs.load("dualmap").Router().predict(replica, request) == 2 * 307 + 157
