"""Softmax and cross-entropy against float64, at any size of the scores, and the gradient against numerical slopes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from solutions.gradcheck import numerical_gradient, relative_error
from solutions.loss import cross_entropy, softmax

SHAPES = hnp.array_shapes(min_dims=2, max_dims=2, max_side=7)
SEED = st.integers(0, 2**32 - 1)
SCALE = st.sampled_from((0.0, 1.0, 30.0, 1000.0, 1e30))


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """In float64, one row at a time."""
    rows = []
    for row in logits.astype(np.float64):
        top = row.max()
        rows.append(row - top - math.log(math.fsum(math.exp(value - top) for value in row)))
    return np.array(rows)


def batch(shape: tuple[int, int], seed: int, scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return np.float32(scale) * rng.standard_normal(shape, dtype=np.float32), rng.integers(0, shape[1], shape[0])


@given(SHAPES, SEED, SCALE)
def test_softmax_is_a_probability_at_any_scale(shape, seed, scale):
    logits, _ = batch(shape, seed, scale)
    probabilities = softmax(logits)
    assert probabilities.dtype == np.float32
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-6)
    np.testing.assert_allclose(probabilities, np.exp(log_softmax(logits)), rtol=1e-4, atol=1e-7)


@given(SHAPES, SEED, st.integers(-2000, 2000))
def test_softmax_does_not_see_a_common_shift(shape, seed, shift):
    """Whole numbers, so that the shift itself is exact in float32."""
    logits = np.round(4 * batch(shape, seed)[0])
    assert (softmax(logits + np.float32(shift)) == softmax(logits)).all()


@given(SHAPES, SEED, SCALE)
def test_cross_entropy_agrees_with_float64(shape, seed, scale):
    logits, labels = batch(shape, seed, scale)
    loss, grad = cross_entropy(logits, labels)
    exact = log_softmax(logits)
    expected = np.exp(exact)
    expected[np.arange(shape[0]), labels] -= 1
    assert isinstance(loss, float)
    assert math.isclose(loss, -exact[np.arange(shape[0]), labels].mean(), rel_tol=1e-5, abs_tol=1e-6)
    assert grad.dtype == np.float32
    np.testing.assert_allclose(grad, expected / shape[0], rtol=1e-4, atol=1e-7)


@given(SHAPES, SEED)
def test_gradient_is_the_slope_of_the_loss(shape, seed):
    logits, labels = batch(shape, seed)
    logits = logits.astype(np.float64)
    slope = numerical_gradient(lambda value: cross_entropy(value, labels)[0], logits, eps=1e-5)
    np.testing.assert_allclose(cross_entropy(logits, labels)[1], slope, rtol=1e-6, atol=1e-8)


@given(SHAPES, SEED, SCALE)
def test_gradient_of_every_row_sums_to_nothing(shape, seed, scale):
    """Raising all scores of a row alike changes no probability."""
    _, grad = cross_entropy(*batch(shape, seed, scale))
    assert np.abs(grad.sum(axis=1)).max() < 1e-6


def test_even_scores_cost_the_logarithm_of_the_classes():
    loss, grad = cross_entropy(np.zeros((4, 10), np.float32), np.array([0, 3, 9, 9]))
    assert loss == pytest.approx(math.log(10))
    assert relative_error(grad[0], (np.full(10, 0.1) - np.eye(10)[0]) / 4) < 1e-6


def test_a_sure_mistake_has_a_finite_loss():
    loss, grad = cross_entropy(np.array([[2000.0, -1000.0]], np.float32), np.array([1]))
    assert loss == 3000.0
    assert grad.tolist() == [[1.0, -1.0]]


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32, np.int64, np.uint64])
def test_labels_of_any_integer_type(dtype):
    logits, labels = batch((5, 4), 0)
    loss, grad = cross_entropy(logits, labels)
    same_loss, same_grad = cross_entropy(logits, labels.astype(dtype))
    assert loss == same_loss
    assert (grad == same_grad).all()


@pytest.mark.parametrize("label", [-1, 4, 255, -(2**40)])
def test_labels_out_of_range_are_named(label):
    logits, labels = batch((5, 4), 0)
    labels[2] = label
    with pytest.raises(ValueError, match="0 … 3"):
        cross_entropy(logits, labels)


def test_inputs_are_left_alone():
    logits, labels = batch((5, 4), 3)
    before = logits.copy(), labels.copy()
    softmax(logits)
    cross_entropy(logits, labels)
    assert (logits == before[0]).all()
    assert (labels == before[1]).all()
