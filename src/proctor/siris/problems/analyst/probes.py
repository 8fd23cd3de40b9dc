"""Which computation of a simulator departs from the specification: both are asked the same, and the answers compared.

A probe corrects what departs, so that what is built on it is then judged by itself. All questions are fixed: the same
code gets the same verdict in every packet with the same cost parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from types import ModuleType
from typing import Any

from proctor.siris.problems.analyst import specified
from proctor.siris.problems.analyst.specified import BLOCK, Interfaces, StepCost

Questions = Sequence[tuple[Any, ...]]
GIGABYTE = 1_000_000_000


@dataclass(frozen=True)
class Departure:
    """One computation of the simulator that is not what the specification says, and in words what it gets wrong."""

    computation: str
    limitation: str


LIMITATIONS = {
    "lerp": "between two grid points the simulator does not interpolate linearly: its values are not on the straight "
    "line between the neighbouring ones",
    "along_kv": "the simulator does not interpolate costs along the KV axis",
    "along_query": "the simulator does not interpolate costs along the query axis: between grid points of query tokens "
    "it takes a neighbouring row",
    "attention": "the simulator looks attention up at the wrong coordinates: query tokens and KV tokens are not "
    "matched with the axes that the cost table has",
    "linear": "the simulator does not evaluate the linear cost of a step as specified",
    "head": "the simulator does not evaluate the head cost of a step as specified",
    "step": "the simulator does not charge a step the sum over its requests, so concurrent requests are undercounted",
    "send": "the simulator does not let all transfers that leave a GPU queue on its one network interface (NIC), so "
    "transfers to different destinations do not delay each other as they should",
    "credit": "the simulator does not credit a request with its whole cached prefix in 16-token blocks, so prefix "
    "reuse is wrong",
}


def probe_costs(costs: ModuleType, table: Any, truth: StepCost) -> Iterator[Departure]:
    """Probe a cost table from its innermost computation outwards, and correct in place what departs."""
    if _differ(costs.lerp, specified.on_line, _lines()):
        yield _departure("lerp")
        _correct(table, truth, "along_kv", "along_query", "head")
    rows, by_kv, by_query = truth.with_chunk, truth.with_chunk[2], [row[3] for row in truth.with_chunk]
    queries, kvs = _points(truth.query_axis), _points(truth.kv_axis)
    asked: dict[str, Questions] = {
        "along_kv": [(by_kv, kv) for kv in kvs],
        "along_query": [(by_query, q) for q in queries],
        "attention": [(rows, q, kv) for q in queries for kv in kvs[::3]],
        "linear": [(q,) for q in _points(truth.linear_axis)],
        "head": [(n,) for n in _points(truth.head_axis)],
        "step": [(batch,) for batch in _batches()],
    }
    for name, questions in asked.items():
        if _differ(getattr(table, name), getattr(truth, name), questions):
            yield _departure(name)
            _correct(table, truth, name)


def probe_network(network: ModuleType) -> Iterator[Departure]:
    """Transfers between three GPUs, some at one moment, some while others are under way, some much later."""
    rng = Random("transfers")
    now, sends = 0, []
    for _ in range(60):
        source, destination = rng.sample(range(3), 2)
        sends.append((source, destination, rng.randrange(1, GIGABYTE), now))
        now += rng.choice((0, 0, 10**7, 10**10))
    if _differ(network.Network(GIGABYTE).send, Interfaces(GIGABYTE).send, sends):
        yield _departure("send")


def probe_credit(modules: Mapping[str, ModuleType]) -> Iterator[Departure]:
    """Calls of many lengths that find a part of their blocks in the memory of a replica."""
    cases = [
        (tokens, min(present, blocks))
        for tokens in (1, 15, 16, 17, 100, 512, 513, 1_000, 2_049, 5_000)
        for blocks in [tokens // BLOCK]
        for present in (0, 1, 7, 16, 31, 33, 63, blocks // 2, blocks)
    ]
    for tokens, present in cases:
        replica, call = _warm_replica(modules, tokens, present)
        if replica.credit(call) != specified.credit(replica, call):
            yield _departure("credit")
            return


def _warm_replica(modules: Mapping[str, ModuleType], tokens: int, present: int) -> tuple[Any, Any]:
    """A replica that holds the first blocks of a call, and the call."""
    config = modules["config"].Config(replicas=1, kv_blocks=1_000, max_num_batched_tokens=2_048, max_num_seqs=8)
    replica = modules["replica"].Replica(0, None, config)
    row = {"id": "r0", "arrival_ns": 0, "prompt": [["text", tokens]], "output_tokens": 40}
    call = modules["replica"].Call(modules["workload"].from_rows([row])[0])
    for key in call.keys[:present]:
        replica.pool.publish(replica.pool.take(), key)
    return replica, call


def _departure(computation: str) -> Departure:
    return Departure(computation, LIMITATIONS[computation])


def _differ(function: Callable[..., Any], truth: Callable[..., Any], questions: Iterable[tuple[Any, ...]]) -> bool:
    return any(function(*question) != truth(*question) for question in questions)


def _correct(table: Any, truth: StepCost, *names: str) -> None:
    """Replace computations of this one table; the code that it was loaded from stays as it is."""
    for name in names:
        setattr(table, name, getattr(truth, name))


def _lines() -> Questions:
    return [(y0, y1, part, whole) for y0 in (0, 7, 1_000) for y1 in (3, 900) for whole in (1, 16) for part in (0, 1, 5)]


def _points(axis: Sequence[int]) -> list[int]:
    """On every grid point, at three places between each two, and beyond the last."""
    between = [a + (b - a) * k // 4 for a, b in pairwise(axis) for k in range(4)]
    return [*between, axis[-1], axis[-1] + (axis[-1] - axis[-2]) // 2]


def _batches() -> list[list[tuple[int, int]]]:
    """Steps of decodes, of chunks, and of both, of one to many requests."""
    rng = Random("steps")
    kinds = ((1,), (2, 9, 16, 24, 32, 300), (1, 1, 1, 20, 200))
    return [[(rng.choice(kind), rng.randrange(4_000)) for _ in range(n)] for kind in kinds for n in (1, 2, 5, 17, 40)]
