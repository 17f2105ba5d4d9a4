"""Functions that a case hands to the student's function by name: scalar functions of an array with a known slope.

Each works in float64 whatever it is given, so that the student's own arithmetic alone decides how exact the result is.
The student's process loads this file by itself: standard library and NumPy only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]
Function = Callable[[npt.ArrayLike], float]


def _double(x: npt.ArrayLike) -> Doubles:
    return np.asarray(x, dtype=np.float64)


def _cubic(c: Doubles) -> Function:
    """The sum of c · x³."""
    return lambda x: float(np.sum(c * _double(x) ** 3))


def _quadratic(a: Doubles) -> Function:
    """Half the sum of a · x²."""
    return lambda x: float(0.5 * np.sum(a * _double(x) ** 2))


def _softplus_sum() -> Function:
    """The sum of log(1 + exp(x))."""
    return lambda x: float(np.sum(np.logaddexp(0.0, _double(x))))


def _product() -> Function:
    """The sum of products of neighbours in row-major order: elements depend on one another."""

    def function(x: npt.ArrayLike) -> float:
        flat = _double(x).reshape(-1)
        return float(np.sum(flat[:-1] * flat[1:]))

    return function


PROBES: dict[str, Callable[..., Function]] = {
    "cubic": _cubic,
    "quadratic": _quadratic,
    "softplus_sum": _softplus_sum,
    "product": _product,
}


def build(name: str, arrays: Sequence[npt.NDArray[np.generic]]) -> Function:
    """The function called ``name``, with its coefficients.

    Raises:
        KeyError: there is none of that name.
    """
    return PROBES[name](*(_double(array) for array in arrays))
