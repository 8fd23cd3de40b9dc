"""What Inspect discovers through the entry point `inspect_ai`."""

from __future__ import annotations

from inspect_ai.model import ModelAPI, modelapi

from proctor.siris.annotation_task import identification, siris_annotation
from proctor.siris.scorer import choices
from proctor.siris.task import siris

__all__ = ["choices", "identification", "rule", "siris", "siris_annotation"]


@modelapi(name="rule")
def rule() -> type[ModelAPI]:
    """Built-in models that follow a rule: `--model rule/follow`."""
    from proctor.siris.review.rules.api import RuleAPI

    return RuleAPI
