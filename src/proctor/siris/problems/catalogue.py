"""Perturbations of a simulator, as a domain keeps them: unified diffs beside the visible source.

For authors of domains: one `Catalogue` holds the reference source and every perturbed version of it, loads a version as
code, and knows in which lines the versions differ.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.resources import files
from types import ModuleType

from proctor.errors import InputError, nearest
from proctor.siris.problems.domain import Version
from proctor.siris.problems.versions import apply_patch, load_package, reference_source


@dataclass(frozen=True)
class Change:
    """What is said of a perturbation beside its diff; `limitation` says in words what the perturbed simulator gets
    wrong (evaluator only)."""

    design_problem: str
    change_form: str
    limitation: str


@dataclass(frozen=True)
class Perturbation:
    """One changed computation: its diff, and the whole source (packet path -> text) with it and without it."""

    name: str
    design_problem: str
    change_form: str
    limitation: str
    patch: str
    source: Mapping[str, str]
    reference: Mapping[str, str]

    @cached_property
    def _changed(self) -> Mapping[Version, dict[str, frozenset[int]]]:
        before, after = self.reference, self.source
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


class Catalogue(Mapping[str, Perturbation]):
    """The perturbations of one simulator, by name.

    `simulator` is the package whose files a packet shows as `simulator/`, `diffs` the package that holds NAME.diff for
    each name of `changes`. Making a catalogue applies every diff, so one that no longer fits is noticed at once, as an
    InputError. In the methods `None` stands for the reference simulator.
    """

    def __init__(self, simulator: str, diffs: str, changes: Mapping[str, Change]) -> None:
        self._reference = reference_source(simulator)
        self._perturbations = {
            name: self._make(name, files(diffs).joinpath(f"{name}.diff").read_text(encoding="utf-8"), change)
            for name, change in changes.items()
        }

    def _make(self, name: str, patch: str, change: Change) -> Perturbation:
        source = apply_patch(patch, self._reference, name)
        return Perturbation(name, **vars(change), patch=patch, source=source, reference=self._reference)

    def __getitem__(self, name: str) -> Perturbation:
        return self._perturbations[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._perturbations)

    def __len__(self) -> int:
        return len(self._perturbations)

    def named(self, name: str) -> Perturbation:
        """The perturbation of that name; raises InputError for an unknown one."""
        if name not in self:
            raise InputError(f"unknown perturbation {name!r}: {nearest(name, self)}")
        return self[name]

    def source(self, name: str | None) -> Mapping[str, str]:
        """The text of a version, packet path -> text."""
        return self._reference if name is None else self.named(name).source

    def module(self, name: str | None, part: str) -> ModuleType:
        """A module of a version (`part` is its file's name without .py), loaded from exactly that text."""
        return import_module(f"{load_package(self.source(name))}.{part}")

    def changed_lines(self, name: str, version: Version) -> dict[str, frozenset[int]]:
        """Where the versions differ: packet path -> line numbers (from 1) in the given version."""
        return self.named(name).changed_lines(version)
