"""What the two turns say, and what they must not say (paper sections 3.2, B.2, B.3, B.5)."""

import itertools
import re

import pytest

from proctor.errors import InputError
from proctor.siris.review.briefs import briefs
from proctor.siris.review.packet import CONDITIONS
from proctor.siris.review.prompts import PROMPTS

COMPLETE = ("perturbed", "reference")
ALLOWED = [(c, p) for c, p in itertools.product(CONDITIONS, PROMPTS) if p == "standard" or c in COMPLETE]


def script(suite, condition, prompt="standard", number=0):
    return briefs(suite, condition, prompt)[suite.problems[number].id].script


@pytest.mark.parametrize(("condition", "prompt"), ALLOWED)
def test_the_first_turn_says_nothing_of_limitations_or_of_a_review(suite, condition, prompt):
    """The initial choice is the reader's own reading of the evidence."""
    text = script(suite, condition, prompt).first_turn
    assert not re.search(r"limitation|review|reconsider|follow|perturb|flaw|wrong|error|bug|trust", text, re.I)


@pytest.mark.parametrize(("condition", "prompt"), ALLOWED)
def test_no_turn_names_a_condition_a_version_or_an_outcome(suite, condition, prompt):
    both = script(suite, condition, prompt)
    words = r"perturb|reference|upheld|overturned|injected|mutat|modified|prefix_cap|original simulator"
    assert not re.search(words, both.first_turn + both.review_turn, re.I)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_first_turn_lists_exactly_the_files_of_the_packet(suite, condition):
    brief = briefs(suite, condition, "standard")[suite.problems[0].id]
    listed = re.findall(r"^[\w\-./]+\.(?:py|md|json|jsonl|csv)$", brief.script.first_turn, re.M)
    assert listed == list(brief.packet.files)


def test_only_what_is_shown_is_described(suite):
    assert "simulator" not in script(suite, "none").first_turn
    assert "`prediction.json`" in script(suite, "predictions-only").first_turn
    assert "simulator/" not in script(suite, "predictions-only").first_turn
    assert "execution-records" not in script(suite, "code+predictions").first_turn


def test_perturbed_and_reference_are_asked_in_the_same_words(suite):
    """Nothing but the evidence tells the conditions apart; the same holds for the problems of a pair."""
    assert script(suite, "perturbed") == script(suite, "reference")
    assert script(suite, "perturbed", number=0) == script(suite, "perturbed", number=1)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_both_turns_say_how_to_answer(suite, condition):
    both = script(suite, condition)
    for text in (both.first_turn, both.review_turn):
        assert '{"choice": "<one of A, B, C, D>"' in text
        assert "calls no\ntool" in text or "calls no tool" in text or "that calls no tool" in text.replace("\n", " ")


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_review_asks_for_decision_and_limitation_except_without_a_simulator(suite, condition):
    """B.3: the review of the no-simulator condition omits both fields."""
    text = script(suite, condition).review_turn
    assert ('"decision"' in text) == ('"limitation"' in text) == ("reconsider" in text) == (condition != "none")


def test_the_review_of_predictions_alone_asks_to_check_against_the_files(suite):
    """B.5, predictions-only."""
    assert "Check your recommendation against these files" in script(suite, "predictions-only").review_turn
    assert "Check your recommendation" not in script(suite, "perturbed").review_turn


def test_instructed_inspection_adds_one_instruction_to_the_first_turn_only(suite):
    """B.2: to read the source behind prediction.json and check it against the description, before recommending."""
    standard, instructed = script(suite, "perturbed"), script(suite, "perturbed", "instructed")
    assert instructed.review_turn == standard.review_turn
    [added] = set(instructed.first_turn.split("\n\n")) - set(standard.first_turn.split("\n\n"))
    assert all(word in added for word in ("Before you recommend", "prediction.json", "system-description.md", "source"))


def test_comparison_guidance_stands_in_the_review_only_before_the_answer_format(suite):
    """B.5: compare the effect over candidates; that a limitation exists decides nothing."""
    standard, comparison = script(suite, "perturbed"), script(suite, "perturbed", "comparison")
    assert comparison.first_turn == standard.first_turn
    [added] = set(comparison.review_turn.split("\n\n")) - set(standard.review_turn.split("\n\n"))
    assert "all\ncandidates alike" in added or "all candidates alike" in added.replace("\n", " ")
    assert comparison.review_turn.index(added) < comparison.review_turn.index('{"choice"')


@pytest.mark.parametrize(("condition", "prompt"), sorted(set(itertools.product(CONDITIONS, PROMPTS)) - set(ALLOWED)))
def test_a_prompt_that_speaks_of_evidence_not_shown_is_refused(suite, condition, prompt):
    with pytest.raises(InputError, match="use it with condition perturbed or reference"):
        briefs(suite, condition, prompt)


def test_an_unknown_prompt_is_named_with_what_there_is(suite):
    with pytest.raises(InputError, match="did you mean instructed"):
        briefs(suite, "perturbed", "instructd")
