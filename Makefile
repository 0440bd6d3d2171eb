# BlobForge: everything a developer types. `make help` lists it.

# The first Python of 3.11 or newer; say PYTHON=... for another.
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# Each process has servers of its own, and much of the time is waiting for them: one more than there are cores.
PARALLEL := -n $(shell echo $$(( $$(nproc 2>/dev/null || sysctl -n hw.ncpu) + 1 ))) --dist worksteal
SYSTEM_PACKAGES := tesseract-ocr git-lfs curl chromium
# Where it is set, each of the thousand processes that the tests start would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup dev-setup demo check lint types locks docs format test test-all test-quick fuzz-server digests mutants prove ablation bench bench-convert bench-lab bench-queue bench-bucket bench-server system-deps lock examples wheel release clean

help: ## Lists these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "BlobForge needs Python 3.11 or newer; install one, or say make PYTHON=/path/to/python"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml requirements/build.txt requirements/workers.txt | $(BIN)/python
	$(PIP) install --require-hashes -r requirements/build.txt -r requirements/workers.txt
	$(PIP) install --no-build-isolation --no-deps --editable .
	@touch $@

$(VENV)/.installed-dev: requirements/dev.txt $(VENV)/.installed
	$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $@

$(VENV)/.installed-release: requirements/release.txt $(VENV)/.installed-dev
	$(PIP) install --require-hashes -r requirements/release.txt
	@touch $@

$(VENV)/.installed-docs: requirements/docs.txt $(VENV)/.installed-dev
	$(PIP) install --require-hashes -r requirements/docs.txt
	@touch $@

$(VENV)/.installed-bench: requirements/bench.txt $(VENV)/.installed-dev
	$(PIP) install --require-hashes -r requirements/bench.txt
	@touch $@

setup: $(VENV)/.installed ## Builds .venv with .venv/bin/blobforge, for every row of the table in README.md

dev-setup: $(VENV)/.installed-dev ## The same, with what the checks and tests need

demo: setup ## Converts examples/ into out/
	@sh examples/demo.sh $(BIN)/blobforge

check: dev-setup $(VENV)/.installed-release $(VENV)/.installed-docs ## Lint, types, layers, dependencies, documentation; no tests
	@$(MAKE) --no-print-directory --jobs=3 lint types locks docs

lint: dev-setup ## A part of check: style, layers, which dependencies are used
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/deptry src

types: dev-setup ## A part of check
	$(BIN)/mypy

locks: $(VENV)/.installed-release ## A part of check: are the locks what pyproject.toml asks for, and known to be safe
	$(BIN)/python -m release.lock --check
	$(BIN)/python -m release.audit

# Not --quiet, which keeps warnings from being counted. The notice that is switched off is about the end of Material's life, for which see docs/dependencies.md.
docs: $(VENV)/.installed-docs ## Builds the documentation into site/; a warning or a broken link is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

format: dev-setup ## Formats the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

test: dev-setup ## What every change must pass, and that the domain is covered; installs system parts where it may
	@sh tests/prepare.sh "$(SYSTEM_PACKAGES)"
	$(BIN)/python -m coverage erase
	$(BIN)/python -m coverage run -m pytest -q --no-summary --durations=0 tests/unit/domain
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report --fail-under=100 --include='*/blobforge/domain/*'
	$(BIN)/python -m pytest $(PARALLEL) -m "not extended" --ignore tests/unit/domain

test-all: dev-setup ## Everything, the extended tests too, with coverage in all processes (a quarter of an hour)
	@sh tests/prepare.sh "$(SYSTEM_PACKAGES)"
	$(BIN)/python -m coverage erase
	$(BIN)/python -m coverage run -m pytest $(PARALLEL)
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report --fail-under=95
	$(BIN)/python -m coverage report --fail-under=100 --include='*/blobforge/domain/*'

test-quick: dev-setup ## The unit tests alone
	$(BIN)/python -m pytest $(PARALLEL) tests/unit

fuzz-server: dev-setup ## Sends requests that nobody thought of to every route of a server (MINUTES=5, SEED=... for those of a run)
	$(BIN)/python -m tests.fuzz_server $(or $(MINUTES),5) $(SEED)

digests: dev-setup ## Writes down what new versions of processors make of the documents in tests/output_digests
	$(BIN)/python -m tests.output_digests

mutants: dev-setup ## Plants bugs in the queue and tells which test catches each (ONLY="name of a bug" tries one)
	$(BIN)/python -m tests.mutants $(if $(ONLY),--only "$(ONLY)")

prove: dev-setup ## The queue in a bucket under schedules that tests never meet, and each known way to lose a job (FULL=1: all of it, hours)
	$(BIN)/python -m tests.proof $(if $(FULL),--every 1 --count 20000)

bench-convert: dev-setup ## How good and fast the engines are, side by side (CORPUS=... adds documents)
	$(BIN)/python -m benchmarks.convert_score

ablation: dev-setup ## Which rules of the layout engine change no score (CORPUS=... adds documents, ONLY=name, MINUTES=60)
	$(BIN)/python -m benchmarks.ablation $(if $(ONLY),--only "$(ONLY)") $(if $(MINUTES),--minutes $(MINUTES))

bench: dev-setup ## Speed and memory against their limits (CORPUS=... adds documents)
	$(BIN)/python -m benchmarks

bench-lab: dev-setup ## How well lab reports are read (CORPUS=... adds reports with labels)
	$(BIN)/python -m benchmarks.lab

bench-queue: dev-setup $(VENV)/.installed-bench ## The queue on PostgreSQL, against plain SQL and other queues (QUICK=1 for a look)
	$(BIN)/python -m benchmarks.postgres $(if $(QUICK),--quick)

bench-server: dev-setup ## The server: requests against ones that do nothing, idle workers, lists, large files
	$(BIN)/python -m benchmarks.server

bench-bucket: dev-setup ## The queue in a bucket: requests, conflicts, rates (QUICK=1 for a look)
	$(BIN)/python -m benchmarks.bucket $(if $(QUICK),--quick)

system-deps: ## Installs the tools that tests and OCR use (root and apt)
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(SYSTEM_PACKAGES)

lock: $(VENV)/.installed-release ## Locks the dependencies anew, with hashes and without index addresses
	$(BIN)/python -m release.lock

examples: dev-setup ## Makes the example documents again
	$(BIN)/python examples/make_examples.py

wheel: dev-setup ## Builds the wheel into dist/
	$(BIN)/python -m hatchling build -t wheel

release: $(VENV)/.installed-release ## Builds and tries sdist and wheel, with a bill of materials (CycloneDX) and hashes, in dist/
	$(BIN)/python -m release.build

clean: ## Removes what the targets made
	rm -rf $(VENV) out dist site .coverage* .mypy_cache .ruff_cache .pytest_cache
