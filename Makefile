# Meydan. `make help` lists what can be done.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PROTOS := $(shell find protos -name '*.proto')

.DEFAULT_GOAL := help
.PHONY: help demo up test lint bench strength chaos protos lock clean

help: ## This list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-9s %s\n", $$1, $$2}'

demo: build/link.stamp ## Bots and a client play over gRPC; a match is replayed, verified, its AI moves computed again
	$(BIN)/meydan demo

up: build/link.stamp ## The platform stays up until Ctrl-C
	$(BIN)/meydan up

test: lint ## Checks, then all tests
	$(BIN)/python -m pytest -n 2 $(PYTEST_ARGS)

lint: build/types.stamp build/link.stamp ## Style, types, imports, protos
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/buf lint

bench: build/bench.stamp build/link.stamp ## Measures against baselines of the same run; writes build/bench.json
	$(BIN)/python -m tests.bench $(BENCH_ARGS)

strength: build/dev.stamp build/link.stamp ## How well the computer players play; minutes
	$(BIN)/python -m tests.bench domino-strength kingdomino-strength $(BENCH_ARGS)

chaos: build/dev.stamp build/link.stamp ## A tournament of 2,000 matches while its parts are killed; minutes
	$(BIN)/python -m tests.faults $(CHAOS_ARGS)

protos: build/gen.stamp ## Generated code from protos/ into build/gen

lock: build/dev.stamp ## Pins again, with hashes, what requirements/*.in ask for
	for name in run dev bench; do \
	  $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate \
	    -q requirements/$$name.in -o requirements/$$name.txt || exit 1; \
	done

clean: ## Removes what was built and installed, and the data of `make up`
	rm -rf build $(VENV) .meydan

build/venv.stamp:
	$(PYTHON) -c 'import sys; sys.exit("Meydan needs Python 3.11 or newer.") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	@mkdir -p build && touch $@

build/run.stamp: requirements/run.txt build/venv.stamp
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/run.txt
	@touch $@

build/dev.stamp: requirements/dev.txt build/run.stamp
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

build/bench.stamp: requirements/bench.txt build/dev.stamp
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/bench.txt
	@touch $@

build/gen.stamp: $(PROTOS) build/run.stamp
	rm -rf build/gen && mkdir -p build/gen
	$(BIN)/python -m grpc_tools.protoc -Iprotos --python_out=build/gen --grpc_python_out=build/gen $(PROTOS)
	@touch $@

build/types.stamp: build/gen.stamp build/dev.stamp
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/python -m grpc_tools.protoc -Iprotos \
	  --mypy_out=quiet:build/gen --mypy_grpc_out=quiet:build/gen $(PROTOS)
	@touch $@

build/link.stamp: pyproject.toml build/gen.stamp
	@$(BIN)/python -m pip install --disable-pip-version-check --no-deps --no-build-isolation --no-index -e . \
	  >build/link.log 2>&1 || { cat build/link.log; exit 1; }
	@touch $@
