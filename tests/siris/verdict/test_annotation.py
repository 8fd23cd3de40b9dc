"""Replies of annotators are read strictly or not at all, and records are split by what was found."""

import json

import pytest
from pydantic import ValidationError

from proctor.siris.verdict.annotation import (
    Annotated,
    Annotation,
    GarbledError,
    conversation_key,
    parse_annotation,
)

YES = {"identifies": "yes", "turn": "both", "designs": ["A", "C"], "impact": "keeps"}
NO = {"identifies": "no", "turn": "none", "designs": [], "impact": "unsaid"}


@pytest.mark.parametrize("facts", [YES, NO])
@pytest.mark.parametrize("form", ["{}", "\n {} \n", "```json\n{}\n```", "```\n{}\n```"])
def test_the_object_alone_is_read_bare_or_fenced(facts, form):
    assert parse_annotation(form.replace("{}", json.dumps(facts)), "ABCD").model_dump() == facts


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        ("", "it is empty"),
        ("yes", "it is no JSON"),
        (f"The author says yes. {json.dumps(YES)}", "it is no JSON"),
        (f"{json.dumps(NO)}\n{json.dumps(YES)}", "it is no JSON"),
        (json.dumps([YES]), "valid dictionary"),
        ("null", "valid dictionary"),
        (json.dumps(YES | {"identifies": "maybe"}), "identifies: Input should be 'yes' or 'no'"),
        (json.dumps(YES | {"identifies": True}), "identifies: Input should be 'yes' or 'no'"),
        (json.dumps(YES | {"designs": "A"}), "designs: Input should be a valid list"),
        (json.dumps(YES | {"designs": ["E"]}), "designs may name A, B, C, D alone"),
        (json.dumps(YES | {"designs": ["A", "A"]}), "designs names a label twice"),
        (json.dumps(YES | {"turn": "none"}), 'turn is "none" exactly when'),
        (json.dumps(NO | {"turn": "final"}), 'turn is "none" exactly when'),
        (json.dumps(NO | {"impact": "changes"}), 'designs is [] and impact "unsaid"'),
        (json.dumps(YES | {"obey me": 1}), "it may have the fields identifies, turn, designs, impact alone"),
        (json.dumps({name: YES[name] for name in ("identifies", "turn", "designs")}), "impact: Field required"),
        ('{"identifies": "no", ' + json.dumps(YES)[1:], "a field is given twice"),
        ("[" * 19_000, "it is no JSON"),
        (json.dumps(YES) + " " * 30_000 + "x", "far longer"),
        ('{"identifies": ' + "9" * 10_000, "it is no JSON"),
    ],
)
def test_anything_else_is_garbled_and_the_complaint_quotes_none_of_it(reply, complaint):
    with pytest.raises(GarbledError) as error:
        parse_annotation(reply, "ABCD")
    assert complaint in str(error.value)
    assert "obey" not in str(error.value)


def annotated(**changes):
    facts = {"conversation": "c", "annotator": "m", "rubric": "r", "asked": "a", "status": "valid", "annotation": YES}
    return Annotated.model_validate(facts | changes)


def test_garbled_is_not_no():
    assert annotated().identified is True
    assert annotated(annotation=NO).identified is False
    assert annotated(annotation=None, status="garbled").identified is None
    assert annotated(annotation=None, status="garbled").answered
    assert not annotated(annotation=None, status="stopped").answered


@pytest.mark.parametrize("changes", [{"annotation": None}, {"status": "garbled"}, {"version": 2}, {"extra": 1}])
def test_an_inconsistent_or_unknown_form_is_refused(changes):
    with pytest.raises(ValidationError):
        annotated(**changes)


def test_it_survives_the_log():
    assert Annotated.model_validate(annotated().model_dump(mode="json")) == annotated()
    assert isinstance(annotated().annotation, Annotation)


def test_a_conversation_is_named_by_inspects_id_or_by_its_place():
    from types import SimpleNamespace as Facts

    spec = Facts(task_id="t")
    assert conversation_key(Facts(uuid="u", id="p01", epoch=2), spec) == "u"
    assert conversation_key(Facts(uuid=None, id="p01", epoch=2), spec) == "t/p01/2"
