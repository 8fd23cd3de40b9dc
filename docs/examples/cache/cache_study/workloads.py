"""Random systems and workloads: what the two problems of a pair share, and what may differ."""

from __future__ import annotations

import json
from collections.abc import Mapping
from random import Random
from typing import Any

from proctor.siris.problems.domain import Case, Frame


def frame(design_problem: str, rng: Random) -> Frame:
    """A store, a cache, and the numbers of requests and of objects."""
    system = {"store": rng.choice(("tlc-ssd", "qlc-ssd")), "capacity_kib": 1024 * rng.choice((1, 2, 3, 4))}
    shared = {"requests": rng.choice((160, 200, 240)), "objects": rng.choice((30, 40, 60))}
    return Frame(design_problem, system, shared)


def propose(rng: Random) -> dict[str, Any]:
    """How large objects are, how requests are spread over them, and how many are puts."""
    return {
        "small_kib": 8 * rng.randint(1, 8),
        "large_kib": 64 * rng.randint(2, 12),
        "large_percent": 5 * rng.randint(1, 10),
        "put_percent": 5 * rng.randint(2, 18),
        "written_percent": 10 * rng.randint(1, 10),
        "zipf_percent": 10 * rng.randint(0, 12),
    }


def generate(frame: Frame, parameters: Mapping[str, Any], seed: int) -> Case:
    """What is requested how often follows from the parameters, and the seed sets the order alone: so traces of other
    seeds mostly lead to the same decision. Popular objects are requested most (Zipf's law)."""
    text = json.dumps([dict(frame.shared), dict(parameters)], sort_keys=True)
    rng = Random(text)
    names = [f"object-{i:02}" for i in range(frame.shared["objects"])]
    large = {name for name in names if _hit(rng, parameters["large_percent"])}
    written = {name for name in names if _hit(rng, parameters["written_percent"])}
    # Whole numbers: the last bit of a power may differ between machines.
    weights = [round(1e6 * (i + 1) ** (-parameters["zipf_percent"] / 100)) for i in range(len(names))]
    rows = []
    for name in rng.choices(names, weights, k=frame.shared["requests"]):
        put = name in written and _hit(rng, parameters["put_percent"])
        kib = parameters["large_kib" if name in large else "small_kib"]
        rows.append({"op": "put" if put else "get", "object": name, "kib": kib})
    Random(f"{text} {seed}").shuffle(rows)
    return Case(frame.design_problem, frame.system, rows)


def _hit(rng: Random, percent: int) -> bool:
    return rng.randrange(100) < percent
