"""From frames to perturbation pairs: propose, assess, match, confirm (paper sections 3.1, A.1, A.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from proctor.siris.problems.admission import CONFIRMATIONS, MIN_CONFIRMED, Assessment, assess, confirmations
from proctor.siris.problems.domain import LABELS, Case, Domain, Frame

PROPOSALS_PER_FRAME = 24
PROBES_PER_FRAME = 10  # a frame in which none of the first proposals is admitted is given up
MATCHES_PER_FRAME = 4
DISCOVERY_SEED = 0
CONFIRMATION_SEEDS = range(DISCOVERY_SEED + 1, DISCOVERY_SEED + 1 + CONFIRMATIONS)


@dataclass(frozen=True)
class Member:
    """One problem of a pair before it gets an identity."""

    parameters: Mapping[str, Any]
    case: Case
    assessment: Assessment
    confirmed: int = 0
    packet_chars: int = 0


@dataclass(frozen=True)
class Pair:
    """An upheld and an overturned problem that differ only in workload."""

    perturbation: str
    frame: Frame
    upheld: Member
    overturned: Member


@dataclass(frozen=True)
class FrameResult:
    """What one frame yielded, and why its other proposals were rejected: proposals = rejections + 2 for a pair."""

    pair: Pair | None
    proposals: int
    rejections: Mapping[str, int]


def search_frame(domain: Domain, perturbation: str, seed: int, index: int) -> FrameResult:
    """Look for one pair in the frame of that number; depends on nothing but the arguments."""
    rng = Random(f"{domain.name}/{perturbation}/{seed}/{index}")
    frame = domain.frame(domain.design_problem(perturbation), rng)
    rejections: Counter[str] = Counter()
    admitted: list[Member] = []
    proposals = 0
    while proposals < (PROPOSALS_PER_FRAME if admitted else PROBES_PER_FRAME):
        proposals += 1
        parameters = domain.propose(frame, rng)
        case = domain.generate(frame, parameters, DISCOVERY_SEED)
        assessment = assess(domain, case, perturbation)
        if isinstance(assessment, str):
            rejections[assessment] += 1
        else:
            admitted.append(Member(parameters, case, assessment))
    matches = _matches(admitted)
    pair = None
    for upheld, overturned in matches[:MATCHES_PER_FRAME]:
        pair = _confirm(domain, perturbation, frame, upheld, overturned)
        if pair:
            break
    reason = "no partner with the same recommendation"
    if matches:
        reason = "another one of the frame was taken" if pair else "the label does not hold on confirmation traces"
    rejections[reason] += len(admitted) - (2 if pair else 0)
    return FrameResult(pair, proposals, +rejections)


def confirmation_traces(domain: Domain, frame: Frame, parameters: Mapping[str, Any]) -> Iterator[Case]:
    """Traces of the same generator with other seeds."""
    return (domain.generate(frame, parameters, seed) for seed in CONFIRMATION_SEEDS)


def _matches(admitted: list[Member]) -> list[tuple[Member, Member]]:
    """Upheld and overturned problems with one recommendation, closest predicted leads first.

    Otherwise the size of the predicted lead alone would tell the two outcomes apart.
    """
    pairs = [
        (u, o)
        for u in admitted
        for o in admitted
        if u.assessment.outcome == "upheld"
        and o.assessment.outcome == "overturned"
        and u.assessment.presented == o.assessment.presented
    ]

    def distance(pair: tuple[Member, Member]) -> float:
        u, o = (member.assessment.perturbed_lead for member in pair)
        return max(u / o, o / u)

    return sorted(pairs, key=distance)


def _confirm(domain: Domain, perturbation: str, frame: Frame, upheld: Member, overturned: Member) -> Pair | None:
    members = []
    for member in (upheld, overturned):
        traces = confirmation_traces(domain, frame, member.parameters)
        confirmed = confirmations(domain, traces, perturbation, member.assessment)
        if confirmed < MIN_CONFIRMED:
            return None
        labels = dict(zip(LABELS, domain.designs(member.case.design_problem), strict=True))
        size = domain.evidence(member.case, labels, perturbation).chars()
        members.append(replace(member, confirmed=confirmed, packet_chars=size))
    return Pair(perturbation, frame, *members)
