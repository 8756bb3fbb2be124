# Two commands do everything on a fresh machine with Python 3.11, git and make: `make start` and `make test`.

PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
PUBLISHED := $(VENV)/published
FRAMEWORKS := $(VENV)/frameworks
PINS := tests/sdk/adapters/pins
STAMP := $(VENV)/.installed

.PHONY: start test notebooks pictures check format bench golden install published frameworks clean

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
		--editable '.[all]' --group dev
	@touch $@

# Service and dashboard; a new data folder gets a simulated workspace. Ctrl-C ends both.
start: install
	@$(BIN)/assent start

# Everything, in two processes; files stay together. Names of tests hold sets, whose order has to be the same in both.
# Then the published clients, in one: what has answered in that run is counted at its end.
test: install published frameworks
	@PYTHONHASHSEED=0 $(BIN)/python -m pytest -q -n 2 --dist loadfile --ignore tests/stories/published
	@$(BIN)/python -m pytest -q tests/stories/published

# Three versions of the published client, each in a folder of its own, since the tests run agents that have them.
published: $(PUBLISHED)/.installed

$(PUBLISHED)/.installed: $(STAMP)
	@for version in 2.1.0 2.9.0 4.8.0; do \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade \
			--target $(PUBLISHED)/$$version dashclaw==$$version || exit 1; \
	done
	@touch $@

# The agents' frameworks, each in an environment of its own, since they ask for versions that exclude each other. Their
# pins are whole lists, so nothing is resolved; two are installed at a time.
frameworks: $(STAMP)
	@$(MAKE) --no-print-directory -j2 $(patsubst $(PINS)/%.txt,$(FRAMEWORKS)/%/.installed,$(wildcard $(PINS)/*.txt))

$(FRAMEWORKS)/%/.installed: $(PINS)/%.txt
	@rm -rf $(@D)
	@$(PYTHON) -m venv --without-pip $(@D)
	@$(BIN)/python -m pip --python $(@D)/bin/python install --quiet --disable-pip-version-check --no-deps --no-compile \
		--requirement $<
	@$(BIN)/python -m pip --python $(@D)/bin/python install --quiet --disable-pip-version-check --no-deps --editable .
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

# The figures of the README; `make bench ONLY=http` runs one module of tests/benchmarks.
bench: install
	@$(BIN)/python -m tests.benchmarks $(ONLY)

# After a deliberate change of the API: write the golden schemas and the generated documents anew.
golden: install
	@$(BIN)/python -m tests.contract.generated

clean:
	rm -rf $(VENV)
