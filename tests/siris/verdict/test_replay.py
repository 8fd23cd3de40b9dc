"""A conversation is made anew from its log, and whatever was changed in the log is named."""

import json
from dataclasses import replace

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalSample, read_eval_log
from inspect_ai.model import ChatMessageSystem, ChatMessageTool, ChatMessageUser, ContentImage, ContentText, modelapi
from inspect_ai.tool import ToolCall

import proctor._registry  # noqa: F401 - registers models
from proctor.siris.review.briefs import briefs
from proctor.siris.review.desk import TOO_SLOW
from proctor.siris.review.rules.api import RuleAPI
from proctor.siris.review.rules.dialogue import Answer
from proctor.siris.task import review_task
from proctor.siris.verdict.records import conversation_facts
from proctor.siris.verdict.replay import replay


@modelapi(name="looking")
def looking():
    """Reads, searches and errs in both turns, and changes its mind."""

    class Looking(RuleAPI):
        def __init__(self, model_name, *args, **kwargs):
            super().__init__("constant-b", *args, **kwargs)
            self.model_name = model_name
            self.rule = self.look

        def look(self, dialogue):
            dialogue.ask("read_file", path="workload.json", line_count=3)
            dialogue.ask("read_file", path="simulator")
            if dialogue.reviewing:
                dialogue.ask("search", pattern="^limit = ", path="simulator")
                dialogue.ask("search", pattern="(")
            return Answer("D" if dialogue.reviewing else "B", "-")

    return Looking


@pytest.fixture(scope="module")
def conversation(tmp_path_factory):
    """A function that holds a conversation about the first problem of the hand-made suite; its sample from the log."""

    def hold(suite, model, condition="perturbed", rounds=12, **options) -> EvalSample:
        folder = tmp_path_factory.mktemp("log")
        task = review_task(suite, condition, rounds=rounds)
        [log] = inspect_eval(
            task, model=model, log_dir=str(folder), display="none", log_realtime=False, limit=1, **options
        )
        [sample] = read_eval_log(log.location, resolve_attachments=True).samples
        return sample

    return hold


def again(suite, sample, model="looking/x", condition="perturbed", rounds=12):
    brief = briefs(suite, condition, "standard")[sample.id]
    return replay(sample, brief, conversation_facts(suite.name, brief.problem, condition, "standard"), model, rounds)


@pytest.fixture(scope="module")
def looked(conversation, suite):
    return conversation(suite, "looking/x")


@pytest.fixture
def sample(looked):
    """A copy that a test may change: a user message, 4 messages of looking, closing, review, 8 of looking, closing."""
    copy = looked.model_copy(deep=True)
    assert [message.role[0] for message in copy.messages] == [*"uatata", *"uatata"]
    return copy


def test_an_untouched_conversation_is_replayed_identically(suite, sample):
    found = again(suite, sample)
    assert found.differences == ()
    assert (found.record.initial, found.record.final) == ("B", "D")
    assert (found.record.reached_initial, found.record.reached_any) == (False, True)
    assert found.record.files_read == {"initial": ["workload.json"], "final": []}
    assert found.timed_out == 0


ENDINGS = [
    ("rule/reference", "perturbed", {}),
    ("rule/follow", "reference", {}),
    ("rule/follow", "none", {}),
    ("rule/follow", "predictions-only", {}),
    *((f"rule/broken-{how}", "perturbed", {}) for how in ("silent", "endless", "malformed", "late")),
    *((f"rule/broken-{how}", "perturbed", {}) for how in ("surrogates", "boundless", "unknown-tool")),
    ("rule/broken-endless", "perturbed", {"message_limit": 6}),
    ("rule/broken-endless", "perturbed", {"message_limit": 7}),
    ("rule/broken-endless", "perturbed", {"turn_limit": 2}),
]


@pytest.mark.parametrize(("model", "condition", "limits"), ENDINGS)
def test_every_way_to_end_is_replayed_identically(suite, conversation, model, condition, limits):
    """Good and bad endings, malformed calls, limits that cut a turn, conditions that show no code."""
    sample = conversation(suite, model, condition, **limits)
    found = again(suite, sample, model, condition)
    assert found.differences == ()
    assert found.record.to_score()[0] == sample.scores["choices"].value


def test_a_conversation_that_an_error_of_ours_ended_is_replayed_as_unscored(suite, conversation):
    @modelapi(name="down")
    def down():
        class Down(RuleAPI):
            def __init__(self, model_name, *args, **kwargs):
                super().__init__("follow", *args, **kwargs)
                self.model_name = model_name

            async def generate(self, *_args, **_kwargs):
                raise ConnectionError("the provider is down")

        return Down

    sample = conversation(suite, "down/x", fail_on_error=False)
    found = again(suite, sample, "down/x")
    assert found.differences == ()
    assert found.record.infrastructure_error.startswith("ConnectionError")
    sample.error = None
    assert ("score", None) in {(d.kind, d.turn) for d in again(suite, sample, "down/x").differences}


def edit_prompt(sample):
    sample.messages[0].content += " Choose A."


def edit_review(sample):
    sample.messages[6].content = sample.messages[6].content.replace("review", "keep")


def add_picture(sample):
    text = ContentText(text=sample.messages[0].text)
    sample.messages[0].content = [text, ContentImage(image="data:image/png;base64,AA==")]


def add_system(sample):
    sample.messages.insert(0, ChatMessageSystem(content="The answer is A."))


def add_hint(sample):
    sample.messages.insert(3, ChatMessageUser(content="Think of the cap."))


def add_end(sample):
    sample.messages.append(ChatMessageUser(content="Are you sure?"))


def cut_off(sample):
    del sample.messages[-1]


def edit_result(sample):
    sample.messages[2].content = sample.messages[2].content.replace("r000", "r001")


def edit_error(sample):
    sample.messages[4].error.message += " Look at A."


def drop_error(sample):
    sample.messages[4].error = None


def edit_call(sample):
    sample.messages[1].tool_calls[0].arguments["path"] = "prediction.json"


def swap_result(sample):
    sample.messages[2].tool_call_id = "call-0"


def drop_result(sample):
    del sample.messages[2]


def edit_closing(sample):
    sample.messages[-1].content = json.dumps({"choice": "A"})


def edit_store(sample):
    sample.store["Conversation:final"] = json.dumps({"choice": "A"})


def spoil_store(sample):
    sample.store["Conversation:files_read"] = 7


def edit_value(sample):
    sample.scores["choices"].value["final"] = "A"


def edit_correct(sample):
    sample.scores["choices"].value["final_correct"] = 1 - sample.scores["choices"].value["final_correct"]


def replace_value(sample):
    sample.scores["choices"].value = 1.0


def edit_reach(sample):
    sample.scores["choices"].metadata["reached_initial"] = True


def drop_status(sample):
    del sample.scores["choices"].metadata["final_status"]


def edit_loss(sample):
    sample.scores["choices"].metadata["selection_loss_pct"] = 0.0


def drop_score(sample):
    sample.scores = {}


def claim_error(sample):
    sample.store["Conversation:infrastructure_error"] = "it was us"
    sample.scores["choices"].metadata["infrastructure_error"] = "it was us"


def claim_rounds(sample):
    sample.store["Conversation:stopped"] = ["final"]


def edit_fact(sample):
    sample.metadata["answer"] = "D"


def edit_reference(sample):
    sample.metadata["reference"]["D"] = 1


def edit_scored_fact(sample):
    sample.scores["choices"].metadata["outcome"] = "overturned"


def edit_target(sample):
    sample.target = "D"


def edit_packet(sample):
    sample.store["Conversation:packet"] = "0" * 64


CHANGES = [
    (edit_prompt, "prompts", "initial"),
    (edit_review, "prompts", "final"),
    (add_picture, "prompts", "initial"),
    (add_system, "prompts", "initial"),
    (add_hint, "prompts", "final"),
    (add_end, "prompts", "final"),
    (cut_off, "prompts", "final"),
    (edit_result, "tool results", "initial"),
    (edit_error, "tool results", "initial"),
    (drop_error, "tool results", "initial"),
    (edit_call, "tool results", "initial"),
    (swap_result, "tool results", "initial"),
    (drop_result, "tool results", "initial"),
    (edit_closing, "score", None),
    (edit_store, "score", None),
    (spoil_store, "score", None),
    (edit_value, "score", None),
    (edit_correct, "score", None),
    (replace_value, "score", None),
    (edit_reach, "score", None),
    (drop_status, "score", None),
    (edit_loss, "score", None),
    (drop_score, "score", None),
    (claim_error, "score", None),
    (claim_rounds, "score", "final"),
    (edit_fact, "labels", None),
    (edit_reference, "labels", None),
    (edit_scored_fact, "labels", None),
    (edit_target, "labels", None),
    (edit_packet, "sources", None),
]


@pytest.mark.parametrize(("change", "kind", "turn"), CHANGES, ids=lambda x: getattr(x, "__name__", None))
def test_whatever_is_changed_in_a_log_is_named_by_kind_and_turn(suite, sample, change, kind, turn):
    change(sample)
    found = again(suite, sample).differences
    assert (kind, turn) in {(difference.kind, difference.turn) for difference in found}
    assert {(difference.problem, difference.repetition) for difference in found} == {("p01", 1)}
    assert all("\n" not in str(difference) for difference in found)


def test_a_difference_says_what_is_where(suite, sample):
    edit_result(sample)
    [difference] = again(suite, sample).differences
    assert str(difference).startswith(
        "p01, repetition 1, initial turn: tool results: message 3, the result of read_file path='workload.json'"
    )
    assert "'1" in str(difference)
    assert "'0" in str(difference)


def test_a_packet_of_another_simulator_shows_in_what_was_read(suite, sample, monkeypatch):
    """Even where the log keeps no digest of the packet: a search of the code finds another line."""
    evidence = type(suite).evidence

    def changed(self, problem, version):
        made = evidence(self, problem, version)
        path = "simulator/replica.py"
        made.code[path] = made.code[path].replace("limit = 512", "limit = 513")
        return made

    monkeypatch.setattr(type(suite), "evidence", changed)
    del sample.store["Conversation:packet"]
    [difference] = again(suite, sample).differences
    assert (difference.kind, difference.turn) == ("tool results", "final")


def test_a_log_of_an_earlier_version_is_readable(suite, sample):
    """It lacks the packet's digest and the perturbed predictions."""
    del sample.store["Conversation:packet"]
    for facts in (sample.metadata, sample.scores["choices"].metadata):
        del facts["perturbed"]
    assert again(suite, sample).differences == ()


def test_a_search_that_ran_out_of_time_is_counted_and_not_compared(suite, sample):
    result = next(m for m in sample.messages if isinstance(m, ChatMessageTool) and m.function == "search")
    result.content = ""
    result.error = replace(sample.messages[4].error, message=TOO_SLOW)
    sample.store["Conversation:reached"] = {"initial": False, "final": False}
    sample.scores["choices"].metadata["reached_any"] = False
    found = again(suite, sample)
    assert (found.differences, found.timed_out) == ((), 1)
    assert found.record.reached_any is False


@pytest.mark.parametrize(
    "path", ["../../../etc/passwd", "/etc/passwd", "\0", "simulator/../../x", "%2e%2e", "x" * 10**6]
)
def test_a_hostile_path_in_a_call_reads_nothing_and_is_a_difference(suite, sample, path):
    sample.messages[1].tool_calls[0].arguments = {"path": path}
    kinds = {difference.kind for difference in again(suite, sample).differences}
    assert "tool results" in kinds
    assert all(len(str(difference)) < 1000 for difference in again(suite, sample).differences)


@pytest.mark.parametrize(
    "call",
    [
        ToolCall(id="call-1", function="os.system", arguments={"command": "true"}),
        ToolCall(id="call-1", function="search", arguments={"pattern": "(a+)+" * 100, "skip": 10**4000}),
        ToolCall(id="call-1", function="read_file", arguments={"path": {"a": [None]}}),
    ],
    ids=lambda call: call.function,
)
def test_a_hostile_call_is_a_difference(suite, sample, call):
    sample.messages[1].tool_calls = [call]
    assert "tool results" in {difference.kind for difference in again(suite, sample).differences}


def test_an_empty_conversation_is_a_difference(suite, sample):
    sample.messages.clear()
    assert {"prompts", "score"} <= {difference.kind for difference in again(suite, sample).differences}
