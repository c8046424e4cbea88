# Each target works from a fresh clone by itself: it makes .venv when it is not there or older than the lock.
.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
export DAGSTER_HOME ?= $(CURDIR)
export DAGSTER_DISABLE_TELEMETRY := yes

.PHONY: help run test ui check clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "make %-8s %s\n", $$1, $$2}' Makefile

run: .venv/installed ## Judge every version of the shipped spec and show what came of it
	@$(BIN)/recordroom run recordroom/property-underwriting --version all

test: .venv/installed ## Run all tests
	@$(BIN)/python -m pytest

ui: .venv/installed ## Open the Dagster UI on the same instance, at http://localhost:3000
	@mkdir -p warehouse/dagster
	@$(BIN)/dagster dev --host 127.0.0.1 --port $${PORT:-3000}

check: .venv/installed ## Lint, format and types
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

clean: ## Remove everything that can be made again: warehouse, dist artifacts, caches (not .venv)
	@find warehouse -mindepth 1 -not -name .gitkeep -delete
	@find specs -path '*/dist/runs/*' -delete -o -path '*/dist/spec.json' -delete
	@rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis

# The lock holds every package with its hashes, tests included; --no-deps because it is complete.
.venv/installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; this is %s. Name another: make PYTHON=python3.12 …" % sys.version.split()[0])'
	@echo "Installing what requirements.lock names into .venv (one to two minutes, mostly downloads) …"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	@touch $@
