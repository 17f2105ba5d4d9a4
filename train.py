"""Train the network of the contract on MNIST: ``python train.py --help``; ``make train`` runs it."""

from __future__ import annotations

import sys

from autograder.contract.cards import load_card
from autograder.contract.laws import max_batch_size
from autograder.contract.report import accuracy_report

from solutions import train_command
from solutions.errors import CourseError
from solutions.recipe import MNIST_LAYERS

CONTRACT_CARD = "GTX 1060 6GB"


def main(arguments: list[str]) -> int:
    """Train and judge; 0 when the contract's accuracy is reached, 1 when not, 2 on bad input, 130 when interrupted."""
    try:
        limit = max_batch_size(MNIST_LAYERS, load_card(CONTRACT_CARD))
        outcome = train_command.run(train_command.parse(arguments, limit.value))
        print(f"weights: {outcome.weights}; replaying the {outcome.held_out} ({outcome.total:,} images)")
        report = accuracy_report(outcome.correct, outcome.total, outcome.seconds, None)
        print(*report.lines(), sep="\n")
        return 0 if report.passed else 1
    except CourseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; go on with: python train.py --resume", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
