"""The seven perturbations of the serving simulator (paper Table 3): unified diffs of one to three lines."""

from __future__ import annotations

from proctor.siris.problems.catalogue import Catalogue, Change, Perturbation
from proctor.siris.problems.domain import Version

__all__ = ["CATALOGUE", "Perturbation", "changed_lines", "get"]

CATALOGUE = Catalogue(
    "proctor.serving.simulator",
    __name__,
    {
        "prefix_cap": Change("routing", "value", "prefix reuse is credited only up to 512 tokens"),
        "reuse_granularity": Change("routing", "value", "prefix reuse is credited only in units of 256 tokens"),
        "shared_nic": Change(
            "handoff", "omission", "each pair of GPUs has a link of its own instead of one NIC per GPU"
        ),
        "query_interpolation": Change(
            "local_scheduling", "omission", "costs are not interpolated along the query axis"
        ),
        "step_aggregation": Change(
            "local_scheduling",
            "aggregation",
            "a step costs what its largest request costs instead of the sum over its requests",
        ),
        "coordinate_swap": Change(
            "local_scheduling", "coordinate", "attention look-ups swap query tokens and KV tokens"
        ),
        "interpolation_arithmetic": Change(
            "local_scheduling",
            "arithmetic",
            "interpolation adds a share of the upper value instead of a share of the difference",
        ),
    },
)


def get(name: str) -> Perturbation:
    """The perturbation of that name; raises InputError for an unknown one."""
    return CATALOGUE.named(name)


def changed_lines(name: str, version: Version) -> dict[str, frozenset[int]]:
    """Where the versions differ: packet path -> line numbers (from 1) in the given version."""
    return CATALOGUE.changed_lines(name, version)
