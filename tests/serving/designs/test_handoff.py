"""Where a request decodes after its prefill (paper, Table 14)."""

from __future__ import annotations

import pytest

from proctor.serving import designs

NET = {"replicas": 4, "kv_bytes_per_token": 100, "nic_bytes_per_s": 10**9}


def burst(row, count, source=0):
    """Requests whose prefills end in the same step."""
    return [row(f"q{i}", 32, 4, handoff=True, replica=source) for i in range(count)]


def placed(run):
    return [call.replica for call in run.calls if call.request.handoff]


@pytest.mark.parametrize(
    ("name", "source", "expected"),
    [
        ("stay", 0, [0, 0, 0]),
        ("next_instance", 0, [1, 1, 1]),
        ("next_instance", 3, [0, 0, 0]),  # above the last comes the first
        ("least_active", 0, [1, 1, 1]),  # transfers in flight do not count, so all three go to the same one
        ("least_active", 1, [0, 0, 0]),
        ("least_outstanding", 0, [1, 2, 3]),  # they count: the burst spreads
        ("least_outstanding", 2, [0, 1, 3]),  # remote replicas only
    ],
)
def test_a_burst_from_one_replica(row, serve, name, source, expected):
    """Three follow-ups leave at the same time while the other replicas are idle."""
    assert placed(serve(burst(row, 3, source), designs.load(name), **NET)) == expected


@pytest.mark.parametrize("name", ["least_active", "least_outstanding"])
def test_running_and_waiting_calls_count(row, serve, name):
    """Replica 1 runs two requests and replica 2 one while another waits behind it; replica 3 runs one."""
    rows = [
        *burst(row, 1),
        *[row(f"b{i}", 8, 50, replica=1) for i in range(2)],
        row("c0", 8, 50, replica=2),
        row("c1", 8, 50, at=1, replica=2),
        row("d", 8, 50, replica=3),
    ]
    assert placed(serve(rows, designs.load(name), **NET)) == [3]


@pytest.mark.parametrize(("name", "second"), [("least_active", 1), ("least_outstanding", 2)])
def test_a_call_that_has_landed_is_active_for_both_and_one_in_flight_for_one_only(row, serve, name, second):
    """The first is in flight from 1320 until 4520; the second is placed at 2640, the third at 10,400."""
    first, late = row("a", 32, 99, handoff=True, replica=0), row("c", 32, 4, 9080, handoff=True, replica=0)
    rows = [first, row("b", 32, 99, handoff=True, replica=0, at=1), late]
    run = serve(rows, designs.load(name), **NET)
    assert (run.calls[1].sent_ns, run.calls[0].landed_ns) == (2640, 4520)
    assert placed(run)[:2] == [1, second]
    # Landed by then: two on replica 1, or one each on 1 and 2.
    assert placed(run)[2] == {1: 2, 2: 3}[second]


@pytest.mark.parametrize("name", designs.FAMILIES["handoff"])
def test_with_one_replica_everything_stays(row, serve, name):
    """There is no remote one."""
    run = serve(burst(row, 2), designs.load(name), replicas=1, kv_bytes_per_token=100)
    assert [call.sent_ns for call in run.calls] == [-1, -1]
