# `make` alone lists what there is.  `make demo` and `make test` do all their own set-up.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed-dev
BENCH_STAMP := $(VENV)/.installed-bench

# Tests and benchmarks compile their programs, and write nothing to the home directory.
export ANVL_CACHE := 0

# Python keeps the bytecode of what it reads, also where the environment (as of some containers) says
# no: of 1.5 s of a processor that a process takes to import anvl and call a function, it saves 0.7.
unexport PYTHONDONTWRITEBYTECODE

# PLUGIN=xla-cpu-pjrt: the PJRT plugin that programs run on, if not jaxlib itself.
ON_PLUGIN := $(if $(PLUGIN),ANVL_DEFAULT_DEVICE=$(PLUGIN))

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-processors test-newest test-matrix check unit lit examples sweep sweep-part long-tests newest-part mutants differential fuzz jax foreign foreign-torch array-api fuzz-text names bench bench-compare typing public-types format ops docs wheel clean

help: ## list the targets
	@echo "anvl: the two commands to start with are \`make demo\` and \`make test\`."
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "PYTHON=python3.12 chooses the interpreter, VENV=.venv-3.12 the environment it is put in."

setup: $(STAMP) ## make the environment (.venv) with everything in it; done once

# Again whenever pyproject.toml changes.
$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || { \
	  echo "anvl needs Python 3.11, 3.12 or 3.13, but $(PYTHON) is" \
	    "$$($(PYTHON) --version 2>&1); name another: make PYTHON=python3.12 ..." >&2; exit 1; }
	@echo "set-up, once: about a minute and 1 GB.  The same by hand:"
	@echo "  $(PYTHON) -m venv $(VENV)"
	@echo "  $(BIN)/python -m pip install -e '.[dev]'"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

demo: setup ## train on handwritten digits, then the same program stage by stage with anvl-opt; PLUGIN=a PJRT plugin
	$(ON_PLUGIN) $(BIN)/python examples/digits.py --out out/digits
	$(ON_PLUGIN) PATH="$(abspath $(BIN)):$$PATH" bash examples/digits.sh out/digits

test: setup typing ## everything: check, unit, lit, and examples in their short form
	@$(BIN)/python tools/dev/run_tests.py

check: setup typing ## format, lint, types, sizes, and that the generated files are current
	@$(BIN)/python tools/dev/run_tests.py check

unit: setup ## the tests in Python, with the code blocks of the documentation
	@$(BIN)/python tools/dev/run_tests.py unit

lit: setup ## the tests on IR
	@$(BIN)/python tools/dev/run_tests.py lit

examples: setup ## run every example in full, in minutes (their short forms are in `make test`, those of more than some seconds in `make sweep-part`)
	@$(BIN)/python tools/dev/run_tests.py --full examples

DIALECT := test/unit/dialect
sweep: setup ## the tests in Python with all their cases, of which `make test` has few; OPTIONS=a part
	ANVL_SWEEP=all $(BIN)/python -m pytest -q -n auto --maxprocesses=4 --dist=worksteal $(OPTIONS)

sweep-part: setup ## a fixed part of what `make sweep` has and `make test` has not; in minutes
	@ANVL_SWEEP=part $(BIN)/python tools/dev/run_tests.py unit long-examples

long-tests: setup ## note which tests took long in the last `make unit`: most of their cases are left to `make sweep`
	@$(BIN)/python tools/dev/long_tests.py

newest-part: setup ## one in 36 tests of the frontend and the runtime on the newest Python here, if it is newer
	@ANVL_SWEEP=newest $(BIN)/python tools/dev/test_matrix.py --newer test/unit/frontend test/unit/runtime

test-processors: setup ## the numeric tests as on other processors, as far as this one can
	$(BIN)/python tools/dev/processors.py

# Of the Python that PYTHON is: jaxlib has newer versions for newer ones.
NEWEST := .venv-newest
test-newest: ## the tests in Python with the newest wheels of all, whatever pyproject.toml says; OPTIONS=a part
	$(PYTHON) -m venv $(NEWEST)
	$(NEWEST)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	$(NEWEST)/bin/python tools/dev/newest.py
	$(NEWEST)/bin/python -m pytest -q -n auto --maxprocesses=4 --dist=worksteal $(OPTIONS)

test-matrix: ## the tests on each Python that the machine has: 3.11, 3.12, 3.13; OPTIONS=a part
	$(PYTHON) tools/dev/test_matrix.py $(OPTIONS)

fuzz: setup ## random programs, for SECONDS=60, or of SEED=n: each run in every way there is
	$(BIN)/python -m anvl.testing.random_programs --seconds $(or $(SECONDS),60) $(if $(SEED),--seed $(SEED))

mutants: setup ## plant bugs in the rules of the ops, and count what their tests find
	$(BIN)/python test/mutants/run.py $(OPTIONS)

differential: setup ## every function beside NumPy's or SciPy's, EXAMPLES=30 calls each; LINES=a part of names
	ANVL_EXAMPLES=$(or $(EXAMPLES),30) $(BIN)/python -m pytest -q --tb=short --maxfail=1000 \
	  test/unit/differential/test_differential.py::test_values \
	  test/unit/differential/test_differential.py::test_derivatives $(if $(LINES),-k "$(LINES)")

jax: $(BENCH_STAMP) ## compare the values of the ops with jax's (installed for this and bench alone)
	$(BIN)/python -m pytest -q $(DIALECT)/test_against_jax.py

foreign: $(BENCH_STAMP) ## programs that jax writes, lifted, run, differentiated, compared (installed for this)
	$(BIN)/python test/foreign/run.py

foreign-torch: setup ## programs that torch-mlir writes from PyTorch's (2 GB, installed for this alone)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[torch]'
	$(BIN)/python test/foreign/run_torch.py

# The commit of github.com/data-apis/array-api-tests that the numbers in the documentation are from.
ARRAY_API_COMMIT := 55fcc60179efa2680ddd6cd926ddf17b83530e2b
array-api: setup ## run the suite of the Array API standard, from ARRAY_API_TESTS=a clone; OPTIONS=--jit
	@test -n "$(ARRAY_API_TESTS)" || { echo "name a clone, with its submodule: make array-api" \
	  "ARRAY_API_TESTS=../array-api-tests (of github.com/data-apis/array-api-tests," \
	  "at $(ARRAY_API_COMMIT))" >&2; exit 1; }
	$(BIN)/python tools/dev/array_api_suite.py "$(ARRAY_API_TESTS)" --commit=$(ARRAY_API_COMMIT) $(OPTIONS)

fuzz-text: setup ## give mutated texts, bytecode and artifacts to the tools, for SECONDS=60; SEED=7 repeats a run
	$(BIN)/python -m anvl.tools.dev.fuzz_text --seconds=$(or $(SECONDS),60) --seed=$(or $(SEED),0)

names: setup ## names of numpy, and of jax with JAX=a python that has it, that anvl has not
	$(BIN)/python -m anvl.tools.dev.name_coverage $(if $(JAX),--jax $(JAX))

bench: $(BENCH_STAMP) ## measure speed against jax (installed for this alone)
	$(BIN)/python benchmarks/run.py

bench-compare: setup ## print what is slower by 5 % or more: OLD=a.json NEW=b.json, of out/benchmarks
	@test -n "$(OLD)" -a -n "$(NEW)" || { echo "name two runs: make bench-compare" \
	  "OLD=out/benchmarks/a.json NEW=out/benchmarks/b.json" >&2; exit 1; }
	$(BIN)/python benchmarks/compare.py "$(OLD)" "$(NEW)"

$(BENCH_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	@touch $@

typing: setup ## links that let type checkers and editors see the package (.typing)
	@$(BIN)/python tools/dev/typing_links.py

public-types: setup typing ## the public names that pyright has no sure type of (it is installed for this alone)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check pyright
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m anvl.tools.dev.public_types

format: setup ## format the code and fix what the linter can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: setup ## build the reference and all pages as a site, in out/docs/html (Sphinx is installed for this alone)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	$(BIN)/python -m anvl.tools.reference.build

ops: setup ## write the generated files again
	$(BIN)/python -m anvl.tools.dev.generate

wheel: setup ## build the wheel, look at what is in it, and read README with it in a clean environment
	$(BIN)/python tools/dev/check_wheel.py

clean: ## remove what was built and cached, but keep the environment
	rm -rf build dist out .typing .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info
	find . -path ./$(VENV) -prune -o -name __pycache__ -type d -exec rm -rf {} +
