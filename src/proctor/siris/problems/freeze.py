"""Give pairs an identity as problems of a suite, and write the suite as a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from proctor.errors import InputError
from proctor.siris.problems.admission import Assessment
from proctor.siris.problems.domain import LABELS, Case, Domain
from proctor.siris.problems.manifest import MANIFEST, Manifest, ProblemEntry, digest, evidence_digest
from proctor.siris.problems.pairs import DISCOVERY_SEED, Member, Pair


def assemble(domain: Domain, name: str, seed: int, pairs: Sequence[Pair]) -> tuple[Manifest, dict[str, str]]:
    """The manifest and the texts of the workloads by problem.

    Problems are shuffled so that neither number nor order tells the pair or the outcome. Among upheld and among
    overturned problems alike, answers are balanced over A-D, and so are the presented recommendations.
    """
    rng = Random(f"{seed}/order")
    members = [
        (f"k{i:02}", pair, member) for i, pair in enumerate(pairs, start=1) for member in (pair.upheld, pair.overturned)
    ]
    rng.shuffle(members)
    labellers = {outcome: _Labeller(len(pairs), rng) for outcome in ("upheld", "overturned")}
    entries, workloads = [], {}
    for i, (pair_id, pair, member) in enumerate(members, start=1):
        labels = labellers[member.assessment.outcome].label(member)
        entry, text = _entry(domain, f"p{i:02}", pair_id, pair, member, labels)
        entries.append(entry)
        workloads[entry.id] = text
    return Manifest(name=name, domain=domain.name, seed=seed, problems=tuple(entries)), workloads


class _Labeller:
    """Gives designs their labels, problem by problem, for the problems of one outcome."""

    def __init__(self, count: int, rng: Random) -> None:
        self.rng = rng
        self.answers = [LABELS[i % len(LABELS)] for i in range(count)]
        rng.shuffle(self.answers)
        self.shift = {label: i for i, label in enumerate(rng.sample(LABELS, len(LABELS)))}

    def label(self, member: Member) -> dict[str, str]:
        assessment = member.assessment
        answer = self.answers.pop()
        by_design = {assessment.answer: answer}
        if assessment.outcome == "overturned":
            # One to three places after the answer, in turn: three answers at a label give the other three labels once.
            self.shift[answer] = self.shift[answer] % 3 + 1
            by_design[assessment.presented] = LABELS[(LABELS.index(answer) + self.shift[answer]) % len(LABELS)]
        rest = [label for label in LABELS if label not in by_design.values()]
        self.rng.shuffle(rest)
        for design in assessment.reference:
            if design not in by_design:
                by_design[design] = rest.pop()
        return {label: design for design, label in sorted(by_design.items(), key=lambda item: item[1])}


def _entry(
    domain: Domain, problem: str, pair_id: str, pair: Pair, member: Member, labels: dict[str, str]
) -> tuple[ProblemEntry, str]:
    assessment = member.assessment
    label_of = {design: label for label, design in labels.items()}
    measured, text = _measured(domain, member.case, pair.perturbation, labels, assessment)
    entry = ProblemEntry(
        id=problem,
        pair=pair_id,
        outcome=assessment.outcome,
        perturbation=pair.perturbation,
        design_problem=pair.frame.design_problem,
        system=dict(pair.frame.system),
        shared=dict(pair.frame.shared),
        parameters=dict(member.parameters),
        workload_seed=DISCOVERY_SEED,
        labels=labels,
        presented=label_of[assessment.presented],
        answer=label_of[assessment.answer],
        confirmed=member.confirmed,
        workload_digest=digest(text),
        **measured,
    )
    return entry, text


def _measured(
    domain: Domain, case: Case, perturbation: str, labels: Mapping[str, str], assessment: Assessment
) -> tuple[dict[str, Any], str]:
    """The fields of a manifest entry that follow from running the simulator, and the text of workload.json."""
    perturbed = domain.evidence(case, labels, perturbation)
    reference = domain.evidence(case, labels, None)
    fields = {
        "perturbed": {design: p.value for design, p in assessment.perturbed.items()},
        "reference": {design: p.value for design, p in assessment.reference.items()},
        "evidence_digest": {"perturbed": evidence_digest(perturbed), "reference": evidence_digest(reference)},
    }
    return fields, perturbed.description["workload.json"]


def renew(domain: Domain, case: Case, entry: ProblemEntry, assessment: Assessment) -> ProblemEntry:
    """The same problem with predictions and digests of the simulator as it is now."""
    measured, _ = _measured(domain, case, entry.perturbation, entry.labels, assessment)
    return entry.model_copy(update=measured)


def refuse_used_folder(out: Path) -> None:
    """Raises InputError where something is there already, an empty folder excepted."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out}: exists and is not an empty folder; give a new one")


def write_suite(
    folder: Path, manifest: Manifest, workloads: Mapping[str, str], search: Mapping[str, Any] | None = None
) -> None:
    """Write a new suite; the manifest comes last and at once, so that a folder with a manifest is complete.

    `search` says what was tried and rejected for which reasons; it is kept beside the manifest as search.json.
    """
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder}: not empty; give a new folder")
    try:
        _write_files(folder, manifest, workloads, search)
    except OSError as error:
        raise InputError(f"{folder}: cannot write the suite there ({error.strerror})") from error


def _write_files(
    folder: Path, manifest: Manifest, workloads: Mapping[str, str], search: Mapping[str, Any] | None
) -> None:
    (folder / "workloads").mkdir(parents=True, exist_ok=True)
    for problem, text in workloads.items():
        (folder / "workloads" / f"{problem}.json").write_text(text, encoding="utf-8")
    if search is not None:
        (folder / "search.json").write_text(json.dumps(search, indent=1) + "\n", encoding="utf-8")
    draft = folder / f"{MANIFEST}.part"
    draft.write_text(manifest.text(), encoding="utf-8")
    draft.replace(folder / MANIFEST)
