"""ReLU, forward and backward, with a comparison and by the bits of the float."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from solutions.arrays import FloatArray


def relu_forward(x: FloatArray) -> FloatArray:
    """max(x, 0), element by element.

    Args:
        x: float32, any shape.

    Returns:
        A new float32 array. NaN stays NaN: a broken input must not look like a healthy zero.
    """
    ### BEGIN SOLUTION
    return np.maximum(x, np.float32(0.0))
    ### END SOLUTION


def relu_backward(grad_output: FloatArray, x: FloatArray) -> FloatArray:
    """Pass the gradient where the input was above zero, and nothing elsewhere.

    Args:
        grad_output: float32, the shape of ``x``.
        x: what the forward pass was given, float32.

    Returns:
        A new float32 array: ``grad_output`` where ``x > 0``, 0 where ``x`` is negative, +0, -0 or NaN. What
        ``grad_output`` holds at a masked place, NaN included, does not come through.
    """
    ### BEGIN SOLUTION
    return np.where(x > 0, grad_output, np.float32(0.0))
    ### END SOLUTION


def sign_bit(x: FloatArray) -> npt.NDArray[np.uint32]:
    """The topmost of the 32 bits of each float32: 1 for negative numbers and -0, 0 for positive numbers and +0.

    Args:
        x: float32, any shape.

    Returns:
        uint32 array of the shape of ``x``, each element 0 or 1. (IEEE 754-2019, section 3.4.)
    """
    ### BEGIN SOLUTION
    return x.view(np.uint32) >> np.uint32(31)
    ### END SOLUTION


def relu_backward_sign_bit(grad_output: FloatArray, x: FloatArray) -> FloatArray:
    """:func:`relu_backward` from the bits of ``x`` alone: no comparison of floats.

    The sign bit by itself is not enough: it is 0 at +0, where the gradient stops, and may be 0 at a NaN. Seen as
    unsigned integers, the positive floats are exactly ``0x00000001 … 0x7F800000`` (the last one is infinity).

    Args:
        grad_output: float32, the shape of ``x``.
        x: what the forward pass was given, float32.

    Returns:
        A new float32 array, equal to ``relu_backward(grad_output, x)`` for every bit pattern of ``x``.
    """
    bits = x.view(np.uint32)
    ### BEGIN SOLUTION
    positive = (bits >= np.uint32(0x00000001)) & (bits <= np.uint32(0x7F800000))
    return np.where(positive, grad_output, np.float32(0.0))
    ### END SOLUTION
