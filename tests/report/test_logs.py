"""Only finished conversations count, each once, and whatever does not count is named."""

import shutil
from collections import Counter

import pytest
from inspect_ai.log import ProvenanceData, invalidate_samples, read_eval_log, write_eval_log

from proctor.errors import InputError
from proctor.report.logs import read_logs


@pytest.fixture(scope="module")
def finished(run_eval, follow, tmp_path_factory):
    """One finished log of 3 pairs x 2 epochs."""
    return run_eval(tmp_path_factory.mktemp("finished"), follow)


def with_status(log, folder, status, name="2020-01-01T00-00-00+00-00_siris_x.eval"):
    """Copy a log with another status, as an interrupted run would have left it."""
    broken = read_eval_log(str(log))
    broken.status = status
    broken.results = None
    write_eval_log(broken, str(folder / name))
    return folder / name


def test_every_conversation_of_a_finished_log_becomes_one_record(finished):
    reading = read_logs([finished])
    assert Counter((r.problem, r.repetition) for r in reading.records).most_common(1)[0][1] == 1
    assert len(reading.records) == 12
    assert {r.model for r in reading.records} == {"mockllm/model"}
    assert list(reading.assigned.values()) == [12]
    assert reading.left_out == ()
    assert len(reading.records[0].files_read["initial"]) == 60


def test_a_log_named_twice_or_found_in_its_folder_too_counts_once(finished):
    assert len(read_logs([finished, finished.parent, finished]).records) == 12


def test_a_copy_of_a_log_does_not_count_again(finished, tmp_path):
    shutil.copy(finished, tmp_path / "copy.eval")
    reading = read_logs([finished, tmp_path])
    assert len(reading.records) == 12
    assert len(reading.left_out) == 1
    assert "same task" in reading.left_out[0].reason


@pytest.mark.parametrize("status", ["started", "cancelled", "error"])
def test_the_log_of_a_crashed_run_is_left_out_and_named(finished, tmp_path, status):
    crashed = with_status(finished, tmp_path, status)
    reading = read_logs([finished, tmp_path])
    assert len(reading.records) == 12
    assert [out.log for out in reading.left_out] == [crashed]
    assert f"status is {status}" in reading.left_out[0].reason


def test_a_retry_by_inspect_itself_counts_once(make_task, tmp_path):
    """A real eval set that fails, and the same call again: Inspect leaves the failed log and its samples behind."""
    from inspect_ai import eval_set

    broken = True

    def choose(problem, _outcome, _epoch):
        if broken and problem == "pair-2-upheld":
            raise RuntimeError("a bug of ours")
        return "A", "A"

    def attempt():
        task = make_task(choose, fail_on_error=True, score_on_error=False)
        options = {"retry_attempts": 0, "retry_cleanup": False, "display": "none", "log_realtime": False}
        return eval_set([task], model="mockllm/model", log_dir=str(tmp_path), **options)[0]

    assert attempt() is False
    broken = False
    assert attempt() is True
    reading = read_logs([tmp_path])
    assert len(reading.records) == 12
    assert all(record.scored for record in reading.records)
    assert ["status is error" in out.reason for out in reading.left_out] == [True]


def test_crashed_runs_alone_are_nothing_to_report(finished, tmp_path):
    with_status(finished, tmp_path, "started")
    with pytest.raises(InputError, match=r"no finished siris conversation.*was killed") as caught:
        read_logs([tmp_path])
    assert "\n" not in str(caught.value)


def test_an_error_of_the_run_is_an_infrastructure_error_even_where_it_was_scored(run_eval, tmp_path):
    def choose(problem, _outcome, epoch):
        if problem == "pair-1-upheld" and epoch == 2:
            raise RuntimeError("the provider went away")
        return "A", "A"

    reading = read_logs([run_eval(tmp_path, choose)])
    assert [r.infrastructure_error for r in reading.records if not r.scored] == [
        "RuntimeError('the provider went away')"
    ]
    assert len(reading.records) == 12


def test_a_run_that_tried_everything_counts_although_inspect_calls_it_an_error(make_task, tmp_path):
    """With fail_on_error and continue_on_fail, so that the next run resumes it, the status of such a run is "error"."""
    from inspect_ai import eval as inspect_eval

    def choose(problem, _outcome, epoch):
        if problem == "pair-1-upheld" and epoch == 2:
            raise RuntimeError("rate limit")
        return "A", "A"

    task = make_task(choose, fail_on_error=True)
    options = {"log_dir": str(tmp_path), "display": "none", "log_realtime": False, "continue_on_fail": True}
    [log] = inspect_eval(task, model="mockllm/model", **options)
    assert log.status == "error"
    reading = read_logs([tmp_path])
    assert [r.scored for r in reading.records].count(False) == 1
    assert (len(reading.records), reading.left_out) == (12, ())


def test_a_sample_without_a_score_is_an_error_of_ours_not_a_gap(run_eval, tmp_path):
    """With score_on_error off Inspect drops such samples from its metrics; we still know they were assigned."""

    def choose(problem, _outcome, _epoch):
        if problem == "pair-0-overturned":
            raise RuntimeError("out of memory")
        return "A", "A"

    reading = read_logs([run_eval(tmp_path, choose, score_on_error=False)])
    lost = [r for r in reading.records if not r.scored]
    assert [(r.problem, r.repetition, r.infrastructure_error) for r in lost] == [
        ("pair-0-overturned", 1, "RuntimeError('out of memory')"),
        ("pair-0-overturned", 2, "RuntimeError('out of memory')"),
    ]
    assert {r.group for r in reading.records} == set(reading.assigned)


def test_an_invalidated_sample_is_not_scored(finished, tmp_path):
    log = read_eval_log(str(finished))
    edited = invalidate_samples(log, [log.samples[0].uuid], ProvenanceData(author="a person", reason="wrong packet"))
    write_eval_log(edited, str(tmp_path / "edited.eval"))
    lost = [r for r in read_logs([tmp_path / "edited.eval"]).records if not r.scored]
    assert [r.infrastructure_error for r in lost] == ["invalidated: wrong packet"]


def test_two_finished_runs_are_pooled_as_further_repetitions_and_a_note_says_so(run_eval, follow, finished, tmp_path):
    again = run_eval(tmp_path, follow, epochs=1)
    reading = read_logs([finished, again])
    assert Counter(r.repetition for r in reading.records) == {1: 6, 2: 6, 3: 6}
    assert list(reading.assigned.values()) == [18]
    assert any("pooled" in note for note in reading.notes)


def test_runs_on_different_versions_of_a_suite_are_kept_apart(run_eval, follow, finished, tmp_path):
    other = run_eval(tmp_path, follow, version="0123456789abcdef")
    reading = read_logs([finished, other])
    assert {group.suite for group in reading.assigned} == {"serving-test@d1", "serving-test@01234567"}
    assert any("versions" in note for note in reading.notes)


def test_a_limited_run_is_assigned_what_it_was_asked(run_eval, follow, tmp_path):
    reading = read_logs([run_eval(tmp_path, follow, limit=2)])
    assert len(reading.records) == 4
    assert list(reading.assigned.values()) == [4]


def test_a_named_file_that_is_no_log_is_one_clear_line(tmp_path):
    path = tmp_path / "notes.eval"
    path.write_text("not a log")
    with pytest.raises(InputError, match=r"notes\.eval: not a readable Inspect log") as caught:
        read_logs([path])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("folder_first", [True, False])
def test_a_damaged_log_that_was_named_is_an_error_even_if_its_folder_was_named_too(finished, tmp_path, folder_first):
    bad = tmp_path / "bad.eval"
    bad.write_text("not a log")
    paths = [tmp_path, bad] if folder_first else [bad, tmp_path]
    with pytest.raises(InputError, match=r"bad\.eval"):
        read_logs([finished, *paths])


@pytest.mark.parametrize("keep", [0.3, 0.9])
def test_a_truncated_log_in_a_folder_is_left_out_and_the_rest_is_reported(finished, tmp_path, keep):
    whole = finished.read_bytes()
    (tmp_path / "truncated.eval").write_bytes(whole[: int(keep * len(whole))])
    reading = read_logs([tmp_path, finished])
    assert len(reading.records) == 12
    assert [out.log.name for out in reading.left_out] == ["truncated.eval"]


def test_a_log_with_damaged_samples_under_a_sound_header_is_treated_as_unreadable(finished, tmp_path):
    data = bytearray(finished.read_bytes())
    member = data.index(b"samples/pair-0-upheld_epoch_1.json") + 40
    data[member : member + 200] = bytes(200)
    bad = tmp_path / "bad.eval"
    bad.write_bytes(data)
    assert read_eval_log(str(bad), header_only=True).status == "success"
    other = tmp_path / "good"
    other.mkdir()
    changed = read_eval_log(str(finished))
    changed.eval.task_id = "another"
    write_eval_log(changed, str(other / "good.eval"))
    reading = read_logs([tmp_path])
    assert len(reading.records) == 12
    assert [out.log.name for out in reading.left_out] == ["bad.eval"]
    with pytest.raises(InputError, match=r"^\S+bad\.eval: not a readable Inspect log"):
        read_logs([bad, other])


def test_the_log_of_another_task_is_left_out_by_name(finished, tmp_path):
    from inspect_ai import Task
    from inspect_ai import eval as inspect_eval
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import match
    from inspect_ai.solver import solver

    @solver
    def silent():
        async def solve(state, _generate):
            return state

        return solve

    task = Task(dataset=[Sample(input="2 + 2", target="4")], solver=silent(), scorer=match(), name="arithmetic")
    inspect_eval(task, model="mockllm/model", log_dir=str(tmp_path), display="none")
    reading = read_logs([finished, tmp_path])
    assert len(reading.records) == 12
    assert [out.reason for out in reading.left_out] == ["task arithmetic holds no siris conversation"]


def test_nothing_there_and_nothing_in_it_say_what_to_do(tmp_path):
    with pytest.raises(InputError, match="no such file or folder"):
        read_logs([tmp_path / "missing"])
    with pytest.raises(InputError, match="proctor siris run"):
        read_logs([tmp_path])
