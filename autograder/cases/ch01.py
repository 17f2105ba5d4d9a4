"""Cases of chapter 1: strides, offsets, broadcasting, addition.

Expected values come from NumPy's own strides and from reading ``arange`` through views: an element that holds its own
offset tells where it lies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from autograder.cases.case import Case, ExerciseCases
from autograder.cases.inputs import CORE_AND_EDGES, FLOAT32_RTOL, double, floats, left_alone, ragged_sizes
from solutions.arrays import FloatArray, IntArray


def _strides(shape: Sequence[int]) -> tuple[int, ...]:
    return np.empty(shape, dtype=np.int8).strides  # one byte an element: NumPy's bytes are our elements


def row_major_strides_cases(rng: np.random.Generator) -> list[Case]:
    """Three, two and four axes; then a single axis, none, and axes of length 1."""
    a, b, c, d = ragged_sizes(rng, 4)
    core = "Walk from the last axis to the first: how many elements does one step along this axis jump over?"
    return [
        Case(f"shape {shape}", (shape,), _strides(shape), part=part, advice=advice)
        for shape, part, advice in (
            ((a, b, c), "values", core),
            ((c, a), "values", core),
            ((d, b, a, c), "values", "Four axes work like three: let the number of axes come from the shape."),
            ((b,), "edges", "A single axis is contiguous: think about what one step along it jumps over."),
            ((), "edges", "A single number has no axes, so it has no strides either: an empty tuple."),
            ((a, 1, c), "edges", "An axis of length 1 needs no special case: the same rule gives its stride."),
        )
    ]


def _offset_case(view: IntArray, index: tuple[int, ...], title: str, part: str, advice: str) -> Case:
    """A case from a view of ``arange``: the element read there, less the one at the origin, is the offset."""
    strides = tuple(stride // view.itemsize for stride in view.strides)
    expected = int(view[index]) - int(view[(0,) * view.ndim])
    return Case(f"{title}: index {index}, strides {strides}", (index, strides), expected, part=part, advice=advice)


def _inner_index(rng: np.random.Generator, shape: Sequence[int]) -> tuple[int, ...]:
    """A random index, away from the origin on every axis and with no position twice: swapped strides must show."""
    while True:
        index = tuple(int(rng.integers(1, n)) for n in shape)
        if len(set(index)) == len(index):
            return index


def flat_offset_cases(rng: np.random.Generator) -> list[Case]:
    """Row-major and transposed strides; then stretched, reversed and far-away elements, and no axes at all."""
    a, b, c = ragged_sizes(rng, 3)
    row_major = np.arange(a * b * c).reshape(a, b, c)
    transposed = row_major.transpose(2, 0, 1)
    stretched = np.broadcast_to(np.arange(c), (a, b, c))
    flipped = row_major[::-1, :, ::-1]
    far = (59_999, 27, int(rng.integers(1, 28)))
    far_strides = (2**31 + 784, 28, 1)
    return [
        _offset_case(
            row_major,
            _inner_index(rng, (a, b, c)),
            "row-major",
            "values",
            "Every axis adds its own distance: the position on the axis, and how far one step goes.",
        ),
        _offset_case(
            transposed,
            _inner_index(rng, transposed.shape),
            "transposed",
            "values",
            "Trust the strides you are given: in a transposed view the last axis is not the contiguous one.",
        ),
        _offset_case(row_major, (0, 0, 0), "the first element", "values", "Distances start at the first element: 0."),
        _offset_case(
            stretched,
            _inner_index(rng, (a, b, c)),
            "stretched",
            "edges",
            "A stride of 0 is a real stride: steps along that axis stay on the same element.",
        ),
        _offset_case(
            flipped,
            _inner_index(rng, (a, b, c)),
            "reversed",
            "edges",
            "A negative stride walks backwards, so the offset may be negative: keep the sign.",
        ),
        Case("no axes", ((), ()), 0, part="edges", advice="A single number lies at offset 0: nothing is added up."),
        Case(
            f"index {far}, strides {far_strides}",
            (far, far_strides),
            59_999 * (2**31 + 784) + 27 * 28 + far[2],
            part="edges",
            advice="Offsets outgrow 32 bits in large arrays: stay with Python's own integers.",
        ),
    ]


def unravel_cases(rng: np.random.Generator) -> list[Case]:
    """Two, three and four axes; then the first and last element, axes of length 1, no axes, MNIST's size."""
    a, b, c, d = ragged_sizes(rng, 4)
    core = "The last axis turns fastest: ask what is left over after whole rows, then carry the whole rows on."
    ends = "First and last element: every position runs from 0 to the length of its axis less 1."
    inner, pair, deep = _inner_index(rng, (a, b, c)), _inner_index(rng, (b, a)), _inner_index(rng, (d, a, c, b))
    photo = (int(rng.integers(30_000, 60_000)), int(rng.integers(1, 28)), 27)  # above 2²⁴, just below a whole row
    cases = []
    for index, shape, part, advice in (
        (inner, (a, b, c), "values", core),
        (pair, (b, a), "values", core),
        (deep, (d, a, c, b), "values", "Four axes work like three: let the number of axes come from the shape."),
        ((0, 0, 0), (a, b, c), "edges", ends),
        ((a - 1, b - 1, c - 1), (a, b, c), "edges", ends),
        ((0, inner[1], 0), (1, b, 1), "edges", "On an axis of length 1 the only position is 0."),
        ((), (), "edges", "A single number has no axes: its index is an empty tuple."),
        (photo, (60_000, 28, 28), "edges", "Large offsets must stay exact: divide whole numbers, without floats."),
    ):
        offset = int(np.ravel_multi_index(index, shape)) if shape else 0
        cases.append(Case(f"offset {offset} in shape {shape}", (offset, shape), index, part=part, advice=advice))
    return cases


def broadcast_strides_cases(rng: np.random.Generator) -> list[Case]:
    """Stretched, missing and kept axes; then shapes that do not fit, each of which must raise.

    An axis of length 1 that stays 1 is left out: any stride is right there.
    """
    a, b, c, d = ragged_sizes(rng, 4)
    stretch = (
        "A kept axis steps as it does in the small array; a stretched one stays on its element: with which stride?"
    )
    keep = "An axis that already fits keeps its own stride, that of the small array, not of the large one."
    missing = "Line the axes up at the right; the axes that the shape lacks are at the left, and they do not move."
    refuse = "Only length 1 stretches: any other difference has to raise ValueError, naming both shapes."
    fits: list[tuple[tuple[int, ...], tuple[int, ...], str, str]] = [
        ((a, 1, c), (a, b, c), "values", stretch),
        ((1, b), (a, b), "values", keep),
        ((c,), (a, b, c), "values", missing),
        ((b, 1), (a, b, c), "values", missing),
        ((a, b, c), (a, b, c), "edges", keep),
        ((), (a, b), "edges", "A single number can be read with any shape: every stride is 0."),
        ((1, b, 1, 1), (a, b, c, d), "edges", stretch),
    ]
    bad = [
        ((a, b), (a, c), "lengths differ"),
        ((b,), (b, c), "fits only at the left"),
        ((a,), (2 * a,), "a multiple is no fit"),
        ((a, b), (a, 1), "shrinking to 1"),
        ((a, b, c), (b, c), "more axes than the target"),
        ((1, b), (b,), "more axes than the target, of length 1"),
    ]
    cases = []
    for shape, target, part, advice in fits:
        expected = np.broadcast_to(np.empty(shape, dtype=np.int8), target).strides
        cases.append(Case(f"{shape} read as {target}", (shape, target), expected, part=part, advice=advice))
    for shape, target, why in bad:
        title = f"{shape} cannot be read as {target}: {why}"
        cases.append(Case(title, (shape, target), raises="ValueError", part="edges", advice=refuse))
    return cases


NUMPY_BROADCASTING = ("broadcast_to", "broadcast_arrays", "broadcast_shapes", "as_strided")


def add_cases(rng: np.random.Generator) -> list[Case]:
    """Equal shapes, a row, a column, the smaller one first; then views, single numbers, dtype, inputs left alone."""
    a, b, c = ragged_sizes(rng, 3)
    matrix, other = floats(rng, a, b), floats(rng, a, b)
    row, column, stack = floats(rng, b), floats(rng, a, 1), floats(rng, c, 1, b)

    def case(
        title: str, x: FloatArray, y: FloatArray, advice: str, part: str = "values", dtype: str | None = None
    ) -> Case:
        expected = double(x) + double(y)
        return Case(title, (x, y), expected, rtol=FLOAT32_RTOL, dtype=dtype, part=part, advice=advice)

    shapes = "Give each input its own strides for the shape of the result, and look up each element at its own offset."
    column_advice = "A column is stretched along the last axis: its offset must stay put while you walk along a row."
    result = [
        case(f"[{a}, {b}] + [{a}, {b}]", matrix, other, "Walk over all of out, and store each sum at its own offset."),
        case(f"[{a}, {b}] + [{b}]", matrix, row, shapes),
        case(f"[{a}, {b}] + [{a}, 1]", matrix, column, column_advice),
        case(f"[{c}, 1, {b}] + [{a}, {b}]", stack, other, shapes),
        case(f"[{b}] + [{a}, 1]", row, column, "Both inputs may be smaller than the result: use the shape of neither."),
        case(
            f"transposed view [{b}, {a}] + [{a}]",
            matrix.T,
            floats(rng, a),
            "a_flat is in row-major order already, whatever the strides of the view were.",
            "edges",
        ),
        case(
            f"[] + [{a}, {b}]",
            floats(rng),
            matrix,
            "A single number is added everywhere: all its strides are 0.",
            "edges",
        ),
        case(
            "[] + []",
            floats(rng),
            floats(rng),
            "Two single numbers make a result with no axes and one element.",
            "edges",
        ),
        case(
            f"dtype of [{a}, {b}] + [{b}]",
            matrix,
            row,
            "The result must be float32, like the inputs: fill the out that is there.",
            "edges",
            dtype="float32",
        ),
    ]
    result.append(left_alone(result[1], (0, 1), "add makes a new array: the sums must not be written into a or b."))
    return result


def _exercise(
    name: str, build: Callable[[np.random.Generator], Sequence[Case]], forbidden: tuple[str, ...] = ()
) -> ExerciseCases:
    return ExerciseCases(f"solutions/tensor.py::{name}", build, CORE_AND_EDGES, forbidden)


EXERCISES = [
    _exercise("row_major_strides", row_major_strides_cases),
    _exercise("flat_offset", flat_offset_cases, ("ravel_multi_index",)),
    _exercise("unravel", unravel_cases, ("unravel_index",)),
    _exercise("broadcast_strides", broadcast_strides_cases, NUMPY_BROADCASTING),
    _exercise("add", add_cases, NUMPY_BROADCASTING),
]
