# Every command of the project; `make` alone lists them. Needs Python 3.11 or later; Java 17 or later only where it says so.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# The stamps are newer than what the environment was made from, or it is brought up to date.
READY := $(VENV)/.ready
ENGINE_READY := $(VENV)/.engine-ready

# Cases to run or record, all if empty: make conformance CASES="filter null_key"
CASES ?=

# Java's jars come with Maven if there is one, otherwise with the Ivy inside PySpark. PySpark is 450 MB, so
# it is installed for them only where Maven is missing, and only by the command that needs jars.
MAVEN := $(shell command -v mvn 2>/dev/null)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: check-format check-lint check-types check-imports check-architecture
.PHONY: help setup engine run test check pyright format conformance conformance-record bench lock clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## make the virtual environment .venv from the lock file
	@:

engine: $(ENGINE_READY) ## add PySpark and the Kafka client to it (Java; 450 MB)
	@:

run: $(READY) ## set up and show a demonstration
	@$(BIN)/penstock demo

test: $(READY) ## run the whole test suite (the Java oracle's part only if there is a JDK)
	@$(BIN)/python -m pytest

# Each check is a target of its own, so that `make -k check` shows what all of them have to say.
check: check-format check-lint check-types check-imports check-architecture ## all fast checks: under a minute

check-format: $(READY)
	@echo "== ruff format" && $(BIN)/ruff format --check --output-format concise .

check-lint: $(READY)
	@echo "== ruff check" && $(BIN)/ruff check --output-format concise .

check-types: $(READY)
	@echo "== mypy" && $(BIN)/mypy

check-imports: $(READY)
	@echo "== import contracts" && $(BIN)/lint-imports --no-logo

check-architecture: $(READY)
	@echo "== architecture tests" && $(BIN)/python -m pytest -q -m architecture

pyright: $(READY) ## what a user's editor says about the types; not part of check
	@$(BIN)/basedpyright

format: $(READY) ## format the code and fix what can be fixed
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

conformance: $(READY) ## compare with what Java did (CASES="name ..." for some)
	@$(BIN)/python -m conformance.run $(CASES)

conformance-record: $(READY) ## write Java's answers anew (JDK; CASES="name ..." for some)
	@$(PYTHON) scripts/preflight.py jdk
	@$(if $(MAVEN),:,$(MAKE) --no-print-directory engine)
	@$(BIN)/python -m conformance.record $(CASES)

bench: $(READY) ## measure speed
	@$(BIN)/python benchmarks/run.py

lock: $(READY) ## choose the versions of all packages anew, within pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(LOCK) --group dev --output-file requirements/dev.lock
	@$(LOCK) --extra engine --constraint requirements/dev.lock --output-file requirements/engine.lock

# Hashes, and versions for every platform and Python from 3.11 on; where packages come from is pip's setting, not ours.
LOCK = $(BIN)/uv pip compile pyproject.toml --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"

clean: ## remove the environment and everything tools have left
	@rm -rf $(VENV) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml requirements/dev.lock scripts/environment.py
	@command -v $(PYTHON) >/dev/null || { echo "penstock: Python 3.11 or later is needed and there is no '$(PYTHON)' on the PATH; install it, or name one you have: make PYTHON=python3.11" >&2; exit 1; }
	@$(PYTHON) scripts/preflight.py python
	@$(PYTHON) scripts/environment.py $(VENV) requirements/dev.lock
	@touch $@

$(ENGINE_READY): $(READY) requirements/engine.lock
	@$(PYTHON) scripts/preflight.py java
	@$(PYTHON) scripts/environment.py $(VENV) requirements/engine.lock
	@touch $@
