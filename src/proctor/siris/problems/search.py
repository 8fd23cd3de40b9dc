"""Search many frames for pairs, and keep those that are balanced and lie furthest apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from proctor.errors import InputError
from proctor.siris.problems.difficulty import Level
from proctor.siris.problems.domain import Domain
from proctor.siris.problems.domains import get_domain
from proctor.siris.problems.executors import Map
from proctor.siris.problems.pairs import FrameResult, Pair, Wish, search_frame
from proctor.siris.problems.selection import select

CANDIDATES_PER_PAIR = 3
ENOUGH_PER_PAIR = 2  # more than these candidates with the same designs would crowd out others
ROUND = 32  # frames that are searched with one wish; a fixed number, so that results do not depend on the workers
PATIENT_FRAMES_PER_PAIR = 16  # for so long other designs are looked for, once there are enough of the common ones
LONG_FRAMES_PER_PAIR = 96  # for so long more candidates are looked for, once there are as many as pairs
MAX_FRAMES_PER_PAIR = 200


@dataclass
class SearchReport:
    """What a search tried and why it rejected what it rejected."""

    frames: int = 0
    proposals: int = 0
    candidates: int = 0
    rejections: Counter[str] = field(default_factory=Counter)


def search(
    domain: Domain,
    perturbation: str,
    pairs: int,
    seed: int,
    run: Map,
    level: Level | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> tuple[list[Pair], SearchReport]:
    """Find that many pairs. The result depends on the arguments alone, not on where `run` does the work.

    `level` wants every problem to be of that difficulty. `on_progress` is told how many candidate pairs were found, of
    how many wanted. Raises InputError if the frames run out.
    """
    domain.design_problem(perturbation)
    wanted = pairs * CANDIDATES_PER_PAIR
    report = SearchReport()
    found: list[Pair] = []
    while len(found) < wanted and report.frames < pairs * MAX_FRAMES_PER_PAIR:
        wish = _wish(found, pairs, level)
        frames = range(report.frames, report.frames + ROUND)
        jobs = [(domain.name, perturbation, seed, index, wish) for index in frames]
        for result in run(_job, jobs):
            _note(report, result)
            found += [result.pair] if result.pair else []
            if on_progress:
                on_progress(min(len(found), wanted), wanted)
        if _suffices(len(found) / pairs, report.frames / pairs):
            break
    report.candidates = len(found)
    if len(found) < pairs:
        raise InputError(
            f"{perturbation}: only {len(found)} of {pairs} pairs found in {report.frames} frames; ask for fewer pairs"
            f"{' or another difficulty' if level else ''}"
        )
    return select(found, pairs), report


def _job(domain: str, perturbation: str, seed: int, index: int, wish: Wish) -> FrameResult:
    return search_frame(get_domain(domain), perturbation, seed, index, wish)


def _suffices(found: float, frames: float) -> bool:
    """Whether to go on would cost more than the choice gains; both numbers are per pair."""
    patience = PATIENT_FRAMES_PER_PAIR if found >= ENOUGH_PER_PAIR else LONG_FRAMES_PER_PAIR
    return found >= 1 and frames >= patience


def _wish(found: list[Pair], pairs: int, level: Level | None) -> Wish:
    kinds = Counter(pair.kind for pair in found)
    presented = Counter(pair.kind.presented for pair in found)
    enough = pairs * ENOUGH_PER_PAIR
    return Wish(
        frozenset(kind for kind, count in kinds.items() if count >= enough),
        frozenset(design for design, count in presented.items() if count >= enough),
        level,
    )


def _note(report: SearchReport, result: FrameResult) -> None:
    report.frames += 1
    report.proposals += result.proposals
    report.rejections.update(result.rejections)
