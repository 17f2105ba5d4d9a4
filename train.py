"""Train the network of the contract on MNIST: ``python train.py --help``; ``make train`` runs it."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from autograder.contract.cards import REFERENCE_CARD, load_card
from autograder.contract.laws import max_batch_size
from autograder.contract.report import accuracy_report
from solutions import train_command
from solutions.command_line import FAILS, HOLDS, run
from solutions.recipe import MNIST_LAYERS

INTERRUPTED = 130
"""Exit status after Ctrl-C: 128 + SIGINT, as shells count."""


def main(arguments: Sequence[str]) -> int:
    """Train and judge; 0 when the contract's accuracy is reached, 1 when not, 2 on bad input, 130 when interrupted."""
    limit = max_batch_size(MNIST_LAYERS, load_card(REFERENCE_CARD))
    options = train_command.parse(arguments, limit.value)
    try:
        outcome = train_command.run(options)
    except KeyboardInterrupt:
        print(f"interrupted; go on with: python train.py --resume --out {options.out}", file=sys.stderr)
        return INTERRUPTED
    print(f"weights: {outcome.weights}; replaying the {outcome.held_out} ({outcome.total:,} images)")
    report = accuracy_report(outcome.correct, outcome.total, outcome.seconds, None)
    print(*report.lines(), sep="\n")
    return HOLDS if report.passed else FAILS


if __name__ == "__main__":
    sys.exit(run(main, sys.argv[1:]))
