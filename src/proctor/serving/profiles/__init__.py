"""Cost tables: those that ship with the package, each with where its numbers come from, and folders of one's own."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from proctor.errors import InputError, nearest
from proctor.serving.importers.reading import is_folder
from proctor.serving.profiles.checks import check_tables
from proctor.serving.simulator.costs import CostTable

TABLES = ("attention.csv", "linear.csv", "head.csv", "constants.csv")


@cache
def names() -> tuple[str, ...]:
    """The shipped profiles, sorted: GPU and model in one name."""
    folders = files(__name__).iterdir()
    return tuple(sorted(entry.name for entry in folders if (entry / "constants.csv").is_file()))


def load(name: str, base: Path = Path()) -> CostTable:
    """The cost table of a shipped profile, or of a folder in the same format. Arguments and errors as `texts`."""
    return CostTable(texts(name, base))


def texts(name: str, base: Path = Path()) -> dict[str, str]:
    """The four tables, by file name, of a shipped profile or of a folder, whose path may be relative to `base`.

    Raises InputError for an unknown name, with the nearest one, and for a folder whose files are not valid.
    """
    if name in names():
        return {table: (files(__name__) / name / table).read_text(encoding="utf-8") for table in TABLES}
    folder = base / name
    if not is_folder(folder):
        raise _unknown(name)
    found = {table: _text(folder / table) for table in TABLES}
    check_tables(found, folder)
    return found


def provenance(name: str) -> str:
    """The text of a shipped profile's `provenance.json`."""
    if name not in names():
        raise _unknown(name)
    folder: Traversable = files(__name__) / name
    return (folder / "provenance.json").read_text(encoding="utf-8")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise InputError(f"{path}: cannot read it ({reason}); a cost table has {', '.join(TABLES)}") from None


def _unknown(name: str) -> InputError:
    return InputError(f"unknown cost profile {name!r}: {nearest(name, names())}, or give a folder of cost tables")
