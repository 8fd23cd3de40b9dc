"""From frames to perturbation pairs: propose, assess, confirm, find a partner (paper sections 3.1, A.1, A.2).

Overturned problems are the rarer half, so a frame is searched for one of them first. Its partner is looked for close
by: workloads that have about half of their parameters from it, which mostly keep the recommendation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any, NamedTuple

from proctor.siris.problems.admission import (
    CONFIRMATIONS,
    MIN_CONFIRMED,
    Assessment,
    assess,
    confirmations,
)
from proctor.siris.problems.difficulty import Difficulty, Level, difficulty
from proctor.siris.problems.domain import LABELS, Case, Domain, Frame, Outcome

PROBES_PER_FRAME = 4
PARTNERS_PER_FRAME = 30
MATCHES_PER_FRAME = 3
DISCOVERY_SEED = 0
CONFIRMATION_SEEDS = range(DISCOVERY_SEED + 1, DISCOVERY_SEED + 1 + CONFIRMATIONS)


class Kind(NamedTuple):
    """Which design an overturned problem presents, and which one is the answer."""

    presented: str
    answer: str


@dataclass(frozen=True)
class Member:
    """One problem of a pair before it gets an identity."""

    parameters: Mapping[str, Any]
    case: Case
    assessment: Assessment
    confirmed: int = 0
    packet_chars: int = 0

    @property
    def difficulty(self) -> Difficulty:
        perturbed, reference = (
            {design: prediction.value for design, prediction in version.items()}
            for version in (self.assessment.perturbed, self.assessment.reference)
        )
        return difficulty(perturbed, reference)


@dataclass(frozen=True)
class Pair:
    """An upheld and an overturned problem that differ only in workload."""

    perturbation: str
    frame: Frame
    upheld: Member
    overturned: Member

    @property
    def kind(self) -> Kind:
        return Kind(self.overturned.assessment.presented, self.overturned.assessment.answer)


@dataclass(frozen=True)
class FrameResult:
    """What one frame yielded, and why its other proposals were rejected: proposals = rejections + 2 for a pair."""

    pair: Pair | None
    proposals: int
    rejections: Mapping[str, int]


@dataclass(frozen=True)
class Wish:
    """What a search still wants: kinds of which it has enough are skipped, and a level of difficulty if asked for."""

    enough: frozenset[Kind] = frozenset()
    enough_presented: frozenset[str] = frozenset()
    level: Level | None = None

    def refusal(self, assessment: Assessment, outcome: Outcome, member: Member) -> str | None:
        """Why an admissible problem is not wanted, or None."""
        if assessment.outcome != outcome:
            return f"{assessment.outcome}, where an {outcome} problem was looked for"
        kind = Kind(assessment.presented, assessment.answer)
        if kind in self.enough or (outcome == "overturned" and kind.presented in self.enough_presented):
            return "enough pairs with these designs"
        if self.level and member.difficulty.level != self.level:
            return f"not {self.level}"
        return None


def search_frame(domain: Domain, perturbation: str, seed: int, index: int, wish: Wish) -> FrameResult:
    """Look for one pair in the frame of that number; depends on nothing but the arguments."""
    return _FrameSearch(domain, perturbation, wish, Random(f"{domain.name}/{perturbation}/{seed}/{index}")).result()


def confirmation_traces(domain: Domain, frame: Frame, parameters: Mapping[str, Any]) -> Iterator[Case]:
    """Traces of the same generator with other seeds."""
    return (domain.generate(frame, parameters, seed) for seed in CONFIRMATION_SEEDS)


class _FrameSearch:
    """One frame, its source of randomness, and the count of what was rejected."""

    def __init__(self, domain: Domain, perturbation: str, wish: Wish, rng: Random) -> None:
        self.domain, self.perturbation, self.wish, self.rng = domain, perturbation, wish, rng
        self.frame = domain.frame(domain.design_problem(perturbation), rng)
        self.rejections: Counter[str] = Counter()
        self.proposals = 0

    def result(self) -> FrameResult:
        overturned = self._overturned()
        upheld = self._partner(overturned) if overturned else None
        if overturned and not upheld:
            self.rejections["no partner with the same recommendation"] += 1
        pair = Pair(self.perturbation, self.frame, upheld, overturned) if upheld and overturned else None
        return FrameResult(pair, self.proposals, self.rejections)

    def _overturned(self) -> Member | None:
        for _ in range(PROBES_PER_FRAME):
            member = self._assess(self.domain.propose(self.frame, self.rng), "overturned")
            if member and (confirmed := self._confirm(member)):
                return confirmed
        return None

    def _partner(self, overturned: Member) -> Member | None:
        """Of the first admissible partners, the one that is predicted to lead by most nearly as much and is confirmed.

        Otherwise the size of the predicted lead alone would tell the two outcomes apart.
        """
        found: list[Member] = []
        for _ in range(PARTNERS_PER_FRAME):
            fresh = self.domain.propose(self.frame, self.rng)
            kept = {name for name in sorted(fresh) if self.rng.random() < 0.5}
            parameters = {name: overturned.parameters[name] if name in kept else fresh[name] for name in fresh}
            member = self._assess(parameters, "upheld", overturned.assessment.presented)
            found += [member] if member else []
            if len(found) == MATCHES_PER_FRAME:
                break
        found.sort(key=lambda member: _apart(member, overturned))
        for tried, member in enumerate(found, start=1):
            if confirmed := self._confirm(member):
                self.rejections["another one of the frame was taken"] += len(found) - tried
                return confirmed
        return None

    def _assess(self, parameters: Mapping[str, Any], outcome: Outcome, presented: str | None = None) -> Member | None:
        self.proposals += 1
        case = self.domain.generate(self.frame, parameters, DISCOVERY_SEED)
        assessment = assess(self.domain, case, self.perturbation, presented)
        if isinstance(assessment, str):
            self.rejections[assessment] += 1
            return None
        member = Member(parameters, case, assessment)
        if refusal := self.wish.refusal(assessment, outcome, member):
            self.rejections[refusal] += 1
            return None
        return member

    def _confirm(self, member: Member) -> Member | None:
        traces = confirmation_traces(self.domain, self.frame, member.parameters)
        confirmed = confirmations(self.domain, traces, self.perturbation, member.assessment)
        if confirmed < MIN_CONFIRMED:
            self.rejections["the label does not hold on confirmation traces"] += 1
            return None
        labels = dict(zip(LABELS, self.domain.designs(member.case.design_problem), strict=True))
        size = self.domain.evidence(member.case, labels, self.perturbation).chars()
        return replace(member, confirmed=confirmed, packet_chars=size)


def _apart(upheld: Member, overturned: Member) -> float:
    """By which factor the predicted leads differ."""
    leads = upheld.assessment.perturbed_lead, overturned.assessment.perturbed_lead
    return max(leads) / min(leads)
