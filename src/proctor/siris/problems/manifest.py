"""The manifest of a suite: what is frozen, how it was made, and the digests that a regeneration must meet."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, ValidationError, model_validator

from proctor.errors import InputError
from proctor.siris.problems.admission import CONFIRMATIONS
from proctor.siris.problems.domain import LABELS, Evidence

FORMAT_VERSION = 1
MANIFEST = "manifest.json"
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ProblemEntry(_Strict):
    """One problem. `perturbed` and `reference` are the target metric by design, in the unit of the domain."""

    id: str = Field(pattern="^p[0-9]{2,4}$", description="neutral name, the only one a reader may see")
    pair: str
    outcome: Literal["upheld", "overturned"]
    perturbation: str
    design_problem: str
    system: dict[str, Any] = Field(description="the modeled system, read by the domain")
    shared: dict[str, Any] = Field(description="workload parameters that both problems of the pair have")
    parameters: dict[str, Any] = Field(description="workload parameters of this problem")
    workload_seed: int
    labels: dict[str, str] = Field(description="label -> design; exactly A, B, C and D")
    presented: str = Field(pattern="^[A-D]$")
    answer: str = Field(pattern="^[A-D]$")
    perturbed: dict[str, PositiveInt]
    reference: dict[str, PositiveInt]
    confirmed: int = Field(ge=0, le=CONFIRMATIONS, description="confirmation traces, of ten, on which the label held")
    workload_digest: Digest
    evidence_digest: dict[Literal["perturbed", "reference"], Digest]

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> ProblemEntry:
        if sorted(self.labels) != list(LABELS) or len(set(self.labels.values())) != len(LABELS):
            raise ValueError(f"{self.id}: labels: expected A, B, C and D with a different design each")
        for name, best in (("perturbed", self.presented), ("reference", self.answer)):
            values = getattr(self, name)
            if set(values) != set(self.labels.values()):
                raise ValueError(f"{self.id}: {name}: expected one value for each design of labels")
            if min(values, key=lambda design: values[design]) != self.labels[best]:
                raise ValueError(f"{self.id}: {name}: its best design is not the one that the label {best} names")
        if (self.presented == self.answer) != (self.outcome == "upheld"):
            raise ValueError(f"{self.id}: outcome: does not fit presented and answer")
        return self


class Manifest(_Strict):
    """A suite of problems in a fixed order."""

    version: Literal[1] = 1
    name: str
    domain: str
    seed: int
    problems: Annotated[tuple[ProblemEntry, ...], Field(min_length=2)]

    @model_validator(mode="after")
    def _consists_of_pairs(self) -> Manifest:
        pairs: dict[str, list[ProblemEntry]] = {}
        for entry in self.problems:
            pairs.setdefault(entry.pair, []).append(entry)
        if len({entry.id for entry in self.problems}) < len(self.problems):
            raise ValueError("problems: an id is used twice")
        for name, entries in pairs.items():
            if sorted(entry.outcome for entry in entries) != ["overturned", "upheld"]:
                raise ValueError(f"pair {name}: expected one upheld and one overturned problem")
            for field in ("perturbation", "design_problem", "system", "shared"):
                if getattr(entries[0], field) != getattr(entries[1], field):
                    raise ValueError(f"pair {name}: {field}: must be the same in both problems")
            if len({entry.labels[entry.presented] for entry in entries}) > 1:
                raise ValueError(f"pair {name}: both problems must present the same design")
        return self

    def text(self) -> str:
        return self.model_dump_json(indent=1) + "\n"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def files_digest(files: Mapping[str, str]) -> str:
    """Digest of paths and contents, in the order of the files."""
    return digest("".join(f"{path}\0{digest(text)}\n" for path, text in files.items()))


def evidence_digest(evidence: Evidence) -> str:
    """Digest of all files of one version."""
    return files_digest(evidence.all_files())


def read_manifest(folder: Path) -> Manifest:
    """Raises InputError for a missing file, an unknown version or a field that does not fit."""
    path = folder / MANIFEST
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{path}: cannot read the suite's manifest ({error.strerror}); give a suite's name or folder"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text; restore the file or build the suite again") from error
    try:
        return Manifest.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = "".join(f"{part}: " for part in first["loc"] if part != "problems")
        message = f"{path}: {where}{first['msg'].removeprefix('Value error, ')}"
        raise InputError(f"{message}; restore the file or build the suite again") from error
