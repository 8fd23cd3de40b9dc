"""Answers from outside Inspect are checked line by line, and silence is a wrong answer."""

import json

import pytest

from proctor.errors import InputError
from proctor.siris.verdict import scoring
from proctor.siris.verdict.answers import AnswerFileError, absent, read_answers, records
from proctor.siris.verdict.counts import Share, Solved


def row(problem="cap-01-upheld", initial="A", final="A", **more):
    return {"problem": problem, "initial": initial, "final": final, "model": "agent", "condition": "perturbed"} | more


@pytest.fixture
def suite(small_suite):
    return small_suite


@pytest.fixture
def write(tmp_path):
    def to_file(*rows):
        path = tmp_path / "answers.jsonl"
        path.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in rows))
        return path

    return to_file


ALL = [row(f"{pair}-{outcome}") for pair in ("cap-01", "cap-02") for outcome in ("upheld", "overturned")]


def test_a_complete_file_scores_like_a_log(write, suite):
    scored = records(read_answers(write(*ALL), suite), suite)
    assert scoring.solved(scored) == Solved(2, 2, 2, 2)
    assert scoring.pairs_solved(scored) == Share(2, 2)
    assert {r.group for r in scored} == {("serving-test", "agent", "perturbed", "standard")}
    assert all(r.reached_any is None for r in scored)


def test_raw_text_and_labels_go_through_the_same_parser_as_conversations(write, suite):
    rows = [*ALL[:3], row("cap-02-overturned", "b", None)]
    [last] = [r for r in records(read_answers(write(*rows), suite), suite) if r.problem == "cap-02-overturned"]
    assert (last.initial, last.initial_status) == ("B", "valid")
    assert (last.final, last.final_status) == (None, "missing")


def test_a_problem_without_a_line_is_wrong_and_counted(write, suite):
    """Two repetitions of one problem assign all four problems twice."""
    answers = read_answers(write(row(), row(repetition=2)), suite)
    scored = records(answers, suite)
    assert scoring.solved(scored) == Solved(2, 4, 0, 4)
    assert list(absent(answers, scored).values()) == [6]


def test_each_model_and_condition_is_assigned_its_own_problems(write, suite):
    answers = read_answers(write(row(), row(model="other", repetition=3), row(condition="none")), suite)
    assert len(records(answers, suite)) == 4 + 12 + 4


def test_lone_surrogates_in_a_message_are_no_reason_to_refuse_it(write, suite):
    line = json.dumps(row()).replace('"final": "A"', '"final": "\\ud800"')
    scored = records(read_answers(write(line), suite), suite)
    assert [r.final for r in scored if r.problem == "cap-01-upheld"] == [None]


def test_blank_lines_and_a_byte_order_of_rows_do_not_matter(write, suite):
    forward, backward = read_answers(write(*ALL, "", "  "), suite), read_answers(write(*reversed(ALL)), suite)
    assert records(forward, suite) == records(backward, suite)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "not JSON"),
        ("[1]", "expected a JSON object, not list"),
        (row(problem="cap-01-uphold"), "no problem 'cap-01-uphold'; did you mean cap-01-upheld?"),
        ({"problem": "cap-01-upheld", "initial": "A", "model": "m", "condition": "none"}, "field 'final' is missing"),
        (row(finale="B"), "unknown field 'finale'; did you mean final?"),
        (row(final=3), "field 'final'"),
        (row(repetition=0), "field 'repetition'"),
        (row(repetition="1"), "field 'repetition'"),
        (row(version=2), "field 'version' is not 1"),
        (row(condition="pertrubed"), "unknown evidence condition 'pertrubed'"),
        (row(model=""), "field 'model'"),
        ("[" * 5000, "not JSON"),
    ],
)
def test_a_bad_line_is_named_with_file_line_and_what_was_expected(write, suite, line, complaint):
    path = write(*ALL, line)
    with pytest.raises(AnswerFileError) as caught:
        read_answers(path, suite)
    [message] = caught.value.lines
    assert message.startswith(f"{path}, line 5: ")
    assert complaint in message
    assert "\n" not in message


def test_a_line_that_is_not_utf8_is_a_bad_line(tmp_path, suite):
    path = tmp_path / "answers.jsonl"
    path.write_bytes(json.dumps(row()).encode() + b"\n\xff\xfe{}\n")
    with pytest.raises(AnswerFileError, match="line 2: not JSON"):
        read_answers(path, suite)


def test_an_answer_given_twice_is_an_error_that_names_both_lines(write, suite):
    with pytest.raises(AnswerFileError, match=r"line 3: .* answered in line 1 already"):
        read_answers(write(row(), row("cap-02-upheld"), row(final="B")), suite)


def test_every_bad_line_is_reported_up_to_a_limit(write, suite):
    with pytest.raises(AnswerFileError) as caught:
        read_answers(write(*["{"] * 30), suite)
    assert len(caught.value.lines) == 21
    assert caught.value.lines[-1] == "and 10 more bad lines"


def test_a_missing_or_empty_file_says_what_is_expected(write, tmp_path, suite):
    with pytest.raises(InputError, match="cannot be read"):
        read_answers(tmp_path / "none.jsonl", suite)
    with pytest.raises(InputError, match="holds no answer"):
        read_answers(write("", ""), suite)
    with pytest.raises(InputError, match="cannot be read"):
        read_answers(tmp_path, suite)
