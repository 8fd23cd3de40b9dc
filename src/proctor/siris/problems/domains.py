"""The domains that there are, by name."""

from __future__ import annotations

from functools import cache

from proctor.errors import InputError
from proctor.siris.problems.domain import Domain


@cache
def get_domain(name: str) -> Domain:
    """Raises InputError for an unknown name. Domains are imported when they are asked for."""
    if name == "serving":
        from proctor.siris.problems.serving_domain import ServingDomain

        return ServingDomain()
    raise InputError(f"unknown domain {name!r}: this version has 'serving'")
