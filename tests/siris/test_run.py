"""Runs: several models and conditions in one directory, resumed after anything, complete only if the suite says so."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import modelapi

import proctor._registry
import proctor.siris.run
import proctor.siris.task
from proctor.errors import InputError
from proctor.siris.review.rules.api import RuleAPI
from proctor.siris.review.rules.dialogue import Dialogue, Need
from proctor.siris.run import Plan, run

DOWN: set[str] = set()  # problems for which the provider of `flaky/x` fails
ASKED: Counter[str] = Counter()  # model calls of `flaky/x` by problem


@modelapi(name="flaky")
def flaky():
    class Flaky(RuleAPI):
        """rule/follow with a provider that fails for the problems in DOWN."""

        def __init__(self, model_name, *args, **kwargs):
            super().__init__("follow", *args, **kwargs)
            self.model_name = model_name

        async def generate(self, input, **kwargs):
            dialogue = Dialogue(input)
            try:
                workload = dialogue.ask("read_file", path="workload.json")
            except Need as need:
                return dialogue.call(need)
            problem = json.loads(workload.splitlines()[2].partition("| ")[2].rstrip(","))["of"]
            ASKED[problem] += 1
            if problem in DOWN or "all" in DOWN:
                raise ConnectionError("the provider is down")
            return await super().generate(input, **kwargs)

    return Flaky


@pytest.fixture
def plan(suite, tmp_path, monkeypatch):
    """A plan for the hand-made suite, which stands in for a frozen one."""
    monkeypatch.setattr(proctor.siris.run, "load_suite", lambda _: suite)
    monkeypatch.setattr(proctor.siris.task, "load_suite", lambda _: suite)
    DOWN.clear()
    ASKED.clear()

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


def test_a_finished_run_asks_nothing_when_repeated(plan):
    run(plan("flaky/x", limit=8), quietly)
    asked = ASKED.total()
    assert run(plan("flaky/x", limit=8), quietly).complete
    assert ASKED.total() == asked


def test_more_problems_repetitions_models_and_conditions_can_be_added(plan, tmp_path):
    """Growing a run asks what is new and keeps every finished conversation."""
    for step, calls in (({"limit": 2}, 2 * 4), ({"limit": 6}, 6 * 4), ({"limit": 6, "repetitions": 2}, 12 * 4)):
        assert run(plan("flaky/x", **step), quietly).complete
        assert ASKED.total() == calls  # list, read the prediction, answer, answer
    more = plan("flaky/x", "rule/follow", conditions=["perturbed", "none"], limit=6, repetitions=2)
    assert run(more, quietly).complete
    assert ASKED.total() == 12 * 4 + 12 * 3  # without evidence there is no prediction to read
    assert conversations(tmp_path).total() == len(conversations(tmp_path)) == 48


@pytest.mark.parametrize("smaller", [{"limit": 6}, {"limit": 4, "repetitions": 2}], ids=["repetitions", "limit"])
def test_a_smaller_run_in_the_same_directory_is_refused_and_nothing_is_lost(plan, tmp_path, smaller):
    """Inspect would drop the conversations that the smaller run does not plan."""
    run(plan(limit=6, repetitions=2), quietly)
    with pytest.raises(InputError, match=r"holds 6 problems x 2 repetitions of rule/follow, perturbed; a smaller run"):
        run(plan(**smaller), quietly)
    assert conversations(tmp_path).total() == 12
    assert run(plan("rule/constant-b", **smaller), quietly).complete


def test_errors_of_ours_leave_the_run_incomplete_and_only_they_are_asked_again(plan, tmp_path):
    DOWN.update({"p05", "p06"})
    result = run(plan("flaky/x", limit=8), quietly)
    assert (result.expected, result.finished, result.errors.total()) == (8, 6, 2)
    assert "2 of 8 conversations are missing; repeat the command" in result.summary
    assert "the provider is down" in result.summary
    DOWN.clear()
    ASKED.clear()
    assert run(plan("flaky/x", limit=8), quietly).complete
    assert ASKED.keys() == {"p05", "p06"}
    assert set(conversations(tmp_path).values()) == {1}


def test_a_model_that_answers_nothing_is_one_clear_line(plan):
    """A name that the provider does not know shows only in its errors."""
    DOWN.add("all")
    with pytest.raises(InputError, match=r"model 'flaky/x' answered nothing; every conversation ended with: .*is down"):
        run(plan("flaky/x", limit=4), quietly)


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
        (["flaky/x"], {"cost_limit": 1.0}, "the price of flaky/x is unknown; give it in a file with --prices"),
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
    prices.write_text("flaky/x: {input: 1, output: many, input_cache_write: 0, input_cache_read: 0}\n")
    with pytest.raises(InputError, match=r"prices.yaml: flaky/x.output: .*expected, for each model, input"):
        run(plan("flaky/x", prices=prices), quietly)
    prices.write_text("flaky/x: {input: 1, output: 2, input_cache_write: 0, input_cache_read: 0}\n")
    assert run(plan("flaky/x", "rule/follow", prices=prices, cost_limit=1.0, limit=2), quietly).complete


@pytest.mark.parametrize("price", [".nan", ".inf", "-1"])
def test_a_price_is_a_finite_number_from_zero(plan, tmp_path, price):
    prices = tmp_path / "prices.yaml"
    prices.write_text(f"flaky/x: {{input: 1, output: {price}, input_cache_write: 0, input_cache_read: 0}}\n")
    with pytest.raises(InputError, match=r"prices.yaml: flaky/x.output: .*0 or more and finite"):
        run(plan("flaky/x", prices=prices), quietly)


SLOW = """
import asyncio, runpy, sys
from pathlib import Path
from inspect_ai.model import modelapi
suite = runpy.run_path(sys.argv[1])["make_suite"]()
import proctor._registry, proctor.siris.run, proctor.siris.task
from proctor.siris.review.rules.api import RuleAPI
proctor.siris.run.load_suite = proctor.siris.task.load_suite = lambda name: suite

@modelapi(name="slow")
def slow():
    class Slow(RuleAPI):
        def __init__(self, model_name, *args, **kwargs):
            super().__init__("follow", *args, **kwargs)

        async def generate(self, input, **kwargs):
            if len(input) == 1:
                with open(sys.argv[3], "a") as log:
                    log.write("conversation\\n")
            await asyncio.sleep(0.1)
            return await super().generate(input, **kwargs)
    return Slow

conditions = ["perturbed", "none"]
plan = proctor.siris.run.Plan("x", ["slow/x"], conditions, Path(sys.argv[2]), repetitions=2, max_connections=3)
result = proctor.siris.run.run(plan, lambda done, total: print(done, flush=True))
print(result.summary)
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM], ids=lambda how: how.name)
def test_a_killed_run_is_completed_by_the_same_command_without_asking_twice(tmp_path, how):
    """Killed twice in the middle: what was finished is never asked again, and nothing is counted double."""
    script, logs, asked = tmp_path / "slow.py", tmp_path / "logs", tmp_path / "asked.txt"
    script.write_text(textwrap.dedent(SLOW))
    command = [sys.executable, str(script), str(Path(__file__).with_name("conftest.py")), str(logs), str(asked)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for kill_after in (20, 15):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert any(int(line) >= kill_after for line in process.stdout)
        process.send_signal(how)
        process.wait(timeout=60)
        assert process.returncode != 0
        time.sleep(0.2)
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.splitlines()[-1] == "all 96 conversations finished"
    finished = conversations(logs)
    assert len(finished) == finished.total() == 96
    in_flight = 2 * 2 * 3  # two kills, two conditions, three at a time
    assert 96 <= len(asked.read_text().splitlines()) <= 96 + in_flight
