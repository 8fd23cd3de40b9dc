"""Whole conversations through Inspect: scores, denominators in every bad ending, and what the log holds."""

import json
import sys

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import score
from inspect_ai.log import read_eval_log
from inspect_ai.model import ChatMessageAssistant, ModelOutput, modelapi
from inspect_ai.model._call_tools import parse_tool_call

import proctor._registry  # noqa: F401 - registers models
from proctor.siris.review.conversation import Conversation
from proctor.siris.review.rules.api import RuleAPI
from proctor.siris.review.rules.dialogue import Answer, Dialogue
from proctor.siris.scorer import choices
from proctor.siris.task import review_task
from proctor.siris.verdict.records import Record


@modelapi(name="parsing")
def parsing():
    """rule/constant-b that first asks for a skip of 5,001 digits, parsed from text as providers do it."""

    class Parsing(RuleAPI):
        def __init__(self, model_name, *args, **kwargs):
            super().__init__("constant-b", *args, **kwargs)
            self.model_name = model_name

        async def generate(self, input, **kwargs):
            if not Dialogue(input).calls:
                call = parse_tool_call("long", "search", '{"pattern": "x", "skip": 1' + "0" * 5000 + "}")
                return ModelOutput.from_message(ChatMessageAssistant(content="", tool_calls=[call]))
            return await super().generate(input, **kwargs)

    return Parsing


def metrics(log):
    return {name: round(metric.value, 6) for name, metric in log.results.scores[0].metrics.items()}


def records(log):
    return [Record.from_score(s.scores["choices"].as_dict(), s.scores["choices"].metadata) for s in log.samples]


def test_following_solves_every_upheld_problem_and_no_overturned_one(ask):
    """Paper section 5.1: U = 100, O = 0, J = 50, D = +50."""
    log = ask("rule/follow", repetitions=2)
    assert log.status == "success"
    assert metrics(log) == {"judgment": 50, "disposition": 50, "upheld": 100, "overturned": 0}
    assert len(log.samples) == 48
    assert {record.repetition for record in records(log)} == {1, 2}


def test_following_the_reference_solves_everything(ask):
    """All conditions of a problem are scored against the same answer."""
    assert metrics(ask("rule/follow", condition="reference"))["judgment"] == 100


BAD_ENDINGS = {
    # model: (U, O) expected over all 24 problems, statuses of both turns
    "rule/broken-silent": ((0, 0), {("missing", "missing")}),
    "rule/broken-endless": ((0, 0), {("missing", "missing")}),
    "rule/broken-malformed": ((0, 0), {("missing", "missing")}),
    "rule/broken-early": ((0, 0), {("valid", "missing")}),
    "rule/broken-late": ((100, 0), {("missing", "valid")}),
    "rule/broken-unknown-tool": ((100, 0), {("valid", "valid")}),
    "rule/broken-surrogates": ((100, 0), {("valid", "valid")}),
    "rule/broken-boundless": ((100, 0), {("valid", "valid")}),
}


@pytest.mark.parametrize(
    ("model", "realtime"),
    [*((model, False) for model in BAD_ENDINGS), ("rule/broken-surrogates", True), ("rule/broken-boundless", True)],
)
def test_what_a_model_does_wrong_is_scored_and_stays_in_the_denominator(suite, tmp_path, model, realtime):
    """No answer, endless tools, malformed calls, unknown tools, half characters: an outcome, never an error."""
    (upheld, overturned), statuses = BAD_ENDINGS[model]
    task = review_task(suite, rounds=8)
    logs = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none", log_realtime=realtime)
    log = read_eval_log(logs[0].location)
    assert log.status == "success"
    assert [sample.error for sample in log.samples] == [None] * 24
    found = records(log)
    assert len(found) == 24
    assert {(record.initial_status, record.final_status) for record in found} == statuses
    assert all(record.scored for record in found)
    assert metrics(log) == {
        "upheld": upheld,
        "overturned": overturned,
        "judgment": (upheld + overturned) / 2,
        "disposition": (upheld - overturned) / 2,
    }


def test_scores_are_replayable_from_the_log(ask):
    """Raw closing messages of both turns are in the store."""
    log = ask("rule/follow")
    assert metrics(score(log, choices(), action="overwrite")) == metrics(log)
    talk = log.samples[0].store_as(Conversation)
    assert json.loads(talk.initial)["choice"] == json.loads(talk.final)["choice"] == "A"
    assert json.loads(talk.final)["decision"] == "follow"


def test_files_read_and_reach_of_changed_lines_are_recorded_by_turn(suite, tmp_path):
    """rule/follow never opens the code; the oracle does not either; a reader of the code reaches it."""

    @modelapi(name="reader")
    def reader():
        class Reader(RuleAPI):
            """Reads lines before the change in the first turn; finds the change by a search in the second."""

            def __init__(self, model_name, *args, **kwargs):
                assert model_name == "x"
                super().__init__("constant-b", *args, **kwargs)
                self.rule = self.read

            def read(self, dialogue):
                dialogue.ask("read_file", path="simulator/replica.py", line_count=29)
                if dialogue.reviewing:
                    dialogue.ask("search", pattern="^limit = ")
                return Answer("B", "-")

        return Reader

    results = {}
    for condition in ("perturbed", "reference", "none", "predictions-only"):
        model = "rule/follow" if condition in ("none", "predictions-only") else "reader/x"
        logs = inspect_eval(review_task(suite, condition), model=model, log_dir=str(tmp_path), display="none", limit=1)
        [results[condition]] = records(read_eval_log(logs[0].location))
    for condition in ("perturbed", "reference"):
        assert (results[condition].reached_initial, results[condition].reached_any) == (False, True)
        assert results[condition].files_read == {"initial": ["simulator/replica.py"], "final": []}
    for condition in ("none", "predictions-only"):
        assert (results[condition].reached_initial, results[condition].reached_any) == (None, None)


def test_the_log_says_the_kind_of_each_error_and_what_it_costs(suite, ask):
    """The follow rule keeps every invalid recommendation; its loss is the gap to the best design by the reference."""
    log = ask("rule/follow")
    for sample, problem in zip(sorted(log.samples, key=lambda s: s.id), suite.problems, strict=True):
        facts = sample.scores["choices"].metadata
        best, chosen = problem.reference[problem.answer], problem.reference[problem.presented]
        assert facts["error_kind"] == (None if problem.outcome == "upheld" else "kept_invalid")
        assert facts["selection_loss_pct"] == pytest.approx(100 * (chosen / best - 1))


def test_no_message_holds_anything_of_the_evaluator(suite, ask):
    """The words of the metadata and the reference values never reach the model."""
    log = ask("rule/follow")
    for sample, problem in zip(sorted(log.samples, key=lambda s: s.id), suite.problems, strict=True):
        shown = "\n".join(message.text for message in sample.messages)
        for secret in (problem.pair, problem.perturbation, *problem.labels.values(), "upheld", "overturned"):
            assert secret not in shown


def test_a_log_of_another_suite_is_never_taken_for_this_one(suite):
    assert review_task(suite).version == suite.digest


def test_the_log_of_a_conversation_stays_small(ask):
    """The packet is not in the log: only what was read is."""
    log = ask("rule/constant-b")
    assert "execution-records" not in str(log.samples[0].metadata)
    assert len(log.samples[0].model_dump_json()) < 60_000


def test_a_provider_may_parse_a_number_past_the_limit_of_python(suite, tmp_path):
    """Inspect parses the arguments of most providers while it waits for the reply: an error there would be ours."""
    before = sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(4300)
        task = review_task(suite, rounds=6)
        log = inspect_eval(task, model="parsing/x", log_dir=str(tmp_path), display="none", limit=1)[0]
    finally:
        sys.set_int_max_str_digits(before)
    [sample] = log.samples
    assert sample.error is None
    assert any("more than 1000 digits" in str(message.error) for message in sample.messages if message.role == "tool")
