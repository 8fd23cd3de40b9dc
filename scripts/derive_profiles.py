"""Writes the cost tables that ship with the package, from the measured bundles in the folder given.

python scripts/derive_profiles.py ../shared/validation/llmservingsim_profiles
"""

from __future__ import annotations

import sys
from pathlib import Path

from proctor.serving.importers.additive import derive
from proctor.serving.importers.llmservingsim import lookup_costs

PROFILES = Path(__file__).resolve().parents[1] / "src" / "proctor" / "serving" / "profiles"
BUNDLES = {
    "rtx4090-llama-3.1-8b": "RTX4090/meta-llama/Llama-3.1-8B/bf16",
    "rtxpro6000-llama-3.1-8b": "RTXPRO6000/meta-llama/Llama-3.1-8B/bf16",
    "rtxpro6000-qwen3-30b-a3b": "RTXPRO6000/Qwen/Qwen3-30B-A3B-Instruct-2507/bf16",
}


def main(bundles: Path, out: Path = PROFILES) -> None:
    """Derives each shipped table for one GPU without parallelism."""
    for name, bundle in BUNDLES.items():
        derive(lookup_costs(bundles / bundle)).write(out / name)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python scripts/derive_profiles.py BUNDLES_DIR")
    main(Path(sys.argv[1]))
