"""Says which measurements a cost table needs that a profile lacks: extrapolated from a few rows, it means nothing."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from proctor.errors import InputError

Point = tuple[int, int, int, int]
"""Prefill tokens, their cached tokens, decodes, cached tokens per decode."""


def check_coverage(points: Iterable[Point], path: Path, decodes: int, chunk: int = 0, chunk_kv: int = 0) -> None:
    """Raises InputError naming what is missing of the attention measurements in `path`.

    Needed are decodes alone, with batches on both sides of `decodes`; prefills alone; and, where `chunk` is given,
    prefills alone and beside decodes that reach up to `chunk` tokens with `chunk_kv` cached ones.
    """
    found = list(points)
    alone = [point for point in found if not point[0]]
    prefills = [point for point in found if point[0] and not point[2]]
    mixed = [point for point in found if point[0] and point[2]]
    needs: list[tuple[bool, str]] = [
        (_spans(alone, 2, decodes), f"decode rows with n_decode up to and from {decodes} on"),
        (_differ(alone, 3), "decode rows at two or more values of kv_decode"),
        (_differ(prefills, 1), "prefill rows at two or more values of kv_prefill"),
    ]
    if chunk:
        chunked = [point for point in mixed if point[0] >= chunk and point[1] >= chunk_kv]
        needs += [
            (_reach(prefills, chunk, chunk_kv), f"prefill rows up to chunk {chunk} and kv {chunk_kv}"),
            (
                _spans(chunked, 2, decodes),
                f"mixed rows from chunk {chunk} and kv {chunk_kv} on, around n_decode {decodes}",
            ),
            (_differ(chunked, 3), "mixed rows at two or more values of kv_decode"),
        ]
    missing = [what for held, what in needs if not held]
    if missing:
        raise InputError(f"{path}: too few measurements for a cost table; missing {'; '.join(missing)}")


def _spans(points: list[Point], axis: int, value: int) -> bool:
    values = [point[axis] for point in points]
    return bool(values) and min(values) <= value <= max(values)


def _differ(points: list[Point], axis: int) -> bool:
    return len({point[axis] for point in points}) > 1


def _reach(points: list[Point], chunk: int, kv: int) -> bool:
    return any(point[0] >= chunk and point[1] >= kv for point in points)
