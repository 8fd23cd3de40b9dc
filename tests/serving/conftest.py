"""Systems small enough to work out by hand, and a small profile bundle to price a step with and to break."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from proctor.serving.simulator.config import Config
from proctor.serving.simulator.simulate import simulate
from proctor.serving.simulator.workload import from_rows

CONFIG = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 100,
}
META = {"model": "tiny/tiny", "hardware": "TOY", "gpu": "Toy", "variant": "bf16"}
LAYERS = (
    "embedding",
    "layernorm",
    "qkv_proj",
    "rotary_emb",
    "o_proj",
    "gate_up_proj",
    "act_fn",
    "down_proj",
    "final_layernorm",
)


def attention_us(prefill: int, kv_prefill: int, decodes: int, kv_decode: int) -> float:
    """The toy kernel; linear along each axis, so that interpolation is exact."""
    return 2 + 0.01 * prefill + 0.001 * prefill * kv_prefill / 64 + decodes * (0.1 + kv_decode / 1000)


def write_bundle(folder: Path, tp: int = 1) -> Path:
    """A bundle of the toy model at one tensor-parallel degree."""
    tables = folder / f"tp{tp}"
    tables.mkdir(parents=True)
    (folder / "meta.yaml").write_text("".join(f"{key}: {value}\n" for key, value in META.items()))
    dense = [f"{layer},{tokens},{1 + tokens}" for layer in LAYERS for tokens in (1, 2048)]
    (tables / "dense.csv").write_text("\n".join(["layer,tokens,time_us", *dense]) + "\n")
    heads = [f"{layer},{n},{10 + n}" for layer in ("lm_head", "sampler") for n in (1, 256)]
    (tables / "per_sequence.csv").write_text("\n".join(["layer,sequences,time_us", *heads]) + "\n")
    points = [
        (q, kv, n, kd) for q in (0, 2048) for kv in (0, 16384) for n in (0, 1, 256) for kd in (0, 16384) if q or n
    ]
    rows = [",".join(map(str, (*point, attention_us(*point)))) for point in points]
    header = "prefill_chunk,kv_prefill,n_decode,kv_decode,time_us"
    (tables / "attention.csv").write_text("\n".join([header, *rows]) + "\n")
    return folder


@pytest.fixture
def make_bundle(tmp_path: Path) -> Callable[..., Path]:
    """Writes a toy bundle of one tensor-parallel degree under a name."""
    return lambda name, tp=1: write_bundle(tmp_path / name, tp)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """The folder of the toy bundle, without tensor parallelism."""
    return write_bundle(tmp_path / "bundle")


@pytest.fixture
def model_config(tmp_path: Path) -> Path:
    """The toy model's Hugging Face config.json."""
    path = tmp_path / "tiny.json"
    path.write_text(json.dumps(CONFIG))
    return path


class TokenCosts:
    """A step takes 1,000 ns and 10 ns for each of its query tokens."""

    def step(self, batch):
        return 1000 + 10 * sum(q for q, _ in batch)


@pytest.fixture(scope="session")
def row():
    """Makes a row of a workload; a prompt given as a number shares nothing with others."""

    def make(name, prompt, output, at=0, **more):
        prompt = [[f"prompt of {name}", prompt]] if isinstance(prompt, int) else prompt
        return {"id": name, "arrival_ns": at, "prompt": prompt, "output_tokens": output, **more}

    return make


@pytest.fixture(scope="session")
def serve():
    """Serves rows on one replica with room for everything, or on what else is asked for, and records the steps."""

    def run(rows, design=None, costs=None, **changes):
        settings = {"replicas": 1, "kv_blocks": 1000, "max_num_batched_tokens": 2048, "max_num_seqs": 256}
        return simulate(Config(**settings | changes), costs or TokenCosts(), from_rows(rows), design, record_steps=True)

    return run


@pytest.fixture(scope="session")
def items():
    """The batches of a run as text, a step each: `request:query tokens@cached tokens`."""

    def read(run, replica=0):
        steps = [step["items"] for step in run.steps if step["step_on"] == replica]
        return [" ".join(f"{name}:{q}@{kv}" for name, q, kv in step) for step in steps]

    return read
