# Two commands do everything on a fresh machine with Python 3.11, git and make: `make start` and `make test`.

SHELL := bash
PYTHON ?= python3.11
UV ?= $(shell command -v uv)
VENV := .venv
BIN := $(VENV)/bin
PUBLISHED := $(VENV)/published
FRAMEWORKS := $(VENV)/frameworks
PINS := tests/sdk/adapters/pins
NPM := --no-audit --no-fund --no-package-lock --loglevel=error
RUNTIME := $(VENV)/.runtime
STAMP := $(VENV)/.installed
# Who forbids bytecode for itself would have every process that a test or a command starts compile what it imports.
unexport PYTHONDONTWRITEBYTECODE

# A start has several processes, and a test thousands: what one of them has compiled is kept for the others, even where
# the environment says otherwise. For that reason nothing is compiled that nobody imports.
export PYTHONDONTWRITEBYTECODE :=
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Tests run in three processes on two cores: linear algebra with threads of its own spins beside them.
export OPENBLAS_NUM_THREADS ?= 1

# uv where it is there, pip otherwise, both with the versions of constraints.txt; the large downloads are shown. pip
# brings itself up to date first: the one that comes with Python takes twice as long, and knows no groups.
ifneq ($(UV),)
INSTALLER := uv
make_environment = $(UV) venv --quiet --allow-existing --python $(PYTHON) $(1)
install_into = $(UV) pip install --python $(1)/bin/python
SHOWN := 2>&1 | { grep --line-buffered -v '^ [-+~] ' || true; }
else
INSTALLER := pip
make_environment = $(PYTHON) -m venv $(1) && $(call install_into,$(1)) --quiet --upgrade --constraint constraints.txt pip
install_into = $(BIN)/python -m pip --python $(1)/bin/python install --no-compile
LARGE := (Downloading|Using cached) [^ ]+ \([0-9.]+ MB\)
SHOWN := | { grep --line-buffered -oE '$(LARGE)|^Installing collected packages' || true; }
endif

.PHONY: start test notebooks pictures docs check format bench golden install published frameworks clean

# Service and dashboard; a new data folder gets a simulated workspace. Ctrl-C ends both.
start: $(RUNTIME)
	@$(BIN)/assent start

# What runs, and nothing for developers.
$(RUNTIME): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing the service and the dashboard with $(INSTALLER): 0.8 GB in $(VENV)"
	@set -o pipefail; $(call install_into,$(VENV)) --constraint constraints.txt --editable '.[server]' $(SHOWN)
	@touch $@

# Every extra, and the tools of developers.
install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing every extra and the developers' tools with $(INSTALLER): 2.0 GB in $(VENV)"
	@set -o pipefail; $(call install_into,$(VENV)) --constraint constraints.txt --editable '.[all,classifier]' --group dev $(SHOWN)
	@touch $(RUNTIME) $@

$(BIN)/python:
	@echo "Making $(VENV) with $(PYTHON)"
	@$(call make_environment,$(VENV))

# In three processes, since on two cores a fifth of two waits; files stay together. Names of tests hold sets, whose order has to be the same in all.
PYTEST := PYTHONHASHSEED=0 $(BIN)/python -m pytest -q -n 3 --dist loadfile --no-loadscope-reorder

# What proves the product; tests/tiers.py says which tests are in which tier. TESTS are further words for pytest.
test: install published
	@$(PYTEST) --tier=quick $(TESTS)

CORE := $(addprefix tests/service/,control/actions control/approvals control/guard control/halt people test_laws.py)

.PHONY: test-all
# The others: all flows in a browser, three published clients, agents' frameworks, the Node client, full disks,
# properties in depth.
test-all: install published frameworks node
	@$(PYTEST) --tier=rest $(TESTS)
	@$(PYTEST) --engine=postgresql --tier=quick $(CORE)

.PHONY: test-postgresql
# The tests that start a service in the process or as one, over a log in PostgreSQL (tests/backend.py). `make test-all`
# runs a core of them: what guard, approvals, keys and each noun's laws rest on.
test-postgresql: install
	@$(PYTEST) --engine=postgresql --tier=quick tests/service tests/stories $(TESTS)

# Faults that are planted one at a time, each of which a test has to find; `make mutants ONLY=claim-without-lock` plants
# one (tests/mutants/README.md).
.PHONY: mutants
mutants: install
	@$(BIN)/python -m tests.mutants $(ONLY)

# What the files take, for the order of a run and for who makes one longer; on a machine that does nothing else.
.PHONY: durations
durations: install published frameworks node
	@$(PYTEST) --tier=quick --keep-durations
	@$(PYTEST) --tier=rest --keep-durations

# Three versions of the published client, each in a folder of its own, since the tests run agents that have them.
published: $(PUBLISHED)/.installed

$(PUBLISHED)/.installed: $(STAMP)
	@for version in 2.1.0 2.9.0 4.8.0; do \
		$(call install_into,$(VENV)) --quiet --no-deps --upgrade --target $(PUBLISHED)/$$version \
			dashclaw==$$version || exit 1; \
	done
	@touch $@

# The agents' frameworks, each in an environment of its own, since they ask for versions that exclude each other. Their
# pins are whole lists, so nothing is resolved; two are installed at a time.
frameworks: $(STAMP)
	@$(MAKE) --no-print-directory -j2 $(patsubst $(PINS)/%.txt,$(FRAMEWORKS)/%/.installed,$(wildcard $(PINS)/*.txt))

$(FRAMEWORKS)/%/.installed: $(PINS)/%.txt
	@rm -rf $(@D)
	@$(PYTHON) -m venv --without-pip $(@D)
	@$(call install_into,$(@D)) --quiet --no-deps --requirement $<
	@$(call install_into,$(@D)) --quiet --no-deps --editable .
	@touch $@

.PHONY: node
# The tools that build and check the Node client, in versions that its package.json pins, and the frameworks that its
# adapters are for, in those of a whole list; they have no lock file, since that would name where they were loaded from.
# Without npm its tests are skipped.
node: $(STAMP)
	@if command -v npm > /dev/null; then \
		(cd sdk/typescript && npm install $(NPM)) || \
			echo "npm did not install its tools: the Node client is neither built nor tested"; \
		$(MAKE) --no-print-directory $(FRAMEWORKS)/node/.installed || \
			echo "npm did not install the frameworks: the Node client's adapters are not tested"; \
	else echo "npm is not installed: the Node client is neither built nor tested"; fi

$(FRAMEWORKS)/node/.installed: $(PINS)/node.json
	@rm -rf $(@D) && mkdir -p $(@D) && cp $< $(@D)/package.json
	@cd $(@D) && npm install $(NPM) --ignore-scripts
	@touch $@

check: install
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/basedpyright

format: install
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

# Every notebook, run from top to bottom against a simulated workspace of its own; what they show is left in
# notebooks/executed.
notebooks: install
	@$(BIN)/python -m tests.notebooks.run

# The README's pictures of the dashboard, anew, from a simulated workspace.
pictures: install
	@$(BIN)/python -m tests.dashboard.pictures

# The documentation as a site, in site/: built offline, and a warning ends it.
docs: install
	@$(BIN)/python -m tests.docs.site

# What guard and creation cost at this commit, as a line of tests/benchmarks/history.jsonl, and the picture of all lines;
# `make bench ONLY=http` runs one module of tests/benchmarks instead.
bench: install
ifeq ($(ONLY),)
	@$(BIN)/python -m tests.benchmarks.record
	@$(BIN)/python -m tests.benchmarks.pictures
else
	@$(BIN)/python -m tests.benchmarks $(ONLY)
endif

.PHONY: bench-compare bench-short
BASE ?= HEAD~1
# Two commits in turn, with intervals: what is here, and BASE, a commit or the folder of another checkout.
bench-compare: install
	@$(BIN)/python -m tests.benchmarks.compare $(BASE)

# The same in a minute. It says what has become dearer and never fails, since machines are noisy.
bench-short: install
	@timeout 150 $(BIN)/python -m tests.benchmarks.compare $(BASE) --within 60 || echo "Speed is not compared with $(BASE)"

# After a deliberate change of the API: write the contract's text and the generated documents anew.
golden: install
	@$(BIN)/python -m tests.contract.generated

clean:
	rm -rf $(VENV)
