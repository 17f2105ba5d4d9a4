"""Replay the MNIST test set through saved weights: ``python test_accuracy.py --help``; ``make accuracy`` runs it."""

from __future__ import annotations

import sys

from autograder.contract.accuracy import main
from solutions.command_line import run

if __name__ == "__main__":
    sys.exit(run(main, sys.argv[1:]))
