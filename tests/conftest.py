"""Fixtures that every room's tests may use."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def tracked() -> list[Path]:
    """Files that git tracks or, being neither tracked nor ignored, would."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip("needs a git clone: " + done.stderr.strip())
    return [path for name in done.stdout.split("\0") if name and (path := ROOT / name).is_file()]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of measured and published data that is not part of the product: `PROCTOR_SHARED`, else `../shared`.

    Skips the test where there is none. A `PROCTOR_SHARED` that names no folder is an error: somebody meant it.
    """
    named = os.environ.get("PROCTOR_SHARED")
    folder = Path(named) if named else ROOT.parent / "shared"
    if folder.is_dir():
        return folder.resolve()
    if named:
        pytest.fail(f"PROCTOR_SHARED={named} is not a folder")
    pytest.skip("needs the measured data in ../shared, which is not part of the repository")


@pytest.fixture(scope="session")
def in_process():
    """Make of a module's `register` a function that runs its commands in this process, as `proctor siris` would.

    The function gives the result, or raises the InputError that `main` would print.
    """
    import typer
    from typer.testing import CliRunner

    from proctor.errors import InputError

    def make(register):
        app = typer.Typer(rich_markup_mode=None)
        register(app)

        def run(*arguments):
            result = CliRunner().invoke(app, [str(argument) for argument in arguments])
            if isinstance(result.exception, InputError):
                raise result.exception
            return result

        return run

    return make


@pytest.fixture(scope="session")
def seen():
    """The portrait of the first overturned problem of one perturbation in routing-v1."""
    from proctor.siris.problems.portrait import portrait
    from proctor.siris.problems.suites import load_suite

    suite = load_suite("routing-v1")
    name = next(p.id for p in suite.problems if (p.perturbation, p.outcome) == ("reuse_granularity", "overturned"))
    return portrait(suite, name)


@pytest.fixture(scope="session")
def make_record():
    """A function that makes a valid `Record`: answer A, presented A on upheld and B on overturned problems.

    Losses under the reference are A 0 %, B 24 %, C 47 %, D 100 %. A turn without a label has the status "missing".
    """
    from proctor.siris.verdict.records import Record

    def make(pair="pair-1", outcome="upheld", initial="A", final="A", repetition=1, **changes) -> Record:
        facts = {
            "suite": "serving-test",
            "problem": f"{pair}-{outcome}",
            "pair": pair,
            "outcome": outcome,
            "perturbation": "prefix_cap",
            "design_problem": "routing",
            "model": "rule/test",
            "condition": "perturbed",
            "repetition": repetition,
            "presented": "A" if outcome == "upheld" else "B",
            "answer": "A",
            "initial": initial,
            "final": final,
            "initial_status": "valid" if initial else "missing",
            "final_status": "valid" if final else "missing",
            "reference": {"A": 100_000_000, "B": 124_000_000, "C": 147_000_000, "D": 200_000_000},
            "reached_initial": False,
            "reached_any": True,
        }
        return Record.model_validate(facts | changes)

    return make


@pytest.fixture(scope="session")
def make_study(make_record):
    """A function that makes the records of a whole study, answers drawn at random: the paper's size by default.

    `skill(model)` is the chance that a choice is right for itself; else one of four labels is drawn. Perturbations
    and design problems are the paper's, tolerances of the problems spread from 1.02 to 20.
    """
    import random

    from proctor.siris.problems.perturbations import CATALOGUE

    perturbations = {name: perturbation.design_problem for name, perturbation in CATALOGUE.items()}
    reference = {"A": 100_000_000, "B": 124_000_000, "C": 147_000_000, "D": 200_000_000}

    def perturbed(outcome: str, pair: int) -> dict[str, int]:
        """Upheld: B's lead over A under the change is smaller than it is; overturned: B leads A wrongly."""
        if outcome == "upheld":
            return reference | {"B": 124_000_000 + (pair + 1) * 2_000_000}
        return reference | {"B": 99_000_000 - pair * 1_000_000}

    def make(
        models=tuple(f"model-{i:02}" for i in range(13)),
        conditions=("none", "perturbed", "reference"),
        pairs=29,
        repetitions=3,
        seed=0,
        skill=lambda model: 0.2 + 0.05 * int(model[-2:]),
        **changes,
    ):
        rng = random.Random(seed)
        kinds = list(perturbations.items())
        records = []
        for model in models:
            for condition in conditions:
                for pair in range(pairs):
                    perturbation, design_problem = kinds[pair % len(kinds)]
                    for outcome in ("upheld", "overturned"):
                        for repetition in range(1, repetitions + 1):
                            draw = ["A" if rng.random() < skill(model) else rng.choice("ABCD") for _ in range(2)]
                            facts = {
                                "model": model,
                                "condition": condition,
                                "perturbation": perturbation,
                                "design_problem": design_problem,
                                "perturbed": perturbed(outcome, pair),
                                "reached_initial": None if condition == "none" else rng.random() < 0.3,
                                "reached_any": None if condition == "none" else True,
                                "identified": rng.random() < 0.5 if condition == "perturbed" else None,
                            }
                            records.append(
                                make_record(f"pair-{pair:02}", outcome, *draw, repetition, **(facts | changes))
                            )
        return records

    return make


@pytest.fixture(scope="session")
def small_suite(make_record):
    """What `load_suite` returns, as far as scoring needs it: two pairs, four problems."""
    from types import SimpleNamespace

    from proctor.siris.problems.domain import Case, Problem

    records = [make_record(pair, outcome) for pair in ("cap-01", "cap-02") for outcome in ("upheld", "overturned")]
    problems = tuple(
        Problem(
            id=r.problem,
            pair=r.pair,
            outcome=r.outcome,
            perturbation=r.perturbation,
            design_problem=r.design_problem,
            question="Which design?",
            labels={label: f"design-{label}" for label in r.reference},
            presented=r.presented,
            answer=r.answer,
            reference=r.reference,
            perturbed=r.reference,
            case=Case(r.design_problem, {}, []),
        )
        for r in records
    )
    return SimpleNamespace(name="serving-test", digest="d1", problems=problems)
