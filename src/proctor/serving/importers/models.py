"""What a step computes: the layers of a model, in order, and their dimensions.

Dimensions use the field names of a Hugging Face `config.json`. The few models that measured bundles exist for ship in
`profiles/models`; any other one comes from a file.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, ConfigDict, PositiveInt

from proctor.errors import InputError
from proctor.serving.importers.reading import checked, json_file

BYTES = 2
"""bf16 weights, activations and KV entries: the only precision of the measured bundles."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """Layer names of one step: `prologue` once, `block` once per decoder layer, `head` once, on sampled positions.

    A name that stands twice in `block` runs twice. The attention kernel runs once per block and is not listed.
    `stable` layers cost the same at every tensor-parallel degree.
    """

    prologue: tuple[str, ...]
    block: tuple[str, ...]
    head_tokens: tuple[str, ...]
    head: tuple[str, ...]
    stable: frozenset[str]
    moe: bool = False


_ATTENTION = ("layernorm", "qkv_proj", "rotary_emb", "o_proj", "layernorm")
_ATTENTION_QK_NORM = ("layernorm", "qkv_proj", "qk_norm", "rotary_emb", "o_proj", "layernorm")
_GATED_MLP = ("gate_up_proj", "act_fn", "down_proj")
_STABLE = frozenset({"layernorm", "qk_norm", "final_layernorm", "sampler"})


def _architecture(block: tuple[str, ...], moe: bool = False) -> Architecture:
    return Architecture(("embedding",), block, ("final_layernorm",), ("lm_head", "sampler"), _STABLE, moe)


ARCHITECTURES = {
    "llama": _architecture(_ATTENTION + _GATED_MLP),
    "qwen3": _architecture(_ATTENTION_QK_NORM + _GATED_MLP),
    "qwen3_moe": _architecture(_ATTENTION_QK_NORM, moe=True),
}
REDUCED = frozenset({"o_proj", "down_proj"})
"""Row-parallel layers: under tensor parallelism each is followed by an all-reduce of its output."""


class HuggingFaceConfig(BaseModel):
    """The fields of a Hugging Face `config.json` that fix sizes. Others are ignored."""

    model_config = ConfigDict(frozen=True)
    model_type: str
    hidden_size: PositiveInt
    intermediate_size: PositiveInt
    num_hidden_layers: PositiveInt
    num_attention_heads: PositiveInt
    num_key_value_heads: PositiveInt | None = None
    head_dim: PositiveInt | None = None
    vocab_size: PositiveInt
    tie_word_embeddings: bool = False
    num_experts: PositiveInt | None = None
    num_experts_per_tok: PositiveInt | None = None
    moe_intermediate_size: PositiveInt | None = None


@dataclass(frozen=True, slots=True)
class Model:
    """Dimensions of one model. Sizes are in elements, not bytes."""

    name: str
    architecture: Architecture
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    vocab: int
    tied: bool
    experts: int
    experts_per_token: int

    def kv_bytes_per_token(self, tp: int = 1) -> int:
        """KV memory of one token on one GPU of a group of `tp`."""
        return 2 * self.kv_heads * self.head_dim * self.layers * BYTES // tp

    def weight_bytes(self, tp: int = 1, ep: int = 1) -> int:
        """Weights on one GPU: matrices split over `tp`, experts over `ep`, norms and the router on every GPU."""
        split = self.layers * self._attention_weights() + self._vocabulary_weights()
        whole = self.layers * self._norm_weights() + self.hidden
        mlp = 3 * self.hidden * self.intermediate * self.layers
        if not self.architecture.moe:
            return BYTES * (whole + (split + mlp) // tp)
        router = self.layers * self.hidden * self.experts
        return BYTES * (whole + router + split // tp + mlp * self.experts // ep)

    def _attention_weights(self) -> int:
        return 2 * self.hidden * (self.heads + self.kv_heads) * self.head_dim

    def _vocabulary_weights(self) -> int:
        return self.vocab * self.hidden * (1 if self.tied else 2)

    def _norm_weights(self) -> int:
        qk_norm = 2 * self.head_dim if "qk_norm" in self.architecture.block else 0
        return 2 * self.hidden + qk_norm


def model_from_config(name: str, path: Path) -> Model:
    """A model from a Hugging Face `config.json`. Raises InputError for missing sizes or an unknown `model_type`."""
    return _model(name, json_file(path, HuggingFaceConfig), str(path))


def check_expert_parallelism(name: str, experts: int, ep: int) -> None:
    """Raises InputError unless `ep` GPUs can share equally the experts of model `name`; a dense one has one MLP."""
    if experts % ep:
        held = f"{experts} experts" if experts > 1 else "no experts"
        raise InputError(f"expert parallelism {ep}: {name} has {held}; expected a divisor of their number, or 1")


@cache
def known_models() -> tuple[str, ...]:
    """Names of the models whose dimensions ship with the package, sorted."""
    return tuple(sorted(_shipped()))


@cache
def known_model(name: str) -> Model:
    """A shipped model by its Hugging Face name (the organisation may be left out)."""
    matches = [full for full in known_models() if name in (full, full.split("/")[-1])]
    if not matches:
        raise InputError(
            f"model {name!r} is not one of {', '.join(known_models())}; pass its Hugging Face config.json "
            "with --model-config FILE"
        )
    config = _shipped()[matches[0]]
    return _model(matches[0], config, matches[0])


@cache
def _shipped() -> dict[str, HuggingFaceConfig]:
    folder = files("proctor.serving.profiles") / "models"
    found = (entry for entry in folder.iterdir() if entry.name.endswith(".json"))
    return {
        entry.name.removesuffix(".json").replace("--", "/"): checked(
            HuggingFaceConfig, json.loads(entry.read_text(encoding="utf-8")), Path(entry.name)
        )
        for entry in found
    }


def _model(name: str, config: HuggingFaceConfig, where: str) -> Model:
    architecture = ARCHITECTURES.get(config.model_type)
    if architecture is None:
        known = ", ".join(ARCHITECTURES)
        raise InputError(f"{where}: model_type: {config.model_type!r} is not supported; expected one of {known}")
    if architecture.moe:
        _check_experts(config, where)
    return Model(
        name=name,
        architecture=architecture,
        layers=config.num_hidden_layers,
        hidden=config.hidden_size,
        heads=config.num_attention_heads,
        kv_heads=config.num_key_value_heads or config.num_attention_heads,
        head_dim=config.head_dim or config.hidden_size // config.num_attention_heads,
        intermediate=(config.moe_intermediate_size if architecture.moe else None) or config.intermediate_size,
        vocab=config.vocab_size,
        tied=config.tie_word_embeddings,
        experts=config.num_experts or 0,
        experts_per_token=config.num_experts_per_tok or 0,
    )


def _check_experts(config: HuggingFaceConfig, where: str) -> None:
    for field in ("num_experts", "num_experts_per_tok", "moe_intermediate_size"):
        if getattr(config, field) is None:
            raise InputError(f"{where}: missing field {field}, which a {config.model_type} model needs")
    if (config.num_experts_per_tok or 0) > (config.num_experts or 0):
        raise InputError(f"{where}: num_experts_per_tok: expected at most num_experts ({config.num_experts})")
