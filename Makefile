# Everything here needs only make and Python 3.11 or newer with pip; the first call fills .venv (about a minute).
.DEFAULT_GOAL := help
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PIP := -m pip --disable-pip-version-check -qq
USABLE := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
# The first of these that runs, is new enough and can make virtual environments. Looked up only when .venv is to be made.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c '$(USABLE)' >/dev/null 2>&1 && echo $$p && break; done)

.PHONY: help demo test lint bench accuracy constraints clean

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 20

demo: $(READY) ## run a real SIRIS evaluation: no key, no GPU, no network after the installation
	@$(BIN)/proctor siris demo

test: $(READY) ## run the tests, except slow ones and benchmarks
	@$(BIN)/pytest -q -n 2

lint: $(READY) ## check rules, layout and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: $(READY) ## measure speed
	@$(BIN)/pytest -q -m bench --benchmark-enable --benchmark-columns=min,mean,stddev,ops,rounds

accuracy: $(READY) ## compare the simulator with measured runs of vLLM (needs ../shared)
	@$(BIN)/proctor serving accuracy

constraints: ## pin in constraints.txt what pyproject.toml's ranges give today
	@$(CHECK_PYTHON)
	@rm -rf $(VENV)-constraints
	@$(PYTHON) -m venv $(VENV)-constraints
	@$(VENV)-constraints/bin/python $(PIP) install -e '.[dev,ray,local-model]'
	@{ echo "# Exact versions that make demo and make test install. Written by: make constraints"; \
	   $(VENV)-constraints/bin/python $(PIP) freeze --exclude-editable; } > constraints.txt.new
	@mv constraints.txt.new constraints.txt
	@rm -rf $(VENV)-constraints

clean: ## remove .venv and everything that tools leave behind
	rm -rf $(VENV) $(VENV)-constraints dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

define CHECK_PYTHON
test -n "$(PYTHON)" || { echo "proctor needs Python 3.11 or newer with its venv module (Debian, Ubuntu: apt install \
python3-venv); name one with make PYTHON=/path/to/python" >&2; exit 1; }
endef

# The build backend comes from the constraints too, so that nothing unpinned takes part.
$(READY): pyproject.toml constraints.txt
	@test -x $(BIN)/python || { $(CHECK_PYTHON); $(PYTHON) -m venv --clear $(VENV); }
	@echo "installing into $(VENV)" >&2
	@$(BIN)/python $(PIP) install -c constraints.txt hatchling
	@$(BIN)/python $(PIP) install -c constraints.txt --no-build-isolation -e '.[dev]'
	@touch $@
