"""What this machine has, as facts: packages, sandboxes, model providers, resources. `proctor doctor` prints them.

Keys are known by name only. No value of an environment variable or a `.env` file leaves this module.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path

import psutil
from dotenv import dotenv_values, find_dotenv
from packaging.requirements import Requirement

from proctor.errors import InputError

PROBE_SECONDS = 5.0  # a docker client whose daemon hangs would otherwise wait for minutes

# Each probe does what an evaluation would do first, so that "works" means more than "is installed".
SANDBOX_PROBES: Mapping[str, tuple[str, ...]] = {
    "bwrap": ("bwrap", "--ro-bind", "/", "/", "--unshare-user", "--unshare-pid", "--unshare-net", "true"),
    "podman": ("podman", "info", "--format", "{{.Version.Version}}"),
    "docker": ("docker", "version", "--format", "{{.Server.Version}}"),
}

# Inspect's name of the provider: (module that its client needs, variables that hold a key). From Inspect's providers.
PROVIDERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "anthropic": ("anthropic", ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")),
    "azureai": ("azure.ai.inference", ("AZUREAI_API_KEY", "AZURE_API_KEY")),
    "bedrock": ("aioboto3", ("AWS_ACCESS_KEY_ID", "AWS_PROFILE")),
    "cloudflare": ("openai", ("CLOUDFLARE_API_TOKEN", "CLOUDFLARE_API_KEY")),
    "deepseek": ("openai", ("DEEPSEEK_API_KEY",)),
    "fireworks": ("openai", ("FIREWORKS_API_KEY",)),
    "google": ("google.genai", ("GOOGLE_API_KEY", "GEMINI_API_KEY")),
    "grok": ("xai_sdk", ("XAI_API_KEY", "GROK_API_KEY")),
    "groq": ("groq", ("GROQ_API_KEY",)),
    "hf-inference-providers": ("openai", ("HF_TOKEN",)),
    "meta": ("openai", ("META_API_KEY", "MODEL_API_KEY")),
    "mistral": ("mistralai", ("MISTRAL_API_KEY",)),
    "moonshot": ("openai", ("MOONSHOT_API_KEY",)),
    "openai": ("openai", ("OPENAI_API_KEY",)),
    "openrouter": ("openai", ("OPENROUTER_API_KEY",)),
    "perplexity": ("openai", ("PERPLEXITY_API_KEY",)),
    "sambanova": ("openai", ("SAMBANOVA_API_KEY",)),
    "together": ("openai", ("TOGETHER_API_KEY",)),
}


@dataclass(frozen=True)
class Package:
    """A package that proctor declares. `installed` is its version, or None; `fits` whether that meets `needed`."""

    name: str
    needed: str
    installed: str | None
    fits: bool


@dataclass(frozen=True)
class Sandbox:
    """A sandbox: whether its program is on PATH, whether a trial succeeded, and its words (a version or why not)."""

    name: str
    present: bool
    works: bool
    detail: str


@dataclass(frozen=True)
class Provider:
    """A model provider: the names of its key variables that are set, and whether its client module can be imported."""

    name: str
    keys: tuple[str, ...]
    module: str
    installed: bool


@dataclass(frozen=True)
class Resources:
    """Cores this process may use; memory of the machine and disk free under the current directory, in bytes."""

    cores: int
    memory_bytes: int
    memory_available_bytes: int
    disk_free_bytes: int


def packages() -> tuple[Package, ...]:
    """Every dependency that proctor declares without an extra."""
    declared = (Requirement(line) for line in requires("proctor") or ())
    return tuple(_package(need) for need in declared if need.marker is None or need.marker.evaluate({"extra": ""}))


def _package(need: Requirement) -> Package:
    try:
        found = version(need.name)
    except PackageNotFoundError:
        return Package(need.name, str(need.specifier), None, fits=False)
    return Package(need.name, str(need.specifier), found, fits=need.specifier.contains(found, prereleases=True))


def sandboxes(probes: Mapping[str, tuple[str, ...]] = SANDBOX_PROBES) -> tuple[Sandbox, ...]:
    """Try each sandbox, all at once; none takes longer than `PROBE_SECONDS`."""
    with ThreadPoolExecutor() as pool:
        return tuple(pool.map(_probe, probes, probes.values()))


def _probe(name: str, command: tuple[str, ...]) -> Sandbox:
    if shutil.which(command[0]) is None:
        return Sandbox(name, present=False, works=False, detail="not installed")
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=PROBE_SECONDS)
    except subprocess.TimeoutExpired:
        return Sandbox(name, present=True, works=False, detail=f"no answer in {PROBE_SECONDS:g} s")
    except OSError as error:
        return Sandbox(name, present=True, works=False, detail=str(error))
    words = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
    return Sandbox(name, present=True, works=done.returncode == 0, detail=words[-1] if words else "")


def key_names() -> frozenset[str]:
    """Names of the variables that are set and not empty, in the environment or the `.env` file that Inspect would read.

    Raises InputError if that file cannot be read.
    """
    path = find_dotenv(usecwd=True)
    try:
        dotenv = dotenv_values(path) if path else {}
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: expected a readable UTF-8 file of NAME=value lines: {error}") from error
    return frozenset(name for name, value in {**dotenv, **os.environ}.items() if value)


def providers(names: Iterable[str]) -> tuple[Provider, ...]:
    """Every known provider, with those of its key variables that are among `names`."""
    there = frozenset(names)
    return tuple(
        Provider(provider, tuple(key for key in keys if key in there), module, _importable(module))
        for provider, (module, keys) in PROVIDERS.items()
    )


def other_keys(names: Iterable[str]) -> tuple[str, ...]:
    """Names of the form `…_API_KEY` that no known provider reads; Inspect's `openai-api/NAME/…` takes such a key."""
    known = {key for _, keys in PROVIDERS.values() for key in keys}
    return tuple(sorted(name for name in names if name.endswith("_API_KEY") and name not in known))


def _importable(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # a parent package is missing
        return False


def resources() -> Resources:
    """What the machine offers now."""
    memory = psutil.virtual_memory()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Resources(cores, memory.total, memory.available, shutil.disk_usage(Path.cwd()).free)
