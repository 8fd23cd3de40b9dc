"""What a closing message chooses."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.siris.review.choices import ATTEMPTS, Choice, parse_choice

VALID = [
    ('{"choice": "B", "rationale": "fast"}', "B"),
    ('{"choice": "b"}', "B"),
    ('{"choice": "B)"}', "B"),
    ('{"choice": "(c)"}', "C"),
    ('{"choice": "**D**"}', "D"),
    ('{"choice": "Option B"}', "B"),
    ('{"choice": "candidate a"}', "A"),
    ('{"choice": "B - longest prefix"}', "B"),
    ('{"choice": "B (longest prefix)"}', "B"),
    ('{"choice": "B (not the slowest)"}', "B"),
    ('{"choice": ["C"]}', "C"),
    ('{"Choice": "C"}', "C"),
    ('{"choice":"B","choice":"B"}', "B"),
    ('{"choice": "I recommend B"}', "B"),
    ('I read everything.\n```json\n{\n  "choice": "A",\n  "rationale": "it wins"\n}\n```\nThat is all.', "A"),
    ('First I thought {"choice": "A"}, but then {"choice": "D"}.', "D"),
    ('{"choice": "A"} and some other object {"p95": 3}', "A"),
    ('{"result": {"choice": "C"}}', "C"),
    ('{"choice": "B", "details": {"p95": 1.5}}', "B"),
    ('{"choice": "B", "rationale": "line one\nline two"}', "B"),
    ('{"choice": "B", "rationale": "better than {\\"choice\\": \\"A\\"}"}', "B"),
    ('{"choice": "B", "rationale": "he said "no" to A"}', "B"),
    ('{"choice": "C", "rationale": "cut off in the mid', "C"),
    ("{'choice': 'C', 'rationale': 'python quotes'}", "C"),
    ("{“choice”: “C”}", "C"),
    ('{"choice": "\uff22"}', "B"),
    ("B", "B"),
    ("b", "B"),
    ("a", "A"),
    ("B)", "B"),
    ("(B)", "B"),
    ("**B**", "B"),
    ("**Option B**", "B"),
    ("Candidate c.", "C"),
    ("Answer: D", "D"),
    ("D) It keeps the load even.", "D"),
    ("B: because its p95 is lowest", "B"),
    ("I recommend option B.", "B"),
    ("I recommend **candidate B** over candidate A and candidate C.", "B"),
    ("My final choice is C, since A overloads a replica.", "C"),
    ("I would not choose A. I choose D.", "D"),
    ("I'd go with B because it balances the load.", "B"),
    ("Recommendation: **A**", "A"),
    ("Weighing everything, candidate D has the edge.", "D"),
    ('I choose "b".', "B"),
]

OTHER = [
    (None, "missing"),
    ("", "missing"),
    ("   \n ", "missing"),
    ("I could not decide.", "missing"),
    ("I recommend a cache-aware design.", "missing"),
    ("Recommendation: A cache-aware policy like that of the second file.", "missing"),
    ("I recommend it. I would do it again.", "missing"),
    ('{"rationale": "no field"}', "missing"),
    ('{"choice": null}', "missing"),
    ('{"choice": "none"}', "missing"),
    ('{"choice": []}', "missing"),
    ('{"choice": "E"}', "invalid"),
    ('{"choice": "longest prefix"}', "invalid"),
    ('{"choice": 2}', "invalid"),
    ('{"choice": true}', "invalid"),
    ('{"choice": {"label": "A"}}', "invalid"),
    ("E", "invalid"),
    ("Option F", "invalid"),
    ("I recommend option E.", "invalid"),
    ('{"choice": "not A"}', "invalid"),
    ('{"choice": "not option (A)"}', "invalid"),
    ('{"choice": "anything but A"}', "invalid"),
    ("Anything but option A.", "missing"),
    ("I do not recommend option A.", "missing"),
    ('{"choice": "A or B"}', "ambiguous"),
    ('{"choice": "A|B|C|D"}', "ambiguous"),
    ('{"choice": ["A", "B"]}', "ambiguous"),
    ('{"choice": "A", "choice": "B"}', "ambiguous"),
    ("I choose A. On reflection I choose B.", "ambiguous"),
    ("Candidate A is as good as candidate B.", "ambiguous"),
]


@pytest.mark.parametrize(("text", "label"), VALID)
def test_a_clear_answer_is_understood(text: str, label: str) -> None:
    assert parse_choice(text) == Choice(label, "valid")


@pytest.mark.parametrize(("text", "status"), OTHER)
def test_everything_else_is_told_apart_and_has_no_label(text: str | None, status: str) -> None:
    assert parse_choice(text) == Choice(None, status)  # type: ignore[arg-type]


def test_lone_surrogates_do_not_disturb() -> None:
    assert parse_choice('\ud83d so {"choice": "B", "rationale": "\udca1"}') == Choice("B", "valid")
    assert parse_choice("\ud83d\ud83d") == Choice(None, "missing")


def test_labels_can_be_others_than_four() -> None:
    assert parse_choice('{"choice": "E"}', labels="ABCDE") == Choice("E", "valid")
    assert parse_choice('{"choice": "C"}', labels="AB").status == "invalid"


HOSTILE = [
    "{" * 1_000_000,
    '{"a":' * 300_000,
    '{"choice": "' * 100_000,
    '{"x": "' + "y" * 2_000_000,
    "choice " * 400_000,
    "recommend the option " * 200_000,
    "I choose A over " * 100_000,
    "not " * 500_000,
    "*_`" * 1_000_000,
    " " * 3_000_000,
    "[" * 1_000_000 + '{"choice": "A"}',
    "\ufdfa" * 200_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_megabytes_of_anything_are_read_within_a_second(text: str) -> None:
    start = time.process_time()
    parse_choice(text)
    assert time.process_time() - start < 1.0


def test_the_answer_is_found_behind_megabytes_of_prose() -> None:
    assert parse_choice("thinking {about} it " * 200_000 + '{"choice": "D"}').label == "D"


def test_an_answer_before_a_flood_of_braces_is_given_up_in_bounded_time() -> None:
    assert parse_choice('{"choice": "D"}' + "{" * (ATTEMPTS - 1)).label == "D"


@given(st.text())
def test_no_text_makes_it_fail(text: str) -> None:
    choice = parse_choice(text)
    assert (choice.label in set("ABCD")) == (choice.status == "valid")


@given(st.text(alphabet='ABCDabc{}[]":, \n*()choiceoptn\ud800', max_size=200))
def test_no_text_near_the_format_makes_it_fail(text: str) -> None:
    choice = parse_choice(text)
    assert (choice.label is not None) == (choice.status == "valid")


@given(
    label=st.sampled_from("ABCD"),
    rationale=st.text(max_size=80),
    before=st.text(alphabet="xyz .,\n{}", max_size=60),
    indent=st.sampled_from([None, 2]),
)
def test_a_well_formed_answer_is_always_found(label: str, rationale: str, before: str, indent: int | None) -> None:
    answer = json.dumps({"choice": label, "rationale": rationale}, indent=indent)
    assert parse_choice(f"{before}\n```json\n{answer}\n```") == Choice(label, "valid")
