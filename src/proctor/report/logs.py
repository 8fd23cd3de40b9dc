"""Finished Inspect logs -> records of siris conversations, each counted once.

A killed or cancelled run leaves its log behind, and the run that completed it holds the same samples again: so only
logs of runs that went to their end count, and of several for one task only the newest. What is left out is named.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from proctor.errors import InputError
from proctor.report.annotations import FOLDER, Labels, is_annotation, labels_of, read_annotations
from proctor.report.log_files import LeftOut, LogFile, damaged, open_logs, read_samples
from proctor.siris.verdict.annotation import conversation_key
from proctor.siris.verdict.records import Group, Record

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample, EvalSpec

Progress = Callable[[Sequence[LogFile]], Iterable[LogFile]]

_MEND = {
    "started": "it is still running or was killed; the command that started it completes it",
    "cancelled": "the command that started it completes it",
    "error": "inspect view shows its error; the command that started it completes it",
}


class Source(NamedTuple):
    """Where a record was read: the log, and the key of the conversation."""

    log: Path
    key: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What some logs hold. `assigned` counts the conversations that each group should have: samples x epochs.

    `sources` says of each record, in the same order, where it stands. `labels` holds what annotators said of these
    conversations; where they said something, the records have it in `identified`.
    """

    records: tuple[Record, ...]
    assigned: Mapping[Group, int]
    logs: tuple[Path, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]
    sources: tuple[Source, ...] = ()
    labels: Labels | None = None


@dataclass(frozen=True, slots=True)
class _Run:
    """A finished run and its records, repetitions numbered as the run did. `unreadable` samples gave no record."""

    log: LogFile
    records: tuple[Record, ...]
    keys: tuple[str, ...]
    unreadable: int

    @property
    def spec(self) -> EvalSpec:
        return self.log.header.eval


def read_logs(paths: Sequence[Path], progress: Progress = iter) -> Reading:
    """Read every finished siris conversation from log files and folders of logs.

    Separate finished runs of one model and condition are pooled, their repetitions numbered on, and a note says so;
    runs on different versions of a suite are kept apart. Annotation logs among them, or in a folder `annotations`
    beside a named file, say which conversations identify the limitation. Raises InputError for a named file that is no
    log, and where nothing is left to report. `progress` may wrap the logs that are read in full, for a progress bar.
    """
    opened, left_out = open_logs([*paths, *_annotations_beside(paths)])
    logs = [log for log in opened if not is_annotation(log)]
    runs = []
    for log in progress(_finished(logs, left_out)):
        try:
            run = _read_run(log)
        except InputError as error:
            if log.named:
                raise
            left_out.append(damaged(log.path, error))
            continue
        if run.records:
            runs.append(run)
        else:
            left_out.append(LeftOut(log.path, f"task {run.spec.task} holds no siris conversation"))
    if not runs:
        raise InputError(_nothing_to_report(paths, left_out, bool(opened) and not logs))
    notes: list[str] = []
    records, assigned = _pool(_apart_by_suite_version(runs, notes), notes)
    sources = tuple(Source(run.log.path, key) for run in runs for key in run.keys)
    annotations = read_annotations(filter(is_annotation, opened), left_out)
    labels = labels_of({source.key: r for source, r in zip(sources, records, strict=True) if r.scored}, annotations)
    if labels:
        records = _joined(records, sources, labels)
    read = tuple(run.log.path for run in runs)
    return Reading(records, assigned, read, tuple(left_out), tuple(notes), sources, labels)


def _annotations_beside(paths: Iterable[Path]) -> list[Path]:
    """Folders of annotations that lie beside named files; those within named folders are found anyway."""
    return sorted({folder for path in paths if path.is_file() and (folder := path.parent / FOLDER).is_dir()})


def _joined(records: Sequence[Record], sources: Sequence[Source], labels: Labels) -> tuple[Record, ...]:
    return tuple(
        record.model_copy(update={"identified": labels.identified(source.key)}) if record.scored else record
        for record, source in zip(records, sources, strict=True)
    )


def _finished(logs: Iterable[LogFile], left_out: list[LeftOut]) -> list[LogFile]:
    """Keep each task's newest finished log, oldest task first. Retries and completed sets keep their task's id."""
    tasks: dict[str, list[LogFile]] = defaultdict(list)
    for log in sorted(logs, key=lambda log: (log.header.eval.created, log.header.stats.completed_at, str(log.path))):
        tasks[log.header.eval.task_id].append(log)
    kept = []
    for attempts in tasks.values():
        done = [log for log in attempts if went_to_its_end(log.header)]
        kept += done[-1:]
        left_out += [LeftOut(log.path, _why(log, done[-1:])) for log in attempts if log not in done[-1:]]
    return kept


def went_to_its_end(header: EvalLog) -> bool:
    """Whether every conversation was tried. A run that tried them all and lost some to errors of ours has the status
    "error" too, but results and no error of its own; the lost ones are in it, and are reported as such.
    """
    return header.status == "success" or (header.status == "error" and header.error is None and bool(header.results))


def _why(log: LogFile, instead: Sequence[LogFile]) -> str:
    status = log.header.status
    if instead:
        return f"status is {status}; {instead[0].path.name} is a newer, finished log of the same task"
    return f"status is {status}: {_MEND.get(status, 'only finished logs count')}"


def _read_run(log: LogFile) -> _Run:
    """Turn samples into records; a sample that the log holds twice (an edited log) counts as last written."""
    samples = {(str(s.id), s.epoch): s for s in read_samples(log)}
    found = [(conversation_key(s, log.header.eval), record_in(s, log.header.eval)) for s in samples.values()]
    kept = [(key, record) for key, record in found if record is not None]
    return _Run(log, tuple(r for _, r in kept), tuple(key for key, _ in kept), len(found) - len(kept))


def record_in(sample: EvalSample, spec: EvalSpec) -> Record | None:
    """Read the sample's last siris score, or, where it has none, what its metadata says about an unscored one.

    A sample that Inspect ended with an error, or that somebody invalidated, is an error of ours whatever its score.
    """
    from pydantic import ValidationError

    for score in reversed((sample.scores or {}).values()):
        if isinstance(score.value, Mapping):
            try:
                record = Record.from_score(score.value, score.metadata or {})
            except ValidationError:
                continue
            return with_ending(record, sample)
    try:
        return Record.model_validate(_unscored(sample, spec))
    except ValidationError:
        return None


def _fault(sample: EvalSample) -> str | None:
    if sample.invalidation is not None:
        return f"invalidated: {sample.invalidation.reason or 'no reason given'}"
    return sample.error.message if sample.error is not None else None


def with_ending(record: Record, sample: EvalSample) -> Record:
    """The record with what Inspect alone knows of the end: which limit it was and in which turn, an error of ours."""
    fault = record.infrastructure_error or _fault(sample)
    ended_by = record.ended_by
    if sample.limit is not None:
        turn = "final" if "final" in record.files_read else "initial"
        ended_by = {**ended_by, turn: sample.limit.type}
    return record.model_copy(update={"infrastructure_error": fault, "ended_by": ended_by})


def _unscored(sample: EvalSample, spec: EvalSpec) -> dict[str, Any]:
    nothing = {"initial": None, "final": None, "initial_status": "missing", "final_status": "missing"}
    known = {"problem": str(sample.id), "model": spec.model, "repetition": sample.epoch, **spec.task_args}
    facts = {**known, "reached_initial": None, "reached_any": None, **sample.metadata, **nothing}
    facts["infrastructure_error"] = _fault(sample) or "the log holds no score for this conversation"
    return {name: value for name, value in facts.items() if name in Record.model_fields}


def _apart_by_suite_version(runs: Sequence[_Run], notes: list[str]) -> list[_Run]:
    """Give a suite's name its version where the runs used several: they asked different questions."""
    versions: dict[str, set[str]] = defaultdict(set)
    for run in runs:
        versions[run.records[0].suite].add(str(run.spec.task_version))
    several = {suite for suite, seen in versions.items() if len(seen) > 1}
    notes += [f"suite {suite} comes in {len(versions[suite])} versions, kept apart" for suite in sorted(several)]
    return [_named(run) if run.records[0].suite in several else run for run in runs]


def _named(run: _Run) -> _Run:
    name = f"{run.records[0].suite}@{str(run.spec.task_version)[:8]}"
    return replace(run, records=tuple(r.model_copy(update={"suite": name}) for r in run.records))


def _pool(runs: Sequence[_Run], notes: list[str]) -> tuple[tuple[Record, ...], Mapping[Group, int]]:
    """Number repetitions on from run to run within a group, and add up what was assigned."""
    records: list[Record] = []
    assigned: Counter[Group] = Counter()
    last: Counter[Group] = Counter()
    runs_of: Counter[Group] = Counter()
    for run in runs:
        group = run.records[0].group
        records += [r.model_copy(update={"repetition": r.repetition + last[group]}) for r in run.records]
        last[group] += max(r.repetition for r in run.records)
        assigned[group] += run.log.planned
        runs_of[group] += 1
        if run.unreadable:
            notes.append(
                f"{run.log.path.name}: {run.unreadable} samples hold no readable siris score; counted as absent"
            )
    notes += [
        f"{n} finished runs of {group.model}, condition {group.condition}, are pooled as further repetitions"
        for group, n in runs_of.items()
        if n > 1
    ]
    return tuple(records), dict(assigned)


def _nothing_to_report(paths: Sequence[Path], left_out: Sequence[LeftOut], only_annotations: bool) -> str:
    where = ", ".join(str(path) for path in paths)
    if only_annotations:
        return f"{where}: holds annotations alone; give the logs of the conversations that they are about as well"
    if not left_out:
        return f"{where}: there is no Inspect log here; run `proctor siris run` first, or name the folder of its logs"
    reasons = "; ".join(map(str, left_out[:3]))
    more = f" (and {len(left_out) - 3} more)" if len(left_out) > 3 else ""
    return f"{where}: no finished siris conversation; {reasons}{more}"
