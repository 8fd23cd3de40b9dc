"""Vidur profiling CSV."""

from __future__ import annotations

from pathlib import Path

import pytest

from proctor.errors import InputError
from proctor.serving.importers.models import known_model
from proctor.serving.importers.vidur import BLOCK_OPS, attention_points, derive_from_vidur, linear_ns
from proctor.serving.simulator.costs import CostTable

MODEL = known_model("Llama-3.1-8B")
SHAPE = "32,8,4096,14336"
MLP_HEADER = ",".join(
    [
        *(f"time_stats.{op}.median" for op in ("emb", *BLOCK_OPS)),
        "n_head,n_kv_head,n_embd,n_expanded_embd,num_tokens,num_tensor_parallel_workers",
    ]
)
ATTENTION_HEADER = (
    "time_stats.attn_prefill.median,time_stats.attn_decode.median,time_stats.attn_kv_cache_save.median,"
    "n_embd,num_tensor_parallel_workers,batch_size,prefill_chunk_size,kv_cache_size"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A complete folder in Vidur's layout; every op takes 0.001 ms per token."""
    rows = [f"{','.join([str(tokens / 1000)] * 10)},{SHAPE},{tokens},1" for tokens in (1, 4096)]
    (tmp_path / "mlp.csv").write_text("\n".join([MLP_HEADER, *rows]) + "\n")
    prefills = [f"{0.01 + q * (100 + kv) / 1e6},,0.002,4096,1,1,{q},{kv}" for q in (16, 2048) for kv in (0, 16384)]
    decodes = [f"nan,{0.01 + n * kv / 1e6},0.001,4096,1,{n},0,{kv}" for n in (1, 64) for kv in (16, 16384)]
    (tmp_path / "attention.csv").write_text("\n".join([ATTENTION_HEADER, *prefills, *decodes]) + "\n")
    return tmp_path


def test_a_complete_folder_becomes_a_working_table(folder):
    """By hand: 64 decodes at 1000 cached tokens take 64 * 0.001 ms per op, attention 0.011 + 0.064 ms per layer."""
    table = CostTable(derive_from_vidur(folder).texts)
    linear_part = 64 * 1_000 * (1 + 32 * 9)
    attention_part = 32 * (11_000 + 64 * 1_000)
    assert table.step([(1, 1000)] * 64) == pytest.approx(linear_part + attention_part, rel=1e-2)


def test_points_carry_the_kv_write_and_average_repeats(folder):
    """Two measurements of one point at 0.031 and 0.051 ms, KV write 0.002 ms."""
    with (folder / "attention.csv").open("a") as file:
        file.write(
            "0.031,,0.002,4096,1,1,64,0\n0.051,,0.002,4096,1,1,64,0\n0.9,,0,4096,1,7,64,0\n0.9,,0,4096,2,1,64,0\n"
        )
    assert attention_points(folder / "attention.csv", MODEL)[64, 0, 0, 0] == 43_000


def test_published_measurements_give_the_linear_part(shared):
    """A100, Llama-3-8B: medians of the row of 128 tokens in mlp.csv, summed by awk: emb 0.009, block 0.412 ms."""
    path = shared / "validation/vidur/profiling/compute/a100/meta-llama/Meta-Llama-3-8B/mlp.csv"
    found = linear_ns(path, MODEL)
    assert found[128] == 1_000 * (9 + 32 * 412)
    assert sorted(found.values()) == list(found.values())


def test_the_published_checkout_lacks_attention_and_says_so(shared):
    """mlp.csv alone makes no cost table."""
    folder = shared / "validation/vidur/profiling/compute/a100/meta-llama/Meta-Llama-3-8B"
    with pytest.raises(InputError, match=r"attention.csv: no such file"):
        derive_from_vidur(folder)


@pytest.mark.parametrize(
    ("name", "find", "replacement", "message"),
    [
        ("mlp.csv", "time_stats.mlp_act.median", "mlp_act", "mlp.csv line 1: missing column time_stats.mlp_act.median"),
        ("mlp.csv", "32,8,4096", "32,8,8192", "no known model; pass --model-config FILE"),
        ("mlp.csv", "0.001", "-0.001", "mlp.csv line 2: time_stats.emb.median: expected 0 or more"),
        ("attention.csv", "batch_size", "batch", "attention.csv line 1: missing column batch_size"),
        ("attention.csv", "4096,1,1,16", "5120,1,1,16", "attention.csv line 2: n_embd: 5120 is not meta-llama"),
        ("attention.csv", "nan,", "soon,", "attention.csv line 6: time_stats.attn_prefill.median: expected ms"),
    ],
)
def test_bad_files_are_named_with_line_and_column(folder, name, find, replacement, message):
    """Missing columns, other models, negative times."""
    path = folder / name
    path.write_text(path.read_text().replace(find, replacement))
    with pytest.raises(InputError, match=message):
        derive_from_vidur(folder)


def test_an_unmeasured_degree_is_an_error(folder):
    """Nothing is scaled by guess."""
    with pytest.raises(InputError, match="num_tensor_parallel_workers: no row was measured with 4"):
        derive_from_vidur(folder, tp=4)


def test_both_kinds_of_attention_rows_are_needed(folder):
    """Decodes alone give no prefill row."""
    path = folder / "attention.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], *lines[5:]]) + "\n")
    with pytest.raises(InputError, match="expected both prefill and decode rows"):
        derive_from_vidur(folder)
