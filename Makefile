# Each target sets up what it needs: a virtual environment in .venv, the build, the run. Needed beforehand: Python 3.10 or newer
# and a Rust toolchain. Another interpreter: make test PYTHON=python3.13 VENV=.venv313
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
# Where nothing has to be downloaded, pip says so; it is quiet unless something is wrong.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

RUST_SOURCES := $(shell find rust -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock pyproject.toml

.PHONY: help demo test test-integrations bench bench-short lint fuzz fuzz-seeded fuzz-bindings fuzz-properties fuzz-hostile format profile clean dist dist-musl check-tag fuzz-core memcheck mutants scaling bench-report

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
	$(SEEDED) 20000
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

# The targets of fuzz/ with pseudo-random input: each compares the core with the plainest code that gives the same answer.
SEEDED := cargo run --quiet --release --manifest-path fuzz/Cargo.toml --no-default-features --bin seeded --

# The four of them at once, so that no core waits for the longest.
fuzz: $(VENV)/.built $(VENV)/.tools-test ## A million runs of the bindings and of each target on the core, all properties, the long hostile forms
	$(MAKE) -j4 fuzz-hostile fuzz-bindings fuzz-properties fuzz-seeded

fuzz-seeded: ## A million runs of each target on the core
	$(SEEDED) 1000000

# Another seed: other requests.
SEED ?= 1
fuzz-bindings: $(VENV)/.built $(VENV)/.tools-test ## A million random requests of SEED, native beside the reference
	$(BIN)/python tests/hostile/sampling.py --runs 1000000 --seed $(SEED) --processes 2

fuzz-properties: $(VENV)/.built $(VENV)/.tools-test ## 1,000 examples for each property
	INTERLEAF_HYPOTHESIS_PROFILE=fuzz $(BIN)/python -m pytest --quiet -m hypothesis tests

fuzz-hostile: $(VENV)/.built $(VENV)/.tools-test ## The hostile tests in their long form
	INTERLEAF_HYPOTHESIS_PROFILE=fuzz $(BIN)/python -m pytest --quiet --durations=10 tests/hostile

# Guided by coverage, for as long as SECONDS says; needs a nightly toolchain and a C++ compiler.
SECONDS ?= 60
fuzz-core: ## The targets of fuzz/ under libFuzzer with AddressSanitizer, SECONDS each
	cargo fuzz --version >/dev/null 2>&1 || cargo install --quiet --locked cargo-fuzz
	for target in layouts orders markers measuring; do cargo +nightly fuzz run $$target -- -max_total_time=$(SECONDS) -max_len=512 || exit 1; done

clean: ## Everything that was built
	rm -rf $(VENV) target dist site

# Into site/, to open as files or to serve. The theme announces its successor on each build unless it is told not to.
docs: $(VENV)/.built $(VENV)/.tools-docs ## The pages, in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict
.PHONY: docs

# Interpreters to build for; empty: every CPython from 3.10 on this machine (release/interpreters.py lists them). DIST_FLAGS is for
# release/build_dist.py: --compatibility manylinux_2_17 links against that C library by zig, for machines older than this one.
PYTHONS ?=
DIST_FLAGS ?=

dist: $(VENV)/.tools-build $(if $(DIST_FLAGS),$(VENV)/.tools-wheels) ## Source archive and wheels, each wheel installed and tested outside the tree
	$(BIN)/python release/build_dist.py $(DIST_FLAGS) $(PYTHONS)

# The same for musl, inside the container image the tag musllinux_1_2 is defined by; needs Docker.
MUSL_IMAGE ?= quay.io/pypa/musllinux_1_2_$(shell uname -m)
dist-musl: ## Wheels for musl, built and tested in a container
	docker run --rm --volume "$(CURDIR)":/source --workdir /source $(MUSL_IMAGE) sh -euc ' \
		apk add --no-cache rustup && rustup-init -y --quiet --profile minimal && . "$$HOME/.cargo/env" && \
		make dist VENV=/tmp/environment PYTHON=/opt/python/cp313-cp313/bin/python \
			PYTHONS="$$(ls -d /opt/python/cp3*-cp3*/bin/python | grep -E "cp31[0-4]-cp31[0-4]/" | tr "\n" " ")"'

check-tag: ## TAG=v1.2.3 is the version of the sources
	@PYTHONPATH=release $(PYTHON) -c 'import pathlib, sys, archives; version = archives.workspace_version(pathlib.Path()); \
		sys.exit(None if sys.argv[1] == "v" + version else f"tag {sys.argv[1]}, but the sources are version {version}")' "$(TAG)"

# What the benches are compared with.
BASE ?= main
bench-report: $(VENV)/.built $(VENV)/.tools-test ## The benches of BASE and of this tree, in ratios
	$(BIN)/python release/bench_report.py $(BASE)

memcheck: $(VENV)/.built ## The hostile workload under valgrind
	$(BIN)/python release/memcheck.py tests/hostile/workload.py 3

# How many mutants of the reference are run; empty: all, for hours.
SAMPLE ?=
mutants: $(VENV)/.built $(VENV)/.tools-test ## Which changes of the core and of the reference no test notices
	cargo mutants --version >/dev/null 2>&1 || cargo install --quiet --locked cargo-mutants
	cargo mutants --package interleaf-core --jobs 1 --output target $(MUTANTS_FLAGS)
	$(BIN)/python release/mutate_reference.py $(if $(SAMPLE),--sample $(SAMPLE))

scaling: $(VENV)/.built ## Time per unit from 10 to a million, for everything that could be quadratic
	$(BIN)/python tests/hostile/scaling.py
