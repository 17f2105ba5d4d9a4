"""The multilayer perceptron: its parameters by name, its first values, forward and backward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from solutions.activation import relu_backward, relu_forward
from solutions.arrays import ByteArray, FloatArray
from solutions.linear import Product, linear_backward, linear_forward
from solutions.loss import cross_entropy

Parameters = Mapping[str, FloatArray]
"""``w0 [in, out]``, ``b0 [out]``, ``w1`` …: the layers from input to output."""


class Gradients(NamedTuple):
    """What one batch says: its loss, how many it got right, and a gradient for every parameter."""

    loss: float
    correct: int
    arrays: dict[str, FloatArray]


def parameter_shapes(layer_sizes: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """Name and shape of every parameter, in order."""
    shapes: dict[str, tuple[int, ...]] = {}
    for layer, (inputs, outputs) in enumerate(pairwise(layer_sizes)):
        shapes[f"w{layer}"] = (inputs, outputs)
        shapes[f"b{layer}"] = (outputs,)
    return shapes


def initialize(layer_sizes: Sequence[int], rng: np.random.Generator) -> dict[str, FloatArray]:
    """First values: weights normal with variance 2 / inputs (He et al. 2015, for ReLU), biases 0."""
    parameters: dict[str, FloatArray] = {}
    for name, shape in parameter_shapes(layer_sizes).items():
        if len(shape) == 2:
            scale = np.float32((2.0 / shape[0]) ** 0.5)
            parameters[name] = scale * rng.standard_normal(shape, dtype=np.float32)
        else:
            parameters[name] = np.zeros(shape, dtype=np.float32)
    return parameters


def pixels_to_input(images: ByteArray) -> FloatArray:
    """uint8 ``[n, height, width]``, 0 … 255, to float32 ``[n, height * width]``, 0 … 1."""
    return images.reshape(len(images), -1).astype(np.float32) / np.float32(255.0)


def forward(parameters: Parameters, x: FloatArray, product: Product) -> tuple[list[FloatArray], FloatArray]:
    """Run the network.

    Args:
        parameters: see :data:`Parameters`.
        x: float32 ``[batch, inputs]``.
        product: how to multiply two matrices.

    Returns:
        ``(activations, logits)``: the input of every linear layer, which the backward pass needs, and float32
        ``[batch, classes]``.
    """
    layers = len(parameters) // 2
    activations = [x]
    for layer in range(layers):
        z = linear_forward(activations[-1], parameters[f"w{layer}"], parameters[f"b{layer}"], product)
        if layer == layers - 1:
            return activations, z
        activations.append(relu_forward(z))
    raise ValueError("a network needs at least one layer")


def gradients(parameters: Parameters, x: FloatArray, labels: ByteArray, product: Product) -> Gradients:
    """Loss and gradients of one batch by the chain rule, from the last layer to the first.

    The mask of a ReLU is read off its output: ``relu(z) > 0`` exactly where ``z > 0``, so z need not be kept.

    Args:
        parameters: see :data:`Parameters`.
        x: float32 ``[batch, inputs]``.
        labels: uint8 ``[batch]``.
        product: how to multiply two matrices.
    """
    activations, logits = forward(parameters, x, product)
    loss, grad = cross_entropy(logits, labels)
    correct = int(np.count_nonzero(np.argmax(logits, axis=1) == labels))
    arrays: dict[str, FloatArray] = {}
    for layer in reversed(range(1, len(activations))):
        inputs = activations[layer]
        grad_input, arrays[f"w{layer}"], arrays[f"b{layer}"] = linear_backward(
            grad, inputs, parameters[f"w{layer}"], product
        )
        grad = relu_backward(grad_input, inputs)
    # Nobody asks for the gradient of the pixels: it would cost as much again as the first layer's forward pass.
    arrays["w0"], arrays["b0"] = product(x.T, grad), np.sum(grad, axis=0)
    return Gradients(loss, correct, arrays)
