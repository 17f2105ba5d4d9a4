"""Cases of chapter 5, the optimisers: one step on one parameter array, in place.

Parameters are as small as the step, so that an error in the step cannot hide behind a large parameter.
"""

from __future__ import annotations

import numpy as np

from autograder.cases.case import Case
from autograder.cases.inputs import FLOAT32_RTOL, away_from_zero, double, floats, left_alone, ragged_sizes
from solutions.arrays import DoubleArray, FloatArray

IN_PLACE = (
    "Arrays are changed in place, down the slope: = moves only the name, and the caller's array keeps its values."
)
GRAD = "The gradient is read only: it must come back unchanged."
SHAPES = "Any shape works alike: do not count on the number of axes."


def _sgd_case(
    title: str, arrays: tuple[FloatArray, ...], lr: float, momentum: float, advice: str, part: str = "edges"
) -> Case:
    """One step from ``(param, grad, velocity)``."""
    param, grad, velocity = (double(array) for array in arrays)
    moved = momentum * velocity + grad
    return Case(
        f"{title}: {list(param.shape)}, momentum {momentum:.2f}",
        (*arrays, lr, momentum),
        read_back=(0, 2),
        expected_args=(param - lr * moved, moved),
        rtol=FLOAT32_RTOL,
        part=part,
        advice=advice,
    )


def sgd_momentum_step_cases(rng: np.random.Generator) -> list[Case]:
    """A bare step, a first step, a step under way; then no momentum, more axes, gradient left alone.

    The bare step, with lr 1 and momentum 0, is right for nearly every formula that is worked out in place.
    """
    a, b, c = ragged_sizes(rng, 3)
    lr, momentum = float(rng.uniform(0.1, 0.5)), float(rng.uniform(0.5, 0.85))

    def state(*shape: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        return 0.3 * floats(rng, *shape), floats(rng, *shape), floats(rng, *shape)

    bare, first = state(b), state(c)
    first[2][...] = 0.0
    start = (
        "From zero the velocity becomes the gradient itself, all of it and without lr; then param moves by lr times it."
    )
    keep = "Part of the old velocity is kept: param moves by lr times the new velocity, not by the old or the gradient."
    under_way = _sgd_case("under way", state(a, b), lr, momentum, keep, "values")
    return [
        _sgd_case("lr 1", bare, 1.0, 0.0, IN_PLACE, "values"),
        _sgd_case("first step", first, lr, momentum, start, "values"),
        under_way,
        _sgd_case("no momentum", state(a, b), lr, 0.0, "With momentum 0 nothing of the old velocity is left."),
        _sgd_case("three axes", state(c, 2, a), lr, momentum, SHAPES),
        left_alone(under_way, (1,), GRAD),
    ]


def _adam(
    arrays: tuple[FloatArray, ...], step: int, lr: float, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8
) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
    """Algorithm 1 of Kingma and Ba in float64, from ``(param, grad, m, v)``: new param, m and v."""
    param, grad, m, v = (double(array) for array in arrays)
    first = beta1 * m + (1.0 - beta1) * grad
    second = beta2 * v + (1.0 - beta2) * np.square(grad)
    update = (first / (1.0 - beta1**step)) / (np.sqrt(second / (1.0 - beta2**step)) + eps)
    return param - lr * update, first, second


def _adam_case(
    title: str, arrays: tuple[FloatArray, ...], step: int, numbers: tuple[float, ...], advice: str, part: str = "edges"
) -> Case:
    """One step; ``numbers`` are lr, beta1, beta2 and eps, as many of them as are given."""
    return Case(
        f"{title}: {list(arrays[0].shape)}, step {step}",
        (*arrays, step, *numbers),
        read_back=(0, 2, 3),
        expected_args=_adam(arrays, step, *numbers),
        rtol=FLOAT32_RTOL,
        part=part,
        advice=advice,
    )


def adam_step_cases(rng: np.random.Generator) -> list[Case]:
    """A bare step, a late one, early ones; then defaults, a visible eps, no gradient, more axes, gradient left alone.

    The bare step, with gradients of ±1 and both betas 0, is right for nearly every formula that is worked out in
    place. Late, at step 5000, 1 - betaᵗ is 1 and only the averages count; early both count.
    """
    a, b, c = ragged_sizes(rng, 3)
    lr, early = float(rng.uniform(0.1, 0.5)), int(rng.integers(3, 9))
    numbers = (lr, float(rng.uniform(0.6, 0.85)), float(rng.uniform(0.9, 0.98)), 1e-8)

    def state(*shape: int, size: float = 1.0) -> tuple[FloatArray, ...]:
        scale = np.float32(size)
        grad, spread = away_from_zero(rng, *shape), away_from_zero(rng, *shape)  # eps = 1e-8 must not show beside them
        return 0.3 * floats(rng, *shape), scale * grad, scale * floats(rng, *shape), (scale * spread) ** 2

    bare, first, still = state(a), state(c), state(a, size=0.0)
    bare[1][...] = np.sign(bare[1])
    bare[2][...] = bare[3][...] = first[2][...] = first[3][...] = 0.0
    averages = (
        "m averages the gradient and v its square, each with its own beta; param moves by lr · m over the root of v."
    )
    start = (
        "Both averages started at zero: at the first step, t = 1, dividing by 1 - beta gives back the gradient itself."
    )
    stored = "The corrected values serve this step alone, and t counts from 1: what stays in m and v is not corrected."
    small = "eps is added to the root, not under it, and after the correction."
    never = "Where nothing ever flowed m and v are 0: eps keeps 0 / 0 away."
    under_way = _adam_case("early", state(a, b), early, numbers, stored, "values")
    return [
        _adam_case("gradients of ±1, betas 0", bare, early, (lr, 0.0, 0.0, 1e-8), IN_PLACE, "values"),
        _adam_case("late", state(b, a), 5000, numbers, averages, "values"),
        _adam_case("first step", first, 1, numbers, start, "values"),
        under_way,
        _adam_case("default betas and eps", state(a, c), 2, (lr,), "Left out, beta1 is 0.9, beta2 0.999, eps 1e-8."),
        _adam_case("gradients near eps", state(b, size=1e-4), early, (*numbers[:3], 1e-4), small),
        _adam_case("no gradient at all", still, 1, numbers, never),
        _adam_case("three axes", state(c, 2, a), early, numbers, SHAPES),
        left_alone(under_way, (1,), GRAD),
    ]
