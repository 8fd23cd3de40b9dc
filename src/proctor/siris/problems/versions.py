"""Simulator versions: the visible source, patched or not, and the code that runs.

A version is text. The text that a packet shows is the text that is executed: a version is loaded as a package of its
own straight from its files. A simulator imports its parts relatively (`from . import costs`), so that a version finds
its own.
"""

from __future__ import annotations

import hashlib
import importlib
import sys
from collections.abc import Mapping
from functools import cache
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.resources import files
from importlib.util import spec_from_loader

import whatthepatch

from proctor.errors import InputError

FOLDER = "simulator"


@cache
def reference_source(package: str = "proctor.serving.simulator") -> Mapping[str, str]:
    """The visible simulator, packet path -> text: the Python files of a package, without those of its subfolders."""
    folder = files(package)
    names = sorted(item.name for item in folder.iterdir() if item.name.endswith(".py"))
    return {f"{FOLDER}/{name}": folder.joinpath(name).read_text(encoding="utf-8") for name in names}


def apply_patch(patch: str, source: Mapping[str, str], name: str) -> dict[str, str]:
    """The source after a unified diff; raises InputError if a hunk no longer fits."""
    patched = dict(source)
    for diff in whatthepatch.parse_patch(patch):
        path = diff.header.new_path.removeprefix("b/")
        if path not in patched:
            raise InputError(f"perturbation {name}: {path} is not a file of the simulator; mend the diff")
        try:
            lines = whatthepatch.apply_diff(diff, patched[path])
        except whatthepatch.exceptions.HunkApplyException as error:
            raise InputError(f"perturbation {name}: the diff no longer fits {path} ({error}); mend the diff") from error
        patched[path] = "\n".join(lines) + "\n"
    return patched


class _Sources(MetaPathFinder, InspectLoader):
    """Imports packages from texts held in memory."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        if fullname not in self.texts:
            return None
        return spec_from_loader(fullname, self, is_package=self.is_package(fullname))

    def is_package(self, fullname: str) -> bool:
        return "." not in fullname

    def get_source(self, fullname: str) -> str:
        return self.texts[fullname]


_SOURCES = _Sources()


def load_package(source: Mapping[str, str]) -> str:
    """Make a version importable and return the name of its package; the same text is loaded once."""
    digest = hashlib.sha256(repr(sorted(source.items())).encode()).hexdigest()[:16]
    package = f"proctor_simulator_{digest}"
    if _SOURCES not in sys.meta_path:
        sys.meta_path.append(_SOURCES)
    for path, text in source.items():
        module = path.removeprefix(f"{FOLDER}/").removesuffix(".py")
        _SOURCES.texts[package if module == "__init__" else f"{package}.{module}"] = text
    importlib.import_module(package)
    return package
