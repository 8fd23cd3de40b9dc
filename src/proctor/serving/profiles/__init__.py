"""Cost tables that ship with the package, each with where its numbers come from (`provenance.json`)."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from proctor.errors import InputError
from proctor.serving.simulator.costs import CostTable

TABLES = ("attention.csv", "linear.csv", "head.csv", "constants.csv")


@cache
def names() -> tuple[str, ...]:
    """The shipped profiles, sorted: GPU and model in one name."""
    folders = files(__name__).iterdir()
    return tuple(sorted(entry.name for entry in folders if (entry / "constants.csv").is_file()))


def texts(name: str) -> dict[str, str]:
    """The four tables of a profile by file name, as text."""
    folder = _folder(name)
    return {table: (folder / table).read_text(encoding="utf-8") for table in TABLES}


def provenance(name: str) -> str:
    """The text of a profile's `provenance.json`."""
    return (_folder(name) / "provenance.json").read_text(encoding="utf-8")


def load(name: str) -> CostTable:
    """The cost table of a shipped profile. Raises InputError, with the nearest name, for an unknown one."""
    return CostTable(texts(name))


def _folder(name: str) -> Traversable:
    if name not in names():
        close = get_close_matches(name, names(), n=1)
        hint = f"did you mean {close[0]}?" if close else f"expected one of {', '.join(names())}"
        raise InputError(f"cost profile {name!r} is unknown; {hint}")
    return files(__name__) / name
