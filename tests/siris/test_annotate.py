"""Annotating many conversations: nothing is paid for twice, and nothing that failed is taken for an answer."""

import json
import shutil

import pytest

import proctor.siris.exchanges
from proctor.errors import InputError
from proctor.report.annotations import annotations_at
from proctor.siris.annotate import Plan, annotate
from proctor.siris.exchanges import read_exchanges

NO = json.dumps({"identifies": "no", "turn": "none", "designs": [], "impact": "unsaid"})


@pytest.fixture(autouse=True)
def _suite(suite, monkeypatch):
    monkeypatch.setattr(proctor.siris.exchanges, "load_suite", lambda _: suite)


@pytest.fixture
def go(talks, tmp_path, judge):
    """Annotate the first `number` conversations; how many calls the judge had, and what was found in the end."""
    [log] = talks.glob("*.eval")
    keys = [found.key for found in read_exchanges([log])]
    judge.says = lambda *_: NO

    def run(number=12, annotators=("judge/x",), **options):
        before = len(judge.seen)
        counts = []
        plan = Plan([log], keys[:number], annotators, tmp_path / "out", **options)
        done = annotations_at([tmp_path / "out"]) if (tmp_path / "out").is_dir() else {}
        ran = annotate(plan, done, lambda count, total: counts.append((count, total)))
        return len(judge.seen) - before, annotations_at([tmp_path / "out"]), ran, counts

    return run


def test_what_is_labelled_is_not_asked_again(go):
    calls, found, ran, counts = go()
    assert (calls, len(found["judge/x"]), ran.asked) == (12, 12, 12)
    assert counts == [(i + 1, 12) for i in range(12)]
    calls, found, ran, counts = go()
    assert (calls, len(found["judge/x"]), ran.asked, counts) == (0, 12, 0, [])


def test_a_second_annotator_and_more_conversations_add_to_what_is_there(go):
    assert go(4)[0] == 4
    calls, _, _, counts = go(6)
    assert calls == 2
    assert counts == [(5, 6), (6, 6)]
    calls, found, _, counts = go(6, ("judge/x", "judge/y"))
    assert calls == 6
    assert counts[0] == (7, 12)
    assert {name: len(labels) for name, labels in found.items()} == {"judge/x": 6, "judge/y": 6}
    assert go(2, ("judge/y", "judge/x"))[0] == 0  # fewer are no reason to lose the others


def test_what_a_provider_failed_to_label_is_asked_again_and_nothing_else(go, judge):
    def flaky(messages, _):
        if "only up to 512" in messages[1].text.partition("The material")[2]:
            raise ConnectionError("the provider is down")
        return NO

    judge.says = flaky
    _, found, ran, _ = go()
    assert len(found["judge/x"]) == 4  # the others name the limitation
    assert ran.errors.total() == 8
    assert "repeat the command to ask again: judge/x: " in ran.what_next
    judge.says = lambda *_: NO
    calls, found, ran, _ = go()
    assert (calls, len(found["judge/x"]), ran.errors.total()) == (8, 12, 0)


def test_a_garbled_annotation_is_not_asked_for_a_third_time(go, judge):
    judge.says = lambda *_: "no idea"
    calls, found, _, _ = go(2)
    assert calls == 4
    assert {one.status for one in found["judge/x"].values()} == {"garbled"}
    assert go(2)[0] == 0


def test_a_log_whose_end_is_missing_still_gives_what_it_holds(go, tmp_path):
    """As a killed run leaves it: the status is "started"."""
    from inspect_ai.log import read_eval_log, write_eval_log

    go(3)
    [path] = (tmp_path / "out").glob("*.eval")
    log = read_eval_log(str(path))
    log.status, log.results = "started", None
    log.samples = log.samples[:2]
    write_eval_log(log, str(path))
    calls, found, _, _ = go(3)
    assert (calls, len(found["judge/x"])) == (1, 3)


def test_another_wording_of_the_question_is_asked_anew(go, suite, monkeypatch):
    """An answer counts for what was asked and for nothing else."""
    go(2)
    monkeypatch.setattr(type(suite), "limitation", lambda *_: "something else")
    assert go(2)[0] == 2


def test_a_model_that_answers_nothing_at_all_is_one_error(go, judge):
    def refused(*_):
        raise PermissionError("wrong key")

    judge.says = refused
    with pytest.raises(
        InputError, match=r"annotator 'judge/x' answered nothing; every request ended with: .*wrong key"
    ):
        go(3)


@pytest.mark.parametrize(
    ("annotators", "options", "message"),
    [
        (["rule/anotator"], {}, "did you mean rule/annotator"),
        (["opnai/x"], {}, "model 'opnai/x' cannot be used"),
        (["judge/x"], {"cost_limit": 1.0}, "the price of judge/x is unknown"),
    ],
)
def test_a_plan_that_cannot_work_asks_nothing(go, judge, annotators, options, message):
    with pytest.raises(InputError, match=message):
        go(2, annotators, **options)
    assert judge.seen == []


def test_a_cost_limit_with_a_price_is_kept_to(go, tmp_path):
    prices = tmp_path / "prices.yaml"
    prices.write_text("judge/x: {input: 1, output: 1, input_cache_write: 0, input_cache_read: 0}")
    assert go(2, cost_limit=1.0, prices=prices)[0] == 2


def test_an_out_folder_that_cannot_be_one_is_named_with_its_option(go, tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(InputError, match="give another --out"):
        go(1)


def test_conversations_without_readable_messages_are_counted(talks, tmp_path, judge):
    [log] = talks.glob("*.eval")
    shutil.copy(log, tmp_path / "copy.eval")
    plan = Plan([tmp_path / "copy.eval"], ["nobody"], ["judge/x"], tmp_path / "out")
    with pytest.raises(InputError, match="1 conversations have no closing messages"):
        annotate(plan, {}, lambda *_: None)
    assert judge.seen == []
