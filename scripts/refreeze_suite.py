"""Renew the digests and predictions of a frozen suite after a deliberate change of the simulator's text.

    python scripts/refreeze_suite.py src/proctor/siris/problems/suites/routing-v1

Workloads and labels stay. Stops if a problem's recommendations changed: then the suite has to be built again.
"""

from __future__ import annotations

import sys
from pathlib import Path

from proctor.siris.problems.admission import Assessment, assess
from proctor.siris.problems.freeze import renew
from proctor.siris.problems.manifest import MANIFEST
from proctor.siris.problems.suites import load_suite


def main(folder: str) -> None:
    suite = load_suite(folder)
    entries = []
    for entry, problem in zip(suite.manifest.problems, suite.problems, strict=True):
        assessment = assess(suite.domain, problem.case, entry.perturbation)
        if not isinstance(assessment, Assessment):
            sys.exit(f"{entry.id}: {assessment}; build the suite again")
        if (assessment.presented, assessment.answer) != (entry.labels[entry.presented], entry.labels[entry.answer]):
            sys.exit(f"{entry.id}: its recommendations changed; build the suite again")
        entries.append(renew(suite.domain, problem.case, entry, assessment))
    manifest = suite.manifest.model_copy(update={"problems": tuple(entries)})
    (Path(folder) / MANIFEST).write_text(manifest.text(), encoding="utf-8")
    print(f"{folder}: renewed {len(entries)} problems; FROZEN_DIGESTS needs {load_suite(folder).digest}")


if __name__ == "__main__":
    main(*sys.argv[1:])
