"""The analyst's own reading of the specification, against numbers worked out by hand and against exact fractions."""

from fractions import Fraction
from types import SimpleNamespace

import pytest

from proctor.siris.problems.analyst.specified import Interfaces, StepCost, at, credit, p95

FILES = {
    "attention.csv": "q,0,100\n1,10,20\n1+,1000,2000\n16,40,80\n32,100,200\n",
    "linear.csv": "q,ns\n1,100\n16,250\n32,410\n",
    "head.csv": "n,ns\n1,7\n3,9\n",
    "constants.csv": "name,value\nlayers,2\nlaunch_ns,5\nhost_ns,3\n",
}


@pytest.mark.parametrize(("x", "y"), [(1, 100), (2, 110), (8, 170), (16, 250), (17, 260), (31, 400), (48, 570)])
def test_between_and_beyond_grid_points_values_lie_on_the_straight_pieces(x, y):
    """150 ns over 15 tokens, then 160 ns over 16, and the last piece goes on."""
    assert at([1, 16, 32], [100, 250, 410], x) == y


def test_fractions_are_dropped_also_where_values_fall():
    for y0, y1, x in ((10, 20, 1), (20, 10, 1), (20, 10, 2), (7, 0, 5)):
        assert at([0, 7], [y0, y1], x) == (y0 + Fraction(x, 7) * (y1 - y0)).__floor__()


def test_a_step_of_decodes_uses_row_1_and_the_sum_over_requests():
    """linear(2) = 110, head(2) = 8, attention(1, 0) + attention(1, 50) = 10 + 15."""
    assert StepCost(FILES).step([(1, 0), (1, 50)]) == 110 + 8 + 2 * (5 + 25) + 3


def test_a_step_with_a_chunk_uses_row_1_plus_for_its_decodes():
    """linear(25) = 340, head(2) = 8; decode 1500; 24 tokens lie half way between the rows 16 and 32: 70."""
    assert StepCost(FILES).step([(1, 50), (24, 0)]) == 340 + 8 + 2 * (5 + 1_570) + 3


def test_transfers_of_one_gpu_queue_whatever_their_destination():
    nics = Interfaces(1_000)
    assert nics.send(0, 1, 500, now=0) == 500_000_000
    assert nics.send(0, 2, 500, now=0) == 1_000_000_000
    assert nics.send(1, 2, 500, now=0) == 500_000_000
    assert nics.send(0, 1, 1, now=5 * 10**9) == 5_001_000_000


@pytest.mark.parametrize(
    ("present", "reached", "tokens"), [(0, 100, 0), (3, 100, 48), (6, 96, 80), (6, 97, 96), (6, 16, 0), (6, 17, 16)]
)
def test_credit_is_in_whole_blocks_and_leaves_a_token(present, reached, tokens):
    pool = SimpleNamespace(match=lambda keys: int(keys[0] < present))
    call = SimpleNamespace(keys=range(10), reached=reached)
    assert credit(SimpleNamespace(pool=pool), call) == tokens


def test_the_p95_is_the_nearest_rank_over_measured_requests():
    """Of 20 values the 19th, of 21 the 20th; the unmeasured one does not count."""

    def call(ns, measured=True):
        request = SimpleNamespace(arrival_ns=100, measured=measured)
        return SimpleNamespace(request=request, end_ns=100 + ns, first_ns=101)

    calls = [call(ns) for ns in range(1, 21)]
    assert p95([*calls, call(999, measured=False)], "e2e") == 19
    assert p95([*calls, call(999)], "e2e") == 20
    assert p95(calls, "ttft") == 1
