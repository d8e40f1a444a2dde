# `make demo` sets up and runs the shipped examples, `make test` sets up and passes the tests.
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: setup demo test lint types unit agreement slow snapshots mutation suites faults fuzz compare-random clean

setup: $(STAMP)

# Bytecode is cached here, since an environment may keep Python from doing so: every start would take twice as long.
$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	$(BIN)/python -m compileall -q src
	touch $(STAMP)

demo: setup
	$(BIN)/treville litmus --model sc --model tso --model pso --model power --model aarch64 examples/litmus

test: setup lint types unit

lint:
	$(BIN)/ruff check src tests bench

types:
	$(BIN)/mypy

unit:
	$(BIN)/pytest -n 2 -m "not slow"

# Random tests get other cases in each run; a failure says how to repeat it (TREVILLE_SEED, see tests/seeds.py).
slow: setup
	TREVILLE_SEED=$${TREVILLE_SEED:-fresh} $(BIN)/pytest -n 2

# Stores what every command answers on the fixed inputs of tests/snapshots anew, and tells which verdicts changed.
snapshots: setup
	$(BIN)/python -m tests.snapshots.renew

agreement: setup
	$(BIN)/python bench/agreement.py --jobs 2 --write docs/agreement.md

# How many small mistakes in the core the tests notice: a sample (SEED, COUNT) within BUDGET seconds, JOBS at a time.
mutation: setup
	$(BIN)/python bench/mutation --seed $(or $(SEED),1) --count $(or $(COUNT),40) --budget $(or $(BUDGET),3600) --jobs $(or $(JOBS),1)

# Other tools' test suites, checked out below SUITES (genmc, nidhugg, Dat3M, walcyrie): what they expect, and the answers.
suites: setup
	$(BIN)/python bench/suites/run.py $(or $(SUITES),../suites) --log suites.jsonl --write docs/suites.md

# Batches of COUNT questions of all commands, disturbed at random moments: nothing is lost, nothing is left behind.
faults: setup
	$(BIN)/python bench/faults.py --count $(or $(COUNT),10000) --seed $(or $(SEED),0)

# COUNT mutated inputs for every reader: no traceback, no answer over the limit, no signal ends a command.
fuzz: setup
	$(BIN)/python bench/fuzz.py --count $(or $(COUNT),100000) --seed $(or $(SEED),0)

# ANSWERS of each kind compared with those found in another way: native runs, litmus tests, outcomes, other engines.
compare-random: setup
	$(BIN)/python bench/comparisons/compare_random.py --answers $(or $(ANSWERS),25000) --jobs $(or $(JOBS),2) --log comparisons.jsonl

clean:
	rm -rf $(VENV) build .mypy_cache .pytest_cache .ruff_cache
