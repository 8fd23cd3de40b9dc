"""Vidur profiling CSV (`mlp.csv`, `attention.csv`, times in ms) as an additive cost table.

Vidur measures no output head, no sampler and no step that mixes prefill with decode: `head.csv` is zero, row 1+ equals
row 1, and `host_ns` is 0. Its published checkout lacks `attention.csv`, without which there is no table.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proctor.errors import InputError
from proctor.serving.importers.additive import (
    DECODES,
    KVS,
    QUERIES,
    REQUESTS,
    Derived,
    cost_texts,
    digests,
)
from proctor.serving.importers.attention import AttentionGrid
from proctor.serving.importers.collectives import Link, all_reduce_ns
from proctor.serving.importers.coverage import check_coverage
from proctor.serving.importers.interpolate import Line
from proctor.serving.importers.models import BYTES, Model, known_model, known_models
from proctor.serving.importers.reading import Parse, count, duration, rows
from proctor.serving.importers.smooth import rising, rising_table

BLOCK_OPS = (
    "input_layernorm",
    "attn_pre_proj",
    "attn_rope",
    "attn_post_proj",
    "post_attention_layernorm",
    "mlp_up_proj",
    "mlp_act",
    "mlp_down_proj",
    "add",
)
SHAPE = {"n_head": "heads", "n_kv_head": "kv_heads", "n_embd": "hidden", "n_expanded_embd": "intermediate"}
"""Columns of mlp.csv that say which model was measured, and the field of `Model` they must equal."""

Points = dict[tuple[int, int, int, int], int]


def derive_from_vidur(folder: Path, model: Model | None = None, tp: int = 1, link: Link | None = None) -> Derived:
    """The cost table of one of Vidur's model folders.

    The model is recognised by its dimensions unless given. Raises InputError naming the missing file or columns, an
    unmeasured `tp`, or dimensions of another model.
    """
    model = model or _recognised(folder / "mlp.csv")
    linear = linear_ns(folder / "mlp.csv", model, tp, link)
    grid = AttentionGrid(attention_points(folder / "attention.csv", model, tp))
    check_coverage(grid.points, folder / "attention.csv", DECODES)
    decode = rising([max(0, grid.at(0, 0, DECODES, kv) - grid.least) / DECODES for kv in KVS])
    prefill = rising_table([[max(0, grid.at(q, kv, 0, 0) - grid.least) for kv in KVS] for q in QUERIES])
    head = dict.fromkeys(REQUESTS, 0)
    constants = {"layers": model.layers, "launch_ns": grid.least, "host_ns": 0}
    texts = cost_texts(decode, decode, prefill, linear, head, constants)
    return Derived(texts, _provenance(folder, model, tp))


def linear_ns(path: Path, model: Model, tp: int = 1, link: Link | None = None) -> dict[int, int]:
    """Query tokens -> ns of everything in `mlp.csv`, all layers: the part of a table that this file alone gives."""
    ops = ("emb", *BLOCK_OPS)
    columns: dict[str, Parse] = {"num_tokens": count, "num_tensor_parallel_workers": count}
    columns |= dict.fromkeys(SHAPE, count) | {f"time_stats.{op}.median": duration for op in ops}
    samples: dict[int, list[float]] = {}
    for line, (tokens, workers, *rest) in rows(path, columns):
        _check_shape(dict(zip(SHAPE, rest, strict=False)), model, f"{path} line {line}")
        if workers == tp:
            emb, *block = rest[len(SHAPE) :]
            samples.setdefault(tokens, []).append(1e6 * (emb + model.layers * sum(block)))
    if not samples:
        raise InputError(f"{path}: num_tensor_parallel_workers: no row was measured with {tp}")
    line_of = Line.of({tokens: round(sum(times) / len(times)) for tokens, times in samples.items()})
    reduce = {q: all_reduce_ns(tp, q * model.hidden * BYTES, link or Link()) for q in (1, *QUERIES)}
    return {q: int(line_of.at(q)) + 2 * model.layers * reduce[q] for q in (1, *QUERIES)}


def attention_points(path: Path, model: Model, tp: int = 1) -> Points:
    """(prefill tokens, their cached tokens, decodes, cached tokens per decode) -> ns of one layer, KV write included.

    Prefills are those measured alone (batch size 1). Repeated measurements are averaged.
    """
    columns: dict[str, Parse] = dict.fromkeys(
        ("num_tensor_parallel_workers", "n_embd", "batch_size", "prefill_chunk_size", "kv_cache_size"), count
    )
    times = [f"time_stats.attn_{part}.median" for part in ("prefill", "decode", "kv_cache_save")]
    samples: dict[tuple[int, int, int, int], list[float]] = {}
    for line, (workers, hidden, batch, chunk, kv, *cells) in rows(path, columns | dict.fromkeys(times, str)):
        where = f"{path} line {line}"
        _check_shape({"n_embd": hidden}, model, where)
        if workers != tp or (chunk and batch != 1):
            continue
        prefill, decode, save = (_milliseconds(cell, where, name) for cell, name in zip(cells, times, strict=True))
        point = (chunk, kv, 0, 0) if chunk else (0, 0, batch, kv)
        samples.setdefault(point, []).append((prefill if chunk else decode) + save)
    if not {True, False} <= {bool(point[0]) for point in samples}:
        raise InputError(f"{path}: expected both prefill and decode rows with num_tensor_parallel_workers {tp}")
    return {point: max(1, round(1e6 * sum(times) / len(times))) for point, times in samples.items()}


def _milliseconds(cell: str, where: str, name: str) -> float:
    """A time, or 0 for the empty or NaN cell of an operation that a row did not run."""
    if cell.strip().lower() in ("", "nan"):
        return 0.0
    try:
        return duration(cell)
    except ValueError:
        raise InputError(f"{where}: {name}: expected ms, 0 or more, found {cell[:40]!r}") from None


def _check_shape(found: Mapping[str, int], model: Model, where: str) -> None:
    for column, value in found.items():
        expected = getattr(model, SHAPE[column])
        if value != expected:
            raise InputError(f"{where}: {column}: {value} is not {model.name}, which has {expected}")


def _recognised(path: Path) -> Model:
    shape = next((values for _, values in rows(path, dict.fromkeys(SHAPE, count))), None)
    if shape is None:
        raise InputError(f"{path}: holds no data row")
    for name in known_models():
        model = known_model(name)
        if not model.architecture.moe and shape == tuple(getattr(model, field) for field in SHAPE.values()):
            return model
    raise InputError(f"{path}: {', '.join(SHAPE)} = {shape} is no known model; pass --model-config FILE")


def _provenance(folder: Path, model: Model, tp: int) -> dict[str, Any]:
    return {
        "version": 1,
        "source": "Vidur, microsoft/vidur, data/profiling/compute",
        "licence": "MIT, (c) Microsoft Corporation",
        "model": model.name,
        "parallelism": {"tensor": tp},
        "files_sha256": digests(folder, (folder / "mlp.csv", folder / "attention.csv")),
        "not_measured": "output head, sampler, mixed steps, host time",
    }
