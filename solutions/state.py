"""The state of a run: every array that a step reads and changes, and how many steps there have been."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solutions.arrays import FloatArray
from solutions.memory_plan import MOMENTS
from solutions.network import initialize, parameter_shapes
from solutions.recipe import Recipe

MOMENT_NAMES = ("m", "v")
INITIALIZATION_STREAM = 0
"""First word after the seed in the key of the random stream; epochs use 1, 2, … (see :mod:`solutions.plan`)."""


@dataclass
class TrainState:
    """``arrays`` holds the parameters ``w0``, ``b0`` … and the optimiser's moments ``m.w0``, ``v.w0`` …"""

    step: int
    arrays: dict[str, FloatArray]


def state_shapes(recipe: Recipe) -> dict[str, tuple[int, ...]]:
    """Name and shape of every array of a run with ``recipe``."""
    parameters = parameter_shapes(recipe.layer_sizes)
    prefixes = [f"{name}." for name in MOMENT_NAMES[: MOMENTS[recipe.optimizer]]]
    return parameters | {prefix + name: shape for prefix in prefixes for name, shape in parameters.items()}


def first_state(recipe: Recipe) -> TrainState:
    """The state before the first step: random weights, moments of zero."""
    rng = np.random.Generator(np.random.Philox(key=[recipe.seed, INITIALIZATION_STREAM]))
    zeros = {name: np.zeros(shape, dtype=np.float32) for name, shape in state_shapes(recipe).items()}
    return TrainState(0, zeros | initialize(recipe.layer_sizes, rng))


def trained_weights(recipe: Recipe, state: TrainState) -> dict[str, FloatArray]:
    """The parameters alone, without the optimiser's moments."""
    return {name: state.arrays[name] for name in parameter_shapes(recipe.layer_sizes)}
