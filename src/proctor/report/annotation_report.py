"""What `proctor siris annotate` asks about and what it prints: the conversations that count, and their labels."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proctor.errors import InputError
from proctor.report.annotations import Labels, annotations_at, labels_of
from proctor.report.logs import Reading
from proctor.report.numbers import defined
from proctor.report.render import Table, show
from proctor.siris.review.packet import condition_named
from proctor.siris.verdict.annotation import Annotated
from proctor.siris.verdict.records import Group, Record

if TYPE_CHECKING:
    from rich.console import Console

FORMAT_VERSION = 1
_COLUMNS = (
    *("annotator", "model", "condition", "conversations", "labelled", "identified", "%"),
    *("initial turn", "review", "both", "linked to a design", "changes", "keeps", "unsaid", "garbled"),
)
_LEGEND = (
    "identified: the limitation of the simulator is named in a closing message, in % of those labelled; then by turn, "
    "whether it is linked to a design, and whether it is said to change the recommendation. It enters no accuracy.",
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Conversations to annotate, by key, and the logs that hold them."""

    records: Mapping[str, Record]
    logs: tuple[Path, ...]


def choose(reading: Reading, conditions: Sequence[str], limit: int | None = None) -> Chosen:
    """The scored conversations under the conditions; with a limit, so many of them, spread by chance over all.

    The chance is in the conversations' own ids: a higher limit keeps what a lower one chose. Raises InputError for a
    condition without evidence of the perturbed simulator, and where there is no such conversation.
    """
    for name in conditions:
        condition = condition_named(name)
        if condition.version != "perturbed" or not condition.parts:
            raise InputError(f"--condition {name}: shows nothing of the perturbed simulator, so there is no limitation")
    found = [
        (source, record)
        for source, record in zip(reading.sources, reading.records, strict=True)
        if record.scored and record.condition in conditions
    ]
    if not found:
        there = ", ".join(sorted({record.condition for record in reading.records}))
        raise InputError(f"--condition {', '.join(conditions)}: no scored conversation; the logs hold {there}")
    chosen = sorted(found, key=lambda item: sha256(item[0].key.encode()).digest())[:limit]
    logs = sorted({source.log for source, _ in chosen})
    return Chosen({source.key: record for source, record in chosen}, tuple(logs))


@dataclass(frozen=True, slots=True)
class AnnotationReport:
    """Labels of the chosen conversations by the annotators that were asked; `labels` is None where there are none."""

    records: Mapping[str, Record]
    annotators: tuple[str, ...]
    labels: Labels | None

    @property
    def missing(self) -> int:
        """Annotations that are still to be made."""
        return len(self.records) * len(self.annotators) - sum(len(self._of(name)) for name in self.annotators)

    @property
    def useless(self) -> list[str]:
        """Annotators that gave replies of which none could be read as labels."""
        answers = {name: self._of(name).values() for name in self.annotators}
        return [name for name, given in answers.items() if given and all(one.status == "garbled" for one in given)]

    def _of(self, annotator: str) -> Mapping[str, Annotated]:
        return self.labels.by_annotator.get(annotator, {}) if self.labels else {}

    def groups(self) -> list[tuple[str, Group, dict[str, int]]]:
        """Annotator, group of conversations, and counts."""
        groups = sorted({record.group for record in self.records.values()})
        return [
            (annotator, group, _counts([key for key, r in self.records.items() if r.group == group], labels))
            for annotator in self.annotators
            if (labels := self._of(annotator))
            for group in groups
        ]

    def show(self, console: Console) -> None:
        """Print the table, and what it rests on."""
        rows = tuple(_row(annotator, group, counts) for annotator, group, counts in self.groups())
        notes = [f"note: {line}" for line in self.labels.lines()] if self.labels else []
        show(console, [Table("Limitation identified", _COLUMNS, rows, labels=3)], [*_LEGEND, *notes])

    def json(self) -> str:
        """Return one JSON object; what is undefined is null."""
        groups: list[dict[str, Any]] = [
            {"annotator": annotator, **group._asdict(), **counts} for annotator, group, counts in self.groups()
        ]
        agreement = [found.json() for found in self.labels.agreements] if self.labels else []
        found = {"version": FORMAT_VERSION, "groups": groups, "agreement": agreement, "missing": self.missing}
        return json.dumps(defined(found), indent=2)


def report_annotations(chosen: Chosen, annotators: Sequence[str], paths: Sequence[Path]) -> AnnotationReport:
    """Read annotation logs at `paths` and keep what the annotators said of the chosen conversations."""
    found = {name: labels for name, labels in annotations_at(paths).items() if name in annotators}
    return AnnotationReport(chosen.records, tuple(annotators), labels_of(chosen.records, found, annotators[0]))


def _counts(keys: Iterable[str], labels: Mapping[str, Annotated]) -> dict[str, int]:
    keys = list(keys)
    answers = [labels[key] for key in keys if key in labels]
    found = [one.annotation for one in answers if one.annotation]
    yes = [one for one in found if one.identifies == "yes"]
    return {
        "conversations": len(keys),
        "labelled": len(found),
        "identified": len(yes),
        **{turn: sum(one.turn == turn for one in yes) for turn in ("initial", "final", "both")},
        "linked": sum(bool(one.designs) for one in yes),
        **{impact: sum(one.impact == impact for one in yes) for impact in ("changes", "keeps", "unsaid")},
        "garbled": sum(one.status == "garbled" for one in answers),
    }


def _row(annotator: str, group: Group, counts: dict[str, int]) -> tuple[str, ...]:
    conversations, labelled, identified, *rest = counts.values()
    share = f"{100 * identified / labelled:.1f}" if labelled else "-"
    return (annotator, group.model, group.condition, *map(str, (conversations, labelled, identified)), share,
            *map(str, rest))  # fmt: skip
