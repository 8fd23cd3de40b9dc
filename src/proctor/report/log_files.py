"""Finding and opening Inspect logs, through Inspect's own readers alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile

from proctor.errors import InputError

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

# The bulk of a log; tables need none of it.
_EVENTS = {"events", "events_data", "timelines"}
_BULK = _EVENTS | {"messages", "store", "attachments"}
MAX_SAMPLE_BYTES = 2 * 10**9


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A log that was named or found and does not count, and why."""

    log: Path
    reason: str

    def __str__(self) -> str:
        return f"{self.log.name}: {self.reason}"


@dataclass(frozen=True, slots=True)
class LogFile:
    """A log whose header could be read. `named`: the user named this very file, not a folder around it."""

    path: Path
    header: EvalLog
    named: bool

    @property
    def planned(self) -> int:
        """Conversations that the run was to hold: samples x epochs."""
        return len(self.header.eval.dataset.sample_ids or ()) * (self.header.eval.config.epochs or 1)


def damaged(log: Path, error: InputError) -> LeftOut:
    """Leave out a log for what reading it raised."""
    return LeftOut(log, str(error).removeprefix(f"{log}: "))


def open_logs(paths: Sequence[Path]) -> tuple[list[LogFile], list[LeftOut]]:
    """Read the header of every log at `paths` (files, or folders searched recursively), each file once.

    A file that was named must be a log: InputError otherwise, as for a path where nothing is. What a folder holds may
    be damaged; it is then left out with the reason.
    """
    # Files after folders, so that a file given both ways counts as named.
    named = {log.resolve(): path.is_file() for path in sorted(paths, key=Path.is_file) for log in _logs_at(path)}
    opened, left_out = [], []
    for log, by_name in named.items():
        try:
            opened.append(LogFile(log, _read(log, header_only=True), by_name))
        except InputError as error:
            if by_name:
                raise
            left_out.append(damaged(log, error))
    return opened, left_out


def read_samples(log: LogFile) -> list[EvalSample]:
    """Read a log's samples without their messages and events. Raises InputError where they cannot be read."""
    return _read(log.path, header_only=False).samples or []


def sample_keys(log: LogFile) -> list[tuple[str | int, int]]:
    """Id and epoch of every sample that a log holds, each once. Raises InputError where that cannot be read."""
    from inspect_ai.log import read_eval_log_sample_summaries

    with _readable(log.path):
        _refuse_bombs(log.path)
        return list(dict.fromkeys((s.id, s.epoch) for s in read_eval_log_sample_summaries(str(log.path))))


def stream_samples(log: LogFile, keys: Sequence[tuple[str | int, int]]) -> Iterator[EvalSample]:
    """Samples with their messages and without events, one at a time in memory (a .json log is read whole).

    Raises InputError where one cannot be read.
    """
    from inspect_ai.log import read_eval_log, read_eval_log_sample

    if log.path.suffix == ".json":
        with _readable(log.path):
            samples = {(s.id, s.epoch): s for s in read_eval_log(str(log.path), resolve_attachments=True).samples or ()}
        yield from (samples[key] for key in keys if key in samples)
        return
    for sample_id, epoch in keys:
        with _readable(log.path):
            sample = read_eval_log_sample(
                str(log.path), sample_id, epoch, resolve_attachments=True, exclude_fields=_EVENTS
            )
            if (sample.id, sample.epoch) != (sample_id, epoch):
                raise ValueError(f"the part of sample {sample_id} holds another sample")
        yield sample


def _refuse_bombs(path: Path) -> None:
    """A sample that unpacks to more than any conversation can hold must not fill the memory."""
    if path.suffix == ".json":
        return
    with ZipFile(path) as archive:
        largest = max((entry.file_size for entry in archive.infolist()), default=0)
    if largest > MAX_SAMPLE_BYTES:
        raise ValueError(f"one of its parts unpacks to {largest / 1e9:.0f} GB")


def _logs_at(path: Path) -> list[Path]:
    from inspect_ai.log import list_eval_logs

    if path.is_dir():
        # Inspect names local logs as file:// plus the plain path; oldest first reads naturally in notes.
        found = list_eval_logs(str(path), recursive=True, descending=False)
        return [Path(info.name.removeprefix("file://")) for info in found]
    if not path.exists():
        raise InputError(
            f"{path}: there is no such file or folder; give Inspect logs (.eval) or the folder they are in"
        )
    return [path]


def _read(path: Path, *, header_only: bool) -> EvalLog:
    from inspect_ai.log import read_eval_log

    with _readable(path):
        return read_eval_log(str(path), header_only=header_only, exclude_fields=None if header_only else _BULK)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # a damaged file fails in zip, zstd, JSON or pydantic, each with errors of its own
        detail = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{path}: not a readable Inspect log ({detail}); expected a finished .eval file") from error
