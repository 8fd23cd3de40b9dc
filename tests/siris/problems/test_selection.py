"""What is chosen is balanced over outcomes, spread over designs, and far apart."""

from __future__ import annotations

import itertools

from proctor.siris.problems.admission import Assessment
from proctor.siris.problems.domain import Case, Frame, Prediction
from proctor.siris.problems.pairs import Member, Pair
from proctor.siris.problems.selection import select

UPHELD = Assessment(
    {"a": Prediction(10, ""), "b": Prediction(12, "")}, {"a": Prediction(10, ""), "b": Prediction(13, "")}
)


def _overturned(presented: str, answer: str) -> Assessment:
    perturbed = {"a": Prediction(12, ""), "b": Prediction(12, "")} | {presented: Prediction(10, "")}
    reference = {"a": Prediction(13, ""), "b": Prediction(13, "")} | {answer: Prediction(10, "")}
    return Assessment(perturbed, reference)


def _pair(gap: int, kind: str = "p", sizes: tuple[int, int] = (0, 0), designs: str = "ab") -> Pair:
    """A pair with the given parameter, system, packet sizes (upheld, overturned), and designs (presented, answer)."""
    assessments = (UPHELD, _overturned(*designs))
    members = [
        Member({"gap": gap}, Case("routing", {}, []), assessment, packet_chars=size)
        for assessment, size in zip(assessments, sizes, strict=True)
    ]
    return Pair("prefix_cap", Frame("routing", {"profile": kind}, {}), *members)


def _gaps(pairs: list[Pair]) -> list[int]:
    return [pair.upheld.parameters["gap"] for pair in pairs]


def test_the_pairs_that_lie_furthest_apart_are_kept() -> None:
    assert _gaps(select([_pair(gap) for gap in (0, 1, 2, 50, 99, 100)], 3)) == [0, 50, 100]


def test_another_system_counts_as_far_apart() -> None:
    candidates = [_pair(0, "x"), _pair(1, "x"), _pair(1, "y")]
    assert [pair.frame.system["profile"] for pair in select(candidates, 2)] == ["x", "y"]


def test_the_size_of_packets_does_not_tell_the_outcome() -> None:
    """Five pairs have the smaller packet in the upheld problem, three the greater one: three of each are kept."""
    candidates = [_pair(10 * i, sizes=(1, 2) if i < 5 else (2, 1)) for i in range(8)]
    kept = select(candidates, 6)
    assert sum(pair.upheld.packet_chars < pair.overturned.packet_chars for pair in kept) == 3


def test_presented_designs_and_answers_are_spread() -> None:
    candidates = [_pair(10 * i, designs="ba" if i in (4, 7) else "ab") for i in range(8)]
    assert [pair.kind.presented for pair in select(candidates, 4)].count("b") == 2


def test_the_choice_is_as_balanced_as_the_best_of_all_choices() -> None:
    """Against every subset, by an independent count of what leans and crowds."""
    candidates = [_pair(i % 5, sizes=(i * 7 % 11, i * 5 % 13), designs="ab" if i % 3 else "ba") for i in range(9)]

    def cost(pairs: tuple[Pair, ...]) -> int:
        lean = sum(
            (p.upheld.packet_chars > p.overturned.packet_chars) - (p.upheld.packet_chars < p.overturned.packet_chars)
            for p in pairs
        )
        presented = [p.kind.presented for p in pairs]
        return 3 * lean**2 + 2 * sum(presented.count(design) ** 2 for design in "ab")

    best = min(map(cost, itertools.combinations(candidates, 4)))
    assert cost(tuple(select(candidates, 4))) == best


def test_the_choice_comes_in_the_order_in_which_pairs_were_found() -> None:
    assert _gaps(select([_pair(gap) for gap in (9, 5, 7, 1)], 4)) == [9, 5, 7, 1]
