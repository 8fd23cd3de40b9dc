"""The configuration of the modeled system."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Config:
    """All replicas are alike; `metric` is e2e (end-to-end latency) or ttft (time to first token)."""

    replicas: int
    kv_blocks: int
    max_num_batched_tokens: int
    max_num_seqs: int
    nic_bytes_per_s: int = 1_250_000_000
    kv_bytes_per_token: int = 0
    metric: str = "e2e"
