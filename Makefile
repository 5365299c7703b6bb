# Every command sets itself up, from nothing but python3 (3.11 or later), pip and make.
# PYTHON=python3.13 make test  uses another interpreter;  PYTEST_ARGS="-k tango" make test  passes words on.

PYTHON ?= python3
VENV ?= .venv
JOBS ?= 2
PYTEST_ARGS ?=
BENCH_ARGS ?=
CALIBRATE_ARGS ?=
STUDY ?=
STUDY_ARGS ?=
MUTANTS ?= *
ROUNDS ?= 20
SEED ?= 1

BIN := $(VENV)/bin
PYTEST = $(BIN)/python -m pytest -n $(JOBS) --dist worksteal
WHOLE := --hypothesis-profile whole
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
EXAMPLE := examples/langid
SYSTEMS := nb_12 nb_13 logreg_14 svm_14 knn_3
COMPARE_ACCURACY := $(BIN)/bestby compare $(EXAMPLE)/predictions.csv --gold gold --item item \
                    $(foreach system,$(SYSTEMS),--system $(system)) --metric accuracy
# The published data some tests check against; they skip where it is not there.
BESTBY_SHARED_DATA ?= $(abspath ../shared/data)

export BESTBY_SHARED_DATA
# The tests start many processes, and each would compile the package again.
unexport PYTHONDONTWRITEBYTECODE
export MPLBACKEND := Agg

.DEFAULT_GOAL := help
.PHONY: help demo board quick test test-all test-rest fuzz oldest mutants check lint types imports docs news wheel-test release release-check calibrate study bench house example figure clean

help:  ## Show the commands
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
	@$(COMPARE_ACCURACY) --cluster territory --html $(EXAMPLE)/report.html > $(EXAMPLE)/report.txt
	@sed '/^Notes$$/,$$d' $(EXAMPLE)/report.txt  # so that the headline stays on a screen of 40 lines
	@echo "Notes and methods: $(abspath $(EXAMPLE)/report.txt)"
	@echo "The same with figures: $(abspath $(EXAMPLE)/report.html)"

board: $(VENV)/.base  ## Make a shared task of the same systems with hidden gold, and publish its pages
	@$(BIN)/python examples/board/make_board.py

quick: $(VENV)/.test  ## The short tests of numbers and signatures, and one law (under a minute on two cores)
	$(PYTEST) -m 'not (slow or check or long)' --hypothesis-profile few tests/laws/test_01_copy.py \
	  $(addprefix tests/unit/,core data engine inference metrics resampling results vocabulary test_signatures.py) $(PYTEST_ARGS)

test: $(VENV)/.test  ## Run the tests and doctests (about six minutes on two cores)
	$(PYTEST) -m 'not (slow or check)' $(PYTEST_ARGS)

test-all: $(VENV)/.test  ## The same on all metrics, with the simulations and the tests of examples, guides and benchmarks
	$(PYTEST) $(WHOLE) $(PYTEST_ARGS)

# ROUNDS=50 makes fifty times as many comparisons as `make test` does, SEED=7 others than SEED=0.
fuzz: $(VENV)/.test  ## Compare random data by every path and with other libraries (ROUNDS=20, SEED=1: some minutes)
	BESTBY_FUZZ_ROUNDS=$(ROUNDS) BESTBY_FUZZ_SEED=$(SEED) \
	  $(PYTEST) tests/differential $(PYTEST_ARGS)

check: lint types imports news docs test-rest wheel-test  ## Everything a change must pass (about eighteen minutes on two cores)

# What wheel-test leaves out, with src: the two run every test once.
test-rest: $(VENV)/.test
	$(PYTEST) $(WHOLE) $(patsubst %,--ignore=%,tests/cli $(filter-out tests/unit/repository,$(wildcard tests/unit/*))) $(PYTEST_ARGS)

lint: $(VENV)/.dev  ## Formatting and style
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.dev  ## Static types
	$(BIN)/mypy
	$(BIN)/mypy --config-file tools/mypy_scripts.ini

imports: $(VENV)/.dev  ## The layers: imports point downward
	$(BIN)/lint-imports

news: $(VENV)/.dev  ## The changelog fragments are well-formed
	$(BIN)/towncrier build --draft --version next > /dev/null

# A fresh environment each time: pages that did not change would keep quiet about their broken links.
docs: $(VENV)/.docs  ## Build the documentation into site/, warnings as errors
	$(BIN)/sphinx-build --quiet --fresh-env --fail-on-warning -d build/docs docs site

# Two stages in one new environment: what a user gets by installing the wheel alone, then the tests of the sdist,
# away from src/, so that a file missing from either or a dependency missing from the metadata shows. What the
# tests need besides follows the wheel on its path, from the environment that has it already.
PURELIB := import sysconfig; print(sysconfig.get_path("purelib"))

wheel-test: $(VENV)/.dev $(VENV)/.test  ## Build sdist and wheel, and test the wheel without src
	rm -rf build/wheel && mkdir -p build/wheel
	$(BIN)/python -m build --outdir build/wheel . > build/wheel/build.log
	$(BIN)/twine check --strict build/wheel/*.whl build/wheel/*.tar.gz
	$(PYTHON) -m venv --without-pip build/wheel/venv
	$(PIP) --python build/wheel/venv/bin/python install build/wheel/*.whl
	$(BIN)/python tools/release.py --wheel build/wheel/*.whl
	BESTBY_BUILT=$(abspath build/wheel) $(BIN)/python -m pytest tests/unit/repository/test_package.py
	tar -xzf build/wheel/*.tar.gz -C build/wheel --strip-components 1 && rm -rf build/wheel/src
	$(BIN)/python -c '$(PURELIB)' > $$(build/wheel/venv/bin/python -c '$(PURELIB)')/tests.pth
	cd build/wheel && venv/bin/python -m pytest -n $(JOBS) --dist worksteal $(WHOLE) tests/unit tests/cli --ignore=tests/unit/repository $(PYTEST_ARGS)

# VERSION=0.2.0. Publishes nothing, and neither commits nor tags: it says how.
release: $(VENV)/.dev  ## Write a version and the changelog of its fragments (VERSION=0.2.0)
	$(if $(VERSION),,$(error say which: make release VERSION=0.2.0))
	$(BIN)/python tools/release.py --prepare $(VERSION)

release-check: $(VENV)/.dev  ## Version, tag, changelog, citation file and a new wheel agree; changes nothing
	rm -rf build/release && mkdir -p build/release
	$(BIN)/python -m build --outdir build/release . > build/release/build.log
	$(BIN)/twine check --strict build/release/*.whl build/release/*.tar.gz
	$(BIN)/python tools/release.py --tag --wheel build/release/*.whl

# The lowest version that pyproject.toml allows of each dependency; they have wheels for Python 3.11 and 3.12.
build/oldest/.done: pyproject.toml
	@echo "setting up build/oldest: the oldest versions of all that bestby needs"
	@$(PYTHON) -m venv --clear --without-pip build/oldest
	@$(PYTHON) -m pip --disable-pip-version-check -qq --python build/oldest/bin/python install 'pip>=25.1'
	@sed -n '/^dependencies = \[/,/^\]/s/^  "\(.*\)>=\(.*\)",/\1==\2/p' pyproject.toml > build/oldest/constraints.txt
	@build/oldest/bin/python -m pip --disable-pip-version-check -qq install -c build/oldest/constraints.txt --editable .
	@build/oldest/bin/python -m pip --disable-pip-version-check -qq install -c build/oldest/constraints.txt --group test
	@touch $@

oldest: build/oldest/.done  ## The golden files and oracles on the oldest NumPy, SciPy, DuckDB … allowed
	build/oldest/bin/python -m pip freeze | grep -f build/oldest/constraints.txt
	build/oldest/bin/python -m pytest -n $(JOBS) tests/golden tests/oracles $(PYTEST_ARGS)

build/mutants/.done: $(VENV)/.base
	@echo "setting up build/mutants: mutmut and the tests"
	@$(PYTHON) -m venv --clear --without-pip build/mutants
	@$(PYTHON) -m pip --disable-pip-version-check -qq --python build/mutants/bin/python install 'pip>=25.1'
	@build/mutants/bin/python -m pip --disable-pip-version-check -qq install --editable . --group mutants
	@touch $@

# MUTANTS="bestby.inference.intervals.*" for one module. What was tried is remembered; `make clean` forgets it.
mutants: build/mutants/.done  ## Change the statistics in one place at a time: do the tests notice? (hours)
	mkdir -p build/mutants/tree
	rm -rf build/mutants/tree/src build/mutants/tree/tests
	cp -r src tests docs pyproject.toml README.md build/mutants/tree/
	cd build/mutants/tree && ../bin/mutmut run --max-children 1 '$(MUTANTS)' > ../mutmut.log || (tail -30 ../mutmut.log; false)
	build/mutants/bin/python tools/mutants.py build/mutants/tree/mutants

# CALIBRATE_ARGS="--quick" or "--family clusters" for a part; what was stored is not made again.
calibrate: $(VENV)/.test  ## Measure coverage and error rates, make the page, run the long tests (an hour and more)
	$(BIN)/python -m calibration --jobs $(JOBS) $(CALIBRATE_ARGS)
	$(if $(CALIBRATE_ARGS),,$(PYTEST) -m slow $(PYTEST_ARGS))

# STUDY=sequential_items; calibration/README.md lists them. STUDY_ARGS="--full --docs" passes words on.
study: $(VENV)/.test  ## Measure one of the studies beside the grid (STUDY=sequential_items)
	$(if $(STUDY),,$(error say which, as calibration/README.md lists them: make study STUDY=sequential_items))
	$(BIN)/python -m calibration.$(STUDY) $(STUDY_ARGS)

# BooStSa asks for old releases of pip and SciPy, which it does not need, and cannot do with pandas 3.
build/boostsa/.done: $(VENV)/.base
	@echo "setting up build/boostsa: BooStSa, apart from everything else"
	@$(PYTHON) -m venv --without-pip build/boostsa
	@$(PIP) --python build/boostsa/bin/python install numpy 'pandas<3' scikit-learn scipy tqdm
	@$(PIP) --python build/boostsa/bin/python install --no-deps boostsa==0.2.13
	@touch $@

build/rivals/.done: $(VENV)/.base pyproject.toml
	@echo "setting up build/rivals: the other tools to time"
	@$(PYTHON) -m venv --clear --without-pip build/rivals
	@$(PIP) --python build/rivals/bin/python install --group rivals
	@touch $@

# BENCH_ARGS='--only Pearson' for some jobs, '--part growth' for a part.
bench: $(VENV)/.bench build/rivals/.done build/boostsa/.done  ## Time bestby beside other tools (a quarter of an hour; BENCH_ARGS=--quick two minutes)
	$(BIN)/python benchmarks/run.py $(BENCH_ARGS)
	$(if $(filter-out --quick,$(BENCH_ARGS)),,$(BIN)/python benchmarks/translation.py $(BENCH_ARGS))

house: $(VENV)/.base  ## Measure how the package is built: sizes, where each question lives, what a call enters
	@$(BIN)/python tools/house.py

example: $(VENV)/.examples  ## Train the systems of the examples again
	for script in examples/*/make_data.py; do $(BIN)/python $$script || exit 1; done

figure: $(VENV)/.base  ## Draw the figures of the README and of the gallery again
	$(BIN)/python docs/make_gallery.py

clean:  ## Remove what was built (the environment in .venv stays)
	rm -rf build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	rm -rf $(EXAMPLE)/report.html examples/board/board examples/board/site
	find src tests tools benchmarks calibration examples -name __pycache__ -type d -prune -exec rm -rf {} +
