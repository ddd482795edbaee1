# make reproduce [SCALE=paper]   redraw every paper's figures and print the scorecard
# make lab                       open JupyterLab at the tour
# make explore                   open the explorers in a browser
# make test                      the whole suite: lint, types, tests
# make check                     the part to run while working: one to two minutes on 2 cores
# make docs                      the pages: gallery, reference, recipes, into site/
# make long [N=1500]             the adversary with N cases, every exercise graded, every notebook in a browser, kills, the
#                                pages: about 40 minutes on 2 cores
PYTHON ?= python3
SCALE ?= quick
N ?= 1500
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Where Python is told to write no bytecode, every worker, kernel and command would compile all modules again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: reproduce lab explore docs test check long lint bench clean

reproduce: $(READY)
	$(BIN)/ppdp-lab reproduce --scale $(SCALE)

lab: $(READY)
	$(BIN)/jupyter lab --LabApp.default_url=/lab/tree/tour.ipynb notebooks

explore: $(READY)
	$(BIN)/ppdp-lab explore

# --strict: a warning, such as a link that leads nowhere, is an error; --quiet would not count them.
docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "Open site/index.html. To search in the pages, too: $(BIN)/python -m http.server --bind 127.0.0.1 --directory site"

# worksteal: whoever has nothing left takes tests from the other. The browser after the rest: a server for each file, and
# pages that need not wait for somebody's computation.
test: lint
	$(BIN)/python -m pytest -q -n 2 --dist worksteal --ignore=tests/browser
	$(BIN)/python -m pytest -q -n 2 --dist loadfile tests/browser

check: lint
	HYPOTHESIS_PROFILE=check $(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not slow"

# All parts run, whatever the first ones find; the target fails if one of them does.
long: $(READY)
	PPDP_LAB_ADVERSARY=$(N) $(BIN)/python -m pytest -q -n 2 --dist worksteal tests/adversary; found=$$?; \
	course=$$(mktemp -d); { $(BIN)/ppdp-lab class new $$course && $(BIN)/ppdp-lab class check $$course; } || found=1; rm -rf $$course; \
	PPDP_LAB_LONG=1 $(BIN)/python -m pytest -q -n 2 --dist worksteal -m long || found=1; \
	PPDP_LAB_ALL_NOTEBOOKS=1 $(BIN)/python -m pytest -q -n 2 --dist loadfile tests/browser || found=1; \
	$(MAKE) --no-print-directory docs || found=1; \
	exit $$found

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/ppdp-lab bench

# uv where there is one, pip where there is none.
$(READY): pyproject.toml
	@echo "Setting up $(VENV) with JupyterLab and all that the tests need: about 10 seconds with uv, two to five minutes with pip."
	@if command -v uv >/dev/null 2>&1; then \
	  uv venv --quiet --allow-existing --python $(PYTHON) $(VENV) && \
	  uv pip install --quiet --python $(BIN)/python -e '.[dev]'; \
	else \
	  $(PYTHON) -m venv $(VENV) && $(BIN)/python -m pip install --quiet -e '.[dev]'; \
	fi
	@touch $@
	@echo "Ready. Everything lies in $(VENV); remove it with: make clean"

clean:
	rm -rf $(VENV) results site
