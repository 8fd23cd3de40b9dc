"""Reads an LLMServingSim v2 profile bundle: a folder with `meta.yaml` and, per tensor-parallel degree, `tpN/*.csv`.

All times in the files are microseconds of one layer instance; here they become whole nanoseconds, at least 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, FiniteFloat, PositiveInt

from proctor.errors import InputError
from proctor.serving.importers.interpolate import Line
from proctor.serving.importers.reading import count, duration, is_folder, number, rows, word, yaml_file

Key = TypeVar("Key")
Value = TypeVar("Value")
AttentionPoints = Mapping[tuple[int, int, int, int], int]
"""(prefill tokens, cached tokens of the prefills, decodes, cached tokens per decode) -> ns."""


def _rising(bounds: tuple[float, ...]) -> tuple[float, ...]:
    if any(low >= high for low, high in pairwise(bounds)):
        raise ValueError("bounds must rise strictly")
    return bounds


Bounds = Annotated[tuple[FiniteFloat, ...], AfterValidator(_rising)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class SkewAxes(_Frozen):
    """Bucket (bounds[i], bounds[i + 1]] of an axis carries labels[i]."""

    n_bins: Bounds
    n_labels: tuple[str, ...]
    skew_rate_bins: Bounds
    skew_rate_labels: tuple[str, ...]
    kv_big_bins: Bounds
    kv_big_labels: tuple[str, ...]
    kp_bins: Bounds
    kp_labels: tuple[str, ...]


class SkewTable(_Frozen):
    """Where one tensor-parallel degree keeps its alphas, and the alpha of a batch that no bucket holds."""

    alpha_default: FiniteFloat = 0.0
    bucket_table: str | None = None


class SkewFit(_Frozen):
    """The skew section of `meta.yaml`."""

    enabled: bool = False
    bucket_axes: SkewAxes | None = None
    per_tp: dict[int, SkewTable] = {}


class Engine(_Frozen):
    """Batch limits of the profiled engine. Beyond them every look-up extrapolates."""

    max_num_batched_tokens: PositiveInt = 2048
    max_num_seqs: PositiveInt = 256


class Meta(_Frozen):
    """The fields of `meta.yaml` that costs or provenance need."""

    model: str
    hardware: str
    gpu: str = ""
    variant: str = ""
    vllm_version: str = ""
    profiled_at: str = ""
    engine_effective: Engine = Engine()
    skew_fit: SkewFit = SkewFit()


@dataclass(frozen=True)
class Bundle:
    """An opened bundle. Tables are read, and checked, when asked for; `used` lists the files read so far."""

    path: Path
    meta: Meta
    used: set[Path] = field(default_factory=set, compare=False)

    def tables(self, name: str, tp: int) -> Path:
        """The path of one table of one tensor-parallel degree. Raises InputError when that degree was not profiled."""
        folder = self.path / f"tp{tp}"
        if not is_folder(folder):
            found = ", ".join(sorted(entry.name for entry in self.path.glob("tp*"))) or "none"
            raise InputError(f"{folder}: tensor-parallel degree {tp} was not profiled; the bundle holds {found}")
        self.used.add(folder / name)
        return folder / name

    def dense(self, tp: int) -> dict[str, Line]:
        """Layer -> ns over new tokens of the step (prefill and decode together)."""
        return _lines(self.tables("dense.csv", tp), "tokens")

    def per_sequence(self, tp: int) -> dict[str, Line]:
        """Layer -> ns over requests in the step."""
        return _lines(self.tables("per_sequence.csv", tp), "sequences")

    def attention(self, tp: int) -> AttentionPoints:
        """The measured points of the attention kernel; the grid is ragged."""
        path = self.tables("attention.csv", tp)
        axes = ("prefill_chunk", "kv_prefill", "n_decode", "kv_decode")
        points: dict[tuple[int, int, int, int], int] = {}
        for line, (*key, time) in rows(path, dict.fromkeys(axes, count) | {"time_us": duration}):
            _put(points, (key[0], key[1], key[2], key[3]), time, path, line)
        return _filled(points, path)

    def moe(self) -> dict[tuple[int, int], int]:
        """(tokens, experts activated) -> ns, measured on one GPU without parallelism."""
        path = self.tables("moe.csv", 1)
        points: dict[tuple[int, int], int] = {}
        for line, (tokens, experts, time) in rows(
            path, {"tokens": count, "activated_experts": count, "time_us": duration}
        ):
            _put(points, (tokens, experts), time, path, line)
        return _filled(points, path)

    def alphas(self, tp: int) -> dict[tuple[int, str, str, str, str], float]:
        """(prefill tokens, four bucket labels) -> alpha; empty when no skew was profiled at this degree."""
        entry = self.meta.skew_fit.per_tp.get(tp)
        if not self.meta.skew_fit.enabled or entry is None or entry.bucket_table is None:
            return {}
        path = self.tables(entry.bucket_table.split("/")[-1], tp)
        labels = ("n_label", "skew_rate_label", "kv_big_label", "kp_label")
        table: dict[tuple[int, str, str, str, str], float] = {}
        for line, (*key, alpha) in rows(path, {"pc": count} | dict.fromkeys(labels, word) | {"alpha": number}):
            bucket = (key[0], key[1], key[2], key[3], key[4])
            if bucket in table:
                raise InputError(f"{path} line {line}: bucket {bucket} stands twice")
            table[bucket] = alpha
        return table


def open_bundle(path: Path) -> Bundle:
    """Opens a bundle. Raises InputError when `path` is no folder with a valid `meta.yaml`."""
    if not is_folder(path):
        raise InputError(f"{path}: no such folder; expected a profile bundle with meta.yaml and tpN/*.csv")
    meta = path / "meta.yaml"
    return Bundle(path, yaml_file(meta, Meta), {meta})


def _lines(path: Path, axis: str) -> dict[str, Line]:
    layers: dict[str, dict[int, int]] = {}
    for line, (layer, at, time) in rows(path, {"layer": word, axis: count, "time_us": duration}):
        _put(layers.setdefault(layer, {}), at, time, path, line)
    return {layer: Line.of(points) for layer, points in _filled(layers, path).items()}


def _put(points: dict[Key, int], key: Key, time_us: float, path: Path, line: int) -> None:
    if key in points:
        raise InputError(f"{path} line {line}: point {key} stands twice")
    points[key] = max(1, round(1000 * time_us))


def _filled(points: dict[Key, Value], path: Path) -> dict[Key, Value]:
    if not points:
        raise InputError(f"{path}: holds no data row")
    return points
