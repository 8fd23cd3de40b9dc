"""`proctor siris annotate` as a user types it: from conversations to a report that knows who named the limitation."""

import json
from collections import Counter

import pytest
from inspect_ai.model import modelapi
from typer.testing import CliRunner

from proctor.cli.siris import siris_app
from proctor.errors import InputError
from proctor.siris.review.rules.api import RuleAPI

BOTH = ("--annotator", "rule/annotator", "--second", "rule/annotator-strict")


def proctor(*args):
    """Run a command in process; the result, or the InputError that `main` would print."""
    result = CliRunner().invoke(siris_app, [str(arg) for arg in args])
    if isinstance(result.exception, InputError):
        raise result.exception
    return result


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """Two rules on two problems of the shipped suite."""
    folder = tmp_path_factory.mktemp("annotate") / "logs"
    models = ("--model", "rule/follow", "--model", "rule/reference")
    assert proctor("run", *models, "--limit", 2, "--log-dir", folder).exit_code == 0
    return folder


@pytest.fixture(scope="module")
def annotated(logs):
    """What the command printed."""
    return proctor("annotate", logs, *BOTH)


def test_it_prints_a_row_for_each_annotator_and_model_and_how_far_they_agree(annotated, logs):
    assert annotated.exit_code == 0
    rows = [line.split() for line in annotated.stdout.splitlines() if line.split()[:1] == ["rule/annotator"]]
    assert [row[:6] for row in rows] == [
        ["rule/annotator", "rule/follow", "perturbed", "2", "2", "0"],
        ["rule/annotator", "rule/reference", "perturbed", "2", "2", "0"],
    ]
    assert "agree on 4 of 4 conversations that both labelled; kappa is undefined: both say no" in annotated.stdout
    assert f"annotations: {logs / 'annotations'}    all tables: proctor siris report {logs}\n" in annotated.stdout
    assert annotated.stderr == ""


def test_repeating_it_asks_nothing_and_says_the_same(annotated, logs):
    before = sorted((logs / "annotations").iterdir())
    assert len(before) == 2
    assert proctor("annotate", logs, *BOTH).stdout == annotated.stdout
    assert sorted((logs / "annotations").iterdir()) == before


@pytest.mark.usefixtures("annotated")
def test_the_report_picks_them_up(logs):
    found = json.loads(proctor("report", logs, "--json").stdout)
    assert [one["labelled"] for one in found["annotation"]["annotators"]] == [4, 4]
    assert found["left_out"] == []


@pytest.mark.usefixtures("annotated")
def test_a_folder_elsewhere_is_named_for_the_report(logs, tmp_path):
    done = proctor("annotate", logs, "--annotator", "rule/annotator-strict", "--limit", 3, "--out", tmp_path)
    assert f"all tables: proctor siris report {logs} {tmp_path}\n" in done.stdout
    assert list(tmp_path.glob("*.eval")) == []  # what lies in the default place has been answered already


@pytest.mark.slow
def test_a_run_can_go_on_in_a_folder_with_annotations(tmp_path):
    """The eval set of the run does not mind them, and what it adds is annotated next."""
    run = ("run", "--model", "rule/follow", "--log-dir", tmp_path, "--json", "--limit")
    annotate = ("annotate", tmp_path, "--annotator", "rule/annotator", "--json")
    for limit in (2, 4):
        found = json.loads(proctor(*run, limit).stdout)
        assert found["groups"][0]["coverage"]["scored"] == limit
        found = json.loads(proctor(*annotate).stdout)
        assert (found["groups"][0]["labelled"], found["missing"]) == (limit, 0)
    from inspect_ai.log import list_eval_logs, read_eval_log

    made = [read_eval_log(info) for info in list_eval_logs(str(tmp_path / "annotations"))]
    assert max(Counter(sample.id for log in made for sample in log.samples).values()) == 1


@pytest.mark.usefixtures("annotated")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--annotator", "rule/anotator"], r"did you mean rule/annotator\?"),
        (["--annotator", "rule/annotator", "--condition", "none"], "shows nothing of the perturbed simulator"),
        (["--annotator", "mockllm/x", "--cost-limit", "1"], "--cost-limit: the price of mockllm/x is unknown"),
    ],
)
def test_a_mistake_is_said(logs, arguments, message):
    with pytest.raises(InputError, match=message):
        proctor("annotate", logs, *arguments)


def test_a_path_without_logs_is_said(tmp_path):
    with pytest.raises(InputError, match="there is no such file or folder"):
        proctor("annotate", tmp_path / "nowhere", "--annotator", "rule/annotator")


@pytest.mark.usefixtures("annotated")
def test_the_same_annotator_twice_is_refused(logs):
    done = proctor("annotate", logs, "--annotator", "rule/annotator", "--second", "rule/annotator")
    assert done.exit_code == 2
    assert "--second names the annotator itself" in done.stderr


@pytest.mark.usefixtures("annotated")
def test_a_model_of_which_no_reply_can_be_read_is_named_with_status_1(logs, tmp_path):
    """Asking it again would give the same: nothing is missing, but there is no annotation either."""
    done = proctor("annotate", logs, "--annotator", "rule/constant-b", "--out", tmp_path)
    assert done.exit_code == 1
    assert "no reply of rule/constant-b could be read; is it an annotator?" in done.stderr
    assert "rule/constant-b labelled 0 conversations; 4 garbled, counted neither as yes nor as no" in done.stdout


@pytest.mark.usefixtures("annotated")
def test_what_is_missing_is_said_with_status_1(logs, tmp_path):
    """The one conversation that reconsiders is the one that the provider fails on."""

    @modelapi(name="shaky")
    def shaky():
        class Shaky(RuleAPI):
            def __init__(self, model_name, *args, **kwargs):
                super().__init__("annotator", *args, **kwargs)
                self.model_name = model_name

            async def generate(self, input, **kwargs):
                if '"reconsider"' in input[-1].text:
                    raise ConnectionError("the provider is down")
                return await super().generate(input, **kwargs)

        return Shaky

    done = proctor("annotate", logs, "--annotator", "shaky/x", "--out", tmp_path)
    assert done.exit_code == 1
    [line] = done.stderr.splitlines()
    assert line.startswith("incomplete: 1 annotations are missing; repeat the command to ask again: shaky/x: ")
    assert "the provider is down" in line
    assert "shaky/x labelled 3 conversations" in done.stdout
