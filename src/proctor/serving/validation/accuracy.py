"""Every measured run of a shared validation folder: our errors beside those of LLMServingSim."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from proctor.errors import InputError
from proctor.serving.importers.reading import count, is_file, is_folder, rows
from proctor.serving.validation.bench import open_bench
from proctor.serving.validation.compare import ErrorTable, Tables, validate
from proctor.serving.validation.latencies import Latencies, errors_pct


@dataclass(frozen=True)
class MeasuredRun:
    """The folders and files that belong to one measured run."""

    name: str
    bench: Path
    bundle: Path
    workload: Path

    def validate(self, tables: Tables) -> ErrorTable:
        """Our simulation of this run."""
        return validate(self.bundle, self.bench, self.workload, tables)

    def llmservingsim_errors(self) -> dict[str, Any] | None:
        """Errors of LLMServingSim, from the output it committed for this run; None when there is none."""
        path = self.bench / "llmservingsim_requests.csv"
        if not is_file(path):
            return None
        return errors_pct(read_llmservingsim_output(path), open_bench(self.bench).measured()[1])


def measured_runs(shared: Path) -> tuple[MeasuredRun, ...]:
    """The runs below `shared/validation/vllm_bench` whose profile bundle and workload are there as well."""
    root = shared / "validation"
    if not is_folder(root / "vllm_bench"):
        raise InputError(f"{root / 'vllm_bench'}: no such folder; pass the one that holds validation/ with --shared")
    return tuple(_found(root))


def _found(root: Path) -> Iterator[MeasuredRun]:
    for config in sorted((root / "vllm_bench").glob("*/*/config.json")):
        bench = open_bench(config.parent)
        bundle = root / "llmservingsim_profiles" / bench.instance.hardware / bench.instance.model_name / "bf16"
        workload = root / "workloads" / f"{Path(bench.meta.dataset_path).stem}.compact.jsonl"
        if is_folder(bundle) and is_file(workload):
            yield MeasuredRun(f"{bench.instance.hardware} {config.parent.name}", config.parent, bundle, workload)


def read_llmservingsim_output(path: Path) -> Latencies:
    """Latencies of LLMServingSim's per-request CSV; its TTFT, TPOT and latency columns are in ns."""
    names = ("output", "arrival", "end_time", "latency", "TTFT", "TPOT")
    table = np.array([values for _, values in rows(path, dict.fromkeys(names, count))], dtype=np.int64)
    if not len(table):
        raise InputError(f"{path}: holds no request")
    output, arrival, end, latency, ttft, tpot = table.T
    seconds = float(end.max() - arrival.min()) / 1e9
    throughput = int(output.sum()) / seconds if seconds else 0.0
    return Latencies(ttft / 1e9, tpot[output > 1] / 1e9, latency / 1e9, throughput)
