"""Replay one log: stream its samples, make records and figures anew, and compare with what the log has."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from proctor.errors import InputError
from proctor.report.log_files import LogFile, sample_keys, stream_samples
from proctor.report.logs import record_in, went_to_its_end, with_ending
from proctor.report.siris_report import make_report
from proctor.siris.problems.manifest import evidence_digest
from proctor.siris.problems.suites import Suite
from proctor.siris.review.briefs import Brief
from proctor.siris.verdict.differences import Difference, unequal
from proctor.siris.verdict.records import Record, conversation_facts
from proctor.siris.verdict.replay import SCORE, Replayed, replay
from proctor.siris.verdict.scoring import solved

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample, EvalSpec

METRICS = {"judgment": "judgment", "disposition": "disposition", "upheld": "upheld_pct", "overturned": "overturned_pct"}
NAMED = 3  # missing conversations that are named one by one
Key = tuple[str | int, int]


class Asked(NamedTuple):
    """What a log says it asked."""

    suite: str
    condition: str
    prompt: str


@dataclass(frozen=True, slots=True)
class LogReplay:
    """What the replay of one log found. `identical` of `conversations` came out as the log has them.

    `report_digest` is the sha256 of the report as JSON, made from the replayed records alone: whoever replays the log
    gets the same. None where the log holds no conversation that could be replayed.
    """

    log: Path
    asked: Asked
    model: str
    conversations: int
    identical: int
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]
    report_digest: str | None


def asked_in(header: EvalLog) -> Asked | None:
    """What the task of a log was, None where it is no siris task."""
    said = {**header.eval.task_args, **(header.eval.metadata or {})}
    if not {"suite", "condition", "prompt"} <= said.keys():
        return None
    return Asked(*(str(said[name]) for name in Asked._fields))


class OneLog:
    """A log, the suite it is held against, and one brief per problem.

    What the replay finds is gathered here: `replayed` and the records that a report would hold, made anew and as the
    log has them.
    """

    def __init__(self, log: LogFile, asked: Asked, suite: Suite, briefs: Mapping[str, Brief]) -> None:
        self.log = log
        self.asked = asked
        self.suite = suite
        self.briefs = briefs
        self.frozen = {entry.id: entry.evidence_digest for entry in suite.manifest.problems}
        self.spec: EvalSpec = log.header.eval
        self.keys: list[Key] = []
        self.differences: list[Difference] = []
        self.replayed: list[Replayed] = []
        self.anew: list[Record] = []
        self.logged: list[Record | None] = []
        self.invalidated = 0

    def replay(self, tick: Callable[[], None]) -> LogReplay:
        """Replay every conversation; `tick` is called after each."""
        self.differences += self._whole_log()
        try:
            self.keys = sample_keys(self.log)
            self.differences += self._coverage()
            for sample in stream_samples(self.log, self.keys):
                self._one(sample)
                tick()
            self.differences += self._figures()
        except InputError as error:
            self.differences.append(Difference("conversations", str(error).removeprefix(f"{self.log.path}: ")))
        return LogReplay(
            log=self.log.path,
            asked=self.asked,
            model=self.spec.model,
            conversations=len(self.keys),
            identical=sum(not replayed.differences for replayed in self.replayed),
            differences=tuple(self.differences),
            notes=(*self._versions(), *self._status(), *self._counted()),
            report_digest=self._report,
        )

    def _whole_log(self) -> Iterator[Difference]:
        if str(self.spec.task_version) != self.suite.digest:
            digests = unequal("the suite's digest", str(self.spec.task_version)[:12], self.suite.digest[:12])
            yield Difference("sources", digests)
        if self.asked.suite != self.suite.name:
            yield Difference("sources", unequal("the suite", self.asked.suite, self.suite.name))
        for config in (self.spec.model_generate_config, self.log.header.plan.config):
            if config.system_message is not None:
                yield Difference("prompts", "the run gave the model a system message of its own")
                break

    def _coverage(self) -> Iterator[Difference]:
        """A log that went to its end holds every conversation that was planned, and none beside."""
        planned, epochs = dict.fromkeys(self.spec.dataset.sample_ids or ()), self.spec.config.epochs or 1
        more = [key for key in self.keys if key[0] not in planned or not 1 <= key[1] <= epochs]
        missing = len(planned) * epochs - (len(self.keys) - len(more))
        if missing > 0 and went_to_its_end(self.log.header):
            held = set(self.keys)
            names = (
                f"{name}/{epoch}" for name in planned for epoch in range(1, epochs + 1) if (name, epoch) not in held
            )
            yield Difference("conversations", f"{missing} are missing: {_listed(names, missing)}")
        if more:
            names = (f"{name}/{epoch}" for name, epoch in more)
            yield Difference("conversations", f"{len(more)} were never planned: {_listed(names, len(more))}")

    def _one(self, sample: EvalSample) -> None:
        self.invalidated += sample.invalidation is not None
        brief = self.briefs.get(str(sample.id))
        fault = self._changed_sources(brief) if brief else f"suite {self.suite.name} has no such problem"
        if brief is None or fault:
            self.differences.append(Difference("sources", str(fault), str(sample.id), sample.epoch))
            return
        facts = conversation_facts(self.suite.name, brief.problem, self.asked.condition, self.asked.prompt)
        rounds = self.spec.task_args.get("rounds")
        replayed = replay(sample, brief, facts, self.spec.model, rounds if isinstance(rounds, int) else None)
        self.differences += replayed.differences
        self.replayed.append(replayed)
        logged, anew = record_in(sample, self.spec), with_ending(replayed.record, sample)
        if logged is not None and not logged.perturbed:  # a log of an earlier version; its report is without them
            anew = anew.model_copy(update={"perturbed": {}})
        self.anew.append(anew)
        self.logged.append(logged)

    def _changed_sources(self, brief: Brief) -> str | None:
        """Whether the simulator still makes of a problem what the suite froze."""
        version = brief.condition.version
        if self.frozen[brief.problem.id].get(version) == evidence_digest(brief.evidence):
            return None
        return f"the simulator does not yield the {version} evidence that suite {self.suite.name} froze"

    def _figures(self) -> Iterator[Difference]:
        """J, D, U and O as Inspect summed them up when the run ended, and the report as it reads from this log."""
        results = self.log.header.results
        logged = next((score.metrics for score in results.scores if score.name == SCORE), {}) if results else {}
        counts = solved(replayed.record for replayed in self.replayed)
        for name, attribute in METRICS.items():
            if name in logged:
                before, now = float(logged[name].value), float(getattr(counts, attribute))
                if not math.isclose(before, now, abs_tol=1e-9) and not (math.isnan(before) and math.isnan(now)):
                    yield Difference("summary", unequal(name, round(before, 4), round(now, 4)))
        logged_report = self._report if self.logged == self.anew else _report_digest(self.logged)
        if logged_report != self._report:
            digests = (str(digest)[:12] for digest in (logged_report, self._report))
            yield Difference("summary", unequal("the report's digest", *digests))

    @cached_property
    def _report(self) -> str | None:
        """The digest of the report as replayed; asked for once all conversations are."""
        return _report_digest(self.anew)

    def _versions(self) -> Iterator[str]:
        made = {"proctor": (self.spec.metadata or {}).get("proctor"), **self.spec.packages}
        for package in ("proctor", "inspect_ai"):
            if made.get(package) is None:
                yield f"the log does not say which version of {package} made it"
            elif made[package] != (here := version(package)):
                yield f"made with {package} {made[package]}, replayed with {here}"

    def _status(self) -> Iterator[str]:
        if not went_to_its_end(self.log.header):
            held = f"{len(self.keys)} of {self.log.planned} conversations are in it"
            yield f"status is {self.log.header.status}: {held}"

    def _counted(self) -> Iterator[str]:
        if timed_out := sum(replayed.timed_out for replayed in self.replayed):
            yield f"{timed_out} searches ran out of time, in the log or here, and are not compared"
        if self.invalidated:
            yield f"{self.invalidated} conversations were invalidated by hand"


def _listed(names: Iterator[str], count: int) -> str:
    return ", ".join(islice(names, NAMED)) + (", ..." if count > NAMED else "")


def _report_digest(records: Sequence[Record | None]) -> str | None:
    """None where there is nothing to report, or what there is cannot be reported."""
    known = [record for record in records if record is not None]
    if not known or len(known) < len(records):
        return None
    try:
        return sha256(make_report(known).json().encode()).hexdigest()
    except ValueError:  # an edited log may hold one conversation twice
        return None
