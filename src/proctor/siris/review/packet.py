"""The files that one conversation may read (paper sections 3.2, B.3, B.5 and Table 12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Literal

from proctor.errors import InputError, nearest
from proctor.siris.problems.domain import Evidence, Version
from proctor.siris.problems.manifest import files_digest

Part = Literal["code", "parameters", "configuration", "predictions", "records"]
CODE: tuple[Part, ...] = ("code", "parameters", "configuration")  # "Code" in the paper is always these three together


@dataclass(frozen=True)
class Condition:
    """Which simulator version a packet shows, and which parts of its evidence beside the problem description."""

    version: Version
    parts: tuple[Part, ...]

    def shows(self, part: Part) -> bool:
        return part in self.parts


CONDITIONS: dict[str, Condition] = {
    "none": Condition("perturbed", ()),
    "perturbed": Condition("perturbed", (*CODE, "predictions", "records")),
    "reference": Condition("reference", (*CODE, "predictions", "records")),
    "code": Condition("perturbed", CODE),
    "code+records": Condition("perturbed", (*CODE, "records")),
    "code+predictions": Condition("perturbed", (*CODE, "predictions")),
    "code-reference": Condition("reference", CODE),
    "predictions-only": Condition("perturbed", ("predictions",)),
}


def condition_named(name: str) -> Condition:
    """The condition of that name; raises InputError for an unknown one."""
    if name in CONDITIONS:
        return CONDITIONS[name]
    raise InputError(f"unknown evidence condition {name!r}: {nearest(name, CONDITIONS)}")


@dataclass(frozen=True)
class Packet:
    """Text by path, in the order of the paths. Nothing else of a problem is within a model's reach."""

    files: Mapping[str, str]

    @cached_property
    def lines(self) -> dict[str, list[str]]:
        """The lines of every file; a final line break ends a line and begins none."""
        return {path: text.removesuffix("\n").split("\n") for path, text in self.files.items()}

    @cached_property
    def digest(self) -> str:
        """What a log keeps of the packet, so that a replay can tell whether it has the same one."""
        return files_digest(self.files)

    @property
    def labels(self) -> tuple[str, ...]:
        """The candidates' labels."""
        return tuple(PurePath(path).stem for path in self.files if path.startswith("candidates/"))


def build_packet(evidence: Evidence, condition: Condition) -> Packet:
    """The description and the parts that the condition shows; `evidence` must be of the version that it names."""
    shown = [evidence.description, *(getattr(evidence, part) for part in condition.parts)]
    files = {path: text for part in shown for path, text in part.items()}
    return Packet(dict(sorted(files.items())))
