# Each target sets up what it needs: a virtual environment in .venv, the build, the run. Needed beforehand: Python 3.10 or newer
# and a Rust toolchain. Another interpreter: make test PYTHON=python3.13 VENV=.venv313
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Where nothing has to be downloaded, pip says so; it is quiet unless something is wrong.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

RUST_SOURCES := $(shell find rust -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock pyproject.toml

.PHONY: help demo test test-integrations bench bench-short lint fuzz format profile clean

help: ## What each target does
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# Tools by group, each installed once.
$(VENV)/.tools-%: requirements/%.txt | $(BIN)/python
	$(PIP) --requirement $<
	@touch $@

# The package itself, built in release mode and importable from the tree.
$(VENV)/.built: $(RUST_SOURCES) $(VENV)/.tools-build
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --release --quiet
	@touch $@

demo: $(VENV)/.built ## Place a small lorebook into a chat and print the prompt
	@$(BIN)/python -m interleaf demo

test: $(VENV)/.built $(VENV)/.tools-test ## All tests: the Rust core, then everything from Python
	cargo test --quiet --locked --package interleaf-core
	$(BIN)/python -m pytest --quiet

lint: $(VENV)/.built $(VENV)/.tools-lint $(VENV)/.tools-test ## Formatters, linters and type checkers
	cargo fmt --all --check
	cargo clippy --quiet --locked --workspace --all-targets -- --deny warnings
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --quiet --check
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest interleaf._interleaf

format: $(VENV)/.tools-lint ## Write the code as the formatters want it
	cargo fmt --all
	$(BIN)/ruff check --quiet --fix
	$(BIN)/ruff format --quiet

test-integrations: $(VENV)/.built $(VENV)/.tools-test $(VENV)/.tools-integrations ## The adapters and hooks against the real libraries
	INTERLEAF_REQUIRE_INTEGRATIONS=1 $(BIN)/python -m pytest --quiet tests/adapters tests/budget

bench: $(VENV)/.built $(VENV)/.tools-test ## Every row beside the bare build and the reference
	$(BIN)/python benches/table.py

bench-short: $(VENV)/.built $(VENV)/.tools-test ## A few rounds; fails only on twice a goal
	$(BIN)/python benches/table.py --short

# Which row, and which way to call it, see benches/profile_row.py.
ROW ?= place-60
WHAT ?= native
profile: $(VENV)/.tools-build ## Where the instructions of ROW go (needs valgrind)
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --profile profiling --quiet
	@rm -f $(VENV)/.built; mkdir -p benches/results
	valgrind -q --tool=callgrind --collect-atstart=no --toggle-collect='interleaf::*::__pyfunction_*' \
		--callgrind-out-file=benches/results/callgrind.out \
		$(BIN)/python benches/profile_row.py run $(ROW) --what $(WHAT) --calls 2000
	callgrind_annotate --auto=no benches/results/callgrind.out | head -60

fuzz: $(VENV)/.built $(VENV)/.tools-test ## 100,000 examples for each property
	INTERLEAF_HYPOTHESIS_PROFILE=fuzz $(BIN)/python -m pytest --quiet tests

clean: ## Everything that was built
	rm -rf $(VENV) target dist site

# Into site/, to open as files or to serve. The theme announces its successor on each build unless it is told not to.
docs: $(VENV)/.built $(VENV)/.tools-docs ## The pages, in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict
.PHONY: docs
