"""Ring collectives."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.serving.importers.collectives import Link, all_gather_ns, all_reduce_ns, reduce_scatter_ns

LINK = Link(bytes_per_s=10**9, latency_ns=1000)
SIZES = st.integers(0, 10**9)


def test_golden_all_reduce_between_two_gpus():
    """2 (n - 1) (latency + bytes / n / rate): 2 * (1 us + 1 ms / 2)."""
    assert all_reduce_ns(2, 10**6, LINK) == 2 * (1000 + 500_000)


@given(st.integers(1, 16), SIZES)
def test_an_all_reduce_is_a_reduce_scatter_and_an_all_gather(n, size):
    """The identity that defines the ring algorithm."""
    assert all_reduce_ns(n, size, LINK) == reduce_scatter_ns(n, size, LINK) + all_gather_ns(n, size // n, LINK)


@given(SIZES)
def test_one_gpu_exchanges_nothing(size):
    """Without parallelism there is no cost."""
    assert (all_reduce_ns(1, size, LINK), all_gather_ns(1, size, LINK), reduce_scatter_ns(1, size, LINK)) == (0, 0, 0)


@given(st.integers(2, 8), SIZES)
def test_a_faster_link_is_never_slower(n, size):
    """Twice the rate."""
    assert all_reduce_ns(n, size, Link(2 * 10**9, 1000)) <= all_reduce_ns(n, size, LINK)
