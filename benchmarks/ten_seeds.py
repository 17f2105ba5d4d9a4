"""The default recipe with ten seeds on the whole training set, judged once on the test set."""

from __future__ import annotations

import argparse
from dataclasses import replace

from benchmarks.recipe_runs import accuracy_of, summary
from benchmarks.record import save_result
from solutions import mnist
from solutions.backend import BACKENDS
from solutions.recipe import Recipe


def main() -> None:
    """Run the seeds, print and keep the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ten_seeds", description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--backend", choices=list(BACKENDS), default="index")
    options = parser.parse_args()
    data = mnist.load()
    train, test = (data.train_images, data.train_labels), (data.test_images, data.test_labels)
    accuracies = []
    for seed in range(options.seeds):
        accuracies.append(accuracy_of(replace(Recipe(), seed=seed), options.backend, train, test))
        print(f"seed {seed}: {100 * accuracies[-1]:.2f} %", flush=True)
    figures = summary(accuracies)
    print(f"mean {figures['mean']:.3f} %, lowest {figures['min']:.2f} %, highest {figures['max']:.2f} %")
    command = f"python -m benchmarks.ten_seeds --seeds {options.seeds} --backend {options.backend}"
    path = save_result(f"ten_seeds_{options.backend}", command, {"epochs": Recipe().epochs, **figures})
    print(f"written: {path}")


if __name__ == "__main__":
    main()
