"""`proctor siris replay` on logs of the shipped suite, whole, damaged, forged and hostile, as a person meets it."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import read_eval_log, write_eval_log

import proctor._registry  # noqa: F401 - registers models
from proctor.cli.siris_replay import register
from proctor.errors import InputError
from proctor.report import log_replay
from proctor.report.siris_replay import replay_logs
from proctor.siris.problems.perturbations import CATALOGUE
from proctor.siris.problems.suites import frozen_suites
from proctor.siris.task import siris

ROOT = Path(__file__).resolve().parents[2]
PROBLEMS = 3


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A finished log: three problems of routing-v1, two repetitions, rule/follow."""
    folder = tmp_path_factory.mktemp("logs")
    [log] = inspect_eval(
        siris("routing-v1", repetitions=2), model="rule/follow", log_dir=str(folder), display="none",
        log_realtime=False, limit=PROBLEMS,
    )  # fmt: skip
    return Path(log.location)


@pytest.fixture
def log(original, tmp_path):
    """A copy to spoil."""
    return Path(shutil.copy(original, tmp_path / "copy.eval"))


@pytest.fixture
def change(log):
    """Change a log through Inspect's own reader and writer."""

    def apply(edit):
        whole = read_eval_log(str(log))
        edit(whole)
        write_eval_log(whole, str(log))
        return log

    return apply


def only(path, suite=None):
    [found] = replay_logs([path], suite).logs
    return found


def kinds(found):
    return {(difference.kind, difference.problem) for difference in found.differences}


def test_a_log_is_replayed_identically_and_so_is_its_json_form(original, tmp_path):
    found = only(original)
    assert (found.identical, found.conversations, found.differences, found.notes) == (6, 6, (), ())
    as_json = tmp_path / "copy.json"
    write_eval_log(read_eval_log(str(original)), str(as_json))
    assert only(as_json).report_digest == found.report_digest


def test_progress_is_told_of_every_conversation(original):
    told = []
    replay_logs([original], progress=lambda done, total: told.append((done, total)))
    assert told == [(done, 6) for done in range(1, 7)]


def test_another_suite_is_named_as_the_source_that_differs(original, tmp_path):
    """A copy of the suite in which one answer was changed, and with it everything that hangs on it."""
    folder = tmp_path / "other"
    shutil.copytree(frozen_suites()["routing-v1"], folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["seed"] += 1
    (folder / "manifest.json").write_text(json.dumps(manifest))
    found = only(original, str(folder))
    assert kinds(found) == {("sources", None)}
    assert "the suite's digest is" in str(found.differences[0])


def test_a_problem_that_the_suite_lacks_is_named(original, tmp_path):
    folder = tmp_path / "other"
    shutil.copytree(frozen_suites()["routing-v1"], folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    [pair] = [entry["pair"] for entry in manifest["problems"] if entry["id"] == "p01"]
    manifest["problems"] = [entry for entry in manifest["problems"] if entry["pair"] != pair]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    found = only(original, str(folder))
    assert {("sources", None), ("sources", "p01"), ("summary", None)} == kinds(found)
    assert found.identical == 4


def test_a_changed_simulator_file_is_named_by_problem(original, monkeypatch):
    """One comment more in a file that the packet shows: the evidence is no longer what the suite froze."""
    source = CATALOGUE.source

    def changed(perturbation):
        files = dict(source(perturbation))
        files["simulator/cache.py"] += "# changed\n"
        return files

    monkeypatch.setattr(CATALOGUE, "source", changed)
    found = only(original)
    assert {("sources", f"p{n:02}") for n in range(1, PROBLEMS + 1)} <= kinds(found)
    assert found.identical == 0


def forge_prompt(log):
    log.samples[0].messages[0].content += "\nChoose A."


def forge_result(log):
    log.samples[0].messages[2].content = "nothing"


def forge_label(log):
    for facts in (log.samples[0].metadata, log.samples[0].scores["choices"].metadata):
        facts["reference"], facts["perturbed"] = facts["perturbed"], facts["reference"]


def forge_score(log):
    log.samples[0].scores["choices"].value["final"] = "C"


@pytest.mark.parametrize(
    ("forge", "kind"),
    [
        (forge_prompt, "prompts"),
        (forge_result, "tool results"),
        (forge_label, "labels"),
        (forge_score, "score"),
    ],
)
def test_a_forged_conversation_is_named_and_the_others_hold(change, forge, kind):
    found = only(change(forge))
    assert (kind, "p01") in kinds(found)
    assert {problem for _, problem in kinds(found)} <= {"p01", None}
    assert found.identical == 5


def test_forged_figures_are_named(change):
    def forge(log):
        log.results.scores[0].metrics["judgment"].value = 99.0

    found = only(change(forge))
    assert [str(difference) for difference in found.differences] == [
        "summary: judgment is 99.0 in the log, 50.0 in the replay"
    ]
    assert found.identical == 6


def test_a_system_message_of_the_run_is_a_prompt_that_differs(change):
    def add(log):
        log.plan.config.system_message = "Always answer A."

    assert kinds(only(change(add))) == {("prompts", None)}


def test_a_log_that_lost_conversations_says_which(change):
    def cut(log):
        del log.samples[4:]

    found = only(change(cut))
    assert ("conversations", None) in kinds(found)
    assert "2 are missing: p0" in str(found.differences[0])
    assert (found.identical, found.conversations) == (4, 4)


def test_a_conversation_that_was_never_planned_is_named(change):
    def add(log):
        log.samples.append(log.samples[0].model_copy(update={"epoch": 7}))

    assert "1 were never planned: p01/7" in " ".join(map(str, only(change(add)).differences))


def test_an_unfinished_log_is_replayed_as_far_as_it_goes(change):
    def stop(log):
        log.status, log.results = "cancelled", None
        del log.samples[2:]

    found = only(change(stop))
    assert (found.differences, found.identical) == ((), 2)
    assert found.notes == ("status is cancelled: 2 of 6 conversations are in it",)


def test_an_invalidated_conversation_is_noted_and_out_of_the_report(original, change):
    from inspect_ai.log import ProvenanceData

    def invalidate(log):
        log.samples[0].invalidation = ProvenanceData(author="somebody", reason="the machine slept")

    found = only(change(invalidate))
    assert (found.differences, found.notes) == ((), ("1 conversations were invalidated by hand",))
    assert found.report_digest != only(original).report_digest


def test_versions_that_differ_are_named(change, original):
    def older(log):
        log.eval.metadata["proctor"] = "0.0.9"
        log.eval.packages = {"inspect_ai": "0.3.1"}

    assert read_eval_log(str(original), header_only=True).eval.metadata["proctor"] == log_replay.version("proctor")
    [ours, theirs] = only(change(older)).notes
    assert ours == f"made with proctor 0.0.9, replayed with {log_replay.version('proctor')}"
    assert theirs.startswith("made with inspect_ai 0.3.1, replayed with ")


def test_a_log_from_before_versions_and_packets_were_kept_is_replayed(change):
    def age(log):
        del log.eval.metadata["proctor"]
        log.eval.packages.pop("proctor", None)
        for sample in log.samples:
            del sample.store["Conversation:packet"]
            del sample.metadata["perturbed"]
            del sample.scores["choices"].metadata["perturbed"]

    found = only(change(age))
    assert (found.differences, found.identical) == ((), 6)
    assert found.notes == ("the log does not say which version of proctor made it",)


def test_a_suite_of_the_users_own_is_read_only_where_the_user_names_it(change, tmp_path):
    """A log may name any folder: none is opened for its sake."""

    def rename(log):
        log.eval.metadata["suite"] = str(tmp_path)

    with pytest.raises(InputError, match=r"does not ship with proctor; give its folder: --suite DIR"):
        replay_logs([change(rename)])
    found = only(change(rename), "routing-v1")
    assert "sources" in {difference.kind for difference in found.differences}


@pytest.mark.parametrize(("name", "value"), [("condition", "prtrbed"), ("prompt", "short")])
def test_a_condition_or_prompt_that_there_is_not_is_one_line(change, name, value):
    def rename(log):
        log.eval.metadata[name] = value

    with pytest.raises(InputError, match=rf"copy\.eval: unknown .*{value}"):
        replay_logs([change(rename)])


def test_what_is_no_siris_log_is_refused_by_name_and_left_out_in_a_folder(run_eval, follow, original, tmp_path):
    other = run_eval(tmp_path, follow)
    with pytest.raises(InputError, match="is not proctor/siris"):
        replay_logs([other])
    shutil.copy(original, tmp_path)
    found = replay_logs([tmp_path])
    assert (len(found.logs), len(found.others), found.hold) == (1, 1, True)


@pytest.mark.parametrize("text", [b"", b"PK\x03\x04", b"{}", b"not a log at all"])
def test_what_is_no_log_is_one_line(tmp_path, text):
    path = tmp_path / "x.eval"
    path.write_bytes(text)
    with pytest.raises(InputError, match=r"x\.eval: not a readable Inspect log") as caught:
        replay_logs([path])
    assert "\n" not in str(caught.value)


def test_a_log_that_was_cut_off_is_one_line_and_fails_a_folder(log):
    log.write_bytes(log.read_bytes()[:-2000])
    with pytest.raises(InputError, match="not a readable Inspect log"):
        replay_logs([log])
    found = replay_logs([log.parent])
    assert (found.logs, len(found.damaged), found.hold) == ((), 1, False)


def test_a_damaged_sample_is_one_difference(log):
    """The header is whole, one of the conversations is not."""
    damaged = log.with_name("damaged.eval")
    with zipfile.ZipFile(log) as old, zipfile.ZipFile(damaged, "w") as new:
        for name in old.namelist():
            new.writestr(name, b"{" if name.startswith("samples/p02") else old.read(name))
    [difference] = only(damaged).differences
    assert difference.kind == "conversations"
    assert "not a readable Inspect log" in difference.what


def test_a_log_that_unpacks_to_more_than_memory_is_refused_unread(log, monkeypatch):
    monkeypatch.setattr("proctor.report.log_files.MAX_SAMPLE_BYTES", 1000)
    [difference] = only(log).differences
    assert "unpacks to" in difference.what


@pytest.fixture
def command(in_process):
    return in_process(register)


def test_the_command_prints_a_line_per_log_and_exits_with_0(command, original):
    result = command(original)
    assert result.exit_code == 0
    [line] = result.stdout.splitlines()
    assert line.startswith(f"{original.name}: 6 of 6 conversations replayed identically (rule/follow, perturbed, ")


def test_the_command_names_differences_and_exits_with_1(command, change):
    def forge(log):
        for sample in log.samples:
            sample.messages[0].content += "\nChoose A."
            sample.target = "\x1b[2J"

    path = change(forge)
    result = command(path)
    assert result.exit_code == 1
    assert "0 of 6 conversations" in result.stdout
    assert "and 2 more differences" in result.stdout.splitlines()[-1]
    assert "\x1b" not in result.stdout
    report = json.loads(command(path, "--json").stdout)
    assert report["identical"] is False
    assert {d["kind"] for d in report["logs"][0]["differences"]} == {"prompts", "labels"}
    assert {d["turn"] for d in report["logs"][0]["differences"]} == {"initial", None}


@pytest.mark.slow
def test_a_log_is_replayed_by_the_wheel_in_a_fresh_environment(original, tmp_path):
    """Nothing of this clone, of the user's home or of the folder of the logs is needed."""
    pytest.importorskip("hatchling", reason="hatchling is in the extra dev")
    dist, site, home = (tmp_path / name for name in ("dist", "site", "home"))
    home.mkdir()
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(dist)], cwd=ROOT, check=True)
    [wheel] = dist.iterdir()
    pip = [sys.executable, "-m", "pip", "install", "-qq", "--no-deps", "--no-index", "--target", str(site), str(wheel)]
    subprocess.run(pip, check=True)
    shutil.copy(original, home / "the.eval")
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(site)}

    def run(*arguments):
        return subprocess.run(
            [sys.executable, *arguments], cwd=home, env=environment, capture_output=True, text=True, timeout=300
        )

    where = run("-c", "import proctor; print(proctor.__file__)").stdout.strip()
    assert Path(where).is_relative_to(site)
    done = run("-m", "proctor", "siris", "replay", "the.eval", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["logs"][0]["identical"] == 6
    assert report["logs"][0]["report_sha256"] == only(original).report_digest
