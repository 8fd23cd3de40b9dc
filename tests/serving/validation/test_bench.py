"""Reading measured runs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from proctor.errors import InputError
from proctor.serving.importers.models import known_model
from proctor.serving.validation.bench import open_bench

LLAMA = known_model("Llama-3.1-8B")
INSTANCE = {
    "model_name": "meta-llama/Llama-3.1-8B",
    "hardware": "RTX4090",
    "npu_mem": {"mem_size": 24, "mem_util": 0.833919},
}
META = {"engine_kwargs": {"max_num_seqs": 256, "max_num_batched_tokens": 2048}}
REQUEST = {
    "request_id": "bench-0",
    "input_toks": 5,
    "output_toks": 3,
    "queued_ts": 1.0,
    "first_token_ts": 2.0,
    "last_token_ts": 4.0,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A measured run of one request."""
    write(tmp_path, "config.json", {"nodes": [{"instances": [INSTANCE]}]})
    write(tmp_path, "meta.json", META)
    write(tmp_path, "requests.jsonl", REQUEST)
    return tmp_path


def read_all(folder):
    """Everything that validation reads of a measured run."""
    bench = open_bench(folder)
    return bench.config(LLAMA), bench.measured()


def write(folder, name, content):
    """One JSON value in one line."""
    (folder / name).write_text(json.dumps(content) + "\n")


def test_kv_blocks_follow_from_memory_and_weights(folder):
    """LLMServingSim's authors chose mem_util 0.833919 to give the 2,588 blocks that vLLM reported on the RTX 4090."""
    assert open_bench(folder).config(LLAMA).kv_blocks == 2588


def test_kv_blocks_that_the_engine_reported_win(folder):
    """A measurement beats a formula."""
    write(folder, "meta.json", META | {"kv_cache": {"num_gpu_blocks": 77}})
    assert open_bench(folder).config(LLAMA).kv_blocks == 77


def test_two_instances_that_share_experts_step_together(folder):
    """Without a group, or without shared experts, they are independent."""
    write(folder, "meta.json", {"engine_kwargs": META["engine_kwargs"] | {"data_parallel_size": 2}})
    for change, together in (
        ({"dp_group": "A", "ep_size": 2}, True),
        ({"dp_group": "A"}, False),
        ({"ep_size": 2}, False),
    ):
        write(folder, "config.json", {"nodes": [{"instances": [INSTANCE | change] * 2}]})
        assert open_bench(folder).lock_step is together


def test_tensor_parallel_degree_defaults_to_the_gpus_of_the_instance(folder):
    """As LLMServingSim reads it; KV memory per token halves."""
    write(folder, "meta.json", {"engine_kwargs": META["engine_kwargs"] | {"tensor_parallel_size": 2}})
    write(folder, "config.json", {"nodes": [{"instances": [INSTANCE | {"num_npus": 2}]}]})
    bench = open_bench(folder)
    assert bench.instance.tp == 2
    assert bench.config(LLAMA).kv_bytes_per_token == 65_536


BAD = [
    ("config.json", {"nodes": []}, "config.json: instances: expected one or more"),
    ("config.json", {"nodes": [{"instances": [INSTANCE, INSTANCE | {"hardware": "H100"}]}]}, "that are all alike"),
    ("config.json", {"nodes": [{"instances": [INSTANCE | {"pp_size": 2}]}]}, "pp_size: pipeline parallelism"),
    ("config.json", {"nodes": [{"instances": [INSTANCE | {"pd_type": "prefill"}]}]}, "pd_type: separate prefill"),
    (
        "config.json",
        {"nodes": [{"instances": [INSTANCE | {"tp_size": 2}]}]},
        "tensor_parallel_size: 1, but config.json",
    ),
    ("config.json", {"nodes": [{"instances": [INSTANCE] * 2}]}, "data_parallel_size: 1, but config.json describes 2"),
    ("config.json", {"nodes": [{"instances": [{**INSTANCE, "npu_mem": {"mem_size": -1}}]}]}, "mem_size"),
    ("config.json", {"nodes": [{"instances": [{**INSTANCE, "npu_mem": {"mem_size": 16}}]}]}, "leave no KV memory"),
    ("config.json", [], "config.json: the whole file"),
    ("meta.json", {}, "meta.json: engine_kwargs: field required"),
    ("meta.json", {"engine_kwargs": {"max_num_seqs": 0}}, "engine_kwargs.max_num_seqs"),
    ("meta.json", META | {"kv_cache": {"block_size": 32}}, "kv_cache.block_size: expected 16, found 32"),
    ("requests.jsonl", REQUEST | {"request_id": "r7"}, "line 1: request_id: expected bench-<line of the workload>"),
    ("requests.jsonl", REQUEST | {"first_token_ts": 0.5}, "line 1: expected queued_ts <= first_token_ts"),
    ("requests.jsonl", REQUEST | {"last_token_ts": float("nan")}, "line 1: last_token_ts: expected a finite number"),
    ("requests.jsonl", REQUEST | {"output_toks": 0}, "line 1: output_toks"),
    ("requests.jsonl", {"request_id": "bench-0"}, "line 1: missing field queued_ts"),
]


@pytest.mark.parametrize(("name", "content", "message"), BAD)
def test_a_bad_file_is_one_line_that_names_file_and_field(folder, name, content, message):
    """Whatever cannot be simulated alike, or is no valid measurement."""
    write(folder, name, content)
    with pytest.raises(InputError, match=message) as raised:
        read_all(folder)
    assert "\n" not in str(raised.value)


def test_a_request_that_stands_twice_is_named(folder):
    """Line numbers of the workload are unique."""
    path = folder / "requests.jsonl"
    path.write_text(path.read_text() * 2)
    with pytest.raises(InputError, match="line 2: request_id: bench-0 stands twice"):
        open_bench(folder).measured()


def test_a_run_without_requests_is_an_error(folder):
    """Nothing to compare with."""
    (folder / "requests.jsonl").write_text("\n")
    with pytest.raises(InputError, match="holds no request"):
        open_bench(folder).measured()


@pytest.mark.parametrize("name", ["config.json", "meta.json", "requests.jsonl"])
def test_a_missing_file_is_named(folder, name):
    """All three are needed."""
    (folder / name).unlink()
    with pytest.raises(InputError, match=f"{name}: no such file"):
        open_bench(folder).measured()


def test_a_missing_folder_says_what_it_should_hold(folder):
    """The usual first mistake."""
    shutil.rmtree(folder)
    with pytest.raises(InputError, match=r"expected config.json, meta.json and requests.jsonl"):
        open_bench(folder)
