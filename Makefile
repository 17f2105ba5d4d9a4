# The course's commands; `make help` lists them. Everything is installed into .venv, from PyPI alone.
# Options of train.py go into ARGS: make train ARGS="--seed 3 --resume"

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help setup data train accuracy hardware notebooks test lint unit nbval drift book release students grade-demo \
        bench study seeds pins clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# --- environments -----------------------------------------------------------------------------------------------------
# Two stamps in one environment: training needs four small packages, everything else needs the whole list.

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "error: $(PYTHON) is missing or older than 3.10; install one, or say: make PYTHON=/path/to/python3.10" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "error: $(PYTHON) cannot make virtual environments; on Debian and Ubuntu: apt install python3-venv" >&2; exit 2; }

$(VENV)/.train-ready: requirements-train.txt | $(VENV)/bin/python
	$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-train.txt
	@touch $@

$(VENV)/.full-ready: requirements.txt requirements-train.txt | $(VENV)/bin/python
	$(PY) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@ $(VENV)/.train-ready

$(VENV)/.bench-ready: requirements-bench.txt $(VENV)/.full-ready
	$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-bench.txt
	@touch $@

setup: $(VENV)/.full-ready ## install everything: notebooks, book, tests, the CUDA 11.7 stack

# --- the network ------------------------------------------------------------------------------------------------------

data: $(VENV)/.train-ready ## fetch MNIST and say where it is
	$(PY) -m solutions.mnist

train: $(VENV)/.train-ready ## train on MNIST, save the weights, replay the test set, judge by the contract
	$(PY) train.py $(ARGS)

accuracy: $(VENV)/.train-ready ## replay the test set with the saved weights
	$(PY) test_accuracy.py $(ARGS)

hardware: $(VENV)/.train-ready ## hold this machine against the hardware contract
	$(PY) hardware_check.py $(ARGS)

# --- the course -------------------------------------------------------------------------------------------------------

notebooks: $(VENV)/.full-ready ## open the chapters in JupyterLab
	$(VENV)/bin/jupyter lab chapters

release: $(VENV)/.full-ready ## build the student and the reference notebooks from book/, solutions/ and kernels/
	$(PY) -m book.figures
	$(PY) -m autograder release

students: $(VENV)/.full-ready ## build _build/students: what an instructor hands out, without answers
	rm -rf _build/students
	$(PY) -m autograder release --students _build/students

book: $(VENV)/.full-ready ## build the book into _build/html; a warning is an error
	$(PY) -m autograder book

grade-demo: $(VENV)/.full-ready ## grade a small class of good, broken and hostile notebooks
	$(PY) -m autograder.grade.demo _build/grade-demo

# --- checks -----------------------------------------------------------------------------------------------------------

test: lint unit drift nbval book ## everything that CI runs

lint: $(VENV)/.full-ready ## ruff, mypy, and pictures that match their drawings
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(PY) -m book.figures --check

unit: $(VENV)/.full-ready ## pytest with coverage
	$(PY) -m pytest --cov --cov-report=term

drift: $(VENV)/.full-ready ## the committed notebooks equal a fresh release
	$(PY) -m autograder release --check

nbval: $(VENV)/.full-ready ## run the reference notebooks and compare their outputs
	$(PY) -m pytest --nbval --nbval-current-env --nbval-cell-timeout=240 solutions/*.ipynb

pins: $(VENV)/.full-ready ## resolve the pins again (after a change in requirements*.in)
	$(VENV)/bin/uv pip compile --quiet --universal --python-version 3.10 --no-header requirements-train.in -o requirements-train.txt
	$(VENV)/bin/uv pip compile --quiet --universal --python-version 3.10 --no-header requirements.in -o requirements.txt
	$(VENV)/bin/uv pip compile --quiet --universal --python-version 3.10 --no-header requirements-bench.in -o requirements-bench.txt

# --- figures for the README and the book ------------------------------------------------------------------------------
# One thread for NumPy's own product: at these sizes two threads wait for each other longer than they compute.

bench study seeds: export OPENBLAS_NUM_THREADS := 1

bench: $(VENV)/.bench-ready ## our training step beside scikit-learn's and, if installed, PyTorch's, as ratios
	$(PY) -m benchmarks.step_time

study: $(VENV)/.train-ready ## what each part of the recipe is worth, on a validation split (about half an hour)
	$(PY) -m benchmarks.recipe_study

seeds: $(VENV)/.train-ready ## the default recipe with ten seeds, judged on the test set
	$(PY) -m benchmarks.ten_seeds

clean: ## remove everything that was built, except the environment
	rm -rf _build .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
