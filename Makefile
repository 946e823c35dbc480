# Every target sets up what it needs: a machine with Python 3.11 or newer, Rust and a C compiler is enough.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
SOURCES := Cargo.toml Cargo.lock pyproject.toml $(shell find src -type f)

.PHONY: build help demo test check stress fuzz lint format licences bench units docs wheel clean
.NOTPARALLEL:

# Seconds that each fuzzer runs.
FUZZ_SECONDS ?= 600

build: $(VENV)/built ## The package, compiled for speed, in .venv (what plain `make` does)

help: ## This list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "%-10s%s\n", $$1, $$2 }' Makefile

demo: $(VENV)/notebook ## Costs of a demo project, with charts and maps in build/demo/
	$(BIN)/python examples/costs_per_system.py

test: $(VENV)/dev ## All tests
	cargo test --quiet --features geo,geojson
	$(BIN)/python -m pytest

check: lint ## What to run before each commit: lint, and the tests without the slow ones
	cargo test --quiet --features geo,geojson
	$(BIN)/python -m pytest -m "not slow"

# The tests that get better with time, for minutes instead of a moment.
stress: $(VENV)/dev ## Durability and load, for minutes
	GEODESIGN_STRESS=1 $(BIN)/python -m pytest -s tests/test_durability.py tests/test_load.py

# Needs a nightly toolchain. What they find becomes a seed in tests/seeds.
fuzz: ## The fuzzers, FUZZ_SECONDS each
	@cargo fuzz --version > /dev/null 2>&1 || cargo install cargo-fuzz --quiet
	@cd fuzz && set -e && for target in $(notdir $(wildcard tests/seeds/*)); do \
		mkdir -p corpus/$$target; \
		cargo +nightly fuzz run --fuzz-dir . $$target corpus/$$target ../tests/seeds/$$target -- -max_total_time=$(FUZZ_SECONDS); \
	done

lint: $(VENV)/dev ## Style, types, stubs, licences, workflows; nothing is changed
	cargo fmt --check
	cargo clippy --quiet --all-targets --features python,geo,geojson -- -D warnings
	cargo clippy --quiet --no-default-features -- -D warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python tools/stubs.py --check
	$(BIN)/python -m mypy.stubtest pygeodesign --mypy-config-file pyproject.toml
	$(BIN)/python tools/licences.py --check
	$(BIN)/zizmor --offline --quiet --persona pedantic .github
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/*.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.citation-file-format CITATION.cff

format: $(VENV)/checks ## Formats Rust and Python, and repairs what ruff can
	cargo fmt
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

licences: ## THIRD_PARTY_LICENSES.txt, after a change to Cargo.lock
	$(PYTHON) tools/licences.py

bench: $(VENV)/dev ## Times beside those of what one would pick instead
	@$(PIP) install --group bench
	$(BIN)/python benches/compare.py

# Parts alone, Python dicts among them: outside of Python, its library has to be found.
units: $(VENV)/dev ## Times of parts alone
	PYO3_PYTHON=$(CURDIR)/$(BIN)/python \
	LD_LIBRARY_PATH=$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_config_var("LIBDIR"))') \
	cargo bench --quiet --bench units --features python

docs: $(VENV)/dev ## The reference, in build/docs/python and target/doc
	cargo doc --quiet --no-deps --features geo,geojson
	$(BIN)/pdoc pygeodesign pygeodesign.errors pygeodesign.types pygeodesign.plots --docformat google --output-directory build/docs/python
	@echo "Python: build/docs/python/index.html   Rust: target/doc/geodesign/index.html"

# On Linux, zig links against the symbols of glibc 2.28, so that the wheel runs on every distribution since 2019; maturin
# refuses it otherwise.
wheel: $(VENV)/wheel ## A wheel in dist/ that runs on other machines too, tried in an empty environment
	@rm -f dist/*.whl
ifeq ($(shell uname -s),Linux)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/maturin build --release --locked --out dist --zig --compatibility manylinux_2_28
else
	$(BIN)/maturin build --release --locked --out dist
endif
	$(BIN)/abi3audit --strict dist/*-abi3-*.whl
	$(BIN)/python tools/try_wheel.py dist/*.whl

clean: ## Removes what the targets made, but not dist/
	rm -rf $(VENV) build target

$(VENV)/tools: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "pygeodesign needs Python 3.11 or newer; name one with PYTHON=...")'
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --upgrade pip 'maturin>=1.9,<2'
	@touch $@

$(VENV)/built: $(VENV)/tools $(SOURCES)
	@echo "Building pygeodesign (the first time takes a few minutes)"
	@VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --release --quiet
	@touch $@

# The library is built by now, so that this only adds what the extra asks for.
$(VENV)/notebook: $(VENV)/built
	@VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --release --quiet --extras notebook
	@touch $@

$(VENV)/checks: $(VENV)/tools pyproject.toml
	@$(PIP) install --group checks
	@touch $@

$(VENV)/dev: $(VENV)/notebook $(VENV)/checks
	@touch $@

$(VENV)/wheel: $(VENV)/tools pyproject.toml
	@$(PIP) install --group wheel
	@touch $@
