"""The honest oracle: it reads what every reader can read and runs the installed reference simulator on it."""

from __future__ import annotations

import json
from dataclasses import fields
from functools import lru_cache
from typing import Literal

from proctor.serving import designs
from proctor.serving.simulator.config import Config
from proctor.serving.simulator.costs import CostTable
from proctor.serving.simulator.metrics import summary
from proctor.serving.simulator.simulate import simulate
from proctor.serving.simulator.workload import from_rows
from proctor.siris.review.rules.dialogue import Answer, Dialogue
from proctor.siris.review.rules.plain import follow, ranking

Texts = tuple[tuple[str, str], ...]  # (name, text) of files


def reference(dialogue: Dialogue) -> Answer:
    """The candidate with the lowest p95 under the reference simulator.

    A packet without configuration or cost parameters (conditions none and predictions-only) cannot be simulated. The
    oracle then says so and does what `rule/follow` does.
    """
    paths = dialogue.files()
    costs = _read(dialogue, [path for path in paths if path.startswith("cost-parameters/")])
    configuration = dialogue.read("configuration.json")
    if not costs or configuration is None:
        return Answer(follow(dialogue).choice, "Without configuration and cost parameters nothing can be simulated.")
    candidates = _read(dialogue, [path for path in paths if path.startswith("candidates/")])
    p95 = _p95(configuration, costs, dialogue.read("workload.json") or "", candidates)
    best = min(p95, key=lambda label: (p95[label], label))
    decision: Literal["follow", "reconsider"] = "follow" if best in ranking(dialogue)[:1] else "reconsider"
    rationale = f"Under the reference simulator the p95 of {best} is {p95[best] / 1e9:.6f} s, the lowest."
    return Answer(best, rationale, decision)


def _read(dialogue: Dialogue, paths: list[str]) -> Texts:
    return tuple((path.rpartition("/")[2], dialogue.read(path) or "") for path in paths)


@lru_cache(maxsize=64)
def _p95(configuration: str, costs: Texts, workload: str, candidates: Texts) -> dict[str, int]:
    """Target metric in ns by label."""
    settings = json.loads(configuration)
    config = Config(**{field.name: settings[field.name] for field in fields(Config) if field.name in settings})
    requests = from_rows(json.loads(workload)["requests"])
    known = {designs.source(name).strip(): name for name in designs.names()}
    table = CostTable(dict(costs))
    p95 = {}
    for file, text in candidates:
        run = simulate(config, table, requests, designs.load(known[text.strip()]))
        p95[file.removesuffix(".py")] = summary(run.calls, config.metric)["p95"]
    return p95
