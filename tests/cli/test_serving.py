"""`proctor serving`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from proctor.cli.serving import serving_app
from proctor.errors import InputError
from proctor.serving import profiles


def invoke(*arguments):
    """The command's result; errors of ours pass through."""
    return CliRunner().invoke(serving_app, [str(argument) for argument in arguments], catch_exceptions=False)


@pytest.fixture
def dense(shared: Path) -> list[object]:
    """The options that name the RTX PRO 6000 run of Llama-3.1-8B."""
    root = shared / "validation"
    return [
        *("--bundle", root / "llmservingsim_profiles/RTXPRO6000/meta-llama/Llama-3.1-8B/bf16"),
        *("--bench", root / "vllm_bench/RTXPRO6000/Llama-3.1-8B"),
        *("--workload", root / "workloads/sharegpt-llama-3.1-8b-300-sps10.compact.jsonl"),
    ]


@pytest.mark.parametrize("tables", ["lookup", "additive"])
def test_validate_prints_signed_errors_as_json(dense, tables):
    """The shape that scripts rely on."""
    result = invoke("validate", *dense, "--tables", tables, "--json")
    found = json.loads(result.stdout)
    assert result.exit_code == 0
    assert found["tables"] == tables
    assert -5 < found["errors_pct"]["e2e"]["p95"] < 0 < found["errors_pct"]["throughput"]


def test_validate_prints_a_table(dense):
    """A row per statistic, with measured and simulated values: mean E2E of vLLM is 28,200.7 ms (summary.txt)."""
    result = invoke("validate", *dense)
    assert "E2E mean (ms)" in result.stdout
    assert "28,200.7" in result.stdout
    assert len(result.stdout.splitlines()) == 1 + 14 + 1


@pytest.mark.slow
def test_accuracy_compares_all_runs_with_llmservingsim(shared):
    """Three runs, three sources each."""
    found = json.loads(invoke("accuracy", "--shared", shared, "--json").stdout)
    assert {tuple(run["errors_pct"]) for run in found["runs"]} == {("lookup", "additive", "llmservingsim")}
    assert len(found["runs"]) >= 3


def test_import_profile_writes_the_shipped_table(shared, tmp_path):
    """Four tables and their provenance, where a shipped profile came from the same bundle."""
    out = tmp_path / "new" / "table"
    bundle = shared / "validation/llmservingsim_profiles/RTX4090/meta-llama/Llama-3.1-8B/bf16"
    result = invoke("import-profile", bundle, "--out", out, "--link-latency-ns", 1000)
    assert result.exit_code == 0
    assert profiles.texts(str(out)) == profiles.texts("rtx4090-llama-3.1-8b")
    assert (out / "provenance.json").read_text() == profiles.provenance("rtx4090-llama-3.1-8b")


def test_a_place_that_cannot_be_written_is_an_input_error(shared, tmp_path):
    """A file stands where the folder should go."""
    (tmp_path / "taken").write_text("")
    bundle = shared / "validation/llmservingsim_profiles/RTX4090/meta-llama/Llama-3.1-8B/bf16"
    with pytest.raises(InputError, match="taken: cannot be written"):
        invoke("import-profile", bundle, "--out", tmp_path / "taken")


def test_an_unknown_model_asks_for_its_config(tmp_path):
    """The dimensions of three models ship, no others."""
    (tmp_path / "meta.yaml").write_text("{model: nobody/nothing, hardware: TOY}")
    with pytest.raises(InputError, match=r"pass its Hugging Face config.json with --model-config FILE"):
        invoke("import-profile", tmp_path, "--out", tmp_path / "out")


@pytest.mark.parametrize("command", ["validate", "accuracy", "import-profile"])
def test_every_command_shows_examples(command):
    """Help that can be copied."""
    assert f"proctor serving {command}" in invoke(command, "--help").stdout


LONG = "x" * 5000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["import-profile", LONG, "--out", "out"], "x: no such folder; expected a profile bundle"),
        (["validate", "--bundle", LONG, "--bench", LONG, "--workload", LONG], "x: no such folder; expected"),
        (["accuracy", "--shared", LONG], "vllm_bench: no such folder"),
        (["run", LONG, LONG], "x: File name too long"),
    ],
)
def test_a_path_that_no_file_system_takes_is_an_input_error(arguments, message):
    """5,000 characters."""
    with pytest.raises(InputError, match=message):
        invoke(*arguments)


@pytest.mark.parametrize("rate", ["inf", "nan", "-1", "0", "1e308"])
def test_the_rate_of_a_link_is_a_sound_number(tmp_path, rate):
    """Infinite, not a number, negative, zero and beyond any link."""
    with pytest.raises(InputError, match=r"--link-gib-per-s: expected GiB per second from 0\.001 to 1000000, found"):
        invoke("import-profile", tmp_path, "--out", tmp_path / "out", "--link-gib-per-s", rate)


def test_a_dense_model_has_no_experts_to_share(shared, tmp_path):
    """--ep without experts would change nothing, silently; in Vidur's format there are never any."""
    bundle = shared / "validation/llmservingsim_profiles/RTX4090/meta-llama/Llama-3.1-8B/bf16"
    with pytest.raises(InputError, match=r"expert parallelism 3: .*Llama-3.1-8B has no experts; expected"):
        invoke("import-profile", bundle, "--out", tmp_path / "out", "--ep", 3)
    (tmp_path / "mlp.csv").write_text("")
    with pytest.raises(InputError, match="expert parallelism 3: a model in Vidur's format has no experts"):
        invoke("import-profile", tmp_path, "--out", tmp_path / "out", "--ep", 3)
