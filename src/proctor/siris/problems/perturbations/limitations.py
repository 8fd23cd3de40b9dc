"""What each perturbed simulator computes wrongly, told to an annotator (evaluator only: no packet or prompt holds it).

Each text says what the system does by its specification, what the simulator does instead, and what it does not touch.
"""

from __future__ import annotations

from collections.abc import Mapping

LIMITATIONS: Mapping[str, str] = {
    "prefix_cap": (
        "By the specification, a request that is admitted need not compute any part of its longest prefix that is "
        "cached on its replica, however long that prefix is. The simulator credits at most 512 tokens of it and has "
        "the rest computed again. What the routing policies are told about cached prefixes is not capped."
    ),
    "reuse_granularity": (
        "By the specification, a cached prefix is reused in whole blocks of 16 tokens. The simulator rounds the reused "
        "length down to a multiple of 256 tokens, so that up to 255 cached tokens are computed again and shorter "
        "prefixes save nothing. What the routing policies are told about cached prefixes is not rounded in this way."
    ),
    "shared_nic": (
        "By the specification, everything that a GPU sends goes through its one network interface, where transfers to "
        "different destinations queue behind one another. The simulator gives each pair of source and destination a "
        "link of its own at the full rate, so that transfers from one GPU to different GPUs do not delay each other."
    ),
    "query_interpolation": (
        "By the specification, step costs between two measured numbers of query tokens are interpolated linearly. The "
        "simulator takes the value of the next lower grid point of the query axis as it is, so that a chunk between "
        "two grid points costs as little as the lower one. Along the axis of cached tokens it does interpolate."
    ),
    "step_aggregation": (
        "By the specification, a step is charged for the query tokens of all its requests together and for the "
        "attention of all its requests added up. The simulator charges only the largest single request for each of "
        "the two, so that adding further requests to a step seems to cost next to nothing."
    ),
    "coordinate_swap": (
        "By the specification, the attention table is read at a number of query tokens and a number of cached tokens. "
        "The simulator hands over the two numbers in the wrong order, so that the attention cost of a request is read "
        "at the transposed place of the table."
    ),
    "interpolation_arithmetic": (
        "By the specification, a value between two grid points is the lower one plus a share of the difference between "
        "the two. The simulator adds that share of the whole upper value, so that every interpolated cost between "
        "grid points comes out too high."
    ),
}
