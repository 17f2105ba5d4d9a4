"""Optimisers against float64 over fifty steps, and the properties that their papers promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from solutions.gradcheck import relative_error
from solutions.optimizer import adam_step, sgd_momentum_step

SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, max_side=5)
SEED = st.integers(0, 2**32 - 1)
STEPS = 50


def gradients(shape: tuple[int, ...], seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return (
        np.asarray(rng.standard_normal(shape), dtype=np.float32),
        np.asarray(rng.standard_normal((STEPS, *shape)), dtype=np.float32),
    )


@given(SHAPES, SEED, st.floats(1e-3, 0.5), st.floats(0.0, 0.95))
def test_momentum_agrees_with_float64_over_fifty_steps(shape, seed, lr, momentum):
    param, grads = gradients(shape, seed)
    velocity = np.zeros_like(param)
    exact, exact_velocity = param.astype(np.float64), np.zeros(shape)
    largest = 1.0
    for grad in grads:
        sgd_momentum_step(param, grad, velocity, lr, momentum)
        exact_velocity = momentum * exact_velocity + grad
        exact = exact - lr * exact_velocity
        largest = max(largest, np.abs(exact).max(), np.abs(exact_velocity).max())
    # 50 steps of a few roundings, each 6e-8 of what is there, and what the velocity keeps of them, 1 / (1 - 0.95) times
    assert np.abs(velocity - exact_velocity).max() < 1e-5 * largest
    assert np.abs(param - exact).max() < 1e-4 * largest


@given(SHAPES, SEED, st.floats(1e-4, 0.1), st.sampled_from((1e-8, 1e-3)))
def test_adam_agrees_with_the_paper_over_fifty_steps(shape, seed, lr, eps):
    """Algorithm 1 of Kingma and Ba, line by line, in float64."""
    beta1, beta2 = 0.9, 0.999
    param, grads = gradients(shape, seed)
    m, v = np.zeros_like(param), np.zeros_like(param)
    theta, first, second = param.astype(np.float64), np.zeros(shape), np.zeros(shape)
    for t, grad in enumerate(grads, start=1):
        adam_step(param, grad, m, v, t, lr, beta1, beta2, eps)
        g = grad.astype(np.float64)
        first = beta1 * first + (1 - beta1) * g
        second = beta2 * second + (1 - beta2) * g**2
        theta = theta - lr * (first / (1 - beta1**t)) / (np.sqrt(second / (1 - beta2**t)) + eps)
    assert relative_error(v, second) < 2e-5
    assert np.abs(m - first).max() < 5e-6
    assert np.abs(param - theta).max() < 2e-5 * max(1.0, float(np.abs(theta).max()))


@given(SHAPES, SEED, st.floats(1e-3, 1.0), st.floats(-6, 6))
def test_adams_first_step_is_lr_whatever_the_size_of_the_gradient(shape, seed, lr, exponent):
    _, grads = gradients(shape, seed)
    grad = np.where(np.abs(grads[0]) < 0.1, np.float32(0.1), grads[0]) * np.float32(10.0**exponent)
    param, m, v = np.zeros(shape, np.float32), np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    adam_step(param, grad, m, v, 1, lr, eps=0.0)
    np.testing.assert_allclose(param, -lr * np.sign(grad), rtol=1e-4)


def test_steps_change_their_arrays_in_place_and_nothing_else():
    param, grads = gradients((3, 4), 0)
    grad, before = grads[0], grads[0].copy()
    velocity, m, v = (np.zeros_like(param) for _ in range(3))
    kept = [array.__array_interface__["data"] for array in (param, velocity, m, v)]
    assert sgd_momentum_step(param, grad, velocity, 0.1, 0.9) is None
    assert adam_step(param, grad, m, v, 1, 0.1) is None
    assert [array.__array_interface__["data"] for array in (param, velocity, m, v)] == kept
    assert all(array.dtype == np.float32 and np.any(array) for array in (param, velocity, m, v))
    assert (grad == before).all()


@pytest.mark.parametrize("rate", [0.1, np.float32(0.1), np.float64(0.1)])
def test_rates_of_any_float_type_leave_float32(rate):
    param, grads = gradients((5,), 1)
    velocity, m, v = (np.zeros_like(param) for _ in range(3))
    sgd_momentum_step(param, grads[0], velocity, rate, rate)
    adam_step(param, grads[0], m, v, 1, rate, beta1=rate, beta2=rate)
    assert {array.dtype for array in (param, velocity, m, v)} == {np.dtype(np.float32)}


def test_no_gradient_moves_nothing():
    param, _ = gradients((4,), 2)
    before = param.copy()
    zero = np.zeros_like(param)
    for t in (1, 2, 3):
        adam_step(param, zero.copy(), zero, zero.copy(), t, 0.1)
    sgd_momentum_step(param, zero, zero.copy(), 0.1, 0.9)
    assert (param == before).all()
