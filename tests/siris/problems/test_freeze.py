"""A suite's problems have neutral identities, balanced labels, and digests that notice any change."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from proctor.errors import InputError
from proctor.siris.problems.admission import Assessment
from proctor.siris.problems.domain import Case, Frame, Prediction
from proctor.siris.problems.freeze import assemble, write_suite
from proctor.siris.problems.manifest import MANIFEST, Manifest
from proctor.siris.problems.pairs import Member, Pair
from proctor.siris.problems.serving_domain import ServingDomain
from proctor.siris.problems.suites import Suite, load_suite, verify

PAIRS = 4


def _assessment(domain: ServingDomain, case: Case, overturned: bool) -> Assessment:
    """Invented predictions; in an overturned problem the reference prefers the design after the recommended one."""
    names = domain.designs(case.design_problem)
    perturbed = {name: Prediction(10 + i, "x") for i, name in enumerate(names)}
    reference = {name: Prediction(10 + (i - overturned) % 4, "y") for i, name in enumerate(names)}
    return Assessment(perturbed, reference)


@pytest.fixture(scope="module")
def frozen(domain: ServingDomain, tmp_path_factory: pytest.TempPathFactory) -> tuple[Manifest, Path]:
    from random import Random

    pairs = []
    for i in range(PAIRS):
        rng = Random(i)
        frame = domain.frame("routing", rng)
        small = Frame(frame.design_problem, frame.system, {**frame.shared, "requests": 12})
        members = []
        for overturned in (False, True):
            parameters = domain.propose(small, rng)
            case = domain.generate(small, parameters, 0)
            members.append(Member(parameters, case, _assessment(domain, case, overturned), 10))
        pairs.append(Pair("prefix_cap", small, *members))
    manifest, workloads = assemble(domain, "small", 1, pairs)
    folder = tmp_path_factory.mktemp("suites") / "small"
    write_suite(folder, manifest, workloads, {"seed": 1})
    return manifest, folder


def test_identities_are_neutral_and_in_order(frozen: tuple[Manifest, Path]) -> None:
    manifest, folder = frozen
    assert [entry.id for entry in manifest.problems] == [f"p{i:02}" for i in range(1, 2 * PAIRS + 1)]
    assert sorted(path.stem for path in (folder / "workloads").iterdir()) == [e.id for e in manifest.problems]


def test_answers_are_balanced_for_each_outcome(frozen: tuple[Manifest, Path]) -> None:
    for outcome in ("upheld", "overturned"):
        answers = Counter(entry.answer for entry in frozen[0].problems if entry.outcome == outcome)
        assert answers == dict.fromkeys("ABCD", PAIRS // 4)


def test_the_labels_of_a_problem_fit_its_outcome(frozen: tuple[Manifest, Path]) -> None:
    for entry in frozen[0].problems:
        assert (entry.presented == entry.answer) == (entry.outcome == "upheld")
        assert entry.labels[entry.presented] == min(entry.perturbed, key=lambda d: entry.perturbed[d])
        assert entry.labels[entry.answer] == min(entry.reference, key=lambda d: entry.reference[d])
        assert sorted(entry.labels) == list("ABCD")


def test_a_written_suite_reads_back(frozen: tuple[Manifest, Path]) -> None:
    manifest, folder = frozen
    suite = load_suite(folder)
    assert suite.manifest == manifest
    assert [problem.id for problem in suite.problems] == [entry.id for entry in manifest.problems]
    assert json.loads((folder / "search.json").read_text())["seed"] == 1


def test_a_suite_is_never_written_over_files(frozen: tuple[Manifest, Path]) -> None:
    with pytest.raises(InputError, match="not empty"):
        write_suite(frozen[1], frozen[0], {})


def _copy(folder: Path, target: Path) -> Path:
    (target / "workloads").mkdir(parents=True)
    for path in [folder / MANIFEST, *(folder / "workloads").iterdir()]:
        (target / path.relative_to(folder)).write_text(path.read_text())
    return target


def test_verify_names_what_differs(frozen: tuple[Manifest, Path]) -> None:
    """The fixture's predictions are invented, its workloads and evidence are not."""
    found = dict(verify(Suite(frozen[1], frozen[0])))
    assert found["p01"] != []
    for differences in found.values():
        assert "workload" not in differences
        assert not any("digest" in difference for difference in differences)
    changed = [
        e.model_copy(update={"evidence_digest": {**e.evidence_digest, "perturbed": "0" * 64}})
        for e in frozen[0].problems
    ]
    manifest = frozen[0].model_copy(update={"problems": tuple(changed)})
    for _, differences in verify(Suite(frozen[1], manifest)):
        assert "perturbed evidence digest" in differences
        assert "reference evidence digest" not in differences


def test_a_changed_workload_is_noticed_when_it_is_read(frozen: tuple[Manifest, Path], tmp_path: Path) -> None:
    folder = _copy(frozen[1], tmp_path / "copy")
    path = folder / "workloads" / "p03.json"
    path.write_text(path.read_text().replace("3000000000", "3000000001", 1))
    with pytest.raises(InputError, match=r"p03\.json: differs from the workload"):
        _ = load_suite(folder).problems


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda text: text.replace('"version": 1', '"version": 2', 1), "version"),
        (lambda text: text.replace('"answer"', '"anwser"', 1), "answer"),
        (lambda text: text[: len(text) // 2], "JSON"),
        (lambda text: text.replace('"seed": 1', '"seed": "x"', 1), "seed"),
    ],
)
def test_a_manifest_that_does_not_fit_is_one_clear_line(
    frozen: tuple[Manifest, Path], tmp_path: Path, edit, message: str
) -> None:  # type: ignore[no-untyped-def]
    folder = _copy(frozen[1], tmp_path / "copy")
    path = folder / MANIFEST
    path.write_text(edit(path.read_text()))
    with pytest.raises(InputError, match=message) as caught:
        load_suite(folder)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_suite_is_answered_with_what_there_is() -> None:
    with pytest.raises(InputError, match="no such suite or folder"):
        load_suite("no-such-suite")
