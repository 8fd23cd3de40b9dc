"""The seven perturbations (paper Table 3): unified diffs of one to three lines on the visible simulator source.

Importing this module applies every diff, so a diff that no longer fits the source is noticed at once.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files

from proctor.errors import InputError, nearest
from proctor.siris.problems.domain import Version
from proctor.siris.problems.versions import apply_patch, reference_source


@dataclass(frozen=True)
class Perturbation:
    """One changed computation; `limitation` says in words what the perturbed simulator gets wrong (evaluator only)."""

    name: str
    design_problem: str
    change_form: str
    limitation: str
    patch: str
    source: Mapping[str, str]

    @cached_property
    def _changed(self) -> Mapping[Version, dict[str, frozenset[int]]]:
        before, after = reference_source(), self.source
        pairs = {path: (before[path], after[path]) for path in before if before[path] != after[path]}
        return {
            "reference": {path: _differing(old, new) for path, (old, new) in pairs.items()},
            "perturbed": {path: _differing(new, old) for path, (old, new) in pairs.items()},
        }

    def changed_lines(self, version: Version) -> dict[str, frozenset[int]]:
        """Packet path -> numbers (from 1) of the lines in which the versions differ, as that version numbers them."""
        return dict(self._changed[version])


def _differing(text: str, other: str) -> frozenset[int]:
    """Lines of a text that are not in the other; where lines are only missing, the line that follows the gap."""
    matcher = difflib.SequenceMatcher(None, text.splitlines(), other.splitlines(), autojunk=False)
    numbers: set[int] = set()
    for tag, start, stop, _, _ in matcher.get_opcodes():
        if tag != "equal":
            numbers.update(range(start + 1, max(stop, start + 1) + 1))
    return frozenset(numbers)


def _make(name: str, design_problem: str, change_form: str, limitation: str) -> Perturbation:
    patch = files(__name__).joinpath(f"{name}.diff").read_text(encoding="utf-8")
    return Perturbation(
        name, design_problem, change_form, limitation, patch, apply_patch(patch, reference_source(), name)
    )


CATALOGUE: Mapping[str, Perturbation] = {
    p.name: p
    for p in (
        _make("prefix_cap", "routing", "value", "prefix reuse is credited only up to 512 tokens"),
        _make("reuse_granularity", "routing", "value", "prefix reuse is credited only in units of 256 tokens"),
        _make(
            "shared_nic", "handoff", "omission", "each pair of GPUs has a link of its own instead of one NIC per GPU"
        ),
        _make("query_interpolation", "local_scheduling", "omission", "costs are not interpolated along the query axis"),
        _make(
            "step_aggregation",
            "local_scheduling",
            "aggregation",
            "a step costs what its largest request costs instead of the sum over its requests",
        ),
        _make(
            "coordinate_swap", "local_scheduling", "coordinate", "attention look-ups swap query tokens and KV tokens"
        ),
        _make(
            "interpolation_arithmetic",
            "local_scheduling",
            "arithmetic",
            "interpolation adds a share of the upper value instead of a share of the difference",
        ),
    )
}


def get(name: str) -> Perturbation:
    """The perturbation of that name; raises InputError for an unknown one."""
    if name not in CATALOGUE:
        raise InputError(f"unknown perturbation {name!r}: {nearest(name, CATALOGUE)}")
    return CATALOGUE[name]


def changed_lines(name: str, version: Version) -> dict[str, frozenset[int]]:
    """Where the versions differ: packet path -> line numbers (from 1) in the given version."""
    return get(name).changed_lines(version)
