"""Rule models act on messages alone: the same messages give the same reply, and long files are read page by page."""

import json
from random import Random

import anyio
import pytest
from inspect_ai.model import ChatMessageTool, ChatMessageUser, get_model
from inspect_ai.tool import ToolError

import proctor._registry  # noqa: F401 - registers the provider
from proctor.errors import InputError
from proctor.siris.problems.domains import get_domain
from proctor.siris.problems.suites import load_suite
from proctor.siris.review.choices import parse_choice
from proctor.siris.review.desk import Desk
from proctor.siris.review.packet import CONDITIONS, Packet, build_packet
from proctor.siris.review.pages import PAGE_CHARS
from proctor.siris.review.rules.api import RULES
from proctor.siris.review.tools import packet_tools

PREDICTION = '{"candidates": {"A": {"p95": 3.0}, "B": {"p95": 1.5}, "C": {"p95": 1.0}, "D": {"p95": 2.0}}}'
WORKLOAD = '{"requests": []}\n'


def talk(model, files, turns=2, **arguments):
    """A conversation with real tools but without Inspect's task; the messages and the closing text of each turn."""
    tools = {tool.name: tool.tool for tool in packet_tools(Desk(Packet(files), lambda *_: None))}
    api = get_model(f"rule/{model}", memoize=False, **arguments).api
    messages, closing = [], []

    async def converse():
        for turn in range(turns):
            messages.append(ChatMessageUser(content=f"question {turn}"))
            while True:
                reply = await api.generate(list(messages), [], "auto", None)
                messages.append(reply.message)
                if not reply.message.tool_calls:
                    closing.append(reply.message.text)
                    break
                for call in reply.message.tool_calls:
                    content, error = "", None
                    try:
                        content = await tools[call.function](**call.arguments)
                    except ToolError as ex:
                        error = {"type": "unknown", "message": ex.message}
                    messages.append(
                        ChatMessageTool(content=content, tool_call_id=call.id, function=call.function, error=error)
                    )

    anyio.run(converse)
    return messages, closing


@pytest.mark.parametrize(
    ("model", "label"), [("follow", "C"), ("reject", "B"), ("constant-b", "B")], ids=["follow", "reject", "constant-b"]
)
def test_the_choice_is_the_one_its_name_promises(model, label):
    _, closing = talk(model, {"prediction.json": PREDICTION, "workload.json": WORKLOAD})
    assert [parse_choice(text).label for text in closing] == [label, label]


@pytest.mark.parametrize(("model", "decision"), [("follow", "follow"), ("reject", "reconsider"), ("constant-b", None)])
def test_the_review_says_whether_the_prediction_is_followed(model, decision):
    _, (first, second) = talk(model, {"prediction.json": PREDICTION, "workload.json": WORKLOAD})
    assert "decision" not in json.loads(first)
    assert json.loads(second).get("decision") == decision


@pytest.mark.parametrize(("model", "label"), [("follow", "A"), ("reject", "B"), ("reference", "A")])
def test_without_a_prediction_it_falls_back_and_says_so(model, label):
    _, closing = talk(model, {"workload.json": WORKLOAD})
    assert parse_choice(closing[0]).label == label
    assert "no prediction" in closing[0] or "nothing can be simulated" in closing[0]


def test_files_are_read_through_tool_calls_page_by_page():
    """A prediction in one line longer than two pages is put together again."""
    padded = PREDICTION.replace('"D"', " " * (2 * PAGE_CHARS) + '"D"')
    messages, closing = talk("follow", {"prediction.json": padded, "workload.json": WORKLOAD}, turns=1)
    reads = [
        c.arguments for m in messages if m.role == "assistant" for c in m.tool_calls or () if c.function == "read_file"
    ]
    assert [read["start_column"] for read in reads] == [1, PAGE_CHARS + 1, 2 * PAGE_CHARS + 1]
    assert parse_choice(closing[0]).label == "C"


def test_a_rule_can_be_resumed_at_any_message():
    """Given a prefix of a conversation, a fresh instance goes on exactly as the first one did."""
    messages, _ = talk("follow", {"prediction.json": PREDICTION, "workload.json": WORKLOAD})
    replies = [index for index, message in enumerate(messages) if message.role == "assistant"]
    assert len(replies) == 4
    for index in replies:
        reply = anyio.run(get_model("rule/follow", memoize=False).api.generate, messages[:index], [], "auto", None)
        assert reply.message.text == messages[index].text
        assert reply.message.tool_calls == messages[index].tool_calls


def test_random_depends_on_what_it_reads_and_on_its_seed_and_averages_a_quarter():
    """Over 400 workloads every label comes up about a quarter of the time (25 % +- 4 standard errors of 2.2 %)."""

    def guess(number, seed=0):
        files = {"workload.json": f'{{"requests": [{number}]}}\n', "prediction.json": PREDICTION}
        return parse_choice(talk("random", files, turns=1, seed=seed)[1][0]).label

    guesses = [guess(number) for number in range(400)]
    assert guesses[:20] == [guess(number) for number in range(20)]
    assert guesses[:20] != [guess(number, seed=1) for number in range(20)]
    assert all(abs(guesses.count(label) - 100) < 36 for label in "ABCD")


@pytest.mark.parametrize("perturbation", ["prefix_cap", "reuse_granularity"])
@pytest.mark.parametrize("version", ["perturbed", "reference"])
def test_the_oracle_finds_the_reference_answer_from_the_files_alone(perturbation, version):
    """From either version's packet it recommends what the domain itself finds best without the change."""
    domain = get_domain("serving")
    rng = Random(f"oracle {perturbation}")
    for _ in range(2):
        frame = domain.frame(domain.design_problem(perturbation), rng)
        case = domain.generate(frame, domain.propose(frame, rng), seed=3)
        labels = dict(zip("ABCD", domain.designs(case.design_problem), strict=True))
        best = min(labels, key=lambda label: (domain.predict(case, labels[label], None).value, label))
        evidence = domain.evidence(case, labels, perturbation if version == "perturbed" else None)
        _, closing = talk("reference", build_packet(evidence, CONDITIONS[version]).files)
        assert [parse_choice(text).label for text in closing] == [best, best]


def analyst_packet(perturbation, condition):
    domain = get_domain("serving")
    rng = Random("analyst")
    frame = domain.frame(domain.design_problem(perturbation), rng)
    case = domain.generate(frame, domain.propose(frame, rng), seed=3)
    labels = dict(zip("ABCD", domain.designs(case.design_problem), strict=True))
    shown = CONDITIONS[condition]
    evidence = domain.evidence(case, labels, perturbation if shown.version == "perturbed" else None)

    def best(version):
        return min(labels, key=lambda label: (domain.predict(case, labels[label], version).value, label))

    return build_packet(evidence, shown).files, best(None), best(perturbation)


@pytest.mark.parametrize("outcome", ["upheld", "overturned"])
@pytest.mark.parametrize("condition", ["perturbed", "code", "code+records", "code+predictions"])
def test_the_analyst_names_the_limitation_and_judges_it(condition, outcome):
    """With and without predictions it knows what the simulator recommends, and says whether that stands."""
    suite = load_suite("routing-v1")
    problem = next(problem for problem in suite.problems if problem.outcome == outcome)
    files = build_packet(suite.evidence(problem, "perturbed"), CONDITIONS[condition]).files
    messages, (first, second) = talk("analyst", files)
    review = json.loads(second)
    assert json.loads(first)["choice"] == review["choice"] == problem.answer
    assert review["decision"] == ("follow" if outcome == "upheld" else "reconsider")
    assert "cached prefix in 16-token blocks" in review["limitation"]
    verdict = "it is not consequential" if outcome == "upheld" else "it is consequential"
    assert verdict in review["limitation"]
    read = {call.arguments.get("path") for m in messages if m.role == "assistant" for call in m.tool_calls or ()}
    assert not any(path.startswith("execution-records") for path in read if path)


@pytest.mark.parametrize("condition", ["reference", "code-reference"])
def test_the_analyst_finds_nothing_in_a_reference_packet(condition):
    files, answer, _ = analyst_packet("prefix_cap", condition)
    _, (_, second) = talk("analyst", files)
    review = json.loads(second)
    assert (review["choice"], review["decision"], review["limitation"]) == (answer, "follow", "none")


@pytest.mark.parametrize("condition", ["none", "predictions-only"])
def test_without_code_the_analyst_follows_and_says_that_it_cannot_recompute(condition):
    files, _, presented = analyst_packet("prefix_cap", condition)
    _, (first, second) = talk("analyst", files)
    assert parse_choice(first).label == (presented if condition == "predictions-only" else "A")
    assert "nothing can be recomputed" in second
    assert json.loads(second).get("decision") == ("follow" if condition == "predictions-only" else None)


def test_a_misspelt_rule_is_named_with_the_nearest_one():
    with pytest.raises(InputError, match=r"unknown model 'rule/folow': did you mean rule/follow\?"):
        get_model("rule/folow")


def test_every_rule_says_what_it_does():
    assert all(rule.__doc__ for rule in RULES.values())
