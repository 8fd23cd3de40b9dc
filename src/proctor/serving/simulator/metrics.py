"""Latencies, their percentiles, and execution records."""

from collections.abc import Sequence
from typing import Any

from .replica import Call


def percentile(values: Sequence[int], percent: int) -> int:
    """Nearest-rank percentile: of n sorted values the one at rank ceil(percent / 100 * n)."""
    ordered = sorted(values)
    return ordered[-(-percent * len(ordered) // 100) - 1]


def latency(call: Call, metric: str) -> int:
    """From the arrival to the last token (e2e) or to the first token (ttft)."""
    end = call.first_ns if metric == "ttft" else call.end_ns
    return end - call.request.arrival_ns


def summary(calls: Sequence[Call], metric: str) -> dict[str, int]:
    """Median, p95 and mean latency of the measured requests, in nanoseconds."""
    values = [latency(call, metric) for call in calls if call.request.measured]
    return {
        "p50": percentile(values, 50),
        "p95": percentile(values, 95),
        "mean": sum(values) // len(values),
    }


def request_row(call: Call) -> dict[str, Any]:
    """One line of the execution records."""
    request = call.request
    row: dict[str, Any] = {
        "request": request.id,
        "measured": request.measured,
        "arrival_ns": request.arrival_ns,
        "prompt_tokens": request.prompt_tokens,
        "output_tokens": request.output_tokens,
        "replica": call.replica,
        "prefix_hit_tokens": call.hit,
        "first_token_ns": call.first_ns,
        "end_ns": call.end_ns,
    }
    if call.preemptions:
        row["preemptions"] = call.preemptions
    if call.sent_ns >= 0:
        row |= {"prefill_replica": call.source, "sent_ns": call.sent_ns, "landed_ns": call.landed_ns}
    return row
