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


HOSTILE = "<script>alert('model')</script>"


@pytest.fixture(scope="session")
def rich_report(make_record):
    """A report in which every table and every figure has data: two models, all conditions, both prompts, annotated.

    The one follows on overturned problems, the other, whose name is hostile, is right three times in four.
    """
    from proctor.report.siris_report import make_report

    rest = {"C": 240_000_000, "D": 290_000_000}

    def predictions(outcome, i):
        """Of a medium problem where i is odd, else of an easy one."""
        if outcome == "upheld":
            return {"A": 100_000_000, "B": 140_000_000 if i % 2 else 110_000_000, **rest}
        return {"A": 122_000_000 if i % 2 else 110_000_000, "B": 100_000_000, **rest}

    plans = [("perturbed", "standard"), ("perturbed", "instructed")]
    others = ("none", "reference", "code", "code+records", "code+predictions", "code-reference")
    plans += [(condition, "standard") for condition in others]
    records = []
    for model in ("rule/test", HOSTILE):
        for condition, prompt in plans:
            for i in range(6):
                for outcome in ("upheld", "overturned"):
                    wrong = "B" if i % 2 and outcome == "overturned" else "C" if i == 3 else "A"
                    final = wrong if model == HOSTILE else "A" if outcome == "upheld" else "B"
                    facts = {
                        "model": model,
                        "condition": condition,
                        "prompt": prompt,
                        "perturbation": ("prefix_cap", "shared_nic", "coordinate_swap")[i % 3],
                        "perturbed": predictions(outcome, i),
                        "identified": i != 5 if condition == "perturbed" else None,
                    }
                    records.append(make_record(f"pair-{i}", outcome, "B" if i == 0 else "A", final, **facts))
    notes = ["a note </script><script>alert('note')</script>"]
    return make_report(records, notes=notes, left_out=["old.eval: status is error"], published=True)


@pytest.fixture(scope="module")
def log(run_eval, follow, tmp_path_factory):
    """A log of the small task, in a folder of its own: three pairs, two problems each, twice."""
    return run_eval(tmp_path_factory.mktemp("logs"), follow)
