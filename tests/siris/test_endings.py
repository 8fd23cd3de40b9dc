"""Who answers for a conversation that ends badly: the model (scored, in the denominator) or we (never scored)."""

import asyncio
import json
from pathlib import Path

import pytest
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ModelCost,
    ModelInfo,
    ModelOutput,
    set_model_info,
)

from proctor.report.logs import read_logs
from proctor.report.siris_report import report_logs
from proctor.siris.review.briefs import briefs
from proctor.siris.review.conversation import Conversation
from proctor.siris.verdict.records import Record, conversation_facts
from proctor.siris.verdict.replay import replay


def reply(text, stop_reason="stop"):
    message = ChatMessageAssistant(content=text)
    return ModelOutput(model="x", choices=[ChatCompletionChoice(message=message, stop_reason=stop_reason)])


def records(log):
    """By problem, as the report reads them."""
    return {record.problem: record for record in read_logs([Path(log.location)]).records}


def records_of(sample):
    """As it was scored."""
    score = sample.scores["choices"]
    return Record.from_score(score.value, score.metadata)


def script(provider, cases):
    """Each case is of one problem: what comes in its turn of that problem, a reply or an error."""

    def answer(problem, dialogue):
        turn, event = cases.get(problem, (None, None))
        if turn != ("final" if dialogue.reviewing else "initial"):
            return None
        if isinstance(event, Exception):
            raise event
        return event

    provider.reply = answer


ANSWER = (
    '{"choice": "C"}'  # the answer of p05, which is upheld; as all replies below, of no other upheld problem asked here
)
MODELS_DOING = {
    # turn, reply, whether the initial and the final choice are valid, ended_by
    "refusal at first": ("initial", reply("", "content_filter"), (False, True), {"initial": "refusal"}),
    "refusal in words": ("final", reply("I cannot help.", "content_filter"), (True, False), {"final": "refusal"}),
    "window full at first": (
        "initial",
        reply(f"too long {ANSWER}", "model_length"),
        (False, False),
        {"initial": "context"},
    ),
    "window full in review": (
        "final",
        reply(f"too long {ANSWER}", "model_length"),
        (True, False),
        {"final": "context"},
    ),
    "cut in its thoughts": ("initial", reply("", "max_tokens"), (False, True), {}),
    "cut after its answer": ("initial", reply(f"{ANSWER} and", "max_tokens"), (True, True), {}),
    "nothing": ("final", reply(""), (True, False), {}),
    "white space": ("initial", reply(" \n\t"), (False, True), {}),
    "half an answer": ("final", reply('{"choice": '), (True, False), {}),
    "unknown stop": ("final", reply(ANSWER, "unknown"), (True, True), {}),
}


def test_what_a_model_does_is_scored_on_what_it_has(suite, ask, provider):
    """Refusals, full windows, cut and empty replies: an outcome with its cause, never an error, never left out."""
    problems = [problem.id for problem in suite.problems[: len(MODELS_DOING)]]
    cases = dict(zip(problems, MODELS_DOING, strict=True))
    script(provider, {problem: MODELS_DOING[case][:2] for problem, case in cases.items()})
    log = ask("scripted/x", sample_id=problems, retry_on_error=1)
    found = records(log)
    for problem, case in cases.items():
        record = found[problem]
        assert (record.initial is not None, record.final is not None) == MODELS_DOING[case][2], case
        assert record.ended_by == MODELS_DOING[case][3], case
        assert record.scored, case
        assert provider.asked[problem] == (1 if case == "window full at first" else 4), case  # no retry
    [summary] = report_logs([Path(log.location)]).summaries
    assert (summary.coverage.scored, summary.coverage.missing) == (10, 5)
    assert summary.ended_by == {"context": 2, "refusal": 2}


def test_such_a_conversation_replays_without_a_difference(suite, ask, provider):
    """A refusal that says something, a window that is full in either turn: the log explains them."""
    problems = {problem.id: problem for problem in suite.problems[: len(MODELS_DOING)]}
    script(provider, {id: case[:2] for id, case in zip(problems, MODELS_DOING.values(), strict=True)})
    told = briefs(suite, "perturbed", "standard")
    for sample in ask("scripted/x", sample_id=list(problems)).samples:
        facts = conversation_facts(suite.name, problems[sample.id], "perturbed", "standard")
        again = replay(sample, told[sample.id], facts, "scripted/x", rounds=12)
        assert again.differences == ()
        assert again.record == records_of(sample)


def test_after_a_full_window_the_review_is_not_asked(ask, provider):
    """It would be longer still; the provider's words about the window are kept in the messages and are no answer."""
    script(provider, {"p01": ("initial", reply(ANSWER, "model_length"))})
    [sample] = ask("scripted/x", sample_id="p01").samples
    assert [message.role for message in sample.messages].count("user") == 1
    assert sample.messages[-1].text == ANSWER
    assert "context window full" in sample.scores["choices"].explanation


NO_MESSAGE = ModelOutput(model="x", choices=[], error="upstream failure")
PROVIDERS_DOING = {
    "p01": ("initial", ConnectionError("the provider is down"), "ConnectionError: the provider is down"),
    "p02": ("final", ConnectionError("the provider is down"), "ConnectionError: the provider is down"),
    "p03": ("final", TimeoutError("no reply in 600 s"), "ProviderError: TimeoutError: no reply in 600 s"),
    "p04": (
        "initial",
        json.JSONDecodeError("Expecting value", "<html>", 0),
        "JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
    ),
    "p05": ("final", RuntimeError("400: unknown parameter"), "RuntimeError: 400: unknown parameter"),
    "p06": ("initial", NO_MESSAGE, "ProviderError: the reply holds no message: upstream failure"),
}


def test_what_a_provider_does_is_retried_and_never_scored(ask, provider):
    """A provider that fails for some problems: the others are scored; what was answered before the error is kept."""
    script(provider, {problem: case[:2] for problem, case in PROVIDERS_DOING.items()})
    log = ask("scripted/x", sample_id=[*PROVIDERS_DOING, "p07", "p08"], retry_on_error=1)
    failed = {sample.id: sample for sample in log.samples if sample.error}
    assert failed.keys() == PROVIDERS_DOING.keys()
    found = records(log)
    for problem, (turn, _, message) in PROVIDERS_DOING.items():
        assert len(failed[problem].error_retries) == 1, problem
        assert found[problem].infrastructure_error == message
        assert found[problem].initial_status == ("missing" if turn == "initial" else "valid")
    # p07 is upheld, p08 is overturned: what rule/follow does there is all that counts
    shown = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    assert shown == {"judgment": 50, "disposition": 50, "upheld": 100, "overturned": 0}
    report = report_logs([Path(log.location)])
    assert (report.summaries[0].coverage.scored, report.summaries[0].coverage.infrastructure) == (2, 6)
    assert "6 of 8 assigned conversations are not scored; run them again" in report.markdown()


def test_a_rate_limit_that_passes_leaves_no_trace_in_the_score(ask, provider, busy):
    left = [3]

    def sometimes(problem, _):
        if problem == "p01" and left[0]:
            left[0] -= 1
            raise busy("429")

    provider.reply = sometimes
    log = ask("scripted/x", sample_id=["p01", "p02"])
    assert left == [0]
    assert provider.asked == {"p01": 4 + 3, "p02": 4}
    assert {(record.scored, record.final) for record in records(log).values()} == {(True, "A")}


def test_a_rate_limit_that_stays_is_an_error_of_ours_when_the_retries_are_used_up(ask, provider, busy):
    provider.fail_for("p01", error=busy("429: slow down"))
    log = ask("scripted/x", sample_id=["p01", "p02"], max_retries=2)
    assert provider.asked["p01"] == 1 + 2
    assert (
        records(log)["p01"].infrastructure_error
        == "ProviderError: failed 3 times, at last with BusyError: 429: slow down"
    )
    assert records(log)["p02"].scored


def test_time_that_ran_out_while_the_provider_failed_is_not_the_models(ask, provider, busy):
    """The limit on the clock goes on during retries: what it ends then is an error of ours."""
    provider.fail_for("p01", turn="final", error=busy("429: slow down"))
    log = ask("scripted/x", sample_id=["p01", "p02"], time_limit=2)
    record = records(log)["p01"]
    assert record.infrastructure_error.startswith("ProviderError: failing when the time limit came: ")
    assert "429: slow down" in record.infrastructure_error
    assert record.initial == "A"
    assert records(log)["p02"].scored


async def slowly(_, dialogue):
    """For ever in the review."""
    if dialogue.reviewing:
        await asyncio.sleep(60)


# Each call of `scripted/x` takes 110 tokens; reading, listing, reading and answering are four calls of the first turn.
LIMITS = {
    "token": ({"token_limit": 450}, "final"),
    "cost": ({"cost_limit": 0.00045}, "final"),
    "message": ({"message_limit": 9}, "final"),
    "turn": ({"turn_limit": 4}, "final"),
    "time": ({"time_limit": 2}, "final"),
    "working": ({"working_limit": 2}, "final"),
}


@pytest.mark.parametrize("kind", LIMITS)
def test_a_limit_ends_a_conversation_with_an_outcome(ask, provider, kind):
    """It is scored on what it has, counts, and log, record and report say which limit it was and in which turn."""
    options, turn = LIMITS[kind]
    model = f"scripted/{kind}"  # Inspect remembers the price of a model
    if kind in ("time", "working"):
        provider.reply = slowly
    if kind == "cost":
        set_model_info(model, ModelInfo())
        price = ModelCost(input=1, output=1, input_cache_write=0, input_cache_read=0)
        options = {**options, "model_cost_config": {model: price}}
    log = ask(model, sample_id="p01", **options)
    [sample] = log.samples
    assert (log.status, sample.error, sample.limit.type) == ("success", None, kind)
    record = records(log)["p01"]
    assert (record.scored, record.initial, record.final, record.ended_by) == (True, "A", None, {turn: kind})
    report = report_logs([Path(log.location)])
    assert json.loads(report.json())["groups"][0]["ended_by"] == {kind: 1}
    assert "1 of 1 scored conversations were cut short (" in report.markdown()


def test_a_limit_in_the_first_turn_leaves_both_choices_out(ask):
    log = ask("rule/broken-endless", rounds=10**6, message_limit=6, limit=4)
    found = records(log).values()
    assert len(found) == 4
    assert {(r.initial_status, r.final_status, r.scored) for r in found} == {("missing", "missing", True)}
    assert [r.ended_by for r in found] == [{"initial": "message"}] * 4
    assert log.results.scores[0].metrics["judgment"].value == 0


def test_running_out_of_rounds_is_recorded(ask):
    log = ask("rule/broken-endless", rounds=3, limit=2)
    sample = log.samples[0]
    assert sample.store_as(Conversation).ended_by == {"initial": "rounds", "final": "rounds"}
    assert "final missing (out of rounds)" in sample.scores["choices"].explanation
    assert sum(message.role == "assistant" for message in sample.messages) == 6
    assert (
        "2 of 2 scored conversations were cut short (out of rounds 2)" in report_logs([Path(log.location)]).markdown()
    )
