"""Which domains there are, by name, and whose code is run for them.

A manifest only ever names a domain; it never says where its code lies. Code is imported from three places alone, all
chosen by the person who runs proctor: proctor itself, installed packages (entry points of the group `proctor.domains`),
and classes named in the environment variable PROCTOR_DOMAINS or with `--domain`. docs/decisions/0005 says why.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from proctor.errors import InputError, nearest
from proctor.siris.problems.domain import LABELS, Domain

GROUP = "proctor.domains"
ALLOWED = "PROCTOR_DOMAINS"  # MODULE:CLASS, several separated by commas
BUILT_IN = {"serving": "proctor.siris.problems.serving_domain:ServingDomain"}
_NEEDED = sorted(name for name in vars(Domain) if not name.startswith("_"))
_ATTRIBUTES = sorted(Domain.__annotations__)


def get_domain(name: str) -> Domain:
    """The domain of that name; raises InputError where none is to be had. Nothing is imported for an unknown name but
    what PROCTOR_DOMAINS allows."""
    return _find(name, os.environ.get(ALLOWED, ""))


def choose_domain(name_or_class: str) -> Domain:
    """What a person gave as `--domain`: a name, or MODULE:CLASS, which is imported.

    The class is then allowed in this process and in those that it starts, such as the workers of a search. Raises
    InputError for what cannot be imported or is no domain.
    """
    if ":" not in name_or_class:
        return get_domain(name_or_class)
    name = _load(name_or_class, "--domain").name
    others = (text for text in _allowed(os.environ.get(ALLOWED, "")) if text != name_or_class)
    os.environ[ALLOWED] = ",".join([name_or_class, *others])
    return get_domain(name)


def available() -> Iterator[Domain]:
    """Every domain that can be had, proctor's own first; each is imported when its turn comes."""
    allowed = os.environ.get(ALLOWED, "")
    given = {_load(text, ALLOWED).name: None for text in _allowed(allowed)} if allowed else {}
    for name in dict.fromkeys([*BUILT_IN, *given, *_installed()]):
        yield _find(name, allowed)


def check_candidates(domain: Domain, perturbation: str) -> None:
    """Raises InputError for an unknown perturbation, or one whose design problem has not one design for each label."""
    design_problem = domain.design_problem(perturbation)
    designs = domain.designs(design_problem)
    if len(set(designs)) != len(LABELS) or len(designs) != len(LABELS):
        raise InputError(
            f"domain {domain.name}: {design_problem} has the designs {', '.join(designs)}; "
            f"a problem needs {len(LABELS)} different ones"
        )


@cache
def _find(name: str, allowed: str) -> Domain:
    if name in BUILT_IN:  # nobody else can take its name
        return _load(BUILT_IN[name], "proctor")
    for text in _allowed(allowed):
        if (domain := _load(text, ALLOWED)).name == name:
            return domain
    return _from_package(name)


def _allowed(value: str) -> list[str]:
    return [text for part in value.split(",") if (text := part.strip())]


@cache
def _installed() -> dict[str, list[tuple[str, str]]]:
    """Name -> (MODULE:CLASS, package) of those that say they have it; one package may lie on the path twice."""
    found: dict[str, list[tuple[str, str]]] = {}
    for entry in entry_points(group=GROUP):
        place = (entry.value, entry.dist.name if entry.dist else "?")
        if place not in found.setdefault(entry.name, []):
            found[entry.name].append(place)
    return found


def _from_package(name: str) -> Domain:
    places = _installed().get(name, [])
    if not places:
        known = [*BUILT_IN, *_installed()]
        raise InputError(
            f"unknown domain {name!r}: {nearest(name, known)}, install the package that has it, or allow a class of "
            f"yours with {ALLOWED}=MODULE:CLASS"
        )
    if len(places) > 1:
        packages = ", ".join(package for _, package in places)
        raise InputError(f"domain {name!r}: offered by several packages ({packages}); uninstall all but one")
    [(text, package)] = places
    domain = _load(text, f"package {package}")
    if domain.name != name:
        raise InputError(f"package {package}: offers domain {name!r}, but {text} calls itself {domain.name!r}")
    return domain


@cache
def _load(text: str, where: str) -> Domain:
    """The domain of MODULE:CLASS; `where` is who named it. Its class is looked at before it is called."""
    module, _, attribute = text.partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), attribute)):
        raise InputError(f"{where}: {text!r}: expected MODULE:CLASS, such as my_package.domain:MyDomain")
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, SyntaxError) as error:
        hint = "install its package or put its folder on PYTHONPATH"
        raise InputError(f"{where}: {text}: cannot be imported ({error}); {hint}") from error
    if not isinstance(found, type):
        raise InputError(f"{where}: {text}: not a class; name the class that meets proctor's Domain")
    missing = [name for name in (*_NEEDED, *_ATTRIBUTES) if not hasattr(found, name)]
    if missing:
        raise InputError(f"{where}: {text}: not a Domain, for it lacks {', '.join(missing)}")
    try:
        domain: Domain = found()
    except TypeError as error:
        raise InputError(f"{where}: {text}: cannot be made without arguments ({error})") from error
    if domain.name in BUILT_IN and text != BUILT_IN[domain.name]:
        raise InputError(f"{where}: {text}: the name {domain.name!r} is taken by proctor's own domain; choose another")
    return domain
