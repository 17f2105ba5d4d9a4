"""ReLU on every kind of float, and the bits of the float themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from solutions.activation import relu_backward, relu_backward_sign_bit, relu_forward, sign_bit
from solutions.gradcheck import numerical_gradient

PATTERNS = hnp.arrays(
    np.uint32, hnp.array_shapes(min_dims=0, max_dims=3, max_side=6), elements=st.integers(0, 2**32 - 1)
)


def edge_patterns() -> np.ndarray:
    """Both signs and all 256 exponents, each with mantissas at both ends and one bit from them."""
    exponent, sign = np.arange(256, dtype=np.uint32) << np.uint32(23), np.array([0, 2**31], dtype=np.uint32)
    mantissa = np.array([0, 1, 2, 2**22 - 1, 2**22, 2**22 + 1, 2**23 - 2, 2**23 - 1], dtype=np.uint32)
    return (sign[:, None, None] | exponent[:, None] | mantissa).reshape(-1)


def random_patterns() -> np.ndarray:
    """2²⁰ of the 2³² patterns; every exponent comes up about 4,000 times."""
    return np.random.default_rng(0).integers(0, 2**32, 2**20, dtype=np.uint32)


@pytest.mark.parametrize("patterns", [edge_patterns(), random_patterns()], ids=["edges", "random"])
def test_bits_and_comparisons_agree_on_every_kind_of_float(patterns):
    x = patterns.view(np.float32)
    grad = np.random.default_rng(1).standard_normal(x.shape, dtype=np.float32)
    assert (sign_bit(x) == np.signbit(x)).all()
    by_comparison = relu_backward(grad, x)
    assert relu_backward_sign_bit(grad, x).tobytes() == by_comparison.tobytes()
    positive = np.array([value > 0 for value in x[:4096].tolist()])  # Python's own comparison, in float64
    assert (by_comparison[:4096] == np.where(positive, grad[:4096], 0)).all()


@given(PATTERNS)
def test_shape_and_dtype_are_kept(patterns):
    x = patterns.view(np.float32)
    grad = np.ones_like(x)
    for result, dtype in (
        (relu_forward(x), np.float32),
        (relu_backward(grad, x), np.float32),
        (relu_backward_sign_bit(grad, x), np.float32),
        (sign_bit(x), np.uint32),
    ):
        assert result.shape == x.shape
        assert result.dtype == dtype


@pytest.mark.parametrize("patterns", [edge_patterns(), random_patterns()], ids=["edges", "random"])
def test_forward_keeps_nan_and_is_never_negative(patterns):
    x = patterns.view(np.float32)
    y = relu_forward(x)
    assert (np.isnan(y) == np.isnan(x)).all()
    assert ((y >= 0) | np.isnan(y)).all()
    assert (y[x > 0] == x[x > 0]).all()
    assert (y[x <= 0] == 0).all()


@given(hnp.arrays(np.float64, (3, 4), elements=st.floats(-5, 5)), st.integers(0, 2**32 - 1))
def test_backward_is_the_slope_of_forward(x, seed):
    """Away from 0, where ReLU has a slope; on a straight line a wide eps costs nothing, and 0.01 is wider still."""
    x = np.where(np.abs(x) < 0.01, 0.5, x)
    c = np.random.default_rng(seed).standard_normal(x.shape)
    slope = numerical_gradient(lambda value: float((c * np.maximum(value, 0.0)).sum()), x, eps=1e-4)
    np.testing.assert_allclose(relu_backward(c, x), slope, rtol=1e-7, atol=1e-8)


def test_a_masked_nan_does_not_come_through():
    x = np.array([-1.0, 0.0, -0.0, np.nan, 1.0], dtype=np.float32)
    grad = np.full(5, np.nan, dtype=np.float32)
    for backward in (relu_backward, relu_backward_sign_bit):
        result = backward(grad, x)
        assert result[:4].tolist() == [0.0] * 4
        assert np.isnan(result[4])


def test_views_are_read_by_index_and_left_alone():
    memory = np.random.default_rng(2).standard_normal((6, 8), dtype=np.float32)
    before = memory.copy()
    view = memory[::2, ::-3].T
    grad = np.ones(view.shape, dtype=np.float32)
    assert (sign_bit(view) == np.signbit(view)).all()
    assert (relu_backward_sign_bit(grad, view) == (view > 0)).all()
    assert (relu_forward(view) == np.where(view > 0, view, 0)).all()
    assert (memory == before).all()
