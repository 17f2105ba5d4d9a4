"""The linear layer against float64 and against numerical slopes; the gradient tools against known derivatives."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from solutions.gradcheck import numerical_gradient, relative_error
from solutions.linear import index_product, linear_backward, linear_forward

SIZE = st.integers(1, 8)
SEED = st.integers(0, 2**32 - 1)
FINITE = st.floats(-1e6, 1e6).map(lambda value: value if abs(value) > 1e-9 else 0.0)
"""Zero, or a size whose square is far from float64's limits."""


def double_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A float64 product, so that slopes can be checked to nine digits."""
    return np.dot(a.astype(np.float64), b.astype(np.float64))


@given(SIZE, SIZE, SIZE, SEED)
def test_forward_is_x_times_weight_plus_bias(batch, inputs, outputs, seed):
    rng = np.random.default_rng(seed)
    x, weight, bias = (rng.standard_normal(s, np.float32) for s in ((batch, inputs), (inputs, outputs), (outputs,)))
    y = linear_forward(x, weight, bias)
    assert y.dtype == np.float32
    bound = (inputs + 2) * 2.0**-24 * (double_product(np.abs(x), np.abs(weight)) + np.abs(bias))
    assert (np.abs(y - (double_product(x, weight) + bias)) <= bound).all()


@given(SIZE, SIZE, SIZE, SEED)
def test_backward_agrees_with_numerical_slopes(batch, inputs, outputs, seed):
    """L = sum(c · (x · W + b)), so dL/dy = c; the layer is linear, hence the slopes are exact up to rounding."""
    rng = np.random.default_rng(seed)
    x, weight, bias, c = (
        rng.standard_normal(s) for s in ((batch, inputs), (inputs, outputs), outputs, (batch, outputs))
    )
    gradients = linear_backward(c, x, weight, product=double_product)
    losses = (
        lambda value: float((c * linear_forward(value, weight, bias, double_product)).sum()),
        lambda value: float((c * linear_forward(x, value, bias, double_product)).sum()),
        lambda value: float((c * linear_forward(x, weight, value, double_product)).sum()),
    )
    for gradient, loss, at in zip(gradients, losses, (x, weight, bias), strict=True):
        assert gradient.shape == at.shape
        slope = numerical_gradient(loss, at, eps=1e-4)
        assert np.abs(gradient - slope).max() < 1e-8 * max(1.0, np.abs(slope).max())


@given(SIZE, SIZE, SIZE, SEED)
def test_the_index_path_agrees_with_float64(batch, inputs, outputs, seed):
    rng = np.random.default_rng(seed)
    shapes = ((batch, outputs), (batch, inputs), (inputs, outputs))
    grad_output, x, weight = (rng.standard_normal(shape, np.float32) for shape in shapes)
    for got, exact in zip(
        linear_backward(grad_output, x, weight),
        linear_backward(grad_output, x, weight, product=double_product),
        strict=True,
    ):
        assert got.dtype == np.float32
        assert np.abs(got - exact).max() <= 1e-5 * max(1.0, np.abs(exact).max())


def test_inputs_of_backward_are_left_alone():
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(shape, np.float32) for shape in ((3, 2), (3, 5), (5, 2))]
    before = [array.copy() for array in arrays]
    linear_backward(*arrays)
    assert all((now == then).all() for now, then in zip(arrays, before, strict=True))


@pytest.mark.parametrize("columns", [1, 10, 256, 70_000])
def test_index_product_cuts_blocks_for_any_width(columns):
    """256 KB hold 65,536 float32 values: rows wider than that still make blocks of one row."""
    rng = np.random.default_rng(columns)
    a, b = rng.standard_normal((3, 2), np.float32), rng.standard_normal((2, columns), np.float32)
    assert relative_error(index_product(a, b), double_product(a, b)) < 1e-6


@given(hnp.array_shapes(min_dims=0, max_dims=3, max_side=4), SEED)
def test_slope_of_a_cubic_has_the_curvature_term(shape, seed):
    """The central difference of c·x³ is 3·c·x² + c·eps² exactly: eps is used, on both sides, for every element."""
    rng = np.random.default_rng(seed)
    x, c = np.asarray(rng.standard_normal(shape)), np.asarray(rng.uniform(1, 2, shape))
    slope = numerical_gradient(lambda value: float((c * value**3).sum()), x, eps=0.25)
    assert slope.dtype == np.float64
    assert slope.shape == x.shape
    np.testing.assert_allclose(slope, 3 * c * x**2 + c / 16, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("order", ["C", "F"])
def test_slope_of_coupled_elements_in_any_memory_order(order):
    x = np.asarray(np.arange(1.0, 13.0).reshape(3, 4), order=order)
    slope = numerical_gradient(lambda value: float(np.prod(value[:, 0]) + (value[0] * value[1]).sum()), x)
    expected = np.zeros((3, 4))
    expected[:, 0] = 45.0, 9.0, 5.0
    expected[0] += x[1]
    expected[1] += x[0]
    np.testing.assert_allclose(slope, expected, rtol=1e-7, atol=1e-8)


def test_slope_leaves_x_alone_and_hands_f_only_the_moved_point():
    x, seen = np.array([1.0, 2.0]), []
    numerical_gradient(lambda value: float(seen.append(value.tolist()) or value.sum()), x, eps=0.5)
    assert x.tolist() == [1.0, 2.0]
    assert seen == [[1.5, 2.0], [0.5, 2.0], [1.0, 2.5], [1.0, 1.5]]


def test_slope_at_float32_and_whole_numbers_is_worked_out_in_float64():
    for x in (np.array([1, 2, 3]), np.array([1, 2, 3], dtype=np.float32)):
        np.testing.assert_allclose(numerical_gradient(lambda v: float((v * v).sum()), x), [2, 4, 6], rtol=1e-9)


@given(hnp.arrays(np.float64, (3, 2), elements=FINITE), hnp.arrays(np.float64, (3, 2), elements=FINITE))
def test_relative_error_is_a_ratio_of_norms(got, want):
    size = np.linalg.norm(want)
    distance = np.linalg.norm(got - want)
    assert math.isclose(relative_error(got, want), distance / size if size > 0 else distance, rel_tol=1e-12)


@given(hnp.arrays(np.float64, 4, elements=FINITE), hnp.arrays(np.float64, 4, elements=FINITE), st.integers(-20, 20))
def test_relative_error_does_not_change_with_the_unit(got, want, exponent):
    scale = 2.0**exponent
    if np.any(want):
        assert math.isclose(relative_error(scale * got, scale * want), relative_error(got, want), rel_tol=1e-12)


@pytest.mark.parametrize("got", [math.nan, 1.0])
@pytest.mark.parametrize("want", [0.0, 2.0, math.nan])
def test_nan_is_infinitely_far(got, want):
    if math.isnan(got) or math.isnan(want):
        assert relative_error([got, 0.0], [want, 0.0]) == math.inf
    else:
        assert math.isfinite(relative_error([got, 0.0], [want, 0.0]))


def test_relative_error_of_bytes_and_of_nothing():
    assert relative_error(np.array([250], np.uint8), np.array([251], np.uint8)) == pytest.approx(1 / 251)
    assert relative_error([], []) == 0.0
    assert relative_error(3.0, 0.0) == 3.0
