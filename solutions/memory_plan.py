"""Where the bytes of a training step go, counted before anything is allocated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

FLOAT32_BYTES = 4
MOMENTS = {"sgd": 0, "momentum": 1, "adam": 2}
"""Numbers that an optimiser remembers for each parameter."""


class TrainingBytes(NamedTuple):
    """Bytes of a training step, by owner."""

    parameters: int
    gradients: int
    optimizer_state: int
    activations: int


def training_bytes(layer_sizes: Sequence[int], batch_size: int, optimizer: str) -> TrainingBytes:
    """Bytes that training a stack of linear layers must hold, all in float32.

    Args:
        layer_sizes: widths from input to output, e.g. ``(784, 256, 128, 10)``.
        batch_size: samples in a step.
        optimizer: ``"sgd"``, ``"momentum"`` or ``"adam"``: 0, 1 or 2 remembered numbers a parameter.

    Returns:
        ``(parameters, gradients, optimizer_state, activations)``, in bytes. Parameters are weights and biases, with a
        gradient each; activations are one value for every unit of every layer, the input included, for every sample.

    Raises:
        ValueError: no such optimiser.
    """
    if optimizer not in MOMENTS:
        raise ValueError(f"no optimizer {optimizer!r}; there are: {', '.join(MOMENTS)}")
    ### BEGIN SOLUTION
    count = 0
    for layer in range(len(layer_sizes) - 1):
        inputs, outputs = layer_sizes[layer], layer_sizes[layer + 1]
        count += inputs * outputs + outputs
    parameters = count * FLOAT32_BYTES
    activations = batch_size * sum(layer_sizes) * FLOAT32_BYTES
    return TrainingBytes(parameters, parameters, MOMENTS[optimizer] * parameters, activations)
    ### END SOLUTION
