"""Training runs without checkpoints or bars, for studies over recipes and seeds."""

from __future__ import annotations

from solutions.arrays import ByteArray
from solutions.backend import choose
from solutions.inference import count_correct
from solutions.plan import epoch_steps
from solutions.recipe import Recipe
from solutions.state import first_state, trained_weights


def accuracy_of(
    recipe: Recipe, backend_name: str, train: tuple[ByteArray, ByteArray], held_out: tuple[ByteArray, ByteArray]
) -> float:
    """Train with ``recipe`` and return the part of ``held_out`` that is classified correctly.

    ``train`` and ``held_out`` are pairs of uint8 images ``[n, 28, 28]`` and labels ``[n]``.
    """
    backend = choose(backend_name)
    backend.start(recipe, first_state(recipe), *train)
    for epoch in range(recipe.epochs):
        backend.run(epoch_steps(recipe, len(train[1]), epoch))
    return count_correct(backend, trained_weights(recipe, backend.state()), *held_out) / len(held_out[1])


def summary(accuracies: list[float]) -> dict[str, object]:
    """Mean, lowest, highest and each, in percent to two digits."""
    percent = [round(100 * accuracy, 2) for accuracy in accuracies]
    return {"mean": round(sum(percent) / len(percent), 3), "min": min(percent), "max": max(percent), "each": percent}
