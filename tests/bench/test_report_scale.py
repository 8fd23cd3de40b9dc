"""The report over the paper's main evaluation: 13 models x 58 problems x 3 conditions x 3 repetitions.

One real run of a built-in model per condition is copied under other models' names with other choices, by Inspect's own
writer, so that the logs are as large as a built-in model's and as many as the paper's.
"""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

MODELS, REPETITIONS, CONDITIONS = 13, 3, ("none", "perturbed", "reference")
CONVERSATIONS = 6_786
SECONDS, MEGABYTES = 60, 1_000
# The peak of the one child that it starts, in MB on the last line.
MEASURED = (
    "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], capture_output=True, text=True); "
    "print(done.stdout, done.stderr); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024); "
    "sys.exit(done.returncode)"
)


@pytest.fixture(scope="module")
def logs(tmp_path_factory) -> Path:
    from inspect_ai import eval as inspect_eval
    from inspect_ai.log import write_eval_log

    from proctor.siris.task import siris

    here, real = tmp_path_factory.mktemp("logs"), tmp_path_factory.mktemp("real")
    for condition in CONDITIONS:
        task = siris("serving-v1", condition)
        [log] = inspect_eval(task, model="rule/random", log_dir=str(real), display="none", log_realtime=False)
        for number in range(MODELS):
            write_eval_log(copied(log, number), str(here / f"{condition}-{number:02d}.eval"))
    return here


def copied(log, number: int):
    """The log as if another model had been asked REPETITIONS times; its share of right choices grows with `number`."""
    chance = random.Random(f"{number} {log.eval.task_args['condition']}")
    model = f"synthetic/model-{number:02d}"
    spec = log.eval.model_copy(update={"model": model, "task_id": f"{log.eval.task_id}-{number}"})
    spec = spec.model_copy(update={"config": spec.config.model_copy(update={"epochs": REPETITIONS})})
    samples = [
        answered(sample, model, epoch, chance, number / MODELS)
        for sample in log.samples
        for epoch in range(1, REPETITIONS + 1)
    ]
    return log.model_copy(update={"eval": spec, "samples": samples})


def answered(sample, model: str, epoch: int, chance: random.Random, skill: float):
    facts = sample.scores["choices"].metadata
    initial = facts["presented"] if chance.random() < 0.6 else chance.choice(sorted(facts["reference"]))
    final = facts["answer"] if chance.random() < skill else initial
    value = {"initial": initial, "final": final}
    value |= {f"{turn}_correct": int(label == facts["answer"]) for turn, label in value.copy().items()}
    metadata = {**facts, "model": model, "repetition": epoch, "initial_status": "valid", "final_status": "valid"}
    score = sample.scores["choices"].model_copy(update={"value": value, "metadata": metadata})
    changes = {"epoch": epoch, "scores": {"choices": score}, "uuid": f"{model}-{sample.uuid}-{epoch}"}
    return sample.model_copy(update=changes)


def test_the_report_of_the_papers_size_takes_under_a_minute_and_a_gigabyte(benchmark, logs, tmp_path):
    command = [sys.executable, "-m", "proctor", "siris", "report", str(logs), "--out", str(tmp_path), "--published"]
    measured = [sys.executable, "-c", MEASURED, *command]

    def run() -> tuple[float, float]:
        start = time.perf_counter()
        done = subprocess.run(measured, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return time.perf_counter() - start, float(done.stdout.split()[-1])

    seconds, megabytes = benchmark.pedantic(run, rounds=1, iterations=1)
    rows = (tmp_path / "tables" / "records.csv").read_text().splitlines()
    assert len(rows) == 1 + CONVERSATIONS
    benchmark.extra_info["peak MB"] = round(megabytes)
    assert megabytes < MEGABYTES
    if benchmark.enabled:
        assert seconds < SECONDS
