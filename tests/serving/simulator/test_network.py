"""Transfers between replicas."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from proctor.serving.simulator.network import Network

SENDS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 10**10), st.integers(0, 10**9)), max_size=12
)


def arrivals(bytes_per_s, sends):
    """When each transfer has arrived; the times of sends add up, so that they never go back."""
    network, now, found = Network(bytes_per_s), 0, []
    for source, destination, size, wait in sends:
        now += wait
        found.append(network.send(source, destination, size, now))
    return found


def test_ten_gigabit_ethernet_moves_a_gigabyte_and_a_quarter_a_second():
    """2,560 tokens of 98,304 bytes take 0.2013 s, half of the 0.407 s by which paper Table 14's two versions differ."""
    assert Network(1_250_000_000).send(0, 1, 2560 * 98_304, 7) == 7 + 201_326_592


def test_transfers_of_one_gpu_queue_whatever_their_destination():
    """First in, first out at the full rate; another GPU's transfer does not wait; a free NIC starts at once."""
    network = Network(10**9)
    sends = [(0, 1, 0), (0, 2, 10), (3, 2, 10), (0, 1, 5000)]
    assert [network.send(source, to, 1000, now) for source, to, now in sends] == [1000, 2000, 1010, 6000]


def test_an_empty_transfer_arrives_when_the_nic_is_free():
    """It takes its turn all the same."""
    network = Network(10**9)
    network.send(0, 1, 1000, 0)
    assert network.send(0, 1, 0, 10) == 1000


@given(SENDS, st.integers(1, 10**10), st.integers(0, 10**10))
def test_a_faster_network_never_slows_a_transfer(sends, slow, more):
    """For any sequence of sends, each transfer by itself."""
    assert all(fast <= slow for fast, slow in zip(arrivals(slow + more, sends), arrivals(slow, sends), strict=True))


@given(SENDS, st.integers(10**6, 10**10))
def test_a_nic_sends_in_order_and_never_faster_than_its_rate(sends, bytes_per_s):
    """A transfer starts when it was sent or when the one before it has arrived, and takes size over rate, floored."""
    free, now = dict.fromkeys(range(4), 0), 0
    for (source, _, size, wait), arrival in zip(sends, arrivals(bytes_per_s, sends), strict=True):
        now += wait
        exact = Fraction(size * 10**9, bytes_per_s)
        assert 0 <= exact - (arrival - max(now, free[source])) < 1
        free[source] = arrival
