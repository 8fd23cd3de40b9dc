"""From a perturbed packet alone the analyst finds what departs and recomputes what the reference simulator predicts."""

from __future__ import annotations

import ast
from collections import Counter
from importlib.resources import files

import pytest

from proctor.siris.problems import analyst
from proctor.siris.problems.domain import LABELS
from proctor.siris.problems.perturbations import CATALOGUE

COMPUTATIONS = {
    "prefix_cap": "credit",
    "reuse_granularity": "credit",
    "shared_nic": "send",
    "query_interpolation": "along_query",
    "step_aggregation": "step",
    "coordinate_swap": "attention",
    "interpolation_arithmetic": "lerp",
}


def packet(domain, case, perturbation):
    labels = dict(zip(LABELS, domain.designs(case.design_problem), strict=True))
    return labels, domain.evidence(case, labels, perturbation).all_files()


def predicted(domain, case, labels, perturbation):
    return {label: domain.predict(case, design, perturbation).value for label, design in labels.items()}


@pytest.mark.parametrize("perturbation", CATALOGUE)
def test_every_change_is_found_and_undone(domain, cases, perturbation):
    """One departure each; both versions' metrics come out to the nanosecond, and they differ."""
    case = cases[domain.design_problem(perturbation)]
    labels, files_ = packet(domain, case, perturbation)
    found = analyst.study(files_)
    assert [departure.computation for departure in found.departures] == [COMPUTATIONS[perturbation]]
    assert found.recomputed == predicted(domain, case, labels, None)
    assert found.as_given == predicted(domain, case, labels, perturbation)
    assert found.recomputed != found.as_given


@pytest.mark.parametrize("design_problem", ["routing", "handoff", "local_scheduling"])
def test_in_a_reference_packet_nothing_departs(domain, cases, design_problem):
    labels, files_ = packet(domain, cases[design_problem], None)
    found = analyst.study(files_)
    assert found.departures == ()
    assert found.recomputed == found.as_given == predicted(domain, cases[design_problem], labels, None)


def test_a_change_that_no_catalogue_has_is_found_and_undone(domain, cases):
    """The KV axis is cut off instead of interpolated: the analyst does not look for known changes."""
    labels, files_ = packet(domain, cases["local_scheduling"], None)
    old = "return between(self.kvs, values, kv)"
    assert files_["simulator/costs.py"].count(old) == 1
    changed = files_["simulator/costs.py"].replace(old, "return values[min(locate(self.kvs, kv), 3)]")
    found = analyst.study({**files_, "simulator/costs.py": changed})
    assert [departure.computation for departure in found.departures] == ["along_kv"]
    assert found.recomputed == predicted(domain, cases["local_scheduling"], labels, None)
    assert found.as_given != found.recomputed


def test_two_changes_at_once_are_both_found(domain, cases):
    labels, files_ = packet(domain, cases["local_scheduling"], "step_aggregation")
    swapped = files_["simulator/costs.py"].replace("self.look_up(rows, q, kv)", "self.look_up(rows, kv, q)")
    found = analyst.study({**files_, "simulator/costs.py": swapped})
    assert Counter(departure.computation for departure in found.departures) == {"attention": 1, "step": 1}
    assert found.recomputed == predicted(domain, cases["local_scheduling"], labels, None)


def test_a_study_leaves_the_simulator_that_it_loaded_as_it_is(domain, cases):
    """The domain runs the same loaded text: its predictions must not change because somebody studied a packet."""
    case = cases["routing"]
    labels, files_ = packet(domain, case, "prefix_cap")
    before = predicted(domain, case, labels, "prefix_cap")
    analyst.study(files_)
    assert predicted(domain, case, labels, "prefix_cap") == before


def test_records_and_predictions_are_not_needed(domain, cases):
    _, files_ = packet(domain, cases["handoff"], "shared_nic")
    lean = {path: text for path, text in files_.items() if not path.startswith(("execution-records/", "prediction"))}
    assert analyst.study(lean) == analyst.study(files_)
    assert analyst.can_study(lean)
    assert not analyst.can_study([path for path in lean if not path.startswith("simulator/")])


def test_it_knows_neither_the_shipped_simulator_nor_the_catalogue():
    """Of ours it imports itself and the loader of packet text, nothing else."""
    imported = set()
    for file in files("proctor.siris.problems.analyst").iterdir():
        if file.name.endswith(".py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                names = [node.module] if isinstance(node, ast.ImportFrom) else []
                names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                for name in names:
                    if name.startswith("proctor") and "analyst" not in name:
                        imported |= {f"{name}.{alias.name}" for alias in node.names}
    imported -= {"proctor.siris.problems.analyst"}
    assert imported == {"proctor.siris.problems.versions.FOLDER", "proctor.siris.problems.versions.load_package"} | {
        name for name in imported if name.startswith("proctor.siris.problems.analyst")
    }
