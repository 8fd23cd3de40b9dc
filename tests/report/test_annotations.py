"""Annotations joined to the conversations they are about: they fill `identified` and move no accuracy."""

import json
import time
from collections import Counter

import pytest
from inspect_ai import eval as inspect_eval

from proctor.errors import InputError
from proctor.report.annotation_report import choose, report_annotations
from proctor.report.logs import read_logs
from proctor.report.siris_report import report_logs
from proctor.siris.annotation_task import annotation_task
from proctor.siris.exchanges import Found
from proctor.siris.verdict.rubric import Exchange

SHORT = "reuse ends at 512 tokens"


@pytest.fixture
def annotate(log, tmp_path):
    """Write an annotation log: `says(pair, epoch)` gives the message of the review, None leaves a conversation out."""
    reading = read_logs([log])

    def run(says, annotator="rule/annotator", folder=tmp_path, garble=()):
        found = []
        for source, record in zip(reading.sources, reading.records, strict=True):
            text = says(record.pair, record.repetition)
            if text is not None:
                limitation = "" if record.pair in garble else f"{SHORT}\nAt length."
                found.append(Found(source.key, Exchange("Which?", tuple("ABCD"), limitation, "A", text)))
        [written] = inspect_eval(
            annotation_task(found), model=annotator, log_dir=str(folder), display="none", log_realtime=False
        )
        assert written.status == "success"
        return folder

    return run


def identified(paths):
    return Counter((r.pair, r.repetition, r.identified) for r in read_logs(paths).records)


def test_each_record_gets_what_was_said_of_its_own_conversation(annotate, log, tmp_path):
    annotate(lambda pair, epoch: SHORT if (pair, epoch) == ("pair-1", 2) else "A.")
    found = identified([log, tmp_path])
    assert found.total() == 12
    assert {key for key in found if key[2]} == {("pair-1", 2, True)}
    assert not [key for key in found if key[2] is None]


def test_without_annotations_nothing_is_known(log):
    reading = read_logs([log])
    assert {r.identified for r in reading.records} == {None}
    assert reading.labels is None
    assert json.loads(report_logs([log]).json())["annotation"] is None


def test_what_is_not_labelled_or_garbled_is_neither_yes_nor_no(annotate, log, tmp_path):
    annotate(lambda pair, _: SHORT if pair != "pair-0" else None, garble=("pair-2",))
    reading = read_logs([log, tmp_path])
    assert {r.pair: r.identified for r in reading.records} == {"pair-0": None, "pair-1": True, "pair-2": None}
    assert Counter(r.identified for r in reading.records) == {True: 4, None: 8}
    assert (
        "rule/annotator labelled 4 conversations; 4 garbled, counted neither as yes nor as no" in reading.labels.lines()
    )


def test_no_accuracy_changes(annotate, log, tmp_path):
    """Every number of the report, the intervals included, is the same with and without annotations."""
    annotate(lambda pair, _: SHORT if pair == "pair-0" else "A.")
    without, with_them = (json.loads(report_logs(paths).json()) for paths in ([log], [log, tmp_path]))
    assert with_them["annotation"]["annotators"][0]["labelled"] == 12
    for name in ("analysis", "notes", "left_out"):
        assert without[name] == with_them[name]
    for before, after in zip(without["groups"], with_them["groups"], strict=True):
        unlabelled = {key: value for key, value in before.items() if not key.startswith("identif")}
        assert unlabelled == {key: after[key] for key in unlabelled}
        assert {"initial", "final", "pair_accuracy", "review", "errors", "selection_loss"} <= unlabelled.keys()


def test_annotations_in_the_default_place_are_found_for_a_folder_and_for_a_file(run_eval, follow, tmp_path):
    log = run_eval(tmp_path / "logs", follow)
    keys = [s.key for s in read_logs([log]).sources]
    found = [Found(key, Exchange("Which?", tuple("ABCD"), SHORT, "A", SHORT)) for key in keys]
    folder = log.parent / "annotations"
    inspect_eval(
        annotation_task(found), model="rule/annotator", log_dir=str(folder), display="none", log_realtime=False
    )
    for path in (log, log.parent):
        reading = read_logs([path])
        assert {r.identified for r in reading.records} == {True}
        assert reading.left_out == ()


def test_labels_of_two_annotators_are_compared_and_never_mixed(annotate, log, tmp_path):
    """The one with more labels counts; where it says nothing, the other does not step in."""
    annotate(lambda pair, _: "A." if pair == "pair-0" else None, "rule/annotator-strict")
    annotate(lambda pair, epoch: SHORT if epoch == 1 else "A." if pair == "pair-0" else None)
    reading = read_logs([log, tmp_path])
    assert reading.labels.first == "rule/annotator"
    assert sum(r.identified is None for r in reading.records) == 4
    [found] = reading.labels.agreements
    assert (found.labelled, found.agreed, found.second_alone) == (4, 2, 0)
    assert found.in_words().startswith("rule/annotator and rule/annotator-strict agree on 2 of 4 conversations")
    report = report_logs([log, tmp_path])
    assert f"note: {found.in_words()}" in report.markdown().replace("- note", "note")
    assert json.loads(report.json())["annotation"]["agreement"][0]["agreed"] == 2


def test_the_newest_answer_counts(annotate, log, tmp_path):
    annotate(lambda *_: SHORT)
    time.sleep(1.1)  # a log says in whole seconds when it began
    annotate(lambda *_: "A.")
    assert {r.identified for r in read_logs([log, tmp_path]).records} == {False}


def test_annotations_of_other_conversations_are_not_taken(annotate, run_eval, follow, tmp_path):
    """The same problems, asked again: other conversations."""
    annotate(lambda *_: SHORT)
    again = run_eval(tmp_path / "again", follow)
    reading = read_logs([again, tmp_path])
    assert {r.identified for r in reading.records} == {None}
    assert reading.labels is None


def test_an_unscored_conversation_is_not_labelled(run_eval, tmp_path):
    def fails(problem, _outcome, _epoch):
        if problem == "pair-0-upheld":
            raise RuntimeError("down")
        return "A", "A"

    log = run_eval(tmp_path / "logs", fails)
    reading = read_logs([log])
    assert len(choose(reading, ["perturbed"]).records) == 10


def test_a_log_of_annotations_alone_is_no_report(annotate):
    with pytest.raises(InputError, match="holds annotations alone; give the logs of the conversations"):
        read_logs([annotate(lambda *_: SHORT)])


def test_a_damaged_annotation_log_is_left_out_by_name_and_an_unknown_form_too(annotate, log, tmp_path):
    from inspect_ai.log import read_eval_log, write_eval_log

    annotate(lambda *_: SHORT)
    [path] = tmp_path.glob("*.eval")
    newer = read_eval_log(str(path))
    for sample in newer.samples:
        sample.scores["identification"].metadata["version"] = 2
    write_eval_log(newer, str(path))
    (tmp_path / "broken.eval").write_bytes(b"PK broken")
    reading = read_logs([log, tmp_path])
    reasons = {out.log.name: out.reason for out in reading.left_out}
    assert "12 annotations are not in a form that this version reads" in reasons[path.name]
    assert "not a readable Inspect log" in reasons["broken.eval"]
    assert {r.identified for r in reading.records} == {None}


def test_a_limit_chooses_by_chance_that_growing_keeps(log):
    reading = read_logs([log])
    chosen = [list(choose(reading, ["perturbed"], n).records) for n in (3, 7, None)]
    assert [len(keys) for keys in chosen] == [3, 7, 12]
    assert chosen[2][:7] == chosen[1]
    assert chosen[1][:3] == chosen[0]


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        (["reference"], "--condition reference: shows nothing of the perturbed simulator"),
        (["none"], "--condition none: shows nothing of the perturbed simulator"),
        (["prturbed"], "did you mean perturbed"),
        (["code"], "--condition code: no scored conversation; the logs hold perturbed"),
    ],
)
def test_only_conversations_with_the_perturbed_simulator_can_be_chosen(log, conditions, message):
    with pytest.raises(InputError, match=message.replace("?", r"\?")):
        choose(read_logs([log]), conditions)


def test_the_table_counts_turns_designs_and_impact(annotate, log, tmp_path):
    texts = {
        "pair-0": f'In candidate B {SHORT} "decision": "reconsider"',
        "pair-1": f'{SHORT} "decision": "follow"',
        "pair-2": "A.",
    }
    annotate(lambda pair, _: texts[pair])
    chosen = choose(read_logs([log]), ["perturbed"])
    found = report_annotations(chosen, ["rule/annotator"], [tmp_path])
    [(annotator, group, counts)] = found.groups()
    assert (annotator, group.model) == ("rule/annotator", "mockllm/model")
    assert counts == {
        "conversations": 12, "labelled": 12, "identified": 8, "initial": 0, "final": 8, "both": 0, "linked": 4,
        "changes": 4, "keeps": 4, "unsaid": 0, "garbled": 0,
    }  # fmt: skip
    assert found.missing == 0
    assert report_annotations(chosen, ["rule/annotator", "rule/other"], [tmp_path]).missing == 12
    assert json.loads(found.json())["groups"][0]["identified"] == 8
