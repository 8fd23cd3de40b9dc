"""The numbers that the SIRIS paper printed for its thirteen models, as reference rows beside one's own.

`published.json` holds counts and percentages of Tables 4-11 (arXiv 2611.10329v1) and nothing else of the paper. Which
pair a count comes from was not published, so no interval clustered on the pair and no test of whole pairs can be
computed from them: they come without, and McNemar's test takes conversations for independent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from proctor.siris.verdict.counts import Identification, Movement, Review

PROBLEMS_OF_A_KIND = 87
"""29 pairs x 3 repetitions: conversations of one model on each kind of problem, and attempts at pairs."""


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """One model's printed numbers. Percentages are whole, as printed.

    Attributes:
        review: Table 4, under the perturbed simulator; its final choices are those of Tables 5 and 9.
        judgment_pct: J without a simulator and under the reference simulator (Table 5), by condition.
        pairs_solved: Attempts at pairs that solve both problems, of 87 (Table 9), by condition.
        reach_pct: Conversations that reach a changed line (Table 7), by (condition, "any" or "initial").
        identification: Table 10, of the annotated responses.
    """

    name: str
    review: Review
    judgment_pct: Mapping[str, int]
    pairs_solved: Mapping[str, int]
    reach_pct: Mapping[tuple[str, str], int]
    identification: Identification


@lru_cache(maxsize=1)
def raw() -> dict[str, Any]:
    """The file as it is, by table."""
    text = (files(__package__) / "published.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def published_models() -> list[PublishedModel]:
    """The thirteen models in the paper's order."""
    return [_model(name) for name in raw()["table4_movement"]]


def _model(name: str) -> PublishedModel:
    printed, pairs = raw()["table5_conditions_pct"][name], raw()["table9_counts"][name]
    reach = raw()["table7_reach_pct"][name]
    return PublishedModel(
        name,
        _review(raw()["table4_movement"][name]),
        {"none": printed["no_simulator_J"], "reference": printed["reference_J"]},
        {
            "none": pairs["pairs_no_simulator"],
            "perturbed": pairs["pairs_perturbed"],
            "reference": pairs["pairs_reference"],
        },
        {
            (condition, turn): reach[f"{condition}_{printed_turn}"]
            for condition in ("perturbed", "reference")
            for turn, printed_turn in (("any", "any_turn"), ("initial", "first_turn"))
        },
        _identification(raw()["table10_identification"][name]),
    )


def _review(row: Mapping[str, int]) -> Review:
    upheld, overturned = (
        Movement(row[f"{kind}_initial"], row[f"{kind}_made_correct"], row[f"{kind}_made_wrong"], PROBLEMS_OF_A_KIND)
        for kind in ("upheld", "overturned")
    )
    return Review(upheld, overturned)


def _identification(row: Mapping[str, int]) -> Identification:
    return Identification(
        correct=row["identified_correct"],
        upheld_error=row["identified_upheld_error"],
        kept_presented=row["identified_kept_presented"],
        third=row["identified_third"],
        not_identified=row["not_identified"],
    )
