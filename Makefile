# Every verb sets itself up, from nothing but python3 (3.11 or later), pip and make.
# PYTHON=python3.13 make test  uses another interpreter;  PYTEST_ARGS="-k tango" make test  passes words on.

PYTHON ?= python3
VENV ?= .venv
JOBS ?= 2
PYTEST_ARGS ?=
BENCH_ARGS ?=

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
EXAMPLE := examples/langid
SYSTEMS := nb_12 nb_13 logreg_14 svm_14 knn_3
COMPARE_ACCURACY := $(BIN)/bestby compare $(EXAMPLE)/predictions.csv --gold gold --item item \
                    $(foreach system,$(SYSTEMS),--system $(system)) --metric accuracy
COMPARE := $(COMPARE_ACCURACY) --metric f1_macro
# The published data some tests check against; they skip where it is not there.
BESTBY_SHARED_DATA ?= $(abspath ../shared/data)

export BESTBY_SHARED_DATA
export MPLBACKEND := Agg
# mkdocs-material announces the future of MkDocs at every build.
export NO_MKDOCS_2_WARNING := 1

.DEFAULT_GOAL := help
.PHONY: help demo test check lint types imports docs news wheel-test calibrate bench example figure clean

help:  ## Show the verbs
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | awk -F '\t' '{ printf "make %-11s %s\n", $$1, $$2 }'

# Set-up: a stamp per dependency group, made again when pyproject.toml changes. The pip that comes with
# older Pythons cannot read dependency groups, so the environment gets its own.
$(VENV)/.base: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "bestby needs Python 3.11 or later")'
	@echo "setting up $(VENV): bestby and its dependencies"
	@test -x $(BIN)/python || $(PYTHON) -m venv --without-pip $(VENV)
	@$(PYTHON) -m pip --disable-pip-version-check -qq --python $(BIN)/python install 'pip>=25.1'
	@$(PIP) install --editable .
	@touch $@

$(VENV)/.%: $(VENV)/.base
	@echo "setting up $(VENV): what '$*' needs"
	@$(PIP) install --group $*
	@touch $@

demo: $(VENV)/.base  ## Compare five real systems and write an HTML report
	@echo "Five classifiers tell the language of 1000 place names: 100 territories, each named in 10 languages."
	@echo
	@echo "1. Every name counted as independent of the others: what another draw of NAMES would give."
	@$(COMPARE)
	@echo
	@echo "2. Territories as clusters, the honest unit here: what another draw of TERRITORIES would give."
	@$(COMPARE) --cluster territory --html $(EXAMPLE)/report.html
	@echo
	@echo "The report of the second comparison: $(abspath $(EXAMPLE)/report.html)"

test: $(VENV)/.test  ## Run the tests and doctests (minutes)
	$(BIN)/python -m pytest -n $(JOBS) $(PYTEST_ARGS)

check: lint types imports news docs test wheel-test  ## Everything a change must pass

lint: $(VENV)/.dev  ## Formatting and style
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.dev  ## Static types
	$(BIN)/mypy

imports: $(VENV)/.dev  ## The layers: imports point downward
	$(BIN)/lint-imports

news: $(VENV)/.dev  ## The changelog fragments are well-formed
	$(BIN)/towncrier build --draft --version next > /dev/null

docs: $(VENV)/.docs  ## Build the documentation into site/, warnings as errors
	$(BIN)/mkdocs build --strict --quiet

# Two stages in one new environment: what a user gets by installing the wheel alone, then the tests, away
# from src/, so that a file missing from the wheel or a dependency missing from its metadata shows.
wheel-test: $(VENV)/.dev  ## Build the wheel and test it without src
	rm -rf build/wheel && mkdir -p build/wheel
	$(BIN)/python -m build --wheel --outdir build/wheel . > build/wheel/build.log
	$(PYTHON) -m venv --without-pip build/wheel/venv
	$(PIP) --python build/wheel/venv/bin/python install build/wheel/*.whl
	cp -r tests examples docs benchmarks pyproject.toml build/wheel/
	cd build/wheel && venv/bin/bestby --version
	cd build/wheel && venv/bin/bestby compare $(EXAMPLE)/predictions.csv --gold gold --item item \
	  --system nb_12 --system nb_13 --cluster territory --resamples 200 --json - > smoke.json
	$(PIP) --python build/wheel/venv/bin/python install --group test
	cd build/wheel && venv/bin/python -m pytest -n $(JOBS) tests/unit tests/cli $(PYTEST_ARGS)

calibrate: $(VENV)/.test  ## The long calibration runs (coverage, type-I error)
	$(BIN)/python -m pytest -m slow -n $(JOBS) $(PYTEST_ARGS)

# BooStSa asks for old releases of pip and SciPy, which it does not need, and cannot do with pandas 3.
build/boostsa/.done: $(VENV)/.base
	@echo "setting up build/boostsa: BooStSa, apart from everything else"
	@$(PYTHON) -m venv --without-pip build/boostsa
	@$(PIP) --python build/boostsa/bin/python install numpy 'pandas<3' scikit-learn scipy tqdm
	@$(PIP) --python build/boostsa/bin/python install --no-deps boostsa==0.2.13
	@touch $@

# Stochastic order, BooStSa and the systems of a shared task have scripts of their own, which know no argument but --quick.
bench: $(VENV)/.bench build/boostsa/.done  ## Time bestby beside other tools (a quarter of an hour; BENCH_ARGS=--quick a minute)
	$(BIN)/python benchmarks/run.py $(BENCH_ARGS)
	$(if $(filter-out --quick,$(BENCH_ARGS)),,$(BIN)/python benchmarks/aso.py $(BENCH_ARGS))
	$(if $(filter-out --quick,$(BENCH_ARGS)),,$(BIN)/python benchmarks/boostsa.py $(BENCH_ARGS))
	$(if $(filter-out --quick,$(BENCH_ARGS)),,$(BIN)/python benchmarks/translation.py $(BENCH_ARGS))

example: $(VENV)/.examples  ## Train the systems of the examples again
	for script in examples/*/make_data.py; do $(BIN)/python $$script || exit 1; done

figure: $(VENV)/.base  ## Draw the figure of the README again
	$(COMPARE_ACCURACY) --cluster territory --plot docs/images/langid.png > /dev/null

clean:  ## Remove what was built (the environment in .venv stays)
	rm -rf build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	rm -f $(EXAMPLE)/report.html
	find src tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +
