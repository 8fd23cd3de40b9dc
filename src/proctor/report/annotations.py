"""Annotation logs -> what each annotator said of each conversation.

Any annotation that was finished counts, also in a log whose run was killed: it is one answer to one question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proctor.errors import InputError
from proctor.report.log_files import LeftOut, LogFile, damaged, open_logs, read_samples
from proctor.siris.verdict.agreement import Agreement, agreement
from proctor.siris.verdict.annotation import Annotated
from proctor.siris.verdict.records import Record

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample

TASK = "siris_annotation"
FOLDER = "annotations"  # where they lie beside the logs they are about, if nobody says otherwise

ByConversation = Mapping[str, Annotated]


@dataclass(frozen=True, slots=True)
class Labels:
    """Annotations of the conversations at hand, by annotator and conversation.

    `first` is the annotator whose labels count for identification: the one who labelled most of these conversations,
    and of several the one who began first. Labels of different annotators are never mixed.
    """

    by_annotator: Mapping[str, ByConversation]
    first: str
    agreements: tuple[Agreement, ...]

    def identified(self, key: str) -> bool | None:
        found = self.by_annotator[self.first].get(key)
        return None if found is None else found.identified

    def lines(self) -> list[str]:
        """What the identification in a report rests on, a line each."""
        return [*map(self._basis, self.by_annotator), *(found.in_words() for found in self.agreements)]

    def json(self) -> dict[str, Any]:
        """The same as data."""
        return {
            "first": self.first,
            "annotators": [
                {
                    "annotator": name,
                    "labelled": sum(a.status == "valid" for a in labels.values()),
                    "garbled": sum(a.status == "garbled" for a in labels.values()),
                    "rubrics": sorted({a.rubric for a in labels.values()}),
                }
                for name, labels in self.by_annotator.items()
            ],
            "agreement": [found.json() for found in self.agreements],
        }

    def _basis(self, name: str) -> str:
        labels = self.by_annotator[name].values()
        garbled = sum(a.status == "garbled" for a in labels)
        rubrics = len({a.rubric for a in labels})
        parts = [f"{name} labelled {sum(a.status == 'valid' for a in labels)} conversations"]
        parts += [f"{garbled} garbled, counted neither as yes nor as no"] if garbled else []
        parts += [f"with {rubrics} wordings of the rubric: annotate again to have one"] if rubrics > 1 else []
        parts += ["its labels count for identification"] if name == self.first and len(self.by_annotator) > 1 else []
        return "; ".join(parts)


def is_annotation(log: LogFile) -> bool:
    return log.header.eval.task.rpartition("/")[2] == TASK


def default_folder(paths: Sequence[Path]) -> Path:
    """Where annotations of logs at `paths` go: `annotations` in the first folder, or beside the first file."""
    first = paths[0]
    return (first.parent if first.is_file() else first) / FOLDER


def annotations_at(paths: Sequence[Path]) -> dict[str, dict[str, Annotated]]:
    """What annotation logs at `paths` hold, by annotator and conversation; damaged ones in folders are passed over."""
    opened, left_out = open_logs(paths)
    return read_annotations(filter(is_annotation, opened), left_out)


def read_annotations(logs: Iterable[LogFile], left_out: list[LeftOut]) -> dict[str, dict[str, Annotated]]:
    """By annotator, in the order in which they began, and conversation; of several answers the newest.

    What cannot be read is added to `left_out`, but InputError is raised where the user named that very file.
    """
    found: dict[str, dict[str, Annotated]] = {}
    for log in sorted(logs, key=lambda log: (log.header.eval.created, str(log.path))):
        try:
            samples = read_samples(log)
        except InputError as error:
            if log.named:
                raise
            left_out.append(damaged(log.path, error))
            continue
        annotated = [_annotated(sample) for sample in samples]
        if unreadable := sum(a is None for a, s in zip(annotated, samples, strict=True) if s.scores):
            left_out.append(LeftOut(log.path, f"{unreadable} annotations are not in a form that this version reads"))
        for one in filter(None, annotated):
            labels = found.setdefault(one.annotator, {})
            if one.answered or one.conversation not in labels:
                labels[one.conversation] = one
    return found


def _annotated(sample: EvalSample) -> Annotated | None:
    from pydantic import ValidationError

    if sample.error is not None or sample.invalidation is not None:
        return None
    for score in (sample.scores or {}).values():
        try:
            return Annotated.model_validate(score.metadata)
        except ValidationError:
            continue
    return None


def labels_of(
    records: Mapping[str, Record], found: Mapping[str, ByConversation], first: str | None = None
) -> Labels | None:
    """What was found about these conversations (by key), with the agreement of each further annotator with the first.

    `first` names the annotator to put first, where it labelled any of them. None where nobody labelled any.
    """
    kept = {
        name: {key: one for key, one in labels.items() if key in records and one.answered}
        for name, labels in found.items()
    }
    kept = {name: labels for name, labels in kept.items() if labels}
    if not kept:
        return None
    if first not in kept:
        first = max(kept, key=lambda name: sum(a.status == "valid" for a in kept[name].values()))
    pairs = {key: (record.suite, record.pair) for key, record in records.items()}
    others = (name for name in kept if name != first)
    compared = tuple(agreement(kept[first], kept[name], pairs, (first, name)) for name in others)
    return Labels(kept, first, compared)
