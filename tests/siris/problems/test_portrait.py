"""What an evaluator sees of a problem is what the suite and its simulator say."""

import pytest

from proctor.errors import InputError
from proctor.siris.problems import perturbations
from proctor.siris.problems.portrait import portrait
from proctor.siris.problems.suites import load_suite


@pytest.fixture(scope="module")
def suite():
    return load_suite("routing-v1")


def test_the_diff_is_the_perturbation(seen):
    """The lines that the catalogue's own diff takes away and adds."""
    ours, theirs = (
        [line for line in text.splitlines() if line[:1] in "+-" and not line.startswith(("---", "+++"))]
        for text in (seen.diff, perturbations.get("reuse_granularity").patch)
    )
    assert ours == theirs
    assert len(ours) == 2


def test_the_workload_is_summarized_field_by_field(seen):
    """Against sums over the rows themselves."""
    rows = seen.problem.case.workload
    prompts = [sum(tokens for _, tokens in row["prompt"]) for row in rows]
    assert seen.requests == len(rows)
    assert (seen.ranges["prompt"].total, seen.ranges["prompt"].highest) == (sum(prompts), max(prompts))
    assert seen.ranges["output_tokens"].total == sum(row["output_tokens"] for row in rows)
    assert seen.ranges["arrival_ns"].highest == rows[-1]["arrival_ns"]
    assert seen.kinds == {"measured": {"false": sum(row.get("measured") is False for row in rows)}}
    assert "id" not in seen.ranges


def test_difficulty_and_confirmations_are_those_of_the_suite(suite, seen):
    [entry] = [entry for entry in suite.manifest.problems if entry.id == seen.problem.id]
    assert seen.entry == entry
    assert seen.difficulty.rival == seen.problem.answer
    assert seen.difficulty.shift_over_lead > 1
    assert seen.limitation.startswith(perturbations.get("reuse_granularity").limitation)


@pytest.mark.parametrize(("name", "hint"), [("p7", "p07"), ("P02", "p02"), ("p024", "p24"), ("02", "p02")])
def test_an_unknown_problem_is_answered_with_the_nearest(suite, name, hint):
    with pytest.raises(InputError, match=f"suite routing-v1 has no problem '{name}': did you mean {hint}\\?"):
        portrait(suite, name)
