"""The backend that runs anywhere: NumPy arrays, with the matrix product left open."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from solutions.arrays import ByteArray, FloatArray
from solutions.augment import shift_images
from solutions.backend import StepResult
from solutions.linear import Product, index_product
from solutions.network import Parameters, forward, gradients, parameter_shapes, pixels_to_input
from solutions.optimizer import adam_step, sgd_momentum_step
from solutions.plan import Step
from solutions.recipe import Recipe
from solutions.state import TrainState

MOMENTUM = 0.9
INFERENCE_BATCH = 500
"""Images replayed at once: at 500 the widest scratch array, [500, 256] float32, is 512 KB."""


class NumpyBackend:
    """Does every step on the CPU; see :class:`solutions.backend.Backend`."""

    def __init__(self, name: str, product: Product) -> None:
        self.name = name
        self._product = product

    def start(self, recipe: Recipe, state: TrainState, images: ByteArray, labels: ByteArray) -> None:
        """Take over the state and the data."""
        self._recipe = recipe
        self._state = TrainState(state.step, {name: array.copy() for name, array in state.arrays.items()})
        self._names = list(parameter_shapes(recipe.layer_sizes))
        self._images, self._labels = images, labels

    def run(self, steps: Sequence[Step]) -> list[StepResult]:
        """Do the steps, in order."""
        return [self._step(step) for step in steps]

    def state(self) -> TrainState:
        """A copy of the state after the last step."""
        return TrainState(self._state.step, {name: array.copy() for name, array in self._state.arrays.items()})

    def logits(self, weights: Parameters, images: ByteArray) -> FloatArray:
        """Forward pass only."""
        parts = [
            forward(weights, pixels_to_input(images[start : start + INFERENCE_BATCH]), self._product)[1]
            for start in range(0, len(images), INFERENCE_BATCH)
        ]
        return np.concatenate(parts)

    def _step(self, step: Step) -> StepResult:
        images = self._images[step.indices]
        if self._recipe.max_shift:
            images = shift_images(images, step.dy, step.dx)
        arrays = self._state.arrays
        parameters = {name: arrays[name] for name in self._names}
        batch = gradients(parameters, pixels_to_input(images), self._labels[step.indices], self._product)
        for name in self._names:
            self._update(name, batch.arrays[name], step)
        self._state.step = step.number
        return StepResult(batch.loss, batch.correct)

    def _update(self, name: str, grad: FloatArray, step: Step) -> None:
        arrays, recipe = self._state.arrays, self._recipe
        param = arrays[name]
        if recipe.optimizer == "adam":
            adam_step(param, grad, arrays[f"m.{name}"], arrays[f"v.{name}"], step.number, step.learning_rate)
        else:
            sgd_momentum_step(param, grad, arrays[f"m.{name}"], step.learning_rate, MOMENTUM)


def index_backend() -> NumpyBackend:
    """The index path: every product by rank-1 accumulation."""
    return NumpyBackend("index", index_product)
