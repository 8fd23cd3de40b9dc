"""What Inspect discovers through the entry point `inspect_ai`."""

from __future__ import annotations

from inspect_ai.model import ModelAPI, modelapi

from proctor.siris.scorer import choices
from proctor.siris.task import siris

__all__ = ["choices", "rule", "siris"]


@modelapi(name="rule")
def rule() -> type[ModelAPI]:
    """Built-in models that follow a rule: `--model rule/follow`."""
    from proctor.siris.review.rules.api import RuleAPI

    return RuleAPI
