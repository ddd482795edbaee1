# make reproduce [SCALE=paper]   redraw every paper's figures and print the scorecard
# make lab                       open JupyterLab at the tour
# make test                      the whole suite: lint, types, tests
# make check                     the part to run while working, under a minute
# make long [N=10000]            the adversary with N cases, every exercise graded, every notebook at tiny scale: under an hour on 2 cores
PYTHON ?= python3
SCALE ?= quick
N ?= 10000
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: reproduce lab test check long lint bench clean

reproduce: $(READY)
	$(BIN)/ppdp-lab reproduce --scale $(SCALE)

lab: $(READY)
	$(BIN)/jupyter lab notebooks/tour.ipynb

test: lint
	$(BIN)/python -m pytest -q -n 2

check: lint
	HYPOTHESIS_PROFILE=check $(BIN)/python -m pytest -q -n 2 -m "not slow"

# All parts run, whatever the first ones find; the target fails if one does.
long: $(READY)
	PPDP_LAB_ADVERSARY=$(N) $(BIN)/python -m pytest -q -n 2 tests/adversary; found=$$?; \
	course=$$(mktemp -d); { $(BIN)/ppdp-lab class new $$course && $(BIN)/ppdp-lab class check $$course; } || found=1; rm -rf $$course; \
	$(BIN)/python -m pytest -q -n 2 tests/test_notebooks.py && exit $$found

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/ppdp-lab bench

# uv where there is one, pip where there is none.
$(READY): pyproject.toml
	@echo "Setting up $(VENV) with JupyterLab and all that the tests need: about 10 seconds with uv, two minutes with pip."
	@if command -v uv >/dev/null 2>&1; then \
	  uv venv --quiet --allow-existing --python $(PYTHON) $(VENV) && \
	  uv pip install --quiet --python $(BIN)/python -e '.[dev]'; \
	else \
	  $(PYTHON) -m venv $(VENV) && $(BIN)/python -m pip install --quiet -e '.[dev]'; \
	fi
	@touch $@
	@echo "Ready. Everything lies in $(VENV); remove it with: make clean"

clean:
	rm -rf $(VENV) results
