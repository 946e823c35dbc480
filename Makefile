# Every target sets up what it needs: a machine with Python 3.11 or newer, Rust and a C compiler is enough.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
SOURCES := Cargo.toml Cargo.lock pyproject.toml $(shell find src -type f)

.PHONY: build demo test stress fuzz lint bench units docs clean

# Seconds that each fuzzer runs.
FUZZ_SECONDS ?= 600

build: $(VENV)/built

demo: $(VENV)/notebook
	$(BIN)/python examples/costs_per_system.py

test: $(VENV)/dev
	cargo test --quiet
	$(BIN)/python -m pytest

# The tests that get better with time, for minutes instead of a moment.
stress: $(VENV)/dev
	GEODESIGN_STRESS=1 $(BIN)/python -m pytest -s tests/test_durability.py tests/test_load.py

# Needs a nightly toolchain. What they find becomes a seed in tests/seeds.
fuzz:
	@cargo fuzz --version > /dev/null 2>&1 || cargo install cargo-fuzz --quiet
	@cd fuzz && set -e && for target in $(notdir $(wildcard tests/seeds/*)); do \
		mkdir -p corpus/$$target; \
		cargo +nightly fuzz run --fuzz-dir . $$target corpus/$$target ../tests/seeds/$$target -- -max_total_time=$(FUZZ_SECONDS); \
	done

lint: $(VENV)/dev
	cargo fmt --check
	cargo clippy --quiet --all-targets --features python -- -D warnings
	cargo clippy --quiet --no-default-features -- -D warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python tools/stubs.py --check
	$(BIN)/python -m mypy.stubtest pygeodesign --mypy-config-file pyproject.toml

bench: $(VENV)/dev
	@$(PIP) install --group bench
	$(BIN)/python benches/compare.py

# Parts alone, Python dicts among them: outside of Python, its library has to be found.
units: $(VENV)/dev
	PYO3_PYTHON=$(CURDIR)/$(BIN)/python \
	LD_LIBRARY_PATH=$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_config_var("LIBDIR"))') \
	cargo bench --quiet --bench units --features python

docs: $(VENV)/dev
	cargo doc --quiet --no-deps
	$(BIN)/pdoc pygeodesign pygeodesign.errors pygeodesign.types pygeodesign.plots --docformat google --output-directory build/docs/python
	@echo "Python: build/docs/python/index.html   Rust: target/doc/geodesign/index.html"

clean:
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

$(VENV)/dev: $(VENV)/notebook
	@$(PIP) install --group checks
	@touch $@
