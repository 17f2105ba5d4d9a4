"""Wrong answers to chapter 4: ReLU and the sign bit."""

from __future__ import annotations

import numpy as np

from solutions.activation import relu_backward, relu_forward, sign_bit
from tests.mutants import mutant

ZERO = np.float32(0.0)


@mutant("relu_forward")
def _absolute(x):
    """the absolute value"""
    return np.abs(x)


@mutant("relu_forward")
def _minimum(x):
    """min instead of max"""
    return np.minimum(x, ZERO)


@mutant("relu_forward")
def _leaky(x):
    """a little of the negative side leaks through"""
    return np.maximum(x, np.float32(0.01) * x)


@mutant("relu_forward")
def _six(x):
    """cut off at 6"""
    return np.clip(x, ZERO, np.float32(6.0))


@mutant("relu_forward")
def _mask(x):
    """the mask instead of the values"""
    return x > 0


@mutant("relu_forward")
def _selected(x):
    """only the positive elements, in one row"""
    return x[x > 0]


@mutant("relu_forward", "edges")
def _nan_to_zero(x):
    """NaN becomes 0: x > 0 is False for it"""
    return np.where(x > 0, x, ZERO)


@mutant("relu_forward", "edges")
def _fmax(x):
    """fmax, which prefers numbers to NaN"""
    return np.fmax(x, ZERO)


@mutant("relu_forward", "edges")
def _multiplied(x):
    """multiplies with the mask: minus infinity becomes NaN"""
    with np.errstate(invalid="ignore"):
        return x * (x > 0)


@mutant("relu_forward", "edges")
def _in_place(x):
    """negative elements are overwritten in the input"""
    x[x < 0] = 0.0
    return x


@mutant("relu_forward", "edges")
def _in_double(x):
    """returns float64"""
    return relu_forward(x).astype(np.float64)


@mutant("relu_forward", "edges")
def _one_axis_at_least(x):
    """a single number gets an axis"""
    return np.atleast_1d(relu_forward(x))


def _both(fails):
    """A mistake that both backward versions can have."""

    def enter(function):
        mutant("relu_backward", fails)(function)
        return mutant("relu_backward_sign_bit", fails)(function)

    return enter


@_both("values")
def _own_sign(grad_output, x):
    """masked by the sign of the gradient"""
    return np.where(grad_output > 0, grad_output, ZERO)


@_both("values")
def _arguments_swapped(grad_output, x):
    """x passes where the gradient is positive"""
    return relu_backward(x, grad_output)


@_both("values")
def _only_the_mask(grad_output, x):
    """1 where the gradient should pass"""
    return (x > 0).astype(np.float32)


@_both("values")
def _times_x(grad_output, x):
    """multiplied with relu(x) instead of its slope"""
    return grad_output * relu_forward(x)


@_both("values")
def _sign(grad_output, x):
    """multiplied with the sign of x"""
    return grad_output * np.sign(x)


@_both("values")
def _wrong_side(grad_output, x):
    """passes where x is negative"""
    return np.where(x < 0, grad_output, ZERO)


@_both("edges")
def _zero_passes(grad_output, x):
    """>= instead of >"""
    return np.where(x >= 0, grad_output, ZERO)


@_both("edges")
def _nan_passes(grad_output, x):
    """not (x <= 0), which lets NaN through"""
    return np.where(x <= 0, ZERO, grad_output)


@_both("edges")
def _mask_multiplied(grad_output, x):
    """multiplies with the mask: NaN times 0 is NaN"""
    with np.errstate(invalid="ignore"):
        return grad_output * (x > 0)


@_both("edges")
def _threshold(grad_output, x):
    """tiny positive numbers count as zero"""
    return np.where(x > 1e-12, grad_output, ZERO)


@_both("edges")
def _overwrites_gradient(grad_output, x):
    """masks grad_output in place"""
    grad_output[~(x > 0)] = 0.0
    return grad_output


@_both("edges")
def _gradient_in_double(grad_output, x):
    """returns float64"""
    return relu_backward(grad_output, x).astype(np.float64)


@mutant("relu_backward_sign_bit", "edges")
def _sign_bit_alone(grad_output, x):
    """the sign bit alone: +0 and NaN pass"""
    return np.where(x.view(np.uint32) >> 31 == 0, grad_output, ZERO)


@mutant("relu_backward_sign_bit", "edges")
def _signed_integer_above_zero(grad_output, x):
    """bits above 0 as int32: right at +0, but NaN passes"""
    return np.where(x.view(np.int32) > 0, grad_output, ZERO)


@mutant("relu_backward_sign_bit", "edges")
def _infinity_left_out(grad_output, x):
    """the range ends before infinity"""
    bits = x.view(np.uint32)
    return np.where((bits > 0) & (bits < 0x7F800000), grad_output, ZERO)


@mutant("relu_backward_sign_bit", "edges")
def _subnormals_left_out(grad_output, x):
    """the range begins at the smallest normal number"""
    bits = x.view(np.uint32)
    return np.where((bits >= 0x00800000) & (bits <= 0x7F800000), grad_output, ZERO)


@mutant("relu_backward_sign_bit", "edges")
def _view_of_memory(grad_output, x):
    """bits taken from memory in its own order"""
    bits = x.ravel(order="K").view(np.uint32).reshape(x.shape)
    return np.where((bits > 0) & (bits <= 0x7F800000), grad_output, ZERO)


@mutant("sign_bit", "edges")
def _comparison(x):
    """x < 0, which misses -0 and NaN"""
    return (x < 0).astype(np.uint32)


@mutant("sign_bit", "edges")
def _comparison_below_or_equal(x):
    """not (x > 0), which takes +0 and NaN for negative"""
    return (~(x > 0)).astype(np.uint32)


@mutant("sign_bit")
def _arithmetic_shift(x):
    """an arithmetic shift of int32: -1 instead of 1"""
    return x.view(np.int32) >> 31


@mutant("sign_bit")
def _not_shifted(x):
    """masked and not shifted down"""
    return x.view(np.uint32) & np.uint32(0x80000000)


@mutant("sign_bit")
def _thirty_places(x):
    """shifted by 30: the top of the exponent comes along"""
    return x.view(np.uint32) >> np.uint32(30)


@mutant("sign_bit")
def _inverted(x):
    """1 for positive"""
    return np.uint32(1) - sign_bit(x)


@mutant("sign_bit")
def _flattened(x):
    """the shape is lost"""
    return sign_bit(x).reshape(-1)


@mutant("sign_bit")
def _from_double(x):
    """the bits of the float64: twice as many words"""
    return np.ascontiguousarray(x, dtype=np.float64).view(np.uint32) >> np.uint32(31)


@mutant("sign_bit", "edges")
def _other_integers(x):
    """int64"""
    return sign_bit(x).astype(np.int64)


@mutant("sign_bit", "edges")
def _shifts_the_input(x):
    """shifts the input's own bits"""
    bits = x.view(np.uint32)
    bits >>= np.uint32(31)
    return bits
