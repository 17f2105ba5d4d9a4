"""``test_accuracy.py``: replay the test set through saved weights and judge the result by the contract."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

from autograder.contract.cards import known_names, load_card
from autograder.contract.report import accuracy_report
from autograder.contract.sla import duration_text
from solutions import mnist
from solutions.backend import BACKENDS, choose
from solutions.command_line import FAILS, HOLDS, OneLineParser
from solutions.inference import count_correct
from solutions.weights import Weights, load_weights

DEFAULT_WEIGHTS = Path("runs/mnist/weights.npz")


def main(arguments: Sequence[str]) -> int:
    """Replay and judge: 0 when the accuracy is reached, 1 when not.

    Raises:
        CourseError: weights, data, card or backend cannot be used.
    """
    parser = OneLineParser(prog="test_accuracy.py", description="Replay the MNIST test set through saved weights.")
    parser.add_argument("--weights", metavar="FILE", type=Path, default=DEFAULT_WEIGHTS, help="default: %(default)s")
    parser.add_argument("--data", metavar="DIR", help="folder with the MNIST files (default: MNIST_DIR, cache, web)")
    parser.add_argument("--backend", choices=["auto", *BACKENDS], default="auto", help="default: %(default)s")
    parser.add_argument("--card", metavar="NAME", help=f"judge by this card's row: {known_names()}")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    options = parser.parse_args(arguments)
    if options.card is not None:
        load_card(options.card)  # a wrong name is told before the replay, not after
    weights = load_weights(options.weights)
    backend = choose(options.backend)
    data = mnist.load(options.data)
    correct = count_correct(backend, weights.arrays, data.test_images, data.test_labels)
    # No backend trains on a card yet, so the seconds in the file are a processor's: they cannot verify a card's time.
    seconds = None if options.card is not None else _number(weights, "seconds")
    report = accuracy_report(correct, len(data.test_labels), seconds, options.card)
    if options.json:
        about = {"path": str(options.weights), "about": dict(weights.about)}
        print(json.dumps(report.to_json() | {"weights": about, "backend": backend.name}, indent=2))
    else:
        print(f"weights {options.weights}{_training(weights)}; replayed by backend {backend.name}")
        print(*report.lines(), sep="\n")
    return HOLDS if report.passed else FAILS


def _training(weights: Weights) -> str:
    """What the file says of its training, as far as it says anything."""
    seconds, backend = _number(weights, "seconds"), weights.about.get("backend")
    took = f"trained in {duration_text(seconds)}" if seconds is not None else ""
    by = f"by backend {backend}" if isinstance(backend, str) else ""
    told = " ".join(part for part in (took, by) if part)
    return f" ({told})" if told else ""


def _number(weights: Weights, key: str) -> float | None:
    value = weights.about.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0 <= value < math.inf else None
