"""What each part of the recipe is worth: trained without it, on 50,000 images, judged on the 10,000 held out.

The test set is never looked at here. The arithmetic is the BLAS backend's: the same steps as the index path's, whose
sums differ in rounding only, about ten times faster.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from benchmarks.recipe_runs import accuracy_of, summary
from benchmarks.record import save_result
from solutions import mnist
from solutions.recipe import Recipe
from solutions.train_command import VALIDATION_SAMPLES

DEFAULT = Recipe()
VARIANTS = {
    "the default recipe": DEFAULT,
    "without shifts": replace(DEFAULT, max_shift=0),
    "shifts of up to two pixels": replace(DEFAULT, max_shift=2),
    "without the linear decay": replace(DEFAULT, linear_decay=False),
    "without warm-up": replace(DEFAULT, warmup_fraction=0.0),
    "peak rate halved": replace(DEFAULT, peak_learning_rate=DEFAULT.peak_learning_rate / 2),
    "peak rate doubled": replace(DEFAULT, peak_learning_rate=DEFAULT.peak_learning_rate * 2),
    "plain Adam at 0.001: no shifts, no schedule": replace(
        DEFAULT, max_shift=0, linear_decay=False, warmup_fraction=0.0, peak_learning_rate=1e-3
    ),
    "SGD with momentum, peak rate 0.1": replace(DEFAULT, optimizer="momentum", peak_learning_rate=0.1),
}


def main() -> None:
    """Run every variant with every seed, print and keep the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recipe_study", description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    seeds = range(100, 100 + parser.parse_args().seeds)  # other seeds than the ten that judge the recipe
    data = mnist.load()
    cut = len(data.train_labels) - VALIDATION_SAMPLES
    train = (data.train_images[:cut], data.train_labels[:cut])
    held_out = (data.train_images[cut:], data.train_labels[cut:])
    rows = []
    for name, recipe in VARIANTS.items():
        accuracies = [accuracy_of(replace(recipe, seed=seed), "blas", train, held_out) for seed in seeds]
        row = {"name": name, "seeds": len(seeds), **summary(accuracies)}
        rows.append(row)
        print(f"{name:55} mean {row['mean']:.3f} %  lowest {row['min']:.2f} %  highest {row['max']:.2f} %", flush=True)
    path = save_result(
        "recipe_study",
        f"python -m benchmarks.recipe_study --seeds {len(seeds)}",
        {"split": f"trained on {cut:,}, judged on {VALIDATION_SAMPLES:,} training images held out", "rows": rows},
    )
    print(f"written: {path}")


if __name__ == "__main__":
    main()
