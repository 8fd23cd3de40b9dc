"""Both versions, and both outcomes, come from one template: only what the change computes differs."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from proctor.siris.problems.domain import Problem, Version
from proctor.siris.problems.leaks.exhibits import VERSIONS, Check, Examiner, Exhibit, listed

SAME = ("description", "parameters", "configuration")  # byte-identical in both versions
_NUMBER = re.compile(r"-?\d+(\.\d+)?(?:[eE][+-]?\d+)?")


@dataclass(frozen=True)
class Look:
    findings: tuple[str, ...]
    question: str
    code: str  # digest of the perturbed code


def look(exhibit: Exhibit) -> Look:
    text = json.dumps(sorted(exhibit.perturbed.code.items()))
    return Look(
        tuple(_differences(exhibit)), exhibit.problem.question.strip(), hashlib.sha256(text.encode()).hexdigest()
    )


def _differences(exhibit: Exhibit) -> Iterator[str]:
    """In what the versions differ though they must not."""
    perturbed, reference = exhibit.perturbed, exhibit.reference
    if paths := set(perturbed.all_files()) ^ set(reference.all_files()):
        yield f"only one version has {', '.join(sorted(paths))}"
    for part in SAME:
        yield from _unequal(getattr(perturbed, part), getattr(reference, part), "differs between the versions")
    code, other = (_unchanged(exhibit, version) for version in VERSIONS)
    yield from _unequal(code, other, "differs beyond the changed lines")
    remarks, others = ({path: text.count("#") for path, text in e.code.items()} for e in (perturbed, reference))
    yield from _unequal(remarks, others, "has more comments in one version")
    for part in ("predictions", "records"):
        theirs = getattr(reference, part)
        for path, text in getattr(perturbed, part).items():
            if path in theirs and not _alike(_shape(text), _shape(theirs[path])):
                yield f"{path} has another form in the other version"


def _unequal(ours: Mapping[str, object], theirs: Mapping[str, object], what: str) -> Iterator[str]:
    return (f"{path} {what}" for path in ours if path in theirs and ours[path] != theirs[path])


def _unchanged(exhibit: Exhibit, version: Version) -> dict[str, list[str]]:
    """The code of a version without its changed lines."""
    changed = exhibit.changed[version]
    return {
        path: [line for i, line in enumerate(text.splitlines(), 1) if i not in changed.get(path, frozenset())]
        for path, text in getattr(exhibit, version).code.items()
    }


Shapes = frozenset[frozenset[tuple[str, str]]]


def _shape(text: str) -> Shapes | str:
    """What stays of a text when its values are left out.

    Of JSON Lines: the different kinds of rows, as keys with the types of their values. Of other texts: everything but
    the digits of numbers.
    """
    lines = text.splitlines()
    if not lines or not all(line.startswith("{") and line.endswith("}") for line in lines):
        return _NUMBER.sub(lambda match: "0.0" if match.group(1) else "0", text)
    rows = map(json.loads, lines)
    return frozenset(frozenset((key, type(value).__name__) for key, value in row.items()) for row in rows)


def _alike(ours: Shapes | str, theirs: Shapes | str) -> bool:
    """Each kind of row of one side extends one of the other: a run may have rows with a key for what happened in it."""
    if isinstance(ours, str) or isinstance(theirs, str):
        return ours == theirs
    return all(any(a >= b for b in y) for x, y in ((ours, theirs), (theirs, ours)) for a in x)


def judge(problems: Sequence[Problem], looks: Sequence[Look]) -> list[Check]:
    findings = [list(look.findings) for look in looks]
    for key in ("question", "code"):
        first: dict[tuple[str, str], int] = {}
        for i, (problem, seen) in enumerate(zip(problems, looks, strict=True)):
            group = (problem.design_problem, "" if key == "question" else problem.perturbation)
            other = first.setdefault(group, i)
            if getattr(seen, key) != getattr(looks[other], key):
                findings[i].append(f"its {key} is not that of {problems[other].id}")
    return [listed("one template", "departures from one template", findings, problems)]


EXAMINER = Examiner(look, judge)
