"""Real Inspect evaluations of a small siris-like task, so that what is read was written by Inspect itself."""

from __future__ import annotations

from pathlib import Path

import pytest

PAIRS = 3


@pytest.fixture(scope="session")
def make_task(make_record):
    """A function that makes the task. `choose(problem, outcome, epoch)` gives (initial, final) labels and may raise.

    Facts go to Sample.metadata and scores to Score.value and Score.metadata as in the suite's own task.
    """
    from inspect_ai import Epochs, Task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import Score, scorer
    from inspect_ai.solver import solver

    from proctor.siris.verdict.records import Record

    facts = {
        *("suite", "problem", "pair", "outcome", "perturbation", "design_problem"),
        *("condition", "prompt", "presented", "answer", "reference"),
    }

    def make(choose, *, condition="perturbed", epochs=2, version="d1", **settings):
        records = [
            make_record(f"pair-{i}", outcome, condition=condition)
            for i in range(PAIRS)
            for outcome in ("upheld", "overturned")
        ]
        samples = [Sample(id=r.problem, input="Which design?", metadata=r.model_dump(include=facts)) for r in records]

        @solver
        def answers():
            async def solve(state, _generate):
                initial, final = choose(state.metadata["problem"], state.metadata["outcome"], state.epoch)
                state.store.set("initial", initial)
                state.store.set("final", final)
                return state

            return solve

        @scorer(metrics=[])
        def choices():
            async def score(state, _target):
                initial, final = state.store.get("initial"), state.store.get("final")
                record = Record(
                    **state.metadata,
                    model=str(state.model),
                    repetition=state.epoch,
                    initial=initial,
                    final=final,
                    initial_status="valid" if initial else "missing",
                    final_status="valid" if final else "missing",
                    reached_initial=False,
                    reached_any=True,
                    files_read={"initial": ["simulator/replica.py"] * 60},
                )
                value, rest = record.to_score()
                return Score(value=dict(value), metadata=rest)

            return score

        return Task(
            dataset=MemoryDataset(samples),
            solver=answers(),
            scorer=choices(),
            epochs=Epochs(epochs, "mean"),
            version=version,
            name="siris",
            **{"fail_on_error": False, "score_on_error": True, **settings},
        )

    return make


@pytest.fixture(scope="session")
def run_eval(make_task):
    """A function that evaluates such a task in a folder and returns the log's path."""
    from inspect_ai import eval as inspect_eval

    def run(folder: Path, choose, *, limit=None, **settings) -> Path:
        task = make_task(choose, **settings)
        [log] = inspect_eval(
            task, model="mockllm/model", log_dir=str(folder), display="none", limit=limit, log_realtime=False
        )
        return Path(log.location)

    return run


@pytest.fixture(scope="session")
def follow():
    """The rule that always follows the presented recommendation."""
    return lambda _problem, outcome, _epoch: ("A", "A") if outcome == "upheld" else ("B", "B")
