"""Mixture-of-experts layer on one GPU of an expert-parallel group, for a gate that spreads tokens evenly."""

from __future__ import annotations

from collections.abc import Mapping

from proctor.serving.importers.interpolate import Line, bracket, whole_ns
from proctor.serving.importers.models import Model


class MoeGrid:
    """Ragged 2-D table (tokens, experts activated) -> ns of one layer."""

    def __init__(self, points: Mapping[tuple[int, int], int]) -> None:
        by_experts: dict[int, dict[int, int]] = {}
        for (tokens, experts), ns in points.items():
            by_experts.setdefault(experts, {})[tokens] = ns
        self._experts = tuple(sorted(by_experts))
        self._lines = tuple(Line.of(by_experts[experts]) for experts in self._experts)

    def at(self, tokens: int, experts: int) -> int:
        """Brackets experts first, then tokens inside each row; whole ns, at least 1."""
        low, high, fraction = bracket(self._experts, experts)
        start = self._lines[low].at(tokens)
        return whole_ns(start + fraction * (self._lines[high].at(tokens) - start))


def share(model: Model, tokens: int, ep: int) -> tuple[int, int]:
    """(tokens, experts activated) on each of `ep` GPUs when `tokens` tokens pass the gate.

    A token reaches a GPU unless all its experts live elsewhere. With fewer token-expert pairs than experts every pair
    meets an expert of its own.
    """
    missed = ((ep - 1) / ep) ** model.experts_per_token
    experts = min(round(tokens * model.experts_per_token / ep), model.experts // ep)
    return max(1, round(tokens * (1 - missed))), max(1, experts)
