"""Step costs from a bundle."""

from __future__ import annotations

from pathlib import Path
from random import Random
from time import process_time

import pytest

from proctor.serving.importers.collectives import Link, all_reduce_ns
from proctor.serving.importers.llmservingsim import LookupCosts, lookup_costs
from proctor.serving.importers.models import model_from_config

BUNDLES = {
    "RTX4090/meta-llama/Llama-3.1-8B/bf16": (1, 1),
    "RTXPRO6000/meta-llama/Llama-3.1-8B/bf16": (1, 1),
    "RTXPRO6000/Qwen/Qwen3-32B/bf16": (2, 1),
    "RTXPRO6000/Qwen/Qwen3-30B-A3B-Instruct-2507/bf16": (1, 2),
}


@pytest.fixture
def costs(bundle: Path, model_config: Path) -> LookupCosts:
    """Costs of the toy bundle."""
    return lookup_costs(bundle, model_from_config("tiny", model_config))


def test_a_step_is_the_sum_of_its_layers(costs):
    """By hand: two decodes and a chunk of 30 in the toy bundle, where every time is linear.

    32 tokens: embedding and final norm once, eight dense layers in each of 3 blocks, 33 us each. 3 requests: two head
    layers of 13 us. Attention per block: 2 + 0.3 + 0.001 * 30 * 64 / 64 + 2 * (0.1 + 0.15) = 2.83 us.
    """
    batch = [(1, 100), (30, 64), (1, 200)]
    assert costs.step(batch) == (2 + 3 * 8) * 33_000 + 2 * 13_000 + 3 * 2_830


def test_one_token_of_a_prefill_counts_as_a_decode(costs):
    """The measured grid knows only the query length."""
    assert costs.attention_ns([(1, 500)]) == 2_000 + 600


def test_padding_touches_neither_attention_nor_head(costs):
    """A member of a lock-step group runs its token-wise layers for the largest member's tokens."""
    batch = [(1, 100)]
    assert costs.padded(batch, 101) - costs.step(batch) == (2 + 3 * 8) * 100_000
    assert costs.padded(batch, 1) == costs.step(batch)


def test_tensor_parallelism_adds_two_all_reduces_per_block(make_bundle, model_config):
    """After the attention output and after the MLP, of tokens * hidden * 2 bytes."""
    model, link = model_from_config("tiny", model_config), Link(10**9, 500)
    alone = lookup_costs(make_bundle("one"), model)
    pair = lookup_costs(make_bundle("two", tp=2), model, tp=2, link=link)
    batch = [(40, 0)]
    assert pair.step(batch) - alone.step(batch) == 3 * 2 * all_reduce_ns(2, 40 * 64 * 2, link)


def test_layers_that_do_not_depend_on_the_degree_come_from_one_gpu(make_bundle, model_config):
    """tp1 lists the norm at another price: the tp2 costs take it; a matrix at another price they do not."""
    folder = make_bundle("both", tp=2)
    model = model_from_config("tiny", model_config)
    before = lookup_costs(folder, model, tp=2).step([(1, 0)])
    (folder / "tp1").mkdir()
    (folder / "tp1" / "dense.csv").write_text("layer,tokens,time_us\nlayernorm,1,102\nqkv_proj,1,9999\n")
    assert lookup_costs(folder, model, tp=2).step([(1, 0)]) - before == 3 * 2 * 100_000


def test_uneven_decodes_cost_more_by_the_bucket_alpha_else_the_default(bundle, model_config):
    """t = t(mean) + alpha (t(max) - t(mean)): kv 0 and 1000 against 500 and 500; the chunk of 7 has no bucket."""
    (bundle / "meta.yaml").write_text(
        "model: tiny/tiny\nhardware: TOY\nskew_fit:\n  enabled: true\n  bucket_axes:\n"
        "    {n_bins: [0, 4, 9], n_labels: [few, many], skew_rate_bins: [-0.01, 0.4, 1.01],\n"
        "     skew_rate_labels: [low, high], kv_big_bins: [0, 999, 9999], kv_big_labels: [short, long],\n"
        "     kp_bins: [-1, 0, 99], kp_labels: [none, some]}\n"
        "  per_tp: {1: {alpha_default: 0.25, bucket_table: tp1/skew_fit.csv}}\n"
    )
    (bundle / "tp1" / "skew_fit.csv").write_text(
        "pc,n_label,skew_rate_label,kv_big_label,kp_label,alpha,n_samples\n0,few,high,long,none,0.5,4\n"
    )
    costs = lookup_costs(bundle, model_from_config("tiny", model_config))
    even, uneven = [(1, 500), (1, 500)], [(1, 0), (1, 1000)]
    assert costs.attention_ns(uneven) - costs.attention_ns(even) == 0.5 * 2 * 500
    assert costs.attention_ns([*uneven, (7, 0)]) - costs.attention_ns([*even, (7, 0)]) == 0.25 * 2 * 500
    assert costs.attention_ns([(1, 0), (1, 500)]) - costs.attention_ns([(1, 250), (1, 250)]) == 0.25 * 2 * 250


@pytest.mark.parametrize("bundle_path", BUNDLES)
def test_measured_bundles_price_large_steps_in_microseconds_of_wall_time(shared, bundle_path):
    """A whole run has thousands of steps of 50 to 128 requests; at 200 us each it would still take under a second."""
    tp, ep = BUNDLES[bundle_path]
    costs = lookup_costs(shared / "validation" / "llmservingsim_profiles" / bundle_path, tp=tp, ep=ep)
    random = Random(1)
    batches = [[(1, random.randrange(50, 3000)) for _ in range(100)] for _ in range(200)]
    started = process_time()
    durations = [costs.step(batch) for batch in batches]
    assert process_time() - started < 200 * 200e-6
    assert all(10e6 < duration < 100e6 for duration in durations)
