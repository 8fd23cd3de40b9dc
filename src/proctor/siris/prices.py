"""What a model's tokens cost: known, zero or unknown. Unknown under a money limit refuses to start."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import yaml
from inspect_ai.model import ModelCost, ModelInfo, get_model_info, set_model_info
from pydantic import TypeAdapter, ValidationError

from proctor.errors import InputError

FREE = ModelCost(input=0, output=0, input_cache_write=0, input_cache_read=0)


def check_prices(path: Path | None, models: Sequence[str], cost_limit: float | None) -> dict[str, ModelCost] | None:
    """Prices for Inspect's `model_cost_config`, None where nobody gave or needs any.

    `path` is a YAML or JSON file: model -> input, output, input_cache_write, input_cache_read in $ per million tokens.
    Raises InputError for a file that is not so, and for a model without a price under a limit.
    """
    if path is None and cost_limit is None:
        return None
    prices = _read(path) if path else {}
    prices |= {model: FREE for model in models if model.startswith("rule/")}
    for model in models:
        info = get_model_info(model)
        known = model in prices or (info is not None and info.cost is not None)
        if cost_limit is not None and not known:
            raise InputError(f"--cost-limit: the price of {model} is unknown; give it in a file with --prices")
    for model in prices:
        if get_model_info(model) is None:
            set_model_info(model, ModelInfo())
    return prices


def _read(path: Path) -> dict[str, ModelCost]:
    try:
        read = yaml.safe_load(path.read_text(encoding="utf-8"))
        prices = TypeAdapter(dict[str, ModelCost]).validate_python(read)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{path}: cannot read it as YAML ({' '.join(str(error).split())})") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(
            f"{path}: {where}: {first['msg']}; expected, for each model, input, output, input_cache_write and "
            "input_cache_read in $ per million tokens"
        ) from error
    for model, cost in prices.items():
        for name, price in cost:
            if isinstance(price, int | float) and not 0 <= price < math.inf:
                raise InputError(
                    f"{path}: {model}.{name}: {price}; expected $ per million tokens, 0 or more and finite"
                )
    return prices
