# Two commands do everything a newcomer needs: `make demo` and `make test`.
# Both set themselves up: a virtual environment from the lock file, and what the machine needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
MACHINE := scripts/prepare-machine

# With it, each worker and each server of the tests would compile the same modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo docs release publishing-tools test test-slow test-rest test-all lint types layers unit coverage lock format sentences house growth patterns api-tools api-fuzz bench clean

demo: $(READY)
	@$(MACHINE) bubblewrap
	@$(BIN)/python -m demo

test: $(READY)
	@$(MACHINE) bubblewrap postgresql redis docker chromium nginx
	$(MAKE) --no-print-directory --jobs=2 --output-sync=target types lint layers
	$(MAKE) --no-print-directory unit

# What takes longer than a newcomer likes to wait: `.ci/run` runs it after `test`.
test-slow: $(READY)
	@$(MACHINE) bubblewrap postgresql redis docker chromium nginx
	$(MAKE) --no-print-directory unit LEFT_OUT='-m "slow and not exhaustive"'

# What both leave out: tests that repeat others with other data, and other examples for properties.
test-rest: $(READY)
	@$(MACHINE) bubblewrap postgresql redis docker chromium nginx
	$(MAKE) --no-print-directory unit LEFT_OUT='-m "exhaustive or hypothesis" --hypothesis-profile=searching'

# All in one. A part of it is a part of the tests alone: PART=1/4 to PART=4/4.
test-all: $(READY)
	@$(MACHINE) bubblewrap postgresql redis docker chromium nginx
	$(MAKE) --no-print-directory $(if $(PART),,lint types layers) unit LEFT_OUT=--hypothesis-profile=searching PART=$(PART)

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(READY)
	$(BIN)/mypy

layers: $(READY)
	$(BIN)/lint-imports

# Stories wait for most of their time, so there are more workers than cores.
unit: $(READY)
	$(ROOMY)$(BIN)/python -m pytest --workers 6 --inline-snapshot=disable $(LEFT_OUT) $(if $(PART),--part $(PART)) $(COVERAGE) $(ARGS)
LEFT_OUT := -m "not exhaustive and not slow"
# Memory is quicker than a disk that has to keep what it is told, if there is room for all of it.
ROOMY := $(shell df --output=avail /dev/shm 2>/dev/null | awk 'NR == 2 && $$1 >= 4000000 {print "TMPDIR=/dev/shm "}')

# Not a part of `unit`: on Python 3.11 a story takes half as long again when its lines are counted.
coverage: COVERAGE := --cov --cov-report=term:skip-covered
coverage: unit

# docs/sentences.md: what Fixpoint says to people, printed by the code that says it; docs/rules.md and
# docs/ecosystems.md likewise.
sentences: $(READY)
	@$(BIN)/python -m tests.sentences
	@$(BIN)/python -m tests.rules_page
	@$(BIN)/python -m tests.ecosystems_page

# Modules, lines and names of each room; BASE=<revision> shows the difference to it.
house: $(READY)
	@$(BIN)/python -m bench.house $(BASE)

# Totals may not exceed those of bench/house.toml; WHY="..." records them: CONTRIBUTING.md, Growth.
growth: $(READY)
	@$(BIN)/python -m bench.house --hold $(if $(WHY),--why "$(WHY)")

# Measures all regular expressions, so that `make test` measures only new ones.
patterns: $(READY)
	@$(BIN)/python -m tests.unit.measured_patterns

# Programs of others that read the API's description. They need other versions of what we need.
API_TOOLS := $(VENV)/api-tools
api-tools: $(READY)
	@test -x $(API_TOOLS)/bin/python || $(PYTHON) -m venv $(API_TOOLS)
	@$(BIN)/uv pip install --quiet --python $(API_TOOLS)/bin/python schemathesis==4.32.5 openapi-python-client==0.29.1

# What builds, checks and describes a release, and the site of the documentation.
PUBLISHING := $(VENV)/publishing-tools
publishing-tools: $(READY)
	@test -x $(PUBLISHING)/bin/python || $(PYTHON) -m venv $(PUBLISHING)
	@$(BIN)/uv pip sync --quiet --python $(PUBLISHING)/bin/python --require-hashes requirements-publishing.lock

# dist/: the wheel, the sdist, and the list of what an installation contains (CycloneDX).
release: publishing-tools
	@rm -rf dist build
	@$(PUBLISHING)/bin/pyproject-build --no-isolation --outdir dist .
	@$(PUBLISHING)/bin/twine check --strict dist/*
	@$(PUBLISHING)/bin/check-wheel-contents dist/*.whl
	@$(PUBLISHING)/bin/python scripts/check_chart.py
	@$(PUBLISHING)/bin/cyclonedx-py requirements requirements.lock --pyproject pyproject.toml --output-reproducible --output-file dist/fixpoint.cdx.json

# site/, from docs/ and what stands beside it.
docs: publishing-tools
	@$(PUBLISHING)/bin/python -m mkdocs build --strict --quiet

# Ten minutes or more of requests that nobody would write.
api-fuzz: api-tools
	API_EXAMPLES=100 $(BIN)/python -m pytest tests/flows/test_api_tools.py -k described

bench: $(READY)
	@$(MACHINE) bubblewrap
	@$(BIN)/python -m bench

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The lock files name versions and hashes, and no index.
lock: $(READY)
	$(BIN)/uv pip compile $(LOCK) pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile $(LOCK) pyproject.toml --group dev -o requirements-dev.lock
	$(BIN)/uv pip compile $(LOCK) --group publishing -o requirements-publishing.lock
LOCK := --quiet --upgrade --universal --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11

$(READY): requirements-dev.lock pyproject.toml $(MACHINE)
	@$(MACHINE) python
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check "$$(grep -o '^uv==[^ ;]*' requirements.lock)"
	@$(BIN)/uv pip sync --quiet --python $(BIN)/python --compile-bytecode --require-hashes requirements-dev.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable .
	@$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --dest $(SEEDS) $(SEEDED)
	@touch $@

# What every new environment of Python 3.11 begins with. Without these, each story whose sandbox
# reaches no index waits for one, and then unpacks pip with ensurepip: four seconds of work.
SEEDS := $(VENV)/seeds
SEEDED := packaging pip setuptools wheel

clean:
	rm -rf $(VENV) site dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .coverage build *.egg-info
