"""The manifest of a suite: what is frozen, how it was made, and the digests that a regeneration must meet."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from proctor.errors import InputError
from proctor.siris.problems.domain import Evidence

FORMAT_VERSION = 1
MANIFEST = "manifest.json"
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ProblemEntry(_Strict):
    """One problem. Latencies are the target metric in ns by design."""

    id: str = Field(pattern="^p[0-9]{2,4}$", description="neutral name, the only one a reader may see")
    pair: str
    outcome: Literal["upheld", "overturned"]
    perturbation: str
    design_problem: str
    system: dict[str, Any] = Field(description="the modeled system, read by the domain")
    shared: dict[str, Any] = Field(description="workload parameters that both problems of the pair have")
    parameters: dict[str, Any] = Field(description="workload parameters of this problem")
    workload_seed: int
    labels: dict[str, str] = Field(description="label -> design")
    presented: str = Field(pattern="^[A-D]$")
    answer: str = Field(pattern="^[A-D]$")
    perturbed: dict[str, int]
    reference: dict[str, int]
    confirmed: int = Field(description="confirmation traces, of ten, on which the label held")
    workload_digest: Digest
    evidence_digest: dict[Literal["perturbed", "reference"], Digest]


class Manifest(_Strict):
    """A suite of problems in a fixed order."""

    version: Literal[1] = 1
    name: str
    domain: str
    seed: int
    problems: tuple[ProblemEntry, ...]

    def text(self) -> str:
        return self.model_dump_json(indent=1) + "\n"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def evidence_digest(evidence: Evidence) -> str:
    """Digest of all files of one version: paths and contents."""
    return digest("".join(f"{path}\0{digest(text)}\n" for path, text in evidence.all_files().items()))


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
        where = ".".join(str(part) for part in first["loc"]) or "file"
        message = f"{path}: {where}: {first['msg']}"
        raise InputError(f"{message}; restore the file or build the suite again") from error
