"""Shipped cost tables."""

from __future__ import annotations

import pytest

from proctor.errors import InputError
from proctor.serving import profiles

NAMES = ("rtx4090-llama-3.1-8b", "rtxpro6000-llama-3.1-8b", "rtxpro6000-qwen3-30b-a3b")


def test_the_three_measured_profiles_ship():
    """One GPU and model each; the folder of model dimensions is none of them."""
    assert profiles.names() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_profile_loads_and_prices_steps_plausibly(name):
    """64 decodes at 1000 cached tokens take 10 to 100 ms on these GPUs; more tokens never cost less."""
    table = profiles.load(name)
    decode = table.step([(1, 1000)] * 64)
    assert 10_000_000 < decode < 100_000_000
    assert decode < table.step([(1, 1000)] * 64 + [(512, 0)]) < table.step([(1, 2000)] * 64 + [(1024, 0)])


def test_an_unknown_profile_names_the_nearest():
    """Did you mean."""
    with pytest.raises(InputError, match="did you mean rtx4090-llama-3.1-8b?"):
        profiles.load("rtx4090-llama3.1-8b")


def test_a_name_like_no_other_lists_them_all():
    """Without a near match the choice is shown."""
    with pytest.raises(InputError, match=f"expected one of {', '.join(NAMES)}"):
        profiles.texts("tpu")
    with pytest.raises(InputError):
        profiles.texts("models")
