"""Cases of chapter 3: the linear layer forward and backward, and the tools that check a gradient."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from autograder.cases.case import Array, Case, ExerciseCases, Probe
from autograder.cases.inputs import (
    CORE_AND_EDGES,
    FLOAT32_RTOL,
    double,
    floats,
    left_alone,
    ragged_sizes,
)
from autograder.grade.index_path import INDEX_PATH
from solutions.arrays import DoubleArray, FloatArray

FLOAT32 = "Everything that a layer returns is float32, like what it was given."


def _forward(
    title: str, x: FloatArray, weight: FloatArray, bias: FloatArray, advice: str, part: str = "values"
) -> Case:
    expected = np.dot(double(x), double(weight)) + double(bias)
    return Case(title, (x, weight, bias), expected, rtol=FLOAT32_RTOL, part=part, advice=advice)


def linear_forward_cases(rng: np.random.Generator) -> list[Case]:
    """Without a bias, ragged, square; then a batch of one, a transposed weight, dtype, inputs left alone."""
    batch, inputs, outputs = ragged_sizes(rng, 3)
    x, weight, bias = floats(rng, batch, inputs), floats(rng, inputs, outputs), floats(rng, outputs)
    square, square_weight, square_bias = floats(rng, inputs, inputs), floats(rng, inputs, inputs), floats(rng, inputs)
    stored = floats(rng, outputs, inputs)  # as [out, in], handed over as its transposed view
    sizes = f"x [{batch}, {inputs}], weight [{inputs}, {outputs}]"
    product = "Each row of x meets each column of weight, which is [inputs, outputs]: a matrix product."
    joins = "The bias has one number for each output, and joins every row of the batch once."
    equal = "With equal sizes everything fits: does the bias lie along the outputs, and is weight [inputs, outputs]?"
    ragged = _forward(sizes, x, weight, bias, joins)
    return [
        _forward(f"a bias of zeros, {sizes}", x, weight, 0 * bias, product),
        ragged,
        _forward(f"everything {inputs} long", square, square_weight, square_bias, equal),
        _forward("a batch of one", x[:1], weight, bias, "A batch of one sample is still [1, inputs].", "edges"),
        _forward("weight as a transposed view", x, stored.T, bias, "A weight may be a view of other memory.", "edges"),
        replace(ragged, title="dtype of the output", dtype="float32", part="edges", advice=FLOAT32),
        left_alone(ragged, (0, 1, 2), "x, weight and bias are needed again later: the output must be a new array."),
    ]


def _backward(
    title: str, grad_output: FloatArray, x: FloatArray, weight: FloatArray, advice: str, part: str = "values"
) -> Case:
    grad, inputs = double(grad_output), double(x)
    expected = (np.dot(grad, double(weight).T), np.dot(inputs.T, grad), grad.sum(axis=0))
    return Case(title, (grad_output, x, weight), expected, rtol=FLOAT32_RTOL, part=part, advice=advice)


def linear_backward_cases(rng: np.random.Generator) -> list[Case]:
    """One sample, where only shapes matter; a ragged batch, a square one; then one output, views, dtype, inputs."""
    batch, inputs, outputs = ragged_sizes(rng, 3)
    grad, x, weight = floats(rng, batch, outputs), floats(rng, batch, inputs), floats(rng, inputs, outputs)
    square = floats(rng, inputs, inputs), floats(rng, inputs, inputs), floats(rng, inputs, inputs)
    view = np.ascontiguousarray(grad.T).T
    shapes = (
        "Let the shapes lead: grad_input is shaped like x, grad_weight like weight, grad_bias like bias, in this order."
    )
    batches = "Every sample of the batch adds its share to grad_weight and grad_bias: a sum, not a mean."
    equal = "Equal sizes hide a missing transpose: over which axis does each of the two products sum?"
    views = "Gradients may arrive as views: index them, and do not rely on how they lie in memory."
    ragged = _backward(f"batch {batch}, {inputs} inputs, {outputs} outputs", grad, x, weight, batches)
    return [
        _backward(f"one sample, {inputs} inputs, {outputs} outputs", grad[:1], x[:1], weight, shapes),
        ragged,
        _backward(f"everything {inputs} long", *square, equal),
        _backward(
            "one output", np.abs(grad[:, :1]), x, weight[:, :1], "With one output, grad_weight is [inputs, 1].", "edges"
        ),
        _backward("grad_output as a transposed view", view, x, weight, views, "edges"),
        replace(ragged, title="dtype of the gradients", dtype="float32", part="edges", advice=FLOAT32),
        left_alone(ragged, (0, 1, 2), "The gradients are new arrays: grad_output, x and weight must stay as they are."),
    ]


def _sigmoid(x: DoubleArray) -> DoubleArray:
    return 1.0 / (1.0 + np.exp(-x))


def _neighbours(x: DoubleArray) -> DoubleArray:
    """Gradient of the sum of products of neighbours: the neighbour before plus the neighbour after."""
    padded = np.pad(x.reshape(-1), 1)
    return np.asarray(padded[:-2] + padded[2:]).reshape(x.shape)


def numerical_gradient_cases(rng: np.random.Generator) -> list[Case]:
    """Functions with a known slope.

    A central difference of c·x³ is 3·c·x² + c·eps², not one digit less, which shows whether eps was used and on both
    sides. At eps = 1e-6 rounding leaves about 1e-16 · |f| / eps = 1e-9 of the slope; 1e-6 is allowed.
    """
    a, b, c = ragged_sizes(rng, 3)
    x, scale, slopes = rng.uniform(0.5, 2.0, a), rng.uniform(0.5, 2.0, a), rng.uniform(0.5, 2.0, b)
    matrix, cube, single = rng.standard_normal((b, c)), rng.standard_normal((2, 3, a)), floats(rng, a)
    wide = float(rng.uniform(0.1, 0.4))
    whole = rng.integers(1, 9, b)
    product = Probe("product")

    def case(title: str, f: Probe, at: Array, expected: DoubleArray, advice: str, part: str = "edges") -> Case:
        return Case(title, (f, at), expected, rtol=1e-6, part=part, advice=advice)

    both = "Ask f on both sides of x, an eps above and an eps below: how far apart are these two points?"
    wide_case = Case(
        f"c·x³ of one number, eps = {wide:.3f}",
        (Probe("cubic", (scale[:1],)), x[:1], wide),
        3 * scale[:1] * x[:1] ** 2 + scale[:1] * wide**2,
        rtol=1e-10,
        advice=both,
    )
    one = "Move one element at a time, and put it back before the next one: f may couple them."
    coupled = case("products of neighbours", product, x, _neighbours(x), one, "values")
    near_zero = case("products of neighbours, x near 1e-5", product, 1e-5 * x, 1e-5 * _neighbours(x), one)
    axes = "The gradient has the shape of x: visit every element of every axis."
    lies = "x may lie in memory in another order than its axes say: f sees the axes."
    float32 = "An eps of 1e-6 is lost in float32, which has seven digits: work in float64."
    integers = "Whole numbers cannot move by 1e-6: work on a float64 copy."
    dtype = "The gradient is float64, whatever x was: a check must be more exact than what it checks."
    view = np.ascontiguousarray(matrix.T).T
    from_single = case("products of neighbours, x in float32", product, single, _neighbours(double(single)), float32)
    return [
        wide_case,
        coupled,
        case("sum of log(1 + exp(x)), a matrix", Probe("softplus_sum"), matrix, _sigmoid(matrix), axes, "values"),
        case("products of neighbours, three axes", product, cube, _neighbours(cube), axes),
        case("products of neighbours, a transposed view", product, view, _neighbours(matrix), lies),
        from_single,
        case("sum of a·x²/2, x of whole numbers", Probe("quadratic", (slopes,)), whole, slopes * whole, integers),
        replace(from_single, title="dtype of the gradient", dtype="float64", advice=dtype),
        left_alone(near_zero, (1,), "x must come back as it went in, to the last bit: work on a copy."),
    ]


def relative_error_cases(rng: np.random.Generator) -> list[Case]:
    """Vectors, matrices and numbers; then a zero to compare with, NaN on either side, and float32's limits."""
    a, b = ragged_sizes(rng, 2)
    want, got = rng.standard_normal((a, b)), rng.standard_normal((a, b))
    near = want + 1e-9 * got
    tiny, huge = 1e-30 * floats(rng, a), 1e30 * floats(rng, a)
    spoilt = want.copy()
    spoilt[-1, -2] = np.nan
    few = np.array([250, 3, 9], dtype=np.uint8), np.array([251, 7, 2], dtype=np.uint8)
    norms = "The size of an array is one number: the root of the sum of all its squares."
    doubles = "The squares leave the range of float32, or lose its digits: float64 holds them."
    nan = "NaN is never close to anything, and compares as False: look for it, and answer inf."

    def norm(array: Array) -> float:
        return math.sqrt(math.fsum((double(array) ** 2).reshape(-1)))

    def case(title: str, x: Array, y: Array, advice: str, part: str = "values") -> Case:
        return Case(title, (x, y), norm(double(x) - double(y)) / norm(y), rtol=1e-6, part=part, advice=advice)

    zeros = np.zeros(a)
    return [
        Case("two numbers", (-2.5, 2.0), 2.25, rtol=1e-6, advice="How far apart are the two, and how large is want?"),
        case(f"[{a}, {b}] far apart", got, want, norms),
        case("a long and a short vector", 100.0 * got[0], want[0], "want sets the scale, got does not."),
        Case("equal", (want, want.copy()), 0.0, part="edges", advice="Equal arrays are at distance 0."),
        Case(
            "want all zero",
            (got[0], 0.0 * got[0]),
            norm(got[0]),
            part="edges",
            advice="There is nothing to divide by when want is all zero: the answer is the size of got.",
        ),
        Case("both all zero", (zeros, zeros), 0.0, part="edges", advice="Zero is exactly zero: the distance is 0."),
        Case("NaN in got", (spoilt, want), math.inf, part="edges", advice=nan),
        Case("NaN in want", (want, spoilt), math.inf, part="edges", advice=nan),
        case("nearly equal", near, want, doubles, "edges"),
        case("float32, huge", huge, floats(rng, a) * np.float32(1e30), doubles, "edges"),
        case("float32, tiny", tiny, floats(rng, a) * np.float32(1e-30), doubles, "edges"),
        case("bytes", *few, "Bytes wrap around below 0: subtract in float64.", "edges"),
        left_alone(
            case("float64", got, want, norms), (0, 1), "The arrays are only read: both must come back unchanged."
        ),
    ]


EXERCISES = [
    ExerciseCases("solutions/linear.py::linear_forward", linear_forward_cases, CORE_AND_EDGES, INDEX_PATH),
    ExerciseCases("solutions/linear.py::linear_backward", linear_backward_cases, CORE_AND_EDGES, INDEX_PATH),
    ExerciseCases("solutions/gradcheck.py::numerical_gradient", numerical_gradient_cases, CORE_AND_EDGES),
    ExerciseCases("solutions/gradcheck.py::relative_error", relative_error_cases, CORE_AND_EDGES),
]
