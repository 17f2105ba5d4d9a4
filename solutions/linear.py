"""The linear layer, forward and backward: ``y = x · W + b`` and its chain rule."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from solutions.arrays import FloatArray
from solutions.matmul import matmul_blocked

Product = Callable[[FloatArray, FloatArray], FloatArray]
"""A matrix product: ``[m, k]`` and ``[k, n]``, any strides, to a new ``[m, n]``."""


def index_product(a: FloatArray, b: FloatArray) -> FloatArray:
    """The product that the index path trains with: blocks of at most 256 KB of ``out`` (see chapter 2).

    ``a`` is float32 ``[m, k]``, ``b`` float32 ``[k, n]``, any strides; returns a new float32 ``[m, n]``.
    """
    block_rows = max(1, 256 * 1024 // (4 * b.shape[1]))
    return matmul_blocked(a, b, block_rows)


def linear_forward(
    x: FloatArray, weight: FloatArray, bias: FloatArray, product: Product = index_product
) -> FloatArray:
    """Apply a linear layer to a batch.

    Args:
        x: float32 ``[batch, inputs]``.
        weight: float32 ``[inputs, outputs]``.
        bias: float32 ``[outputs]``, added to every row.
        product: how to multiply two matrices.

    Returns:
        float32 ``[batch, outputs]``.
    """
    ### BEGIN SOLUTION
    return product(x, weight) + bias
    ### END SOLUTION


def linear_backward(
    grad_output: FloatArray, x: FloatArray, weight: FloatArray, product: Product = index_product
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Send a gradient back through a linear layer.

    Args:
        grad_output: dL/dy, float32 ``[batch, outputs]``.
        x: the layer's input, float32 ``[batch, inputs]``.
        weight: float32 ``[inputs, outputs]``.
        product: how to multiply two matrices.

    Returns:
        ``(grad_input [batch, inputs], grad_weight [inputs, outputs], grad_bias [outputs])``, float32. Each has the
        shape of the thing that it is the gradient of.
    """
    ### BEGIN SOLUTION
    grad_input = product(grad_output, weight.T)
    grad_weight = product(x.T, grad_output)
    grad_bias = np.sum(grad_output, axis=0)
    return grad_input, grad_weight, grad_bias
    ### END SOLUTION
