# Every command of the project; `make` alone lists them. Needs Python 3.11 or later and Java 17 or later.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# The stamps are newer than what the environment was made from, or it is brought up to date.
READY := $(VENV)/.ready

# Cases to run or record, all if empty: make conformance CASES="filter null_key"
CASES ?=

# Random programs to compare with Java: make fuzz SEEDS=5000 COUNT=100
SEEDS ?= 0
COUNT ?= 2000

# What to measure, everything if empty: make bench BENCH="--only rekey fraud --rounds 3"
BENCH ?=

# Programs to start twice, all if empty: make restarts PROGRAMS="tumbling foreign-key"
PROGRAMS ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: check-format check-lint check-types check-imports check-architecture
.PHONY: help setup run test test-long test-no-c check pyright format examples sanitize conformance conformance-spark conformance-dataframes conformance-record fuzz bench bench-full bench-runtime bench-backfill bench-dataframes bench-startup chaos soak restarts backfill docs docs-serve docs-generate wheel wheel-check audit licences sbom lock clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## make the virtual environment .venv from the lock file
	@:

run: $(READY) ## set up and show a demonstration: broker, Spark, two programs
	@$(BIN)/penstock demo

test: $(READY) ## run the whole test suite, three files at a time: most of it waits for brokers and Spark
	@$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder

test-long: $(READY) ## what `make test` leaves out: long tests in further ways
	@$(BIN)/python -m pytest -m long

test-no-c: $(READY) ## the same without the parts in C, which `make test` does only for what touches them
	@PENSTOCK_NO_C=1 $(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder

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
	@echo "== architecture tests" && $(BIN)/python -m pytest -q -m architecture $$(grep -rl mark.architecture tests --include='test_*.py')

sanitize: $(READY) ## run the tests of the parts in C under AddressSanitizer and UBSan; 3 if this machine cannot
	@$(BIN)/python -m scripts.sanitize

pyright: $(READY) ## what a user's editor says about the types; not part of check
	@$(BIN)/basedpyright

format: $(READY) ## format the code and fix what can be fixed
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

examples: $(READY) ## run the eight applications of examples/, each some seconds, and check every result
	@$(BIN)/python -m examples --check

conformance: $(READY) ## compare with what Java did (CASES="name ..." for some)
	@$(BIN)/python -m conformance.run $(CASES)

conformance-spark: $(READY) ## the same on Spark and a real broker: 20 minutes (CASES="name ..." for some)
	@$(BIN)/python -m conformance.on_spark --lanes 3 $(CASES)

conformance-dataframes: $(READY) ## the same and 300 random programs as bounded Spark jobs, on 1, 2 and 5 partitions: an hour
	@$(BIN)/python -m conformance.dataframes.run --programs 300 $(CASES)

conformance-record: $(READY) ## write Java's answers anew (JDK; CASES="name ..." for some)
	@$(PYTHON) scripts/preflight.py jdk
	@$(BIN)/python -m conformance.record $(CASES)

fuzz: $(READY) ## compare random programs with Java (JDK; SEEDS= the first, COUNT= how many)
	@$(PYTHON) scripts/preflight.py jdk
	@$(BIN)/python -m conformance.fuzz.run --first $(SEEDS) --count $(COUNT)

bench: $(READY) ## measure against Java Kafka Streams, exactly-once: 25 minutes (JDK; BENCH="--only NAME ..." for some)
	@$(PYTHON) scripts/preflight.py jdk
	@$(BIN)/python -m benchmarks $(BENCH)

bench-full: $(READY) ## the same with rivals, at-least-once, latency, restoring, growth: two hours
	@$(PYTHON) scripts/preflight.py jdk
	@$(BIN)/python -m benchmarks --full $(BENCH)

bench-runtime: $(READY) ## measure a record's way through the runtime, without Spark and broker
	@$(BIN)/python -m benchmarks.runtime

chaos: $(READY) ## faults of 31 kinds for an hour; nothing lost or doubled (CHAOS="--seed 2 --minutes 5 --lanes workers")
	@$(BIN)/python -m tests.chaos $(CHAOS)

soak: $(READY) ## two hours on Spark with killed workers: memory, files and latency stay flat (SOAK="--minutes 30")
	@$(BIN)/python -m tests.chaos.soak $(SOAK)

cluster: $(READY) ## a standalone cluster on this machine, executors and workers killed for minutes (CLUSTER="--rounds 20 --seed 2")
	@$(BIN)/python -m tests.spark.standalone_rounds $(CLUSTER)

restarts: $(READY) ## each stateful verb on Spark with a restart in the middle (PROGRAMS="name ..." for some)
	@$(BIN)/python -m tests.spark.stateful_restart $(PROGRAMS)

backfill: $(READY) ## two million events of history in Parquet, then live; the backfill is killed in the middle
	@$(BIN)/python -m tests.spark.backfill_live

bench-backfill: $(READY) ## measure a backfill against the live engine and Java Kafka Streams (JDK)
	@$(PYTHON) scripts/preflight.py jdk
	@$(BIN)/python -m benchmarks.backfill --memory $(BENCH)

bench-startup: $(READY) ## measure starts to the first committed result beside Java Kafka Streams (JDK)
	@$(BIN)/python -m benchmarks.startup $(BENCH)

bench-dataframes: $(READY) ## measure a topology over Parquet files beside Spark SQL and a loop by hand
	@$(BIN)/python -m benchmarks.bounded $(BENCH)

docs: $(READY) ## build the documentation site into build/site; a warning or a dead link is an error
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "open build/site/index.html"

docs-serve: $(READY) ## show the documentation site on this machine while it is written
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve --livereload

docs-generate: $(READY) ## draw the pictures and write the reference pages of docs/ anew
	@$(BIN)/python -m scripts.pictures
	@$(BIN)/python -m scripts.reference

wheel: $(READY) ## build the source archive, a wheel with the parts in C and a pure one into dist/
	@rm -rf dist && $(BIN)/python scripts/wheels.py dist

wheel-check: wheel ## install the wheels into an empty environment, 600 MB of downloads, and try them there
	@$(BIN)/python scripts/wheel_check.py dist

audit: $(READY) ## known vulnerabilities of the locked packages; 3 if the advisory data cannot be had
	@$(BIN)/python scripts/supply_chain.py audit requirements/dev.lock

licences: $(READY) ## the licence of every locked package; unknown and incompatible ones are an error
	@$(BIN)/python scripts/supply_chain.py licences requirements/dev.lock

sbom: $(READY) ## the bill of materials of the lock file, with hashes: build/sbom.json (CycloneDX)
	@$(BIN)/python scripts/supply_chain.py sbom requirements/dev.lock build/sbom.json

lock: $(READY) ## choose the versions of all packages anew, within pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(LOCK) pyproject.toml --group dev --output-file requirements/dev.lock
	@$(LOCK) --group pyproject.toml:docs --constraint requirements/dev.lock --no-annotate --output-file requirements/docs.lock

# Hashes, and versions for every platform and Python from 3.11 on; where packages come from is pip's setting, not ours.
LOCK = $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"

clean: ## remove the environment and everything tools have left
	@rm -rf $(VENV) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

IN_C = $(wildcard src/penstock/_engine/fast/*.h src/penstock/_engine/fast/*.c)

$(READY): pyproject.toml requirements/dev.lock scripts/environment.py hatch_build.py $(IN_C)
	@command -v $(PYTHON) >/dev/null || { echo "penstock: Python 3.11 or later is needed and there is no '$(PYTHON)' on the PATH; install it, or name one you have: make PYTHON=python3.11" >&2; exit 1; }
	@$(PYTHON) scripts/preflight.py python java
	@$(PYTHON) scripts/environment.py $(VENV) requirements/dev.lock
	@touch $@
