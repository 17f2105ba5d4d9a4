"""Gradient checks: what the slope of a function is, asked of the function itself."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from solutions.arrays import DoubleArray


def numerical_gradient(f: Callable[[DoubleArray], float], x: npt.ArrayLike, eps: float = 1e-6) -> DoubleArray:
    """Gradient of ``f`` at ``x`` by central differences: ``(f(x + eps) - f(x - eps)) / (2 * eps)``, an element a time.

    The error is of order eps² from the curvature and of order 1e-16 / eps from rounding; both are small near
    eps = 1e-5 in float64. (Nocedal and Wright, Numerical Optimization, section 8.1.)

    Args:
        f: takes a float64 array of the shape of ``x``, returns a number.
        x: where; any shape, left unchanged.
        eps: half the distance between the two points.

    Returns:
        float64 array of the shape of ``x``.
    """
    x = np.array(x, dtype=np.float64, order="C")  # a copy in row-major order, so that x.reshape(-1) is a view of it
    gradient = np.empty_like(x)
    ### BEGIN SOLUTION
    x_flat, gradient_flat = x.reshape(-1), gradient.reshape(-1)
    for offset in range(x_flat.size):
        kept = x_flat[offset]
        x_flat[offset] = kept + eps
        above = f(x)
        x_flat[offset] = kept - eps
        below = f(x)
        x_flat[offset] = kept
        gradient_flat[offset] = (above - below) / (2 * eps)
    ### END SOLUTION
    return gradient


def relative_error(got: npt.ArrayLike, want: npt.ArrayLike) -> float:
    """How far ``got`` is from ``want``, as a part of the size of ``want``: ‖got − want‖ / ‖want‖.

    Args:
        got, want: numbers or arrays of one shape.

    Returns:
        The ratio of the two Euclidean norms, worked out in float64: for sizes between 1e-150 and 1e150, whose squares
        it holds. ``want`` all zero: ‖got‖ itself. A NaN anywhere in either: ``inf``, because NaN is never close to
        anything.
    """
    got = np.asarray(got, dtype=np.float64)
    want = np.asarray(want, dtype=np.float64)
    ### BEGIN SOLUTION
    distance = math.sqrt(np.sum((got - want) ** 2))
    size = math.sqrt(np.sum(want**2))
    error = distance / size if size > 0 else distance
    return math.inf if math.isnan(error) else error
    ### END SOLUTION
