"""Model dimensions."""

from __future__ import annotations

import json

import pytest

from proctor.errors import InputError
from proctor.serving.importers.models import check_expert_parallelism, known_model, known_models, model_from_config

# Published parameter counts, as the safetensors indices of the three checkpoints on Hugging Face state them.
PARAMETERS = {
    "meta-llama/Llama-3.1-8B": 8_030_261_248,
    "Qwen/Qwen3-32B": 32_762_123_264,
    "Qwen/Qwen3-30B-A3B-Instruct-2507": 30_532_122_624,
}
KV_BYTES = {  # LLMServingSim's numbers, in notes/simulator.md 1.3
    "meta-llama/Llama-3.1-8B": 131_072,
    "Qwen/Qwen3-32B": 262_144,
    "Qwen/Qwen3-30B-A3B-Instruct-2507": 98_304,
}


@pytest.mark.parametrize("name", known_models())
def test_weights_are_two_bytes_per_published_parameter(name):
    """An independent count: the dimensions we ship give the checkpoint's size to the byte."""
    assert known_model(name).weight_bytes() == 2 * PARAMETERS[name]


@pytest.mark.parametrize("name", known_models())
def test_kv_memory_of_a_token(name):
    """It halves with two tensor-parallel GPUs."""
    assert known_model(name).kv_bytes_per_token() == KV_BYTES[name]
    assert known_model(name).kv_bytes_per_token(2) == KV_BYTES[name] // 2


def test_tensor_parallel_shards_add_up_to_the_model_plus_its_replicated_norms():
    """Qwen3-32B: per layer two norms over the hidden size and two over a head, and the final norm."""
    model = known_model("Qwen/Qwen3-32B")
    norms = 2 * (64 * (2 * 5120 + 2 * 128) + 5120)
    assert 2 * model.weight_bytes(tp=2) == model.weight_bytes() + norms


def test_expert_parallel_shards_split_the_experts_only():
    """All but the experts is on both GPUs."""
    model = known_model("Qwen3-30B-A3B-Instruct-2507")
    experts = 2 * 48 * 128 * 3 * 2048 * 768
    assert model.weight_bytes(ep=2) == model.weight_bytes() - experts // 2


def test_an_unknown_model_says_what_to_pass():
    """The error names the option that helps."""
    with pytest.raises(InputError, match="--model-config FILE"):
        known_model("nobody/nothing")


CONFIG = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 10,
}


def test_a_config_without_kv_heads_or_head_size_takes_the_usual_defaults(tmp_path):
    """As Hugging Face does: every attention head has its own KV, and heads split the hidden size."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG))
    model = model_from_config("mine", path)
    assert (model.kv_heads, model.head_dim) == (4, 16)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hidden_size": None}, "hidden_size"),
        ({"num_hidden_layers": 0}, "num_hidden_layers"),
        ({"num_attention_heads": -4}, "num_attention_heads"),
        ({"model_type": "mamba"}, "'mamba' is not supported; expected one of llama, qwen3, qwen3_moe"),
        ({"model_type": "qwen3_moe"}, "missing field num_experts"),
        (
            {"model_type": "qwen3_moe", "num_experts": 4, "num_experts_per_tok": 8, "moe_intermediate_size": 8},
            "num_experts_per_tok: expected at most num_experts",
        ),
    ],
)
def test_a_bad_config_is_one_line_that_names_file_and_field(tmp_path, change, message):
    """Whatever is wrong, the file's name and the field are in the message."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG | change))
    with pytest.raises(InputError, match=message) as raised:
        model_from_config("mine", path)
    assert "config.json" in str(raised.value)
    assert "\n" not in str(raised.value)


LONG_NUMBER = '{"hidden_size": ' + "9" * 5000 + "}"


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "[1,", '"text"', "NaN", pytest.param(LONG_NUMBER, id="digits"), pytest.param("[" * 10**5, id="[")],
)
def test_a_config_that_is_no_json_object_is_an_input_error(tmp_path, text):
    """No traceback for a wrong file."""
    path = tmp_path / "config.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"config\.json"):
        model_from_config("mine", path)


@pytest.mark.parametrize(("experts", "ep"), [(128, 3), (128, 256), (1, 2)])
def test_experts_are_shared_equally_or_not_at_all(experts, ep):
    """A GPU holds a whole number of experts."""
    with pytest.raises(InputError, match=f"expert parallelism {ep}: m has"):
        check_expert_parallelism("m", experts, ep)
    check_expert_parallelism("m", experts, 1)
