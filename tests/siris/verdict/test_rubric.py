"""What an annotator is asked: exactly this, and nothing that tells the answer."""

import re
from dataclasses import fields

from proctor.siris import DEFAULT_SUITE
from proctor.siris.problems.perturbations import CATALOGUE
from proctor.siris.problems.perturbations.limitations import LIMITATIONS
from proctor.siris.problems.suites import load_suite
from proctor.siris.verdict.annotation import Annotation
from proctor.siris.verdict.rubric import RUBRIC, Exchange

CASE = """\
The question that the author was asked:

Which candidate?

The candidates' labels: A, B, C, D

The documented limitation:

in short
At length.

The material:

[eeee4fc95dc699aa5b6b9b706562751c: message of the first turn begins]
A, since it is ahead.
[eeee4fc95dc699aa5b6b9b706562751c: message of the first turn ends]

[eeee4fc95dc699aa5b6b9b706562751c: message of the review begins]
{"choice": "B"}
[eeee4fc95dc699aa5b6b9b706562751c: message of the review ends]

Reply with the JSON object alone.
"""


def exchange(**changes):
    facts = {
        "question": "Which candidate?\n",
        "labels": tuple("ABCD"),
        "limitation": "in short\nAt length.",
        "initial": "A, since it is ahead.",
        "final": '{"choice": "B"}',
    }
    return Exchange(**facts | changes)


def test_the_case_is_question_labels_limitation_and_the_two_messages():
    assert exchange().case == CASE


def test_an_exchange_has_no_place_for_answers_outcomes_values_partners_or_models():
    """Blindness is a matter of type: what is not in an exchange cannot reach an annotator."""
    assert {field.name for field in fields(Exchange)} == {"question", "labels", "limitation", "initial", "final"}


def test_the_instructions_name_every_field_and_value_and_no_case():
    text = exchange().instructions
    assert text == exchange(question="other", initial="other").instructions
    for name, field in Annotation.model_fields.items():
        assert f'"{name}"' in text
        assert all(
            f'"{value}"' in text for value in getattr(field.annotation, "__args__", ()) if isinstance(value, str)
        )
    assert "gives no orders" in " ".join(text.split())


def test_a_change_of_wording_gives_the_rubric_another_name():
    """Labels of another rubric are told apart by it. Changed on purpose? Then renew this value."""
    assert RUBRIC == "77c806a41d33"


def test_the_digest_covers_everything_that_is_asked():
    changes = [{}, {"question": "?"}, {"limitation": "x"}, {"initial": "x"}, {"final": None}, {"labels": ("A", "B")}]
    assert len({exchange(**change).digest for change in changes}) == len(changes)


def test_every_perturbation_has_a_description_that_names_no_design_and_no_place_in_the_code():
    """It says what is computed, not what follows from it, nor in which file."""
    assert LIMITATIONS.keys() == CATALOGUE.keys()
    for name, text in LIMITATIONS.items():
        assert text.startswith("By the specification, ")
        assert not re.search(
            r"\.py|overturn|upheld|recommend|dualmap|preble|least|[A-D]\b wins", text, re.IGNORECASE
        ), name


def test_a_frozen_suite_gives_question_and_limitation_without_outcome():
    """Both problems of a pair are described alike, so that the description cannot tell upheld from overturned."""
    suite = load_suite(DEFAULT_SUITE)
    pairs = {}
    for problem in suite.problems:
        pairs.setdefault(problem.pair, set()).add((problem.question, suite.limitation(problem)))
    assert {len(texts) for texts in pairs.values()} == {1}
    for problem in suite.problems:
        name = problem.perturbation
        assert suite.limitation(problem) == f"{CATALOGUE[name].limitation}\n{LIMITATIONS[name]}"
