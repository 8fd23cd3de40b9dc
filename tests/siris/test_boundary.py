"""The information boundary (paper section 3.2, B.3, Table 12): all that a model receives, in real conversations.

A reader that lists, reads every page, searches and pries goes through Inspect under every condition; every string that
it received is taken from the log's model events and held against what the condition may show.
"""

import json
import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.event import ModelEvent
from inspect_ai.log import read_eval_log
from inspect_ai.model import ChatMessageAssistant, ModelOutput, modelapi
from inspect_ai.tool import ToolCall

from proctor.siris.problems.suites import frozen_suites, load_suite
from proctor.siris.review.pages import read_page
from proctor.siris.review.rules.api import RuleAPI
from proctor.siris.review.rules.dialogue import Answer, Dialogue
from proctor.siris.task import review_task

TABLES = ("attention", "constants", "head", "linear")
MODULES = ("__init__", "cache", "config", "costs", "metrics", "network", "replica", "simulate", "workload")
DESCRIPTION = ["system-description.md", "workload.json", *(f"candidates/{label}.py" for label in "ABCD")]
CODE = [
    "configuration.json",
    *(f"cost-parameters/{table}.csv" for table in TABLES),
    *(f"simulator/{module}.py" for module in MODULES),
]
PREDICTIONS = ["prediction.json"]
RECORDS = [f"execution-records/{label}.jsonl" for label in "ABCD"]

# What each condition lets a model list, read and search, and of which version of the simulator it is.
FILES = {
    "none": (None, DESCRIPTION),
    "perturbed": ("perturbed", DESCRIPTION + CODE + PREDICTIONS + RECORDS),
    "reference": ("reference", DESCRIPTION + CODE + PREDICTIONS + RECORDS),
    "code": ("perturbed", DESCRIPTION + CODE),
    "code+records": ("perturbed", DESCRIPTION + CODE + RECORDS),
    "code+predictions": ("perturbed", DESCRIPTION + CODE + PREDICTIONS),
    "code-reference": ("reference", DESCRIPTION + CODE),
    "predictions-only": ("perturbed", DESCRIPTION + PREDICTIONS),
}
CASES = [*((condition, "standard") for condition in FILES), ("perturbed", "instructed"), ("perturbed", "comparison")]
DEFAULT = ("routing-v1", "routing", "perturbed", "standard")
QUESTIONS = {
    "routing": "The candidates A, B, C and D are four policies that route requests to replicas.",
    "handoff": "The candidates A, B, C and D are four policies that decide where a request decodes after its prefill.",
    "local_scheduling": "The candidates A, B, C and D are four settings of the scheduler of one replica.",
}
TOOLS = {
    "list_files": set(),
    "read_file": {"path", "start_line", "line_count", "start_column"},
    "search": {"pattern", "path", "ignore_case", "skip"},
}
PRYING = [
    "../manifest.json",
    "manifest.json",
    "/etc/passwd",
    "workloads/x.json",
    "answer.json",
    "simulator-reference/",
]
MESSAGES = Path(__file__).parent / "messages"

# Words of the evaluator and names of designs, in any spelling. What a packet may say: "reference" (of a block), "pair"
# (of replicas), "longest prefix" (of a cache).
WORDS = (
    r"upheld|overturn|perturb|mutat|mutant|inject|flaw|\bbug\b|defect|ground.truth|evaluator|correct.answer|\bseed|"
    r"reference.(?:simulator|answer|version|run|result)|benchmark|\bsiris\b|proctor|inspect_ai|"
    r"sglang|preble|dualmap|load.only|longest[_-]prefix|least.active|least.outstanding|next.instance|stay.on.source|"
    r"\bcap_\d|\bno_cap\b"
)


@modelapi(name="thorough")
def thorough():
    """A model that reads everything there is, several calls to a message, and tries what it must not have."""

    class Thorough(RuleAPI):
        def __init__(self, model_name, *args, **kwargs):
            super().__init__("constant-b", *args, **kwargs)
            self.model_name = model_name

        async def generate(self, input, **_):
            dialogue = Dialogue(input)
            missing = [call for call in self.wanted(dialogue) if key(*call) not in dialogue.results]
            if not missing:
                text = Answer("B", "-", "follow").text(dialogue.reviewing)
                return ModelOutput.from_message(ChatMessageAssistant(content=text))
            calls = [
                ToolCall(id=f"{len(input)}-{i}", function=function, arguments=arguments)
                for i, (function, arguments) in enumerate(missing)
            ]
            return ModelOutput.from_message(
                ChatMessageAssistant(content="", tool_calls=calls), stop_reason="tool_calls"
            )

        def wanted(self, dialogue):
            yield "list_files", {}
            if key("list_files", {}) not in dialogue.results:
                return
            for path in dialogue.files():
                place = {"start_line": 1, "start_column": 1}
                while place:
                    call = {"path": path, **place}
                    yield "read_file", call
                    page = read_page(dialogue.results.get(key("read_file", call)) or "")
                    place = {"start_line": page.next_line, "start_column": page.next_column} if page.next_line else None
            for path in PRYING:
                yield "read_file", {"path": path}
                yield "search", {"pattern": ".", "path": path}
            yield "search", {"pattern": "."}
            yield "search", {"pattern": WORDS, "ignore_case": True}
            if dialogue.reviewing:
                yield "search", {"pattern": "limit", "ignore_case": True}

    return Thorough


def key(function, arguments):
    """How a dialogue keeps the result of a call."""
    return f"{function} {json.dumps(arguments, sort_keys=True)}"


class Received:
    """Every string that a model received in a conversation, from the inputs and tools of the log's model events."""

    def __init__(self, sample):
        calls = [event for event in sample.events if isinstance(event, ModelEvent)]
        messages = {message.id: message for event in calls for message in event.input}
        self.roles = {message.role for message in messages.values()}
        self.users = [message.text for message in messages.values() if message.role == "user"]
        self.tools = {tool.name: tool for event in calls for tool in event.tools}
        self.pages, self.results, self.errors = {}, [], []
        arguments = {
            call.id: call.arguments for m in messages.values() if m.role == "assistant" for call in m.tool_calls or ()
        }
        for message in messages.values():
            if message.role != "tool":
                continue
            if message.error:
                self.errors.append(message.error.message)
            elif message.function == "read_file":
                self.pages.setdefault(arguments[message.tool_call_id]["path"], []).append(message.text)
            self.results.append((message.function, message.text))

    @property
    def strings(self):
        """All of them."""
        described = [tool.model_dump_json() for tool in self.tools.values()]
        return [*self.users, *(text for _, text in self.results), *self.errors, *described]

    def files(self):
        """What was read, page by page put together again."""
        return {path: joined(pages) for path, pages in self.pages.items()}

    def of(self, function):
        return [text for name, text in self.results if name == function]


def joined(pages):
    lines = []
    for page in pages:
        head = page.split("\n", 1)[0]
        first = int(re.search(r"lines (\d+)-", head)[1])
        for number, piece in read_page(page).pieces.items():
            if number == len(lines):
                lines[-1] += piece
            else:
                assert number == len(lines) + 1, (head, first)
                lines.append(piece)
    return "\n".join(lines) + "\n" * (lines != [""])


def message_texts(condition, prompt):
    """Both messages as they are kept beside this file, read and found good; {question} stands for the question."""
    text = (MESSAGES / f"{condition}.{prompt}.md").read_text(encoding="utf-8")
    first, review = text.split("\n=== the review ===\n")
    return first, review


def pair_of(suite, design_problem):
    """The two problems of the first pair, upheld first."""
    first = next(problem for problem in suite.problems if problem.design_problem == design_problem)
    return sorted((p for p in suite.problems if p.pair == first.pair), key=lambda p: p.outcome, reverse=True)


def converse(suite, problem, condition, prompt, log_dir):
    task = review_task(suite, condition, prompt)
    options = {"log_dir": str(log_dir), "display": "none", "log_realtime": False, "sample_id": problem.id}
    log = inspect_eval(task, model="thorough/x", **options)[0]
    [sample] = read_eval_log(log.location, resolve_attachments=True).samples
    assert sample.error is None
    return Received(sample)


def spellings(ns):
    """How a latency may be written: in ns, ms and s, as files of a packet write it and as people would."""
    return {str(ns), f"{ns / 1e6:.3f}", str(round(ns / 1e9, 6)), f"{ns / 1e9:.6f}"}


def numbers_in(text):
    """Every number of a text, as it is written there."""
    return set(re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\d)", text))


def hidden_numbers(suite, problem, condition):
    """Predicted latencies that the condition does not show: those of the other version and all of the partner's."""
    version, paths = FILES[condition]
    own = {"perturbed": problem.perturbed, "reference": problem.reference}
    partner = partner_of(suite, problem)
    everything = (*own.values(), partner.perturbed, partner.reference)
    numbers = {text for values in everything for ns in values.values() for text in spellings(ns)}
    if not {*PREDICTIONS, *RECORDS} & {*paths}:
        return numbers
    return numbers - {text for ns in own[version].values() for text in spellings(ns)}


def hidden_code(suite, problem, condition):
    """Lines that only the other version of the simulator has; with no simulator shown, those of both."""
    versions = ("perturbed", "reference")
    code = {version: evidence_of(suite, problem, version).code for version in versions}
    shown = code.get(FILES[condition][0], {}) if {*CODE} & {*FILES[condition][1]} else {}
    lines = {
        code[version][path].splitlines()[number - 1].strip()
        for version in versions
        for path, changed in suite.changed_lines(problem, version).items()
        for number in changed
    }
    legitimate = "\n".join([*shown.values(), *evidence_of(suite, problem, "perturbed").description.values()])
    return {line for line in lines if len(line) > 8 and line not in legitimate}


@lru_cache(maxsize=8)
def _evidence(name, number, version):
    suite = load_suite(name)
    return suite.evidence(suite.problems[number], version)


def evidence_of(suite, problem, version):
    return _evidence(suite.name, suite.problems.index(problem), version)


def partner_of(suite, problem):
    return next(p for p in suite.problems if p.pair == problem.pair and p.id != problem.id)


def names_of_the_evaluator(suite, problem):
    """Ids, digests and names that exist in the suite's folder and nowhere in a packet."""
    entries = {entry.id: entry for entry in suite.manifest.problems}
    names = {suite.name, suite.digest, problem.pair, problem.perturbation, problem.perturbation.replace("_", " ")}
    for entry in (entries[problem.id], entries[partner_of(suite, problem).id]):
        names |= {entry.workload_digest, *entry.evidence_digest.values(), entry.id}
    return names | set(problem.labels.values())


def evidence_shown(suite, problem, condition):
    """The files of FILES, from the version that it names."""
    version, paths = FILES[condition]
    files = evidence_of(suite, problem, version or "perturbed").all_files()
    return {path: files[path] for path in paths}


def first_pairs():
    """(suite, design problem, condition, prompt) for every frozen suite: what is frozen later is tested too.

    The main condition of one design problem is tried by default; the others are marked slow.
    """
    for name in frozen_suites():
        for problem in dict.fromkeys(entry.design_problem for entry in load_suite(name).manifest.problems):
            for case in CASES:
                marks = () if (name, problem, *case) == DEFAULT else pytest.mark.slow
                yield pytest.param(name, problem, *case, marks=marks, id="-".join((problem, *case, name)))


FIRST_PAIRS = list(first_pairs())


@pytest.mark.parametrize(("name", "design_problem", "condition", "prompt"), FIRST_PAIRS)
def test_a_model_receives_exactly_what_its_condition_shows(tmp_path, name, design_problem, condition, prompt):
    suite = load_suite(name)
    # Upheld and overturned must look alike in the main condition; elsewhere one of them will do.
    for problem in pair_of(suite, design_problem)[0 if condition == "perturbed" else 1 :]:
        received = converse(suite, problem, condition, prompt, tmp_path)
        files = evidence_shown(suite, problem, condition)

        first, review = message_texts(condition, prompt)
        question = QUESTIONS[design_problem]
        assert received.roles == {"user", "assistant", "tool"}  # no system message
        assert received.users == [first.replace("{question}", problem.question.strip()), review]
        assert problem.question.startswith(question)

        assert {tool: set(info.parameters.properties) for tool, info in received.tools.items()} == TOOLS
        [listing] = received.of("list_files")
        assert [row.rpartition(" (")[0] for row in listing.splitlines()] == sorted(files)
        assert received.files() == files
        found = {row.split(":", 1)[0] for text in received.of("search") for row in text.splitlines()[:-1]}
        assert found <= set(files)
        assert received.of("search")[-2:-1] == [f"No match in {len(files)} files."]  # the search for WORDS
        assert len(received.errors) == 2 * len(PRYING)
        assert all("There is no file" in error or "is a folder" in error for error in received.errors)

        text = "\n".join(received.strings)
        assert re.findall(WORDS, text, re.I) == []
        for secret in names_of_the_evaluator(suite, problem):
            assert not re.search(rf"\b{re.escape(secret)}\b", text), secret
        assert hidden_numbers(suite, problem, condition) & numbers_in(text) == set()
        assert {line for line in hidden_code(suite, problem, condition) if line in text} == set()
        assert evidence_of(suite, partner_of(suite, problem), "perturbed").description["workload.json"] not in text


@pytest.mark.parametrize(
    ("name", "design_problem", "condition"),
    [
        pytest.param(*case.values[:3], id=f"{case.values[1]}-{case.values[2]}-{case.values[0]}", marks=pytest.mark.slow)
        for case in FIRST_PAIRS
        if case.values[2:] in (("perturbed", "standard"), ("none", "standard"))
    ],
)
def test_no_fact_of_the_evaluator_changes_a_word(tmp_path, name, design_problem, condition):
    """Other answer, outcome, pair, perturbation name, designs and latencies, same evidence: the same conversation."""
    suite = load_suite(name)
    problem = pair_of(suite, design_problem)[0]
    other = replace(
        problem,
        pair="zz",
        outcome="overturned",
        perturbation="zz",
        labels={label: f"zz-{label}" for label in problem.labels},
        presented="A" if problem.answer != "A" else "B",
        reference=dict.fromkeys("ABCD", 1),
        perturbed=dict.fromkeys("ABCD", 2),
    )
    twin = SimpleNamespace(
        name="zz",
        digest="zz",
        problems=(other,),
        evidence=lambda _, version: suite.evidence(problem, version),
        changed_lines=lambda _, version: suite.changed_lines(problem, version),
    )
    received = converse(suite, problem, condition, "standard", tmp_path)
    assert converse(twin, other, condition, "standard", tmp_path).strings == received.strings
