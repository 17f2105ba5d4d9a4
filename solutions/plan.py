"""What each step is given: which samples, moved how far, at which learning rate.

The plan of an epoch comes from a counter-based random stream with the key (seed, epoch). It depends on nothing that
happened before, which is why a run that was killed continues bit for bit from any step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solutions.arrays import IntArray
from solutions.batches import batch_slices
from solutions.recipe import Recipe


class Step(NamedTuple):
    """One step: ``number`` counts from 1; ``indices``, ``dy`` and ``dx`` are int64 ``[batch]``."""

    number: int
    indices: IntArray
    dy: IntArray
    dx: IntArray
    learning_rate: float


def steps_per_epoch(recipe: Recipe, samples: int) -> int:
    """Minibatches in an epoch; the last one may be smaller."""
    return -(-samples // recipe.batch_size)


def epoch_steps(recipe: Recipe, samples: int, epoch: int) -> list[Step]:
    """All steps of an epoch (0 is the first), in order: every sample once, in a fresh order, freshly shifted."""
    rng = np.random.Generator(np.random.Philox(key=[recipe.seed, epoch + 1]))
    order = rng.permutation(samples)
    dy, dx = rng.integers(-recipe.max_shift, recipe.max_shift + 1, size=(2, samples))
    slices = batch_slices(samples, recipe.batch_size)
    first = epoch * len(slices)
    total = recipe.epochs * len(slices)
    return [
        Step(
            number=first + position + 1,
            indices=order[start:stop],
            dy=dy[start:stop],
            dx=dx[start:stop],
            learning_rate=recipe.learning_rate(first + position, total),
        )
        for position, (start, stop) in enumerate(slices)
    ]
