"""The text of a version is the code that runs."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

import proctor.serving.simulator as installed
from proctor.errors import InputError
from proctor.siris.problems.versions import apply_patch, load_package, reference_source

PATCH = """--- a/simulator/network.py
+++ b/simulator/network.py
@@ -1,1 +1,1 @@
-{old}
+"A changed module."
"""


def test_the_reference_source_is_the_installed_simulator() -> None:
    folder = Path(installed.__file__).parent
    on_disk = {f"simulator/{path.name}": path.read_text(encoding="utf-8") for path in folder.glob("*.py")}
    assert dict(reference_source()) == on_disk


def test_a_loaded_version_runs_exactly_its_text() -> None:
    old = reference_source()["simulator/network.py"].splitlines()[0]
    source = apply_patch(PATCH.format(old=old), reference_source(), "changed")
    module = importlib.import_module(f"{load_package(source)}.network")
    assert module.__doc__ == "A changed module."
    assert module.__loader__.get_source(module.__name__) == source["simulator/network.py"]
    assert importlib.import_module(f"{load_package(reference_source())}.network").__doc__ != module.__doc__


def test_versions_do_not_share_modules() -> None:
    old = reference_source()["simulator/network.py"].splitlines()[0]
    packages = {
        load_package(source)
        for source in (reference_source(), apply_patch(PATCH.format(old=old), reference_source(), "changed"))
    }
    replicas = [importlib.import_module(f"{package}.replica").Replica for package in packages]
    assert len(packages) == 2
    assert replicas[0] is not replicas[1]


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        (PATCH.format(old="no such line"), "no longer fits simulator/network.py"),
        (PATCH.replace("network", "nowhere").format(old="x"), "simulator/nowhere.py is not a file"),
    ],
)
def test_a_patch_that_no_longer_applies_is_an_error_that_names_it(patch: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        apply_patch(patch, reference_source(), "my_change")
    assert "my_change" in str(caught.value)
    assert "\n" not in str(caught.value)
