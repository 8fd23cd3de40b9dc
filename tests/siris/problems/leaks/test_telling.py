"""Metadata does not tell the outcome of a frozen suite, and each channel through which it could is noticed."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from proctor.siris.problems.leaks import telling
from proctor.siris.problems.leaks.metadata import features


def judged(shown, looks):
    """The checks by name."""
    checks = telling.judge([e.problem for e in shown], looks)
    return {check.name: check for check in checks}


@pytest.fixture(scope="module")
def looks(frozen):
    return [features(exhibit) for exhibit in frozen]


def test_the_frozen_suite_passes_and_always_with_the_same_numbers(frozen, looks):
    first, second = judged(frozen, looks), judged(frozen, looks)
    assert {name: check.holds for name, check in first.items()} == {
        "metadata classifier": True,
        "single features": True,
    }
    assert first == second


def longer(text):
    return text.replace("\n]}", " " * 400 + "\n]}")


def with_fractions(text):
    return re.sub(r"\b(\d+)\.(\d{3})(\d*)", r"\1.\2", text)


def commented(text):
    return text + "# see above\n"


CHANNELS = {
    "size": ("workload.json", longer, "workload.json: characters"),
    "number format": ("prediction.json", with_fractions, "predictions: mean places of fractions"),
    "comments": ("simulator/cache.py", commented, "code: share of comments"),
    "names": ("workload.json", lambda text: text.replace("user-", "u-"), "description: mean length of names"),
}


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_channel_that_tells_the_outcome_is_named(frozen, looks, doctor, channel):
    """One file of every overturned problem is written otherwise."""
    path, edit, feature = CHANNELS[channel]
    leaking = [
        features(doctor(exhibit, path, edit)) if exhibit.problem.outcome == "overturned" else look
        for exhibit, look in zip(frozen, looks, strict=True)
    ]
    check = judged(frozen, leaking)["single features"]
    assert check.holds is False
    assert any(feature in line for line in check.details)


def test_the_place_of_the_presented_label_is_a_channel(frozen, looks):
    """In every overturned problem the presented label comes later than in its upheld partner."""
    leaking = [
        {**look, "place of the presented label": float(exhibit.problem.outcome == "overturned")}
        for exhibit, look in zip(frozen, looks, strict=True)
    ]
    check = judged(frozen, leaking)["single features"]
    assert "place of the presented label" in check.details[0]
    assert check.holds is False


def test_a_classifier_notices_what_no_feature_tells_alone(frozen, looks):
    """Twelve features that lean by half a standard deviation each: none is caught, all together are."""
    rng = np.random.default_rng(5)
    leaking = [
        {**look, **{f"extra {i}": rng.normal(0.5 if e.problem.outcome == "upheld" else -0.5) for i in range(12)}}
        for e, look in zip(frozen, looks, strict=True)
    ]
    checks = judged(frozen, leaking)
    assert checks["single features"].holds is True
    assert checks["metadata classifier"].holds is False


def test_what_is_extreme_in_one_outcome_and_central_in_the_other_is_noticed(frozen):
    """Nothing leans to one side, but both the Gaussian kernel and the distance from the middle tell."""
    rng = np.random.default_rng(6)
    leaking = [
        {f"extra {i}": rng.choice((-1, 1)) * rng.uniform(*((0.8, 1) if upheld else (0, 0.2))) for i in range(2)}
        for e in frozen
        for upheld in [e.problem.outcome == "upheld"]
    ]
    checks = judged(frozen, leaking)
    assert checks["single features"].values["caught"] == 1
    assert checks["single features"].details[0].startswith("distance from the middle of extra 0, distance from")
    assert checks["metadata classifier"].values["p Gaussian kernel"] < 0.01
    assert checks["metadata classifier"].values["p linear"] > 0.05
    assert checks["metadata classifier"].holds is False


def test_too_few_pairs_are_said_to_tell_nothing(frozen, looks):
    """Three tests of six pairs cannot get below 3 * 2 / 64, and the many features of seven pairs cannot either."""
    kept = sorted({exhibit.problem.pair for exhibit in frozen})
    for pairs, verdict in ((6, None), (7, True)):
        chosen = [i for i, exhibit in enumerate(frozen) if exhibit.problem.pair in kept[:pairs]]
        checks = judged([frozen[i] for i in chosen], [looks[i] for i in chosen])
        assert checks["metadata classifier"].holds is verdict
        assert checks["single features"].holds is None
        assert "too few pairs to tell" in checks["single features"].figure


def test_swapped_outcomes_give_false_alarms_as_rarely_as_promised(frozen, looks):
    """Each family is held at 5 %: of 60 swapped suites, 3 alarms on average; 10 or more have a chance below 0.1 %."""
    rng = np.random.default_rng(7)
    alarms = {"metadata classifier": 0, "single features": 0}
    pairs = {exhibit.problem.pair for exhibit in frozen}
    other = {"upheld": "overturned", "overturned": "upheld"}
    for _ in range(60):
        swapped = {pair for pair in sorted(pairs) if rng.random() < 0.5}
        shown = [
            replace(e, problem=replace(e.problem, outcome=other[e.problem.outcome])) if e.problem.pair in swapped else e
            for e in frozen
        ]
        for name, check in judged(shown, looks).items():
            alarms[name] += not check.holds
    assert all(count < 10 for count in alarms.values()), alarms
