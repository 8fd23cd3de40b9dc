"""The frozen suite routing-v1 is the routing part of the paper's Table 2, and it regenerates identically."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from proctor.siris.problems.admission import MIN_CONFIRMED, MIN_LEAD_PERCENT
from proctor.siris.problems.manifest import ProblemEntry
from proctor.siris.problems.suites import Suite, load_suite, verify


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite("routing-v1")


@pytest.fixture(scope="module")
def pairs(suite: Suite) -> list[dict[str, ProblemEntry]]:
    found: dict[str, dict[str, ProblemEntry]] = defaultdict(dict)
    for entry in suite.manifest.problems:
        assert entry.outcome not in found[entry.pair]
        found[entry.pair][entry.outcome] = entry
    return list(found.values())


def test_it_has_the_routing_pairs_of_table_2(pairs: list[dict[str, ProblemEntry]]) -> None:
    assert all(pair.keys() == {"upheld", "overturned"} for pair in pairs)
    assert Counter(pair["upheld"].perturbation for pair in pairs) == {"prefix_cap": 6, "reuse_granularity": 6}


def test_the_problems_of_a_pair_differ_in_workload_alone(pairs: list[dict[str, ProblemEntry]]) -> None:
    for pair in pairs:
        upheld, overturned = pair["upheld"], pair["overturned"]
        for name in ("perturbation", "design_problem", "system", "shared"):
            assert getattr(upheld, name) == getattr(overturned, name)
        assert upheld.labels[upheld.presented] == overturned.labels[overturned.presented]
        assert upheld.workload_digest != overturned.workload_digest


def test_every_label_is_clear_and_confirmed(suite: Suite) -> None:
    for entry in suite.manifest.problems:
        for values in (entry.perturbed, entry.reference):
            first, second = sorted(values.values())[:2]
            assert (second - first) * 100 >= MIN_LEAD_PERCENT * first
            assert second - first >= 1_000_000
        assert entry.confirmed >= MIN_CONFIRMED


def test_no_label_tells_the_answer_or_the_outcome(pairs: list[dict[str, ProblemEntry]]) -> None:
    for outcome in ("upheld", "overturned"):
        for place in ("answer", "presented"):
            counts = Counter(getattr(pair[outcome], place) for pair in pairs)
            assert counts == dict.fromkeys("ABCD", len(pairs) // 4), (outcome, place)


def test_a_fixed_design_solves_less_than_the_follow_rule(pairs: list[dict[str, ProblemEntry]]) -> None:
    problems = [entry for pair in pairs for entry in pair.values()]
    solved = Counter(entry.labels[entry.answer] for entry in problems)
    assert max(solved.values()) < len(problems) / 2


def test_neither_the_size_of_a_packet_nor_the_arrival_gap_tells_the_outcome(
    suite: Suite, pairs: list[dict[str, ProblemEntry]]
) -> None:
    """In half of the pairs the upheld problem has the greater one, give or take one pair."""
    problems = {problem.id: problem for problem in suite.problems}

    def packet(entry: ProblemEntry) -> int:
        return sum(map(len, suite.evidence(problems[entry.id], "perturbed").all_files().values()))

    def gap(entry: ProblemEntry) -> int:
        value: int = entry.parameters["gap_us"]
        return value

    for measure in (packet, gap):
        greater = sum(measure(pair["upheld"]) > measure(pair["overturned"]) for pair in pairs)
        assert abs(greater - len(pairs) / 2) <= 1


def test_everything_regenerates_identically(suite: Suite) -> None:
    assert {problem: differences for problem, differences in verify(suite) if differences} == {}
