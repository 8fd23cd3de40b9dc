"""The additive cost table of a bundle."""

from __future__ import annotations

import csv
import importlib.util
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from proctor.serving import profiles
from proctor.serving.importers.additive import KVS, QUERIES, Derived, derive, reference_traffic
from proctor.serving.importers.collectives import Link, all_reduce_ns
from proctor.serving.importers.llmservingsim import LookupCosts, lookup_costs
from proctor.serving.importers.models import model_from_config
from proctor.serving.simulator.config import Config
from proctor.serving.simulator.costs import CostTable
from proctor.serving.simulator.simulate import simulate

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def measured(shared: Path) -> LookupCosts:
    """Llama-3.1-8B on the RTX PRO 6000: a bundle with skew and a ragged grid."""
    return lookup_costs(shared / "validation/llmservingsim_profiles/RTXPRO6000/meta-llama/Llama-3.1-8B/bf16")


@pytest.fixture(scope="session")
def derived(measured: LookupCosts) -> Derived:
    """Its additive table."""
    return derive(measured)


def table(derived: Derived, name: str) -> dict[str, list[int]]:
    """Rows of one text by their first cell."""
    rows = list(csv.reader(derived.texts[name].splitlines()))[1:]
    return {row[0]: [int(cell) for cell in row[1:]] for row in rows}


def test_the_shipped_tables_are_what_the_script_derives(shared, tmp_path):
    """Byte for byte, provenance included; the script writes exactly the shipped profiles."""
    spec = importlib.util.spec_from_file_location("derive_profiles", ROOT / "scripts" / "derive_profiles.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.main(shared / "validation" / "llmservingsim_profiles", tmp_path)
    assert tuple(sorted(path.name for path in tmp_path.iterdir())) == profiles.names()
    for name in profiles.names():
        shipped = profiles.texts(name) | {"provenance.json": profiles.provenance(name)}
        assert {path.name: path.read_text() for path in (tmp_path / name).iterdir()} == shipped


def test_cells_far_from_the_noise_follow_the_formulae(derived):
    """Where the grid rises by itself, smoothing changes nothing. Values by hand from lines of attention.csv, in us:

    launch 7.72233; a(0, 0, 32, 1024) = 119.286; a(512, 1024, 0, 0) = 67.0183; a(512, 1024, 32, 1024) = 213.451;
    a(2048, 1024, 0, 0) = 297.675.
    """
    rows = table(derived, "attention.csv")
    column = KVS.index(1024)
    assert rows["1"][column] == 3_486  # (119286 - 7722) / 32 = 3486.4
    assert rows["1+"][column] == 4_576  # (213451 - 67018) / 32 = 4576.0
    assert rows["2048"][column] == 297_675 - 7_722


def test_tables_rise_along_both_axes_and_no_row_lies_below_decode(derived):
    """What a reader of the table expects of attention, and what keeps perturbed look-ups readable."""
    rows = table(derived, "attention.csv")
    prefill = [rows[str(q)] for q in QUERIES]
    assert all(row == sorted(row) for row in rows.values())
    assert all(list(column) == sorted(column) for column in zip(rows["1"], *prefill, strict=True))
    assert all(low <= high for low, high in zip(rows["1"], rows["1+"], strict=True))
    assert min(rows["1"]) >= 0


def test_host_time_closes_the_gap_to_the_look_up_costs(measured, derived):
    """On the reference traffic the table's steps take as long in total as the look-up costs', to half a host unit."""
    additive = CostTable(derived.texts)
    totals = {"lookup": 0, "additive": 0}

    class Both:
        def step(self, batch):
            durations = {"lookup": measured.step(batch), "additive": additive.step(batch)}
            for name, duration in durations.items():
                totals[name] += duration
            return durations["lookup"]

    run = simulate(Config(1, 10**6, 2048, 128), Both(), reference_traffic())
    assert abs(totals["lookup"] - totals["additive"]) <= 5_000 * run.step_count


def test_a_linear_kernel_needs_no_host_time(bundle, model_config):
    """The toy kernel is additive up to its interpolation corner, so nothing is left to close."""
    derived = derive(lookup_costs(bundle, model_from_config("tiny", model_config)))
    constants = table(derived, "constants.csv")
    assert constants["layers"] == [3]
    assert constants["host_ns"][0] < 300_000


def test_two_gpus_put_the_all_reduce_into_the_linear_part(shared):
    """Qwen3-32B at degree 2: two reductions of tokens * 5120 * 2 bytes in each of 64 layers; a faster link changes

    nothing else.
    """
    path = shared / "validation/llmservingsim_profiles/RTXPRO6000/Qwen/Qwen3-32B/bf16"
    slow, fast = Link(16 << 30, 20_000), Link(64 << 30, 5_000)
    before, after = (derive(lookup_costs(path, tp=2, link=link)) for link in (slow, fast))
    for tokens in (1, 2048):
        gain = all_reduce_ns(2, tokens * 10_240, slow) - all_reduce_ns(2, tokens * 10_240, fast)
        linear = [table(derived, "linear.csv")[str(tokens)][0] for derived in (before, after)]
        assert linear[0] - linear[1] == 2 * 64 * gain
    for name in ("attention.csv", "head.csv", "constants.csv"):
        assert before.texts[name] == after.texts[name]
    assert before.provenance["parallelism"]["tensor"] == 2


def test_provenance_says_where_every_number_comes_from(derived):
    """Versioned, with the digest of each file that was read, and JSON."""
    provenance: Mapping[str, object] = json.loads(json.dumps(derived.provenance))
    assert provenance["version"] == 1
    assert provenance["gpu"] == "NVIDIA RTX PRO 6000 Blackwell Server Edition"
    digests = provenance["files_sha256"]
    assert isinstance(digests, dict)
    assert set(digests) == {
        "meta.yaml",
        "tp1/attention.csv",
        "tp1/dense.csv",
        "tp1/per_sequence.csv",
        "tp1/skew_fit.csv",
    }
