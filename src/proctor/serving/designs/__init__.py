"""The candidate designs of the three design problems, one self-contained file each (paper Tables 3, 13 and 14)."""

from __future__ import annotations

from importlib import import_module, resources
from types import ModuleType

from proctor.errors import InputError, nearest

FAMILIES: dict[str, tuple[str, ...]] = {
    "routing": ("load_only", "longest_prefix", "preble", "dualmap"),
    "handoff": ("stay", "next_instance", "least_active", "least_outstanding"),
    "local_scheduling": ("cap_16", "cap_24", "cap_32", "no_cap"),
}
TITLES = {
    "load_only": "load-only",
    "longest_prefix": "SGLang-inspired",
    "preble": "Preble",
    "dualmap": "DualMap",
    "stay": "stay on source",
    "next_instance": "next instance",
    "least_active": "least-active remote",
    "least_outstanding": "least-outstanding remote",
    "cap_16": "chunk cap 16",
    "cap_24": "chunk cap 24",
    "cap_32": "chunk cap 32",
    "no_cap": "no chunk cap",
}
_FAMILY_OF = {name: family for family, names in FAMILIES.items() for name in names}


def names() -> tuple[str, ...]:
    """All twelve designs."""
    return tuple(_FAMILY_OF)


def load(name: str) -> ModuleType:
    """The module of a design: it has `Router`, `Placement` or `PREFILL_CHUNK_CAP`."""
    return import_module(f"{__name__}.{_family(name)}.{name}")


def source(name: str) -> str:
    """The text of a design's file."""
    return resources.files(__name__).joinpath(_family(name), f"{name}.py").read_text(encoding="utf-8")


def _family(name: str) -> str:
    if name not in _FAMILY_OF:
        raise InputError(f"unknown design {name!r}: {nearest(name, _FAMILY_OF)}")
    return _FAMILY_OF[name]
