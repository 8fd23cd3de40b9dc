"""Latency metrics of a run, and their errors against another run of the same requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
METRICS = ("ttft", "tpot", "e2e")
STATISTICS = ("mean", "p50", "p95", "p99")


@dataclass(frozen=True)
class Latencies:
    """One value per request, in s; `tpot` only for two or more output tokens; `throughput` in output tokens per s."""

    ttft: Floats
    tpot: Floats
    e2e: Floats
    throughput: float

    @classmethod
    def of(cls, arrival: Floats, first: Floats, last: Floats, output: NDArray[np.int64]) -> Latencies:
        """From the instants, in s, at which requests came and got their first and last of `output` tokens.

        ttft = first - arrival, e2e = last - arrival, tpot = (last - first) / (output - 1); throughput is over the time
        from the first arrival to the last token.
        """
        longer = output > 1
        tpot = (last - first)[longer] / (output[longer] - 1)
        seconds = float(last.max() - arrival.min())
        return cls(first - arrival, tpot, last - arrival, int(output.sum()) / seconds if seconds else 0.0)

    def statistics(self) -> dict[str, dict[str, float | None]]:
        """Mean and percentiles, linear between ranks, of each metric in ms; None where no request has the metric."""
        return {metric: _statistics(1000 * getattr(self, metric)) for metric in METRICS}


def _statistics(values: Floats) -> dict[str, float | None]:
    if not len(values):
        return dict.fromkeys(STATISTICS)
    p50, p95, p99 = np.percentile(values, (50, 95, 99))
    return {"mean": float(values.mean()), "p50": float(p50), "p95": float(p95), "p99": float(p99)}


def errors_pct(simulated: Latencies, measured: Latencies) -> dict[str, Any]:
    """Signed errors in percent of `measured`: metric -> statistic -> error, and `throughput` -> error or None."""
    ours, theirs = simulated.statistics(), measured.statistics()
    table: dict[str, Any] = {
        metric: {name: percent(ours[metric][name], theirs[metric][name]) for name in STATISTICS} for metric in METRICS
    }
    return table | {"throughput": percent(simulated.throughput, measured.throughput)}


def percent(value: float | None, reference: float | None) -> float | None:
    """How far `value` lies above `reference`, in percent of it; None where that has no meaning."""
    if value is None or not reference:
        return None
    return 100 * (value - reference) / reference
