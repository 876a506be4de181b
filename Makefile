.DEFAULT_GOAL := help
.PHONY: help run demo-recorded test test-all lint audit fuzz screens vendor reset clean

PREPARE = python="$$(scripts/find-python)" && exec "$$python" -m scripts.setup
STANDALONE = python="$$(scripts/find-python)" && exec "$$python" -m

help:  ## this list
	@awk -F ':.*## ' '/^[a-z%-]+:.*## / { sub(/%/, "NAME", $$1); printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@ls tests/benchmarks/[a-z]*.py 2>/dev/null | sed 's|.*/|                      bench-|; s|\.py$$||'

run:  ## set up what is missing and run the building; ends in the address of the map
	@$(PREPARE) run -- smartcis run

demo-recorded:  ## show three recorded minutes of the demo building; SPEED may be set
	@$(PREPARE) run -- smartcis replay tests/recordings/demo.jsonl.gz --speed $(or $(SPEED),1)

test:  ## set up what is missing, check the code, run the tests
	@$(PREPARE) test -- python -m scripts.check $(PYTEST)

test-all:  ## the same with the slow tests
	@$(PREPARE) test -- python -m scripts.check --all $(PYTEST)

audit:  ## bandit over our code, pip-audit over what it stands on; asks the advisory database
	@$(PREPARE) audit -- python -m scripts.audit

lint:  ## ruff, mypy and the import contracts only
	@$(PREPARE) test -- python -m scripts.check --lint

fuzz:  ## random programs under random changes, against recomputation; STEPS and SEED may be set
	@$(PREPARE) test -- python -m tests.fuzz --steps $(or $(STEPS),100000) --seed $(or $(SEED),1)

bench-%:  ## run the benchmark tests/benchmarks/NAME.py
	@$(PREPARE) test -- python -m tests.benchmarks.$(subst -,_,$*)

screens:  ## pictures of every page and state of the running demo in build/screens/; STATES may name some
	@$(PREPARE) test -- python -m tests.browser.screens $(STATES)

vendor:  ## fetch the browser libraries by npm again
	@$(STANDALONE) scripts.browser_libraries

reset:  ## remove the state folder: log, facts, everything the building remembers
	@$(STANDALONE) scripts.reset

clean:  ## remove what the set-up made: .venv, node_modules, static/vendor, caches
	rm -rf .venv build node_modules static/vendor *.egg-info .mypy_cache .ruff_cache .pytest_cache \
		.hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
