"""The seven perturbations change one computation each and leave no trace."""

from __future__ import annotations

import difflib
import importlib
import io
import tokenize
from dataclasses import replace

import pytest

from proctor.errors import InputError
from proctor.serving import designs
from proctor.serving.profiles import texts
from proctor.serving.simulator.config import Config
from proctor.serving.simulator.workload import from_rows
from proctor.siris.problems.domain import Case
from proctor.siris.problems.perturbations import CATALOGUE, Perturbation, changed_lines, get
from proctor.siris.problems.serving_domain import ServingDomain
from proctor.siris.problems.versions import load_package, reference_source

# Paper Table 3.
TABLE_3 = {
    "prefix_cap": "routing",
    "reuse_granularity": "routing",
    "shared_nic": "handoff",
    "query_interpolation": "local_scheduling",
    "step_aggregation": "local_scheduling",
    "coordinate_swap": "local_scheduling",
    "interpolation_arithmetic": "local_scheduling",
}
each = pytest.mark.parametrize("perturbation", CATALOGUE.values(), ids=lambda p: p.name)


def _module(perturbation: Perturbation, name: str):  # type: ignore[no-untyped-def]
    return importlib.import_module(f"{load_package(perturbation.source)}.{name}")


def _costs(perturbation: Perturbation):  # type: ignore[no-untyped-def]
    return _module(perturbation, "costs").CostTable(texts("rtx4090-llama-3.1-8b"))


def test_the_catalogue_is_that_of_table_3() -> None:
    assert {p.name: p.design_problem for p in CATALOGUE.values()} == TABLE_3


@each
def test_a_perturbation_changes_one_to_three_lines_of_one_file(perturbation: Perturbation) -> None:
    changed = [path for path, text in reference_source().items() if perturbation.source[path] != text]
    assert len(changed) == 1
    before, after = reference_source()[changed[0]], perturbation.source[changed[0]]
    delta = [line for line in difflib.ndiff(before.splitlines(), after.splitlines()) if line[0] in "+-"]
    assert 1 <= sum(line[0] == "+" for line in delta) <= 3
    assert 1 <= sum(line[0] == "-" for line in delta) <= 3


@each
def test_changed_lines_are_those_that_differ_in_each_version(perturbation: Perturbation) -> None:
    for version, source in (("perturbed", perturbation.source), ("reference", reference_source())):
        ((path, numbers),) = changed_lines(perturbation.name, version).items()  # type: ignore[arg-type]
        other = (reference_source() if version == "perturbed" else perturbation.source)[path].splitlines()
        lines = source[path].splitlines()
        assert {n for n in range(1, len(lines) + 1) if lines[n - 1] != other[n - 1]} == set(numbers)


@each
def test_a_perturbation_touches_code_only(perturbation: Perturbation) -> None:
    """No comment or docstring differs, so nothing but the computation itself shows that something was changed."""

    def words(text: str) -> list[str]:
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        return [t.string for t in tokens if t.type == tokenize.COMMENT or t.string.startswith(('"""', "'''"))]

    for path, text in perturbation.source.items():
        assert words(text) == words(reference_source()[path])


@each
def test_a_perturbation_alters_predictions_of_its_design_problem(
    perturbation: Perturbation, domain: ServingDomain, cases: dict[str, Case]
) -> None:
    case = cases[perturbation.design_problem]
    pairs = [
        (domain.predict(case, design, None), domain.predict(case, design, perturbation.name))
        for design in domain.designs(case.design_problem)
    ]
    assert any(reference.digest != perturbed.digest for reference, perturbed in pairs)


def _credits(perturbation: Perturbation, prefix: int) -> tuple[int, int]:
    """Credit of a second request with the same prefix, and what a policy sees of it."""
    rows = [
        {"id": "first", "arrival_ns": 0, "prompt": [["doc", prefix]], "output_tokens": 1},
        {"id": "second", "arrival_ns": 10**10, "prompt": [["doc", prefix], ["user", 40]], "output_tokens": 1},
    ]
    requests = from_rows(rows)
    simulation = _module(perturbation, "simulate").Simulation(
        Config(1, 500, 2048, 8), _costs(perturbation), requests, None
    )
    run = simulation.run()
    seen = simulation.replicas[0].cached_tokens(requests[1].keys, requests[1].prompt_tokens)
    return run.calls[1].hit, seen


@pytest.mark.parametrize(("prefix", "credit"), [(928, 512), (512, 512), (496, 496)])
def test_prefix_cap_credits_at_most_512_tokens_and_policies_still_see_all(prefix: int, credit: int) -> None:
    assert _credits(get("prefix_cap"), prefix)[0] == credit
    assert _credits(get("prefix_cap"), prefix)[1] >= prefix


@pytest.mark.parametrize(("prefix", "credit"), [(576, 512), (928, 768), (240, 0), (512, 512)])
def test_reuse_granularity_credits_multiples_of_256_and_policies_still_see_all(prefix: int, credit: int) -> None:
    """576 -> 512 and 928 -> 768 are the paper's own figures (Appendix D.1)."""
    assert _credits(get("reuse_granularity"), prefix)[0] == credit
    assert _credits(get("reuse_granularity"), prefix)[1] >= prefix


def test_independent_links_let_transfers_to_different_replicas_overlap() -> None:
    network = _module(get("shared_nic"), "network").Network(1_000_000_000)
    assert [network.send(0, to, 5_000, 0) for to in (1, 2, 1)] == [5_000, 5_000, 10_000]


def test_costs_without_query_interpolation_are_those_of_the_next_lower_row() -> None:
    table = _costs(get("query_interpolation"))
    assert table.step([(31, 0)]) - table.step([(16, 0)]) == 0
    assert table.step([(32, 0)]) > table.step([(31, 0)])


def test_step_aggregation_costs_what_the_largest_request_costs() -> None:
    table = _costs(get("step_aggregation"))
    one, two = table.step([(64, 512)]), table.step([(64, 512), (64, 512)])
    assert two - one == table.head(2) - table.head(1)


def test_coordinate_swap_looks_up_kv_tokens_along_the_query_axis() -> None:
    reference, swapped = (
        _costs(replace(get("coordinate_swap"), source=s)) for s in (reference_source(), get("coordinate_swap").source)
    )
    assert swapped.attention(swapped.rows, 64, 256) == reference.attention(reference.rows, 256, 64)


def test_interpolation_arithmetic_adds_a_share_of_the_upper_value() -> None:
    """y0 + r * y1 with y0 = 100, y1 = 200, r = 1/4 (paper Table 3)."""
    assert _module(get("interpolation_arithmetic"), "costs").lerp(100, 200, 1, 4) == 150


def test_an_unknown_perturbation_is_answered_with_the_nearest_name() -> None:
    with pytest.raises(InputError, match="did you mean prefix_cap"):
        get("prefix_cup")


def test_candidate_designs_are_the_same_in_both_versions(domain: ServingDomain, cases: dict[str, Case]) -> None:
    labels = dict(zip("ABCD", designs.FAMILIES["routing"], strict=True))
    perturbed, reference = (domain.evidence(cases["routing"], labels, p) for p in ("prefix_cap", None))
    assert perturbed.description == reference.description
    assert perturbed.parameters == reference.parameters
    assert perturbed.configuration == reference.configuration
    assert perturbed.all_files().keys() == reference.all_files().keys()
