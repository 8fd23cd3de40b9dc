"""The search depends on its arguments alone, and what it finds are pairs as the paper defines them."""

from __future__ import annotations

import pytest

from proctor.errors import InputError
from proctor.siris.problems.admission import MIN_CONFIRMED
from proctor.siris.problems.difficulty import LEVELS
from proctor.siris.problems.pairs import Wish, search_frame
from proctor.siris.problems.search import search
from proctor.siris.problems.serving_domain import ServingDomain


def _here(function, arguments):
    return (function(*each) for each in arguments)


def test_an_unknown_perturbation_is_refused_before_any_work(domain: ServingDomain) -> None:
    with pytest.raises(InputError, match="did you mean shared_nic"):
        search(domain, "shared_nick", 1, 1, _here)


@pytest.mark.slow
def test_a_found_pair_meets_the_definition(domain: ServingDomain) -> None:
    """Paper section 3.1: same candidates, limitation, metric and recommendation; the reference agrees with one only."""
    (pair,), _ = search(domain, "coordinate_swap", 1, 5, _here)
    upheld, overturned = pair.upheld.assessment, pair.overturned.assessment
    assert upheld.presented == overturned.presented == upheld.answer != overturned.answer
    assert pair.upheld.parameters != pair.overturned.parameters
    assert pair.upheld.case.system == pair.overturned.case.system
    assert min(pair.upheld.confirmed, pair.overturned.confirmed) >= MIN_CONFIRMED


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_a_search_for_a_difficulty_finds_problems_of_that_difficulty(domain: ServingDomain, level) -> None:
    (pair,), report = search(domain, "query_interpolation", 1, 3, _here, level)
    assert {pair.upheld.difficulty.level, pair.overturned.difficulty.level} == {level}
    assert report.rejections[f"not {level}"] > 0


@pytest.mark.slow
def test_a_frame_gives_the_same_result_twice(domain: ServingDomain) -> None:
    first, second = (search_frame(domain, "step_aggregation", 5, 3, Wish()) for _ in range(2))
    assert first == second


@pytest.mark.slow
def test_every_proposal_ends_in_a_pair_or_under_a_reason(domain: ServingDomain) -> None:
    for index in range(12):
        result = search_frame(domain, "query_interpolation", 5, index, Wish())
        assert sum(result.rejections.values()) + (2 if result.pair else 0) == result.proposals


@pytest.mark.slow
def test_kinds_of_which_there_are_enough_are_not_looked_for(domain: ServingDomain) -> None:
    results = (search_frame(domain, "query_interpolation", 5, index, Wish()) for index in range(40))
    pair = next(result.pair for result in results if result.pair)
    indices = range(40)
    for wish in (Wish(enough=frozenset({pair.kind})), Wish(enough_presented=frozenset({pair.kind.presented}))):
        found = [search_frame(domain, "query_interpolation", 5, index, wish).pair for index in indices]
        kinds = {other.kind for other in found if other}
        assert pair.kind not in kinds
        assert not wish.enough_presented & {kind.presented for kind in kinds}
