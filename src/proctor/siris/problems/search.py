"""Search many frames for pairs, on all cores, and keep those that are balanced and lie furthest apart."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from proctor.errors import InputError
from proctor.siris.problems.domain import Domain
from proctor.siris.problems.domains import get_domain
from proctor.siris.problems.pairs import FrameResult, Pair, search_frame

CANDIDATES_PER_PAIR = 2
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
    workers: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> tuple[list[Pair], SearchReport]:
    """Find that many pairs. The result depends on the arguments alone, not on the number of workers.

    `on_progress` is told how many candidate pairs were found, of how many wanted. Raises InputError if the frames run
    out.
    """
    domain.design_problem(perturbation)
    wanted = pairs * CANDIDATES_PER_PAIR
    report = SearchReport()
    found: list[Pair] = []
    for result in _results(domain.name, perturbation, seed, pairs * MAX_FRAMES_PER_PAIR, workers):
        report.frames += 1
        report.proposals += result.proposals
        report.rejections.update(result.rejections)
        if result.pair:
            found.append(result.pair)
            if on_progress:
                on_progress(len(found), wanted)
        if len(found) == wanted:
            break
    report.candidates = len(found)
    if len(found) < pairs:
        raise InputError(
            f"{perturbation}: only {len(found)} of {pairs} pairs found in {report.frames} frames; ask for fewer pairs"
        )
    return spread(found, pairs), report


def _results(domain: str, perturbation: str, seed: int, frames: int, workers: int | None) -> Iterator[FrameResult]:
    """Results in the order of the frames; a little ahead of what was consumed."""
    workers = workers or os.cpu_count() or 1
    if workers == 1:
        yield from (_job(domain, perturbation, seed, index) for index in range(frames))
        return
    context = multiprocessing.get_context("spawn")  # the caller may have threads (progress bars)
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_end_with_parent) as pool:
        ahead: deque[Future[FrameResult]] = deque()
        try:
            for index in range(frames):
                ahead.append(pool.submit(_job, domain, perturbation, seed, index))
                if len(ahead) >= 2 * workers:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            for future in ahead:
                future.cancel()


def _end_with_parent() -> None:
    """In a worker: end when the searching process ends, even by kill -9; otherwise the worker would wait for ever."""
    parent = multiprocessing.parent_process()
    assert parent

    def wait() -> None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _job(domain: str, perturbation: str, seed: int, index: int) -> FrameResult:
    return search_frame(get_domain(domain), perturbation, seed, index)


def spread(candidates: Sequence[Pair], count: int) -> list[Pair]:
    """Choose pairs one by one, beginning with the first: what keeps sizes balanced, of that what lies furthest away.

    Balanced means that a packet's size and each workload parameter are the greater ones as often in the upheld problem
    as in the overturned one, so that none of them tells the outcomes apart.
    """
    features = [_features(pair) for pair in candidates]
    leanings = [_leaning(pair) for pair in candidates]
    names = sorted({name for f in features for name in f})
    span = {name: _span([f[name] for f in features if name in f]) for name in names}

    def distance(a: Mapping[str, Any], b: Mapping[str, Any]) -> float:
        return sum(_difference(a.get(name), b.get(name), span[name]) for name in names)

    chosen = [0]
    while len(chosen) < count:
        rest = [i for i in range(len(candidates)) if i not in chosen]
        imbalance = {i: _imbalance([leanings[j] for j in (*chosen, i)]) for i in rest}
        least = min(imbalance.values())
        best = [i for i in rest if imbalance[i] == least]
        chosen.append(max(best, key=lambda i: (min(distance(features[i], features[j]) for j in chosen), -i)))
    return [candidates[i] for i in sorted(chosen)]


def _leaning(pair: Pair) -> dict[str, int]:
    """+1 where the upheld problem has the greater number, -1 where the overturned one has it."""
    upheld = {"packet": pair.upheld.packet_chars, **pair.upheld.parameters}
    overturned = {"packet": pair.overturned.packet_chars, **pair.overturned.parameters}
    return {
        name: (value > overturned[name]) - (value < overturned[name])
        for name, value in upheld.items()
        if isinstance(value, int)
    }


def _imbalance(leanings: Sequence[Mapping[str, int]]) -> int:
    """Sum of squares of what leans one way; the size of the packet counts as much as all parameters together."""
    totals = {name: sum(leaning[name] for leaning in leanings) for name in leanings[0]}
    return sum(total**2 * (len(totals) - 1 if name == "packet" else 1) for name, total in totals.items())


def _features(pair: Pair) -> dict[str, Any]:
    features: dict[str, Any] = {
        "presented": pair.upheld.assessment.presented,
        "answer": pair.overturned.assessment.answer,
    }
    parts = {"shared": pair.frame.shared, "system": pair.frame.system}
    for outcome, member in (("upheld", pair.upheld), ("overturned", pair.overturned)):
        parts[outcome] = member.parameters
    features.update({f"{part}.{name}": value for part, values in parts.items() for name, value in values.items()})
    return features


def _span(values: Sequence[Any]) -> float:
    numbers = [value for value in values if isinstance(value, int | float)]
    return max(numbers) - min(numbers) if numbers else 0


def _difference(a: Any, b: Any, span: float) -> float:
    if isinstance(a, int | float) and isinstance(b, int | float):
        return abs(a - b) / span if span else 0
    return float(a != b)
