"""Replay logs against their suites, and say per log what came out as it was and what did not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from proctor.errors import InputError
from proctor.report.log_files import LeftOut, LogFile, open_logs
from proctor.report.log_replay import Asked, LogReplay, OneLog, asked_in
from proctor.siris.problems.suites import Suite, frozen_suites, load_suite
from proctor.siris.review.briefs import briefs

FORMAT_VERSION = 1
SHOWN = 10  # differences of one log that the text shows
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Replays:
    """What was replayed, which files cannot be read, and which hold no siris conversation."""

    logs: tuple[LogReplay, ...]
    damaged: tuple[LeftOut, ...]
    others: tuple[LeftOut, ...]

    @property
    def hold(self) -> bool:
        return not self.damaged and not any(log.differences for log in self.logs)

    def lines(self) -> Iterator[str]:
        """One line per log, indented lines for what differs and for what qualifies it."""
        for log in self.logs:
            yield f"{log.log.name}: {_verdict(log)}"
            yield from (f"  {difference}" for difference in log.differences[:SHOWN])
            if len(log.differences) > SHOWN:
                yield f"  and {len(log.differences) - SHOWN} more differences (all of them: --json)"
            yield from (f"  note: {note}" for note in log.notes)
        yield from (f"{out.log.name}: cannot be replayed: {out.reason}" for out in self.damaged)
        yield from (f"left out: {out}" for out in self.others)

    def json(self) -> str:
        report = {
            "version": FORMAT_VERSION,
            "identical": self.hold,
            "logs": [_log_json(log) for log in self.logs],
            "damaged": [_left_out_json(out) for out in self.damaged],
            "left_out": [_left_out_json(out) for out in self.others],
        }
        return json.dumps(report, indent=1)


def replay_logs(paths: Sequence[Path], suite: str | None = None, progress: Progress = lambda *_: None) -> Replays:
    """Replay every siris log at `paths`, finished or not.

    `suite` names a suite or its folder and is then taken for every log; else each log's suite must be one that ships
    with the package. Raises InputError for a named file that is no siris log, a suite that is not at hand, a condition
    or prompt that this version does not know, and where there is nothing to replay. `progress` is told how many
    conversations are done, of how many.
    """
    opened, damaged = open_logs(paths)
    logs: list[tuple[LogFile, Asked]] = []
    others: list[LeftOut] = []
    for log in opened:
        asked = asked_in(log.header)
        if asked is not None:
            logs.append((log, asked))
        elif log.named:
            raise InputError(f"{log.path}: task {log.header.eval.task!r} is not proctor/siris; give logs of that task")
        else:
            others.append(LeftOut(log.path, f"task {log.header.eval.task} holds no siris conversation"))
    if not logs and not damaged:
        raise InputError(f"{', '.join(map(str, paths))}: there is no siris log here; give logs (.eval) or their folder")
    return Replays(tuple(_replay_all(logs, suite, progress)), tuple(damaged), tuple(others))


def _replay_all(logs: Sequence[tuple[LogFile, Asked]], suite: str | None, progress: Progress) -> list[LogReplay]:
    suites = {asked.suite: _suite_of(log, asked, suite) for log, asked in logs}
    total = sum(log.planned for log, _ in logs)
    done = 0

    def tick() -> None:
        nonlocal done
        done += 1
        progress(done, max(total, done))

    found: dict[Path, LogReplay] = {}
    # By what was asked, so that the packets of one condition at a time are held in memory.
    for asked, group in groupby(sorted(logs, key=lambda item: item[1]), key=lambda item: item[1]):
        members = [log for log, _ in group]
        try:
            given = briefs(suites[asked.suite], asked.condition, asked.prompt)
        except InputError as error:
            raise InputError(f"{members[0].path}: {error}") from error
        for log in members:
            found[log.path] = OneLog(log, asked, suites[asked.suite], given).replay(tick)
    return [found[log.path] for log, _ in logs]


def _suite_of(log: LogFile, asked: Asked, named: str | None) -> Suite:
    """A log may name any folder of the machine that made it: such a suite is read only where the user names it."""
    if named is not None:
        return load_suite(named)
    if asked.suite in frozen_suites():
        return load_suite(asked.suite)
    raise InputError(
        f"{log.path}: asked suite {asked.suite!r}, which does not ship with proctor; give its folder: --suite DIR"
    )


def _verdict(log: LogReplay) -> str:
    what = f"{log.model}, {log.asked.condition}, {log.asked.suite}"
    if log.asked.prompt != "standard":
        what = f"{what}, {log.asked.prompt}"
    digest = f"; report sha256 {log.report_digest[:12]}" if log.report_digest else ""
    return f"{log.identical} of {log.conversations} conversations replayed identically ({what}{digest})"


def _log_json(log: LogReplay) -> dict[str, Any]:
    return {
        "log": str(log.log),
        **log.asked._asdict(),
        "model": log.model,
        "conversations": log.conversations,
        "identical": log.identical,
        "report_sha256": log.report_digest,
        "differences": [asdict(difference) for difference in log.differences],
        "notes": log.notes,
    }


def _left_out_json(out: LeftOut) -> dict[str, str]:
    return {"log": str(out.log), "reason": out.reason}
