"""Wrong answers to chapter 3: gradient checks."""

from __future__ import annotations

import math

import numpy as np

from solutions.gradcheck import numerical_gradient, relative_error
from tests.mutants import mutant


def _differences(f, x, eps, difference):
    """Gradient by some difference formula, an element at a time."""
    x = np.array(x, dtype=np.float64, order="C")
    gradient = np.empty_like(x)
    for i in range(x.size):
        step = np.zeros(x.size)
        step[i] = eps
        gradient.reshape(-1)[i] = difference(f, x, step.reshape(x.shape))
    return gradient


@mutant("numerical_gradient")
def _forward_difference(f, x, eps=1e-6):
    """one-sided: f(x + eps) - f(x), over eps"""
    return _differences(f, x, eps, lambda f, x, s: (f(x + s) - f(x)) / eps)


@mutant("numerical_gradient")
def _eps_not_doubled(f, x, eps=1e-6):
    """divides by eps instead of 2 * eps"""
    return 2 * numerical_gradient(f, x, eps)


@mutant("numerical_gradient")
def _precedence(f, x, eps=1e-6):
    """/ 2 * eps, without brackets"""
    return _differences(f, x, eps, lambda f, x, s: (f(x + s) - f(x - s)) / 2 * eps)


@mutant("numerical_gradient")
def _sign(f, x, eps=1e-6):
    """below less above"""
    return -numerical_gradient(f, x, eps)


@mutant("numerical_gradient")
def _eps_ignored(f, x, eps=1e-6):
    """eps is ignored"""
    return numerical_gradient(f, x)


@mutant("numerical_gradient")
def _not_put_back(f, x, eps=1e-6):
    """elements are not put back after their turn"""
    x = np.array(x, dtype=np.float64, order="C")
    flat, gradient = x.reshape(-1), np.empty_like(x)
    for i in range(x.size):
        flat[i] += eps
        above = f(x)
        flat[i] -= 2 * eps
        gradient.reshape(-1)[i] = (above - f(x)) / (2 * eps)
        flat[i] = 0.0
    return gradient


@mutant("numerical_gradient")
def _all_at_once(f, x, eps=1e-6):
    """all elements moved together"""
    x = np.asarray(x, dtype=np.float64)
    return np.full(x.shape, (f(x + eps) - f(x - eps)) / (2 * eps))


@mutant("numerical_gradient")
def _rows_only(f, x, eps=1e-6):
    """only the first axis is walked"""
    x = np.array(x, dtype=np.float64)
    gradient = np.zeros_like(x)
    for i in range(len(x)):
        step = np.zeros_like(x)
        step[i] = eps
        gradient[i] = (f(x + step) - f(x - step)) / (2 * eps)
    return gradient


@mutant("numerical_gradient")
def _flat(f, x, eps=1e-6):
    """the gradient is flat"""
    return numerical_gradient(f, x, eps).reshape(-1)


@mutant("numerical_gradient", "edges")
def _own_dtype(f, x, eps=1e-6):
    """works in the dtype of x, where eps is lost"""
    gradient = np.empty(x.shape)
    for index in np.ndindex(x.shape):
        above, below = x.copy(), x.copy()
        above[index] += x.dtype.type(eps)
        below[index] -= x.dtype.type(eps)
        gradient[index] = (f(above) - f(below)) / (2 * eps)
    return gradient


@mutant("numerical_gradient", "edges")
def _copy_in_memory_order(f, x, eps=1e-6):
    """moves elements of a flat copy when x is a transposed view: the gradient is 0"""
    gradient = numerical_gradient(f, x, eps)
    return gradient if np.asarray(x).flags.c_contiguous else 0 * gradient


@mutant("numerical_gradient", "edges")
def _rounded(f, x, eps=1e-6):
    """a float32 gradient for a float32 x"""
    return numerical_gradient(f, x, eps).astype(x.dtype)


@mutant("numerical_gradient", "edges")
def _moves_the_input(f, x, eps=1e-6):
    """leaves x a step away"""
    gradient = numerical_gradient(f, x, eps)
    if x.dtype == np.float64:
        x += eps
    return gradient


@mutant("relative_error")
def _absolute(got, want):
    """the distance alone, not divided"""
    return float(np.linalg.norm(np.subtract(got, want)))


@mutant("relative_error")
def _divided_by_got(got, want):
    """divided by the size of got"""
    return relative_error(want, got)


@mutant("relative_error")
def _squared(got, want):
    """the ratio of the squares, without the root"""
    return relative_error(got, want) ** 2


@mutant("relative_error")
def _largest(got, want):
    """largest element instead of the Euclidean norm"""
    return float(np.max(np.abs(np.subtract(got, want))) / np.max(np.abs(want)))


@mutant("relative_error")
def _mean_of_ratios(got, want):
    """the mean of the elements' own relative errors"""
    return float(np.mean(np.abs(np.subtract(got, want)) / np.abs(want)))


@mutant("relative_error")
def _symmetric(got, want):
    """divided by the sum of both sizes"""
    return relative_error(got, want) * float(np.linalg.norm(want) / (np.linalg.norm(want) + np.linalg.norm(got)))


@mutant("relative_error")
def _yes_or_no(got, want):
    """says whether they are close"""
    return bool(np.allclose(got, want))


@mutant("relative_error")
def _sizes_compared(got, want):
    """the difference of the norms instead of the norm of the difference"""
    return abs(float(np.linalg.norm(got) - np.linalg.norm(want)) / float(np.linalg.norm(want)))


@mutant("relative_error", "edges")
def _zero_divides(got, want):
    """nan or inf where want is all zero"""
    with np.errstate(all="ignore"):
        ratio = np.float64(np.linalg.norm(np.subtract(got, want))) / np.linalg.norm(want)
    return math.inf if np.isnan(got).any() or np.isnan(want).any() else float(ratio)


@mutant("relative_error", "edges")
def _guarded_division(got, want):
    """1e-12 is added below, and hides a want of zero"""
    error = float(np.linalg.norm(np.subtract(got, want)) / (np.linalg.norm(want) + 1e-12))
    return math.inf if math.isnan(error) else error


@mutant("relative_error", "edges")
def _nan_returned(got, want):
    """NaN comes out as NaN"""
    error = relative_error(got, want)
    return math.nan if math.isinf(error) else error


@mutant("relative_error", "edges")
def _nan_skipped(got, want):
    """NaN is left out of the sums"""
    return relative_error(np.nan_to_num(got), np.nan_to_num(want))


@mutant("relative_error", "edges")
def _nan_only_in_got(got, want):
    """NaN is looked for in got only"""
    return math.inf if np.isnan(got).any() else relative_error(got, np.nan_to_num(want))


@mutant("relative_error", "edges")
def _single(got, want):
    """worked out in float32"""
    return relative_error(np.asarray(got, np.float32), np.asarray(want, np.float32))


@mutant("relative_error", "edges")
def _shifts_got(got, want):
    """subtracts in place"""
    error = relative_error(got, want)
    if isinstance(got, np.ndarray) and got.dtype == np.float64 and got.shape == np.shape(want):
        got -= want
    return error
