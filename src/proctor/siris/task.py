"""The suite as an Inspect task: `inspect eval proctor/siris --model openai/gpt-5 -T condition=perturbed`."""

from __future__ import annotations

from importlib.metadata import version

from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset, Sample

from proctor.siris import DEFAULT_SUITE
from proctor.siris.problems.suites import Suite, load_suite
from proctor.siris.review.briefs import briefs
from proctor.siris.review.conversation import ROUNDS, two_turns
from proctor.siris.scorer import choices
from proctor.siris.verdict.records import conversation_facts

MESSAGES = 1_000  # per conversation; two turns of ROUNDS calls stay far below unless calls come in large batches


@task
def siris(
    suite: str = DEFAULT_SUITE,
    condition: str = "perturbed",
    prompt: str = "standard",
    repetitions: int = 1,
    rounds: int = ROUNDS,
) -> Task:
    """Two-turn review of a simulator's design recommendation.

    Args:
        suite: Name of a shipped suite or folder of a suite of your own.
        condition: Evidence condition: none, perturbed, reference, code, code+records, code+predictions, code-reference
            or predictions-only.
        prompt: standard, instructed or comparison.
        repetitions: Conversations per problem.
        rounds: Model calls that one turn may take.
    """
    return review_task(load_suite(suite), condition, prompt, repetitions, rounds)


def review_task(
    suite: Suite, condition: str = "perturbed", prompt: str = "standard", repetitions: int = 1, rounds: int = ROUNDS
) -> Task:
    """The task of one suite under one condition.

    Its version is the suite's digest, so that a log of another suite is never taken for one of this. Sample metadata
    holds the evaluator's facts; no message does.
    """
    asked = briefs(suite, condition, prompt)
    samples = [
        Sample(
            id=problem.id,
            input=asked[problem.id].script.first_turn,
            target=problem.answer,
            metadata=conversation_facts(suite.name, problem, condition, prompt),
        )
        for problem in suite.problems
    ]
    return Task(
        dataset=MemoryDataset(samples, name=suite.name),
        solver=two_turns(asked, rounds),
        scorer=choices(),
        epochs=Epochs(repetitions, "mean"),
        fail_on_error=False,
        score_on_error=True,
        message_limit=MESSAGES,
        version=suite.digest,
        metadata={"suite": suite.name, "condition": condition, "prompt": prompt, "proctor": version("proctor")},
    )
