"""Words, templates and reference values: the frozen suite is clean, and each kind of slip is found and named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proctor.siris.problems.leaks import template, values, words


def check(module, shown):
    [found] = module.judge([e.problem for e in shown], [module.look(e) for e in shown])
    return found


@pytest.mark.parametrize("module", [words, template, values], ids=["words", "template", "values"])
def test_the_frozen_suite_is_clean(frozen, module):
    assert check(module, frozen).details == ()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("simulator/replica.py", "perturbed"),
        ("simulator/network.py", "Prefix_Cap"),
        ("system-description.md", "the reference simulator"),
        ("candidates/B.py", "SGLang-inspired"),
        ("candidates/A.py", "load-only"),
        ("workload.json", "overturned"),
        ("configuration.json", "bug"),
        ("execution-records/C.jsonl", "dualmap"),
    ],
)
def test_a_word_that_must_not_stand_there_is_found(frozen, doctor, path, text):
    shown = [frozen[0], doctor(frozen[1], path, lambda old: f"{old}# {text}\n", "reference")]
    found = check(words, shown)
    assert found.holds is False
    assert found.details[0].startswith(f"{frozen[1].problem.id}: reference: {path}: says ")


def test_a_word_in_the_question_or_in_a_path_is_found(frozen):
    question = replace(frozen[0], problem=replace(frozen[0].problem, question="Which flaw matters?"))
    renamed = replace(frozen[0].perturbed, records={"execution-records/perturbed.jsonl": ""})
    assert check(words, [question]).details == ("p01: question: says 'flaw'",)
    assert check(words, [replace(frozen[0], perturbed=renamed)]).holds is False


def test_plain_english_is_not_taken_for_a_name(frozen, doctor):
    """ "Longest prefix" in prose, "ValueError" and "debug" are no hits."""
    shown = [doctor(frozen[0], "system-description.md", lambda old: old + "the longest prefix; ValueError; debug\n")]
    assert check(words, shown).holds is True


@pytest.mark.parametrize(
    ("path", "edit", "finding"),
    [
        ("system-description.md", lambda t: t + " ", "system-description.md differs between the versions"),
        ("workload.json", lambda t: t.replace("0,", "1,", 1), "workload.json differs between the versions"),
        ("cost-parameters/head.csv", lambda t: t + "1,1\n", "cost-parameters/head.csv differs between the versions"),
        ("simulator/cache.py", lambda t: t + "x = 1\n", "simulator/cache.py differs beyond the changed lines"),
        ("simulator/replica.py", lambda t: t + "x = 1\n", "simulator/replica.py differs beyond the changed lines"),
        ("simulator/replica.py", lambda t: t.replace("256", "256  # blocks"), "simulator/replica.py has more comments"),
        ("prediction.json", lambda t: t.replace('"s"', '"seconds"'), "prediction.json has another form"),
        ("execution-records/A.jsonl", lambda t: t.replace('"measured"', '"counted"'), "execution-records/A.jsonl has"),
        ("execution-records/A.jsonl", lambda t: t.replace('_ns":', '_ns":1.5e'), "execution-records/A.jsonl has"),
    ],
)
def test_one_version_written_otherwise_is_found(frozen, doctor, path, edit, finding):
    found = check(template, [frozen[0], doctor(frozen[2], path, edit, "perturbed")])
    assert [line.startswith(f"{frozen[2].problem.id}: {finding}") for line in found.details] == [True]


def test_a_file_that_one_version_lacks_is_found(frozen):
    kept = {path: text for path, text in frozen[0].reference.records.items() if path != "execution-records/B.jsonl"}
    without = replace(frozen[0].reference, records=kept)
    assert check(template, [replace(frozen[0], reference=without)]).details == (
        "p01: only one version has execution-records/B.jsonl",
    )


def test_a_record_may_have_a_key_for_what_happened_in_its_run(frozen, doctor):
    """One preempted request in one version is no other template."""

    def preempted(text):
        return text.replace('"replica":', '"preemptions":1,"replica":', 1)

    assert check(template, [doctor(frozen[0], "execution-records/A.jsonl", preempted, "perturbed")]).holds is True


def test_another_question_or_other_code_of_one_change_is_found(frozen, doctor):
    asked = replace(frozen[1], problem=replace(frozen[1].problem, question="Is the recommendation sound?"))
    coded = doctor(frozen[3], "simulator/cache.py", lambda text: text + "\n")
    found = check(template, [frozen[0], asked, frozen[2], coded, frozen[4]])
    assert found.details == (
        "p02: its question is not that of p01",
        "p04: its code is not that of p01",
    )


@pytest.mark.parametrize(
    "printed",
    [
        lambda ns: str(ns),
        lambda ns: f"{ns / 1e9:.6f}",
        lambda ns: str(round(ns / 1e9, 6)),
        lambda ns: f"{ns / 1e6:.3f}",
        lambda ns: f"{ns / 1e3:.0f} us",
    ],
)
def test_a_reference_value_in_a_perturbed_packet_is_found(frozen, doctor, printed):
    problem = frozen[0].problem
    value = next(ns for ns in problem.reference.values() if ns not in problem.perturbed.values())
    shown = doctor(frozen[0], "execution-records/D.jsonl", lambda text: f"{text}{printed(value)}\n", "perturbed")
    found = check(values, [shown])
    assert found.holds is False
    assert found.details[0].startswith("p01: execution-records/D.jsonl: says ")


def test_the_median_under_the_reference_is_a_reference_value_too(frozen, doctor):
    text = frozen[0].reference.predictions["prediction.json"].partition('"p50": ')[2].partition(",")[0]
    shown = doctor(frozen[0], "configuration.json", lambda old: old.replace("}", f', "x": {text}}}'), "perturbed")
    assert check(values, [shown]).holds is False


def test_a_value_that_both_versions_predict_is_no_leak(frozen):
    problem = frozen[0].problem
    assert values.look(replace(frozen[0], reference=frozen[0].perturbed, problem=replace(problem, reference={}))) == []
