"""Requests over shared prompt prefixes, sent to four replicas (paper Table 13).

The initial cache placement is part of the workload: unmeasured requests at time 0 put each prefix on given replicas.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from string import ascii_lowercase
from typing import Any

from proctor.siris.problems.domain import Frame

MS = 1_000_000
START_NS = 3_000 * MS
REPLICAS = 4

# Prefill must be dear per token, else lost credit decides nothing: dense models only.
SYSTEMS = (
    {"profile": "rtx4090-llama-3.1-8b", "kv_blocks": 2_588},
    {"profile": "rtxpro6000-llama-3.1-8b", "kv_blocks": 12_000},
)


def frame(rng: Random) -> Frame:
    system = {
        **rng.choice(SYSTEMS),
        "replicas": REPLICAS,
        "max_num_batched_tokens": 2_048,
        "max_num_seqs": 64,
        "metric": "e2e",
    }
    shared = {
        "requests": rng.choice((48, 56, 64, 72, 80, 96)),
        "prefixes": rng.choice((3, 4, 6, 8, 12, 16)),
        "suffix_tokens": [low := rng.choice((32, 64, 128, 256, 512)), low * rng.choice((1, 2, 3))],
        "output_tokens": rng.choice((1, 2, 4, 8)),
        "copies": rng.choice((1, 1, 2)),
    }
    return Frame("routing", system, shared)


def propose(rng: Random) -> dict[str, Any]:
    return {
        "prefix_tokens": 256 * rng.randint(2, 6) + 16 * rng.randint(2, 15),
        "gap_us": 500 * rng.randint(6, 60),
        "hot_percent": 5 * rng.randint(0, 12),
        "zipf_percent": 10 * rng.randint(0, 12),
        "homes": rng.randint(2, REPLICAS),
        "placement": f"{rng.randrange(16**4):04x}",
    }


def workload(frame: Frame, parameters: Mapping[str, Any], rng: Random) -> list[dict[str, Any]]:
    names = [f"doc-{letter}" for letter in rng.sample(ascii_lowercase, frame.shared["prefixes"])]
    rows = _warm_up(frame, parameters, names)
    for i, name in enumerate(_mix(frame, parameters, names, rng)):
        rows.append(
            {
                "id": f"r{i:03}",
                "arrival_ns": START_NS + i * parameters["gap_us"] * 1_000,
                "prompt": [
                    [name, parameters["prefix_tokens"]],
                    [f"user-{i}", rng.randint(*frame.shared["suffix_tokens"])],
                ],
                "output_tokens": frame.shared["output_tokens"],
            }
        )
    return rows


def _mix(frame: Frame, parameters: Mapping[str, Any], names: list[str], rng: Random) -> list[str]:
    """The prefix of each request: every prefix has its share, in an order that follows the shares closely.

    Drawing each request on its own would make traces of other seeds differ in load, and labels with them.
    """
    count = frame.shared["requests"]
    # Whole numbers: the last bit of a power may differ between machines.
    weights = [round(1e6 * (i + 1) ** (-parameters["zipf_percent"] / 100)) for i in range(len(names))]
    hot = parameters["hot_percent"]
    shares = [weight * (100 - hot) + (sum(weights) * hot if i == 0 else 0) for i, weight in enumerate(weights)]
    credit = [rng.randrange(share) for share in shares]
    mixed = []
    for _ in range(count):
        credit = [have + share for have, share in zip(credit, shares, strict=True)]
        chosen = max(range(len(names)), key=lambda i: (credit[i], i))
        credit[chosen] -= sum(shares)
        mixed.append(names[chosen])
    return mixed


def _warm_up(frame: Frame, parameters: Mapping[str, Any], names: list[str]) -> list[dict[str, Any]]:
    """Each prefix is computed on some of the replicas that hold prefixes at the start.

    Where it lies decides much, so it is a parameter: traces of other seeds begin with the same placement.
    """
    rng = Random(f"placement {parameters['placement']}")
    homes = rng.sample(range(REPLICAS), parameters["homes"])
    places = [(name, replica) for name in names for replica in sorted(rng.sample(homes, frame.shared["copies"]))]
    return [
        {
            "id": f"w{i:02}",
            "arrival_ns": 0,
            "prompt": [[name, parameters["prefix_tokens"]]],
            "output_tokens": 1,
            "replica": replica,
            "measured": False,
        }
        for i, (name, replica) in enumerate(places)
    ]
