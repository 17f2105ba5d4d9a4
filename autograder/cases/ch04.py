"""Cases of chapter 4: ReLU with comparisons and with bits, softmax, cross-entropy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from autograder.cases.case import Case, ExerciseCases
from autograder.cases.inputs import (
    CORE_AND_EDGES,
    FLOAT32_RTOL,
    away_from_zero,
    double,
    floats,
    left_alone,
    ragged_sizes,
)
from autograder.grade.index_path import INDEX_PATH
from solutions.arrays import DoubleArray, FloatArray

FLOAT32 = "The result must be float32, like the input: which constant or conversion made it wider?"
NEW_ARRAY = "The inputs are needed again later: make a new array instead of changing the one that was given."

SMALLEST = np.float32(2.0**-149)
"""The smallest positive float32, bit pattern 1."""


def _every_exponent(rng: np.random.Generator) -> FloatArray:
    """Each sign and each of the 256 exponents with mantissa 0, 1, all ones and a random one: [2, 256, 4].

    Zeros, subnormals, infinities and NaN of both signs are among them.
    """
    sign = np.array([0, 1], dtype=np.uint32)[:, None, None] << np.uint32(31)
    exponent = np.arange(256, dtype=np.uint32)[:, None] << np.uint32(23)
    mantissa = np.broadcast_to(np.array([0, 1, 2**23 - 1, 0], dtype=np.uint32), (256, 4)).copy()
    mantissa[:, 3] = rng.integers(1, 2**23, 256)
    return (sign | exponent | mantissa).view(np.float32)


def relu_forward_cases(rng: np.random.Generator) -> list[Case]:
    """Both signs; then zeros, infinities, NaN, single numbers, dtype, input left alone."""
    a, b, c = ragged_sizes(rng, 3)
    x, stack = away_from_zero(rng, a, b), 20.0 * away_from_zero(rng, 2, c, a)
    spoilt = away_from_zero(rng, a, b)
    spoilt[1, 2] = spoilt[0, -1] = np.nan
    limits = np.array([-np.inf, np.inf, 0.0, -0.0, SMALLEST, -SMALLEST, -3.5], dtype=np.float32)

    def case(title: str, values: FloatArray, advice: str, part: str = "edges") -> Case:
        expected = np.where(values < 0, 0.0, double(values))
        return Case(title, (values,), expected, nan_equal=True, part=part, advice=advice)

    plain = case(
        f"both signs, [{a}, {b}]", x, "What is above zero stays as it is, what is below becomes zero.", "values"
    )
    return [
        plain,
        case(
            f"large values, [2, {c}, {a}]", stack, "There is no upper limit, and any number of axes will do.", "values"
        ),
        case("infinities and zeros", limits, "Minus infinity becomes 0; infinity times 0 would be NaN."),
        case("NaN among them", spoilt, "NaN stays NaN, or a broken network looks healthy: which test lets it through?"),
        case("a single number", floats(rng), "An array without axes is an array too."),
        replace(plain, title="dtype of the result", dtype="float32", part="edges", advice=FLOAT32),
        left_alone(plain, (0,), NEW_ARRAY),
    ]


def _relu_backward_cases(rng: np.random.Generator, core: str, side: str, zero: str) -> list[Case]:
    """What both versions are tried with: signs, zeros, subnormals, NaN, every exponent, masked NaN."""
    a, b, c = ragged_sizes(rng, 3)
    x, grad = away_from_zero(rng, a, b), away_from_zero(rng, a, b)
    stack = away_from_zero(rng, c, 2, a)
    zeros = np.where(rng.random((a, b)) < 0.5, x, np.copysign(np.float32(0.0), x))
    zeros[0, :2] = 0.0, -0.0
    small = SMALLEST * np.array([1, -1, 2, -2, 3, 2**22, -(2**22)], dtype=np.float32)
    nans = x.copy()
    nans[0, :] = np.nan
    nans[1, :] = np.copysign(np.float32(np.nan), np.float32(-1.0))
    patterns = _every_exponent(rng)
    spoilt = np.where(x < 0, np.float32(np.nan), grad)
    spoilt[x < -4] = np.inf

    def case(title: str, grads: FloatArray, values: FloatArray, advice: str, part: str = "edges") -> Case:
        expected = np.where(values > 0, double(grads), 0.0)
        return Case(title, (grads, values), expected, nan_equal=True, part=part, advice=advice)

    ones, many = np.ones_like(stack), away_from_zero(rng, *patterns.shape)  # one wrong element of 2,048 must show
    tiny = "Every number above zero lets the gradient pass, tiny ones too."
    kinds = "Some kind of float is on the wrong side: try infinity, NaN, zero and the subnormals one by one."
    masked = "A masked gradient is 0 whatever it was, but 0 times NaN is NaN: choose instead of multiplying."
    plain = case(f"both signs, [{a}, {b}]", grad, x, core, "values")
    return [
        case(f"a gradient of ones, [{c}, 2, {a}]", ones, stack, side, "values"),
        plain,
        case("+0 and -0", grad, zeros, zero),
        case("x as small as 1e-45", away_from_zero(rng, 7), small, tiny),
        case("NaN in x", grad, nans, "NaN is not above zero, whatever its sign bit says: nothing passes there."),
        case("every exponent, both signs", many, patterns, kinds),
        case("NaN and infinity in grad_output where x < 0", spoilt, x, masked),
        case("x as a transposed view", grad.T.copy(), x.T, "x may be a view: its elements count, not its memory."),
        replace(plain, title="dtype of the gradient", dtype="float32", part="edges", advice=FLOAT32),
        left_alone(plain, (0, 1), NEW_ARRAY),
    ]


def relu_backward_cases(rng: np.random.Generator) -> list[Case]:
    """The common cases, with advice for a comparison."""
    return _relu_backward_cases(
        rng,
        "What passes is grad_output itself, negative values too: not x, and not 1.",
        "x alone decides where the gradient passes: where x is above zero, and nowhere else.",
        "At zero the slope is taken as 0, for +0 and -0 alike: is your comparison strict?",
    )


def relu_backward_sign_bit_cases(rng: np.random.Generator) -> list[Case]:
    """The common cases, with advice for bit patterns."""
    return _relu_backward_cases(
        rng,
        "What passes is grad_output itself, negative values too: the bits of x only say where.",
        "Positive floats are one unbroken range of unsigned integers: where does it begin, and where does it end?",
        "+0 is the pattern 0x00000000: its sign bit is 0, and still nothing passes.",
    )


def sign_bit_cases(rng: np.random.Generator) -> list[Case]:
    """Both signs; then zeros, NaN, every exponent, views, single numbers, dtype, input left alone."""
    a, b, c = ragged_sizes(rng, 3)
    x, stack = away_from_zero(rng, a, b), away_from_zero(rng, c, 2, b)
    patterns = _every_exponent(rng)
    nans = np.copysign(np.float32(np.nan), away_from_zero(rng, c))
    zeros = np.copysign(np.float32(0.0), away_from_zero(rng, a))
    zeros[:2], nans[:2] = (0.0, -0.0), (np.nan, -np.nan)
    shift = "The sign is the topmost of 32 bits: what is left when it moves 31 places down?"

    def case(title: str, values: FloatArray, advice: str, part: str = "edges") -> Case:
        expected = np.signbit(values).astype(np.uint32)
        return Case(title, (values,), expected, part=part, advice=advice)

    plain = case(f"both signs, [{a}, {b}]", x, shift, "values")
    return [
        plain,
        case(
            f"both signs, [{c}, 2, {b}]", stack, "The result has the shape of x, an element for each float.", "values"
        ),
        case("+0 and -0", zeros, "-0 equals 0 in every comparison, but its sign bit is 1: look at the bits."),
        case("NaN of both signs", nans, "Comparisons with NaN are all False; its sign bit is still there to be read."),
        case(
            "every exponent, both signs", patterns, "The 31 bits below the sign must not matter: are they shifted away?"
        ),
        case("a transposed view", x.T, "x may be a view: its elements count, not its memory."),
        case("a single number", floats(rng), "An array without axes has one float, and one sign bit."),
        replace(
            plain,
            title="dtype of the bits",
            dtype="uint32",
            part="edges",
            advice="The bits are uint32, the unsigned integers of the same size.",
        ),
        left_alone(plain, (0,), "Looking at bits is no reason to change them: x must come back unchanged."),
    ]


def _log_softmax(logits: FloatArray) -> DoubleArray:
    shifted = double(logits) - double(logits).max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


def softmax_cases(rng: np.random.Generator) -> list[Case]:
    """Ragged and square; then rows far up and far down, a wide row, one class, one row, dtype, input left alone."""
    batch, classes = ragged_sizes(rng, 2)
    logits, square = 3.0 * floats(rng, batch, classes), 3.0 * floats(rng, classes, classes)
    level = np.where(np.arange(batch) % 2 == 0, 1000.0, -1000.0).astype(np.float32)
    huge = np.round(logits) + rng.permutation(level)[:, None]
    wide = np.linspace(-1000.0, 1000.0, classes, dtype=np.float32)[None, :] + np.round(logits)
    wide[:, -2] = wide[:, -1] - 1
    far = "exp(1000) is more than float32 can hold, exp(-1000) less: which number can every score of a row be moved by?"

    def case(title: str, values: FloatArray, advice: str, part: str = "edges") -> Case:
        return Case(title, (values,), np.exp(_log_softmax(values)), rtol=FLOAT32_RTOL, part=part, advice=advice)

    single = "Take exp of every score, and divide by the sum: the row adds up to 1."
    own = "Each row has a sum of its own: the classes of one sample lie along axis 1."
    equal = "In a square array rows and columns fit alike: is each row divided by its own sum?"
    together = "The scores of a row may be moved together, but not cut off: 999 and 1000 differ."
    plain = case(f"[{batch}, {classes}]", logits, own, "values")
    return [
        case("one row", logits[:1], single, "values"),
        plain,
        case(f"square, [{classes}, {classes}]", square, equal, "values"),
        case("rows around 1000 and around -1000", huge, far),
        case("from -1000 to 1000 in one row", wide, together),
        case("one class", logits[:, :1], "A single class has all the probability."),
        replace(plain, title="dtype of the probabilities", dtype="float32", part="edges", advice=FLOAT32),
        left_alone(plain, (0,), NEW_ARRAY),
    ]


def cross_entropy_cases(rng: np.random.Generator) -> list[Case]:
    """Ragged and square; then a sure mistake, one sample, byte labels, labels out of range, dtype, inputs."""
    batch, classes = ragged_sizes(rng, 2)
    logits, square = 2.0 * floats(rng, batch, classes), 2.0 * floats(rng, classes, classes)
    labels, square_labels = rng.integers(0, classes, batch), rng.integers(0, classes, classes)
    labels[0] = logits[0].argmin()  # the most probable class is not always the label
    sure = np.where(np.arange(classes) == labels[:, None], -700.0, 600.0).astype(np.float32) + np.round(logits)
    below, above = labels.copy(), labels.copy()
    below[1], above[-1] = -1, classes

    def case(title: str, values: FloatArray, wanted: npt.NDArray[np.integer], advice: str, part: str = "edges") -> Case:
        log_probabilities, rows = _log_softmax(values), np.arange(len(wanted))
        grad = np.exp(log_probabilities)
        grad[rows, wanted] -= 1.0
        expected = (float(-log_probabilities[rows, wanted].mean()), grad / len(wanted))
        return Case(title, (values, wanted), expected, rtol=FLOAT32_RTOL, part=part, advice=advice)

    mean = "The loss is a mean over the batch, so its gradient carries 1 / batch too, in every class."
    inside = "A label outside 0 … classes - 1 must raise ValueError: used as an index, -1 quietly takes the last class."
    one = "The loss is minus the logarithm of the label's probability; the gradient is softmax, less 1 at the label."
    equal = "In a square array rows and columns fit alike: each row has one label, and only that element gets the 1."
    finite = "The logarithm of a rounded 0 is -inf: take the logarithm apart before exp is taken."
    plain = case(f"[{batch}, {classes}]", logits, labels, mean, "values")
    return [
        case("one sample", logits[:1], labels[:1], one, "values"),
        plain,
        case(f"square, [{classes}, {classes}]", square, square_labels, equal, "values"),
        case("sure of the wrong class", sure, labels, finite),
        case("labels as bytes", logits, labels.astype(np.uint8), "MNIST's labels are uint8: any integers must do."),
        Case("label -1", (logits, below), raises="ValueError", part="edges", advice=inside),
        Case(
            f"label {classes} with {classes} classes", (logits, above), raises="ValueError", part="edges", advice=inside
        ),
        replace(plain, title="dtype of the gradient", dtype="float32", part="edges", advice=FLOAT32),
        left_alone(plain, (0, 1), NEW_ARRAY),
    ]


EXERCISES = [
    ExerciseCases("solutions/activation.py::relu_forward", relu_forward_cases, CORE_AND_EDGES),
    ExerciseCases("solutions/activation.py::relu_backward", relu_backward_cases, CORE_AND_EDGES),
    ExerciseCases("solutions/activation.py::sign_bit", sign_bit_cases, CORE_AND_EDGES),
    ExerciseCases("solutions/activation.py::relu_backward_sign_bit", relu_backward_sign_bit_cases, CORE_AND_EDGES),
    ExerciseCases("solutions/loss.py::softmax", softmax_cases, CORE_AND_EDGES, INDEX_PATH),
    ExerciseCases("solutions/loss.py::cross_entropy", cross_entropy_cases, CORE_AND_EDGES, INDEX_PATH),
]
