"""The command line of training: options, progress bar, weights on disk, and the replay of the test set."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from solutions import mnist
from solutions.backend import BACKENDS, choose
from solutions.checkpoint import load_checkpoint
from solutions.command_line import OneLineParser
from solutions.inference import count_correct
from solutions.memory_plan import training_bytes
from solutions.recipe import Recipe
from solutions.trainer import CHECKPOINT_NAME, Progress, Trainer
from solutions.weights import save_weights

WEIGHTS_NAME = "weights.npz"
VALIDATION_SAMPLES = 10_000
"""Training images held out by --validation, from the end: choices are made on them, never on the test set."""
RECIPE_OPTIONS = {
    "epochs": "epochs",
    "batch": "batch_size",
    "optimizer": "optimizer",
    "learning_rate": "peak_learning_rate",
    "seed": "seed",
}
"""Option → field of the recipe."""


@dataclass(frozen=True)
class Outcome:
    """What a finished command has to show."""

    correct: int
    total: int
    seconds: float
    weights: Path
    held_out: str


def parse(arguments: Sequence[str], max_batch_size: int) -> argparse.Namespace:
    """Read the options; unusable ones end the program with a one-line error and status 2.

    Args:
        arguments: without the program's name.
        max_batch_size: the contract's bound on ``--batch``.
    """
    default = Recipe()
    parser = OneLineParser(prog="train.py", description="Train 784-256-128-10 on MNIST and replay the test set.")
    parser.add_argument("--data", metavar="DIR", help="folder with the MNIST files (default: MNIST_DIR, cache, web)")
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path("runs/mnist"), help="default: %(default)s")
    parser.add_argument("--resume", action="store_true", help="go on with the run in --out, bit for bit")
    parser.add_argument("--backend", choices=["auto", *BACKENDS], help="default: auto")
    parser.add_argument("--epochs", type=_whole(1, 1000), help=f"default: {default.epochs}")
    batch_help = f"1 … {max_batch_size}, the contract's maximum; default: {default.batch_size}"
    parser.add_argument("--batch", type=_whole(1, max_batch_size), help=batch_help)
    parser.add_argument("--optimizer", choices=["adam", "momentum"], help=f"default: {default.optimizer}")
    parser.add_argument("--learning-rate", type=_rate, help=f"peak; default: {default.peak_learning_rate}")
    parser.add_argument("--seed", type=_whole(0, 2**63 - 1), help=f"default: {default.seed}")
    parser.add_argument("--validation", action="store_true", help="judge on 10,000 training images held out instead")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> Outcome:
    """Train, save the weights, replay the held-out set.

    Raises:
        CourseError: anything that a person can mend: data, folder, checkpoint, divergence.
    """
    recipe, backend_name = _recipe_and_backend(options)
    backend = choose(backend_name)
    data = mnist.load(options.data)
    images, labels, held_out = data.train_images, data.train_labels, ("test set", data.test_images, data.test_labels)
    if options.validation:
        cut = len(labels) - VALIDATION_SAMPLES
        held_out = ("validation split", images[cut:], labels[cut:])
        images, labels = images[:cut], labels[:cut]
    trainer = Trainer(recipe, backend, images, labels, options.out)
    _announce(recipe, backend.name, options)
    with _Bar(trainer) as bar:
        result = trainer.run(options.resume, bar.show)
    weights = options.out / WEIGHTS_NAME
    run_facts = {"backend": backend.name, "seconds": result.seconds, "samples": trainer.samples}
    about = dataclasses.asdict(recipe) | run_facts
    save_weights(weights, result.weights, about)
    name, test_images, test_labels = held_out
    correct = count_correct(backend, result.weights, test_images, test_labels)
    return Outcome(correct, len(test_labels), result.seconds, weights, name)


def _recipe_and_backend(options: argparse.Namespace) -> tuple[Recipe, str]:
    """What was asked for; with --resume, what the checkpoint says wherever nothing was asked for."""
    given = {field: getattr(options, option) for option, field in RECIPE_OPTIONS.items()}
    given = {field: value for field, value in given.items() if value is not None}
    recipe, backend_name = Recipe(), "auto"
    if options.resume:
        checkpoint = load_checkpoint(options.out / CHECKPOINT_NAME)
        recipe, backend_name = checkpoint.recipe, checkpoint.backend
    return dataclasses.replace(recipe, **given), options.backend or backend_name


def _announce(recipe: Recipe, backend: str, options: argparse.Namespace) -> None:
    plan = training_bytes(recipe.layer_sizes, recipe.batch_size, recipe.optimizer)
    sizes = "-".join(str(size) for size in recipe.layer_sizes)
    print(f"network {sizes}, batch {recipe.batch_size}, {recipe.optimizer}, seed {recipe.seed}, backend {backend}")
    print(
        f"bytes of a step: parameters {plan.parameters:,}, gradients {plan.gradients:,}, "
        f"optimiser {plan.optimizer_state:,}, activations {plan.activations:,}"
    )
    if not options.resume and (options.out / CHECKPOINT_NAME).exists():
        print(f"starting afresh: the run in {options.out} is replaced (to continue a run: --resume)")


class _Bar:
    """A progress bar with the epoch's mean loss and accuracy; tqdm adds the time left."""

    def __init__(self, trainer: Trainer) -> None:
        self._per_epoch = trainer.total_steps // trainer.recipe.epochs
        interactive = sys.stderr.isatty()
        self._bar = tqdm(
            total=trainer.total_steps,
            unit="step",
            mininterval=0.1 if interactive else 15.0,  # a log file wants a line now and then, not ten a second
            dynamic_ncols=interactive,
        )
        self._loss = self._correct = self._samples = self._steps = 0.0

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def show(self, progress: Progress) -> None:
        """Take in the last few steps."""
        first = progress.step - len(progress.results)
        if first % self._per_epoch == 0:
            self._loss = self._correct = self._samples = self._steps = 0.0
        self._loss += sum(result.loss for result in progress.results)
        self._correct += sum(result.correct for result in progress.results)
        self._steps += len(progress.results)
        self._samples += progress.samples
        epoch = first // self._per_epoch + 1
        self._bar.set_description(f"epoch {epoch}", refresh=False)
        accuracy = 100 * self._correct / self._samples
        self._bar.set_postfix_str(f"loss {self._loss / self._steps:.4f}, accuracy {accuracy:.2f} %", refresh=False)
        self._bar.update(progress.step - self._bar.n)


def _whole(low: int, high: int) -> type[int]:
    def whole_number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number; give one from {low} to {high}") from None
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{value} is outside {low} … {high}")
        return value

    return whole_number  # type: ignore[return-value]


def _rate(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value <= 10:
        raise argparse.ArgumentTypeError(f"{text!r} is not a learning rate; give a number above 0, at most 10")
    return value


