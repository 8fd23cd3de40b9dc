"""The twelve candidate designs as files."""

from __future__ import annotations

import ast
import sys

import pytest

from proctor.errors import InputError
from proctor.serving import designs

INTERFACE = {"routing": "Router", "handoff": "Placement", "local_scheduling": "PREFILL_CHUNK_CAP"}


def test_there_are_four_designs_for_each_of_three_problems():
    """Paper, Table 3."""
    assert {family: len(names) for family, names in designs.FAMILIES.items()} == dict.fromkeys(INTERFACE, 4)
    assert len(designs.names()) == len(set(designs.names())) == len(designs.TITLES) == 12


@pytest.mark.parametrize("name", designs.names())
def test_a_candidate_file_stands_alone(name):
    """A packet shows it by itself: it imports the standard library only, and its text is what runs."""
    text = designs.source(name)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert node.module.split(".")[0] in sys.stdlib_module_names
        elif isinstance(node, ast.Import):
            assert all(alias.name.split(".")[0] in sys.stdlib_module_names for alias in node.names)
    namespace = {"__name__": name}
    exec(compile(text, name, "exec"), namespace)
    family = next(family for family, names in designs.FAMILIES.items() if name in names)
    assert INTERFACE[family] in namespace
    assert [other for other in INTERFACE.values() if hasattr(designs.load(name), other)] == [INTERFACE[family]]


@pytest.mark.parametrize(
    ("name", "hint"), [("dualmpa", "did you mean dualmap?"), ("load-only", "did you mean load_only?"), ("x", "no_cap")]
)
def test_an_unknown_design_gets_a_hint(name, hint):
    """The nearest name, or all of them."""
    with pytest.raises(InputError, match=f"unknown design '{name}'.*{hint}"):
        designs.load(name)
