"""Runs: several models and conditions in one directory, resumed after anything, complete only if the suite says so."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample_summaries

import proctor.siris.run
import proctor.siris.task
from proctor.errors import InputError
from proctor.report.siris_report import report_logs
from proctor.siris.run import Plan, run


@pytest.fixture
def plan(suite, provider, tmp_path, monkeypatch):  # noqa: ARG001 - a new provider for each test
    """A plan for the hand-made suite, which stands in for a frozen one."""
    monkeypatch.setattr(proctor.siris.run, "load_suite", lambda _: suite)
    monkeypatch.setattr(proctor.siris.task, "load_suite", lambda _: suite)

    def make(*models, conditions=("perturbed",), **options):
        return Plan("hand-made", models or ["rule/follow"], conditions, tmp_path, **options)

    return make


def quietly(done, total):
    """Progress that nobody watches."""


def conversations(folder):
    """(model, condition, problem, repetition) -> whether it ended in an error; over all finished logs."""
    found = Counter()
    for info in list_eval_logs(str(folder)):
        log = read_eval_log(info)
        if log.status in ("success", "error"):
            found.update((log.eval.model, log.eval.task_args["condition"], s.id, s.epoch) for s in log.samples)
    return found


def test_models_and_conditions_are_crossed_in_one_directory(plan, tmp_path):
    counts = []
    crossed = plan("rule/follow", "rule/constant-b", conditions=["perturbed", "none"], repetitions=2, limit=4)
    result = run(crossed, lambda done, total: counts.append((done, total)))
    assert result.complete
    assert result.expected == 2 * 2 * 4 * 2
    assert counts[-1] == (32, 32)
    assert result.summary == "all 32 conversations finished"
    assert conversations(tmp_path).total() == len(conversations(tmp_path)) == 32


def test_a_finished_run_asks_nothing_when_repeated(plan, provider):
    run(plan("scripted/x", limit=8), quietly)
    asked = provider.asked.total()
    assert run(plan("scripted/x", limit=8), quietly).complete
    assert provider.asked.total() == asked


def test_more_problems_repetitions_models_and_conditions_can_be_added(plan, provider, tmp_path):
    """Growing a run asks what is new and keeps every finished conversation."""
    for step, calls in (({"limit": 2}, 2 * 4), ({"limit": 6}, 6 * 4), ({"limit": 6, "repetitions": 2}, 12 * 4)):
        assert run(plan("scripted/x", **step), quietly).complete
        assert provider.asked.total() == calls  # list, read the prediction, answer, answer
    more = plan("scripted/x", "rule/follow", conditions=["perturbed", "none"], limit=6, repetitions=2)
    assert run(more, quietly).complete
    assert provider.asked.total() == 12 * 4 + 12 * 3  # without evidence there is no prediction to read
    assert conversations(tmp_path).total() == len(conversations(tmp_path)) == 48


@pytest.mark.parametrize("smaller", [{"limit": 6}, {"limit": 4, "repetitions": 2}], ids=["repetitions", "limit"])
def test_a_smaller_run_in_the_same_directory_is_refused_and_nothing_is_lost(plan, tmp_path, smaller):
    """Inspect would drop the conversations that the smaller run does not plan."""
    run(plan(limit=6, repetitions=2), quietly)
    with pytest.raises(InputError, match=r"holds 6 problems x 2 repetitions of rule/follow, perturbed; a smaller run"):
        run(plan(**smaller), quietly)
    assert conversations(tmp_path).total() == 12
    assert run(plan("rule/constant-b", **smaller), quietly).complete


def test_errors_of_ours_leave_the_run_incomplete_and_only_they_are_asked_again(plan, provider, tmp_path):
    provider.fail_for("p05", "p06")
    result = run(plan("scripted/x", limit=8), quietly)
    assert (result.expected, result.finished, result.errors.total()) == (8, 6, 2)
    assert "2 of 8 conversations are missing; repeat the command" in result.summary
    assert "the provider is down" in result.summary
    provider.__init__()
    assert run(plan("scripted/x", limit=8), quietly).complete
    assert provider.asked.keys() == {"p05", "p06"}
    assert set(conversations(tmp_path).values()) == {1}


def test_whatever_a_provider_did_is_asked_again_and_whatever_ended_by_a_limit_is_not(plan, provider, busy):
    """A time-out that Inspect would take for an end, an outage at the time limit, retries used up: errors of ours."""
    errors = {"p01": TimeoutError("no reply"), "p02": busy("429"), "p03": ConnectionError("down")}

    def reply(problem, dialogue):
        if problem in errors and dialogue.reviewing:
            raise errors[problem]

    provider.reply = reply
    cut = plan("scripted/x", limit=8, token_limit=450, time_limit=60, generation={"max_retries": 1})
    first = run(cut, quietly)
    assert (first.finished, first.errors.total()) == (5, 3)
    assert {message for _, message in first.errors} == {
        "ProviderError('TimeoutError: no reply')",
        "ProviderError('failed 2 times, at last with BusyError: 429')",
        "ConnectionError('down')",
    }
    provider.__init__()
    assert run(cut, quietly).complete
    assert provider.asked.keys() == errors.keys()
    report = report_logs(run(cut, quietly).logs)
    assert report.summaries[0].ended_by == {"token": 8}
    assert report.summaries[0].coverage.scored == 8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"token_limit": 900}, "with --token-limit not set; they would be pooled"),
        ({"message_limit": 50}, "with --message-limit 1000; they"),
        ({"generation": {"temperature": 0.5}}, "with --temperature not set; they"),
    ],
)
def test_other_limits_or_options_want_another_directory(plan, tmp_path, options, message):
    """Inspect would run them beside what is there, and tables would take both for repetitions of one thing."""
    run(plan(limit=2), quietly)
    with pytest.raises(InputError, match=message):
        run(plan(limit=2, **options), quietly)
    assert run(plan(limit=2, generation={"max_retries": 3, "timeout": 60}), quietly).complete
    assert conversations(tmp_path).total() == 2


def test_a_model_that_answers_nothing_is_one_clear_line(plan, suite, provider):
    """A name that the provider does not know shows only in its errors."""
    provider.fail_for(*(problem.id for problem in suite.problems))
    with pytest.raises(
        InputError, match=r"model 'scripted/x' answered nothing; every conversation ended with: .*is down"
    ):
        run(plan("scripted/x", limit=4), quietly)


def test_a_limit_takes_whole_pairs(plan, suite, tmp_path):
    run(plan(limit=6), quietly)
    asked = {problem for _, _, problem, _ in conversations(tmp_path)}
    pairs = Counter(problem.pair for problem in suite.problems if problem.id in asked)
    assert set(pairs.values()) == {2}
    assert len(pairs) == 3


@pytest.mark.parametrize(
    ("models", "options", "message"),
    [
        (["rule/folow"], {}, r"model 'rule/folow' cannot be used: .*did you mean rule/follow\?"),
        (
            ["opnai/gpt-5"],
            {},
            "model 'opnai/gpt-5' cannot be used: Model API opnai of model 'opnai/gpt-5' not recognized",
        ),
        (["gpt-5"], {}, "model 'gpt-5' cannot be used: .*<api_name>/<model_name>"),
        (["rule/follow"], {"conditions": ["pertrubed"]}, "did you mean perturbed"),
        (["rule/follow"], {"conditions": ["none"], "prompt": "comparison"}, "needs all simulator evidence"),
        (["scripted/x"], {"cost_limit": 1.0}, "the price of scripted/x is unknown; give it in a file with --prices"),
        (
            ["rule/follow"],
            {"generation": {"reasoning_effort": "zzz"}},
            "--reasoning-effort 'zzz': Input should be 'none'",
        ),
        (["rule/follow"], {"prices": Path("no-such-file.yaml")}, "no-such-file.yaml: cannot read it"),
    ],
)
def test_a_plan_that_cannot_work_is_refused_before_anything_is_asked(plan, tmp_path, models, options, message):
    with pytest.raises(InputError, match=message) as caught:
        run(plan(*models, **options), quietly)
    assert "\n" not in str(caught.value)
    assert list_eval_logs(str(tmp_path)) == []


@pytest.mark.parametrize("place", ["100%25", "file/logs", "file", "dangling"])
def test_a_place_that_cannot_hold_logs_is_refused(plan, tmp_path, place):
    """Inspect decodes % in paths; a file cannot hold a folder."""
    (tmp_path / "file").write_text("")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere" / "logs")
    with pytest.raises(InputError, match="give another --log-dir"):
        run(replace(plan(), log_dir=tmp_path / place), quietly)


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder in which nobody can write, root neither")
def test_a_folder_that_cannot_be_written_to_is_refused(plan):
    with pytest.raises(InputError, match=r"/proc: cannot be written to .*; give another --log-dir"):
        run(replace(plan(), log_dir=Path("/proc")), quietly)


@pytest.mark.parametrize("ending", ["eval", "json"])
@pytest.mark.parametrize("content", [b"", b"garbage", b"PK\x03\x04" + bytes(100)])
def test_a_damaged_log_in_the_folder_is_named_and_left_alone(plan, tmp_path, content, ending):
    damaged = tmp_path / f"2026-01-01T00-00-00+00-00_siris_x.{ending}"
    damaged.write_bytes(content)
    with pytest.raises(InputError, match=rf"_siris_x.{ending}: not a readable Inspect log; move it away"):
        run(plan(limit=2), quietly)
    assert damaged.read_bytes() == content


def test_a_folder_with_a_space_holds_logs_and_nothing_is_printed(plan, tmp_path, capfd):
    spaced = replace(plan(limit=2), log_dir=tmp_path / "my logs")
    first, second = run(spaced, quietly), run(spaced, quietly)
    assert first.logs == second.logs
    assert all(log.is_file() for log in second.logs)
    assert capfd.readouterr().out == ""


def test_a_missing_package_or_key_is_named_without_markup(plan, monkeypatch):
    """Inspect's message has markup and blank lines; ours is one plain line."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(InputError) as caught:
        run(plan("openai/gpt-5"), quietly)
    assert str(caught.value).startswith("model 'openai/gpt-5' cannot be used: ")
    assert not any(mark in str(caught.value) for mark in ("\n", "[bold]", "ERROR"))


def test_prices_are_checked_field_by_field(plan, tmp_path):
    prices = tmp_path / "prices.yaml"
    prices.write_text("scripted/x: {input: 1, output: many, input_cache_write: 0, input_cache_read: 0}\n")
    with pytest.raises(InputError, match=r"prices.yaml: scripted/x.output: .*expected, for each model, input"):
        run(plan("scripted/x", prices=prices), quietly)
    prices.write_text("scripted/x: {input: 1, output: 2, input_cache_write: 0, input_cache_read: 0}\n")
    assert run(plan("scripted/x", "rule/follow", prices=prices, cost_limit=1.0, limit=2), quietly).complete


@pytest.mark.parametrize("price", [".nan", ".inf", "-1"])
def test_a_price_is_a_finite_number_from_zero(plan, tmp_path, price):
    prices = tmp_path / "prices.yaml"
    prices.write_text(f"scripted/x: {{input: 1, output: {price}, input_cache_write: 0, input_cache_read: 0}}\n")
    with pytest.raises(InputError, match=r"prices.yaml: scripted/x.output: .*0 or more and finite"):
        run(plan("scripted/x", prices=prices), quietly)


SLOW = """
import asyncio, hashlib, json, sys
from inspect_ai.model import modelapi
import proctor._registry
from proctor.siris.review.rules.api import RuleAPI
from proctor.siris.review.rules.dialogue import Dialogue, Need

asks = sys.argv.pop(1)

@modelapi(name="slow")
def slow():
    class Slow(RuleAPI):
        '''rule/follow that takes its time and writes down which conversation it is in when it has read the workload.'''

        def __init__(self, model_name, *args, **kwargs):
            super().__init__("follow", *args, **kwargs)

        async def generate(self, input, **kwargs):
            await asyncio.sleep(0.05)
            dialogue = Dialogue(input)
            try:
                workload = dialogue.ask("read_file", path="workload.json")
            except Need as need:
                return dialogue.call(need)
            if len(input) == 3:
                with open(asks, "a") as file:
                    digest = hashlib.sha256(workload.encode()).hexdigest()
                    file.write(json.dumps([digest, "prediction.json" in dialogue.questions[0]]) + "\\n")
            return await super().generate(input, **kwargs)
    return Slow

from proctor.cli import main
main()
"""


CONVERSATIONS = 2 * 8 * 2  # conditions, problems, repetitions
IN_FLIGHT = 2 * 4  # two conditions, four conversations at a time


@pytest.fixture
def slow_run(tmp_path):
    """`proctor siris run` on the shipped suite with a slow model, in a process group of its own."""

    def start(name):
        script = tmp_path / "slow.py"
        script.write_text(SLOW)
        command = [sys.executable, str(script), str(tmp_path / f"{name}-asks.txt"), "siris", "run", "--json"]
        options = {"model": "slow/x", "limit": "8", "repetitions": "2", "max-connections": "4", "log-dir": name}
        command += [part for option, value in options.items() for part in (f"--{option}", value)]
        command += ["--condition", "perturbed", "--condition", "none"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        return subprocess.Popen(
            command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
        )

    return start


def asks(tmp_path, name):
    """The conversations that were begun, (digest of the workload as read, whether predictions were shown)."""
    file = tmp_path / f"{name}-asks.txt"
    return [tuple(json.loads(line)) for line in file.read_text().splitlines()] if file.exists() else []


def finished(folder):
    """(problem, condition, repetition) of every conversation that any log holds, of killed runs too."""
    found = set()
    for info in list_eval_logs(str(folder)):
        condition = read_eval_log(info, header_only=True).eval.task_args["condition"]
        found |= {(s.id, condition, s.epoch) for s in read_eval_log_sample_summaries(info) if s.error is None}
    return found


@pytest.mark.slow
def test_a_run_killed_at_random_points_ends_in_the_table_of_one_that_was_not(slow_run, tmp_path):
    """kill -9 of the whole process group, three times: nothing finished is asked again, nothing is lost or doubled."""
    whole = slow_run("whole")
    table = json.loads(whole.communicate(timeout=300)[0])
    assert (whole.returncode, len(asks(tmp_path, "whole"))) == (0, CONVERSATIONS)
    draw = Random(20261)
    for kill in range(1, 4):
        process = slow_run("killed")
        target = len(asks(tmp_path, "killed")) + draw.randint(3, 8)
        while process.poll() is None and len(asks(tmp_path, "killed")) < target:
            time.sleep(0.02)
        time.sleep(draw.random() / 2)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        before, kept = len(asks(tmp_path, "killed")), len(finished(tmp_path / "killed"))
        assert before - kept <= IN_FLIGHT * kill  # all else that was begun is in a log
    last = slow_run("killed")
    resumed = json.loads(last.communicate(timeout=300)[0])
    assert last.returncode == 0
    assert len(asks(tmp_path, "killed")) - before == CONVERSATIONS - kept
    assert Counter(set(asks(tmp_path, "killed"))) == Counter(set(asks(tmp_path, "whole")))
    assert resumed["groups"] == table["groups"]
    assert conversations(tmp_path / "killed").total() == CONVERSATIONS


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=lambda how: how.name)
def test_an_interrupted_run_is_completed_by_the_same_command_without_asking_twice(slow_run, tmp_path, how):
    process = slow_run("logs")
    while process.poll() is None and len(asks(tmp_path, "logs")) < 12:
        time.sleep(0.02)
    process.send_signal(how)
    process.communicate(timeout=60)
    assert process.returncode != 0
    kept, before = len(finished(tmp_path / "logs")), len(asks(tmp_path, "logs"))
    assert before - kept <= IN_FLIGHT
    again = slow_run("logs")
    again.communicate(timeout=300)
    assert again.returncode == 0
    assert len(asks(tmp_path, "logs")) - before == CONVERSATIONS - kept
    assert conversations(tmp_path / "logs").total() == len(conversations(tmp_path / "logs")) == CONVERSATIONS
