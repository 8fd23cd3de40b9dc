"""What a packet shows without being understood: sizes, order, positions, names, number formats, visible settings.

Everything here is of the perturbed packet. What cannot differ needs no feature: packets have no file times (`export`
gives all files one), and paths are compared by the template check.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from math import log
from statistics import fmean
from typing import Any

from proctor.siris.problems.difficulty import ranked
from proctor.siris.problems.domain import LABELS, Evidence
from proctor.siris.problems.leaks.exhibits import Exhibit

_NUMBER = re.compile(r"\d+(?:\.(\d+))?")
_NAME = re.compile(r'"([^"\n]*)"')
_LABELLED = re.compile(rf"(.*/)([{''.join(LABELS)}])(\.\w+)")


def features(exhibit: Exhibit) -> dict[str, float]:
    """Numbers by name; a feature that a problem does not have is left out."""
    found = dict(_files(exhibit))
    found |= dict(_formats(exhibit.perturbed))
    found |= dict(_positions(exhibit))
    found |= {f"workload parameter {name}": value for name, value in _flat(exhibit.parameters)}
    return found


def _files(exhibit: Exhibit) -> Iterator[tuple[str, float]]:
    """Characters and lines of every file; of those that go with a label, of the presented one and of all."""
    evidence, presented = exhibit.perturbed, exhibit.problem.presented
    sizes: dict[str, list[int]] = {}
    for path, text in evidence.all_files().items():
        size = [len(text), text.count("\n")]
        labelled = _LABELLED.fullmatch(path)
        names = [path, "packet"]
        if labelled:
            folder, label, _ = labelled.groups()
            names = ["packet", f"{folder} all", *([f"{folder} presented"] if label == presented else ())]
        for name in names:
            sizes[name] = [a + b for a, b in zip(sizes.get(name, [0, 0]), size, strict=True)]
    for name, (characters, lines) in sizes.items():
        yield f"{name}: characters", characters
        yield f"{name}: lines", lines


def _formats(evidence: Evidence) -> Iterator[tuple[str, float]]:
    """How the parts of a packet look: lengths of numbers and names, share of comments."""
    for part in fields(evidence):
        text = "\n".join(getattr(evidence, part.name).values())
        if numbers := [*_NUMBER.finditer(text)]:
            yield f"{part.name}: mean length of numbers", fmean(len(number[0]) for number in numbers)
            yield f"{part.name}: share of numbers with a fraction", fmean(bool(number[1]) for number in numbers)
            yield f"{part.name}: mean places of fractions", fmean(len(number[1] or "") for number in numbers)
        if names := _NAME.findall(text):
            yield f"{part.name}: different names", len(set(names))
            yield f"{part.name}: mean length of names", fmean(map(len, names))
            yield f"{part.name}: mean letter of names", fmean(map(ord, "".join(names) or " "))
    code = [line.strip() for line in "\n".join([*evidence.code.values()]).splitlines()]
    yield "code: share of comments", fmean(line.startswith(("#", '"""')) for line in code) if code else 0.0


def _positions(exhibit: Exhibit) -> Iterator[tuple[str, float]]:
    """Place in the suite, places of the candidates, and the predicted lead."""
    problem = exhibit.problem
    yield "place in the suite", exhibit.number
    order = ranked(problem.perturbed)
    yield "place of the presented label", LABELS.index(order[0])
    yield "place of the predicted runner-up", LABELS.index(order[1])
    for label, design in problem.labels.items():
        yield f"place of {design}", LABELS.index(label)
    first, second, *_, last = (problem.perturbed[label] for label in order)
    yield "predicted value", log(first)
    yield "predicted lead", log(second / first)
    yield "predicted spread", log(last / first)


def _flat(values: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Numbers of a workload's parameters, lists item by item."""
    for name, value in values.items():
        items = list(value) if isinstance(value, list | tuple) else [value]
        for i, item in enumerate(items):
            if isinstance(item, int | float):
                yield (f"{name}[{i}]" if len(items) > 1 else name), float(item)
