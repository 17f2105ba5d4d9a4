"""Cases of chapter 2, the products: loops in two orders, rank-1 accumulation, blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from autograder.cases.case import Case, ExerciseCases
from autograder.cases.inputs import (
    CORE_AND_EDGES,
    FLOAT32_RTOL,
    double,
    floats,
    left_alone,
    poisoned,
    ragged_sizes,
)
from autograder.cases.order import access_offsets_cases, line_changes_cases
from autograder.grade.index_path import INDEX_PATH
from solutions.arrays import FloatArray

LEFT_ALONE = "Only out is written: a and b belong to the caller and must come back unchanged."
FLOAT32 = "The result must be float32: half the bytes of float64, and what every later chapter expects."


def _product(
    title: str, a: FloatArray, b: FloatArray, advice: str, part: str = "values", dtype: str | None = None
) -> Case:
    expected = np.dot(double(a), double(b))
    return Case(title, (a, b), expected, rtol=FLOAT32_RTOL, dtype=dtype, part=part, advice=advice)


def _sizes(a: FloatArray, b: FloatArray) -> str:
    return f"[{a.shape[0]}, {a.shape[1]}] times [{b.shape[0]}, {b.shape[1]}]"


def _loop_cases(rng: np.random.Generator, core: str) -> list[Case]:
    """What both loop orders are tried with: one sum, no sum, ragged, square; then views, dtype, inputs left alone."""
    m, k, n = ragged_sizes(rng, 3)
    a, b = floats(rng, m, k), floats(rng, k, n)
    square_a, square_b = floats(rng, k, k), floats(rng, k, k)
    column, row = floats(rng, n, 1), floats(rng, 1, m)
    positive = np.abs(floats(rng, m, 1))  # one sum of both signs may come near 0, where rounding is all there is
    one = "A row times a column is a single sum of k products: start it at zero, and take in all k of them."
    table = "With k = 1 every out[i, j] is one product, a multiplication table: which number stands at row i, column j?"
    square = "Square matrices fit in any order, so a swapped index goes unnoticed: which of the two indices is the row?"
    views = "a_flat and b_flat are in row-major order already, so offsets follow from m, k and n alone."
    ragged = _product(f"ragged: {_sizes(a, b)}", a, b, core)
    return [
        _product(f"one element: {_sizes(row, positive)}", np.abs(row), positive, one),
        _product(f"k = 1: {_sizes(column, row)}", column, row, table),
        ragged,
        _product(f"square: {_sizes(square_a, square_b)}", square_a, square_b, square),
        _product(f"transposed views: {_sizes(b.T, a.T)}", b.T, a.T, views, "edges"),
        replace(ragged, title=f"dtype of {_sizes(a, b)}", dtype="float32", part="edges", advice=FLOAT32),
        left_alone(ragged, (0, 1), LEFT_ALONE),
    ]


def matmul_loops_cases(rng: np.random.Generator) -> list[Case]:
    """The loop cases, with advice for a sum that is kept in one variable."""
    return _loop_cases(
        rng, "Take one out[i, j] on paper: row i of a against column j of b. At which offsets do the two of them lie?"
    )


def matmul_reordered_cases(rng: np.random.Generator) -> list[Case]:
    """The loop cases, with advice for sums that grow in out."""
    return _loop_cases(
        rng, "Each step of the middle loop adds a scaled row of b to a row of out: to what is there, not in its place."
    )


def _filled(case: Case, advice: str) -> Case:
    """``case`` with a buffer of NaN as its last argument, which must hold the result afterwards and be the result."""
    result = case.expected
    assert isinstance(result, np.ndarray)
    return replace(
        case,
        title=f"into out filled with NaN: {case.title}",
        args=(*case.args, poisoned(*result.shape)),
        read_back=(len(case.args),),
        expected_args=(result,),
        advice=advice,
    )


def matmul_rank1_cases(rng: np.random.Generator) -> list[Case]:
    """One outer product, ragged, square, into a poisoned out; then views, a longer sum, dtype, inputs left alone."""
    m, k, n = ragged_sizes(rng, 3)
    a, b = floats(rng, m, k), floats(rng, k, n)
    square_a, square_b = floats(rng, n, n), floats(rng, n, n)
    column, row = floats(rng, m, 1), floats(rng, 1, n)
    long_a, long_b = floats(rng, k, 300 + m), floats(rng, 300 + m, n)
    outer = "With k = 1 there is one outer product: the column stands upright, the row lies flat, and out is returned."
    square = "Square matrices fit either way round: is it column p of a, and row p of b?"
    fill = "out may hold anything when it arrives, NaN too: clear it first, add into it, and return it."
    views = "a and b may be views: let NumPy find the elements by index, and do not flatten the memory under them."
    many = "All k outer products count, in float32 or better: is one left out, or rounded too coarsely?"
    ragged = _product(f"ragged: {_sizes(a, b)}", a, b, "Column p of a meets row p of b, for each of the k values of p.")
    every_other = long_a[:, ::2], long_b[::2]
    return [
        _product(f"k = 1: {_sizes(column, row)}", column, row, outer),
        ragged,
        _product(f"square: {_sizes(square_a, square_b)}", square_a, square_b, square),
        _filled(ragged, fill),
        _product(f"transposed views: {_sizes(b.T, a.T)}", b.T, a.T, views, "edges"),
        _product(f"every other column: {_sizes(*every_other)}", *every_other, views, "edges"),
        _product(f"a longer sum: {_sizes(long_a, long_b)}", long_a, long_b, many, "edges"),
        replace(ragged, title=f"dtype of {_sizes(a, b)}", dtype="float32", part="edges", advice=FLOAT32),
        left_alone(ragged, (0, 1), LEFT_ALONE),
    ]


def matmul_blocked_cases(rng: np.random.Generator) -> list[Case]:
    """Even blocks, a smaller last block, into a poisoned out; then blocks of 1, of all rows and of more, and views."""
    _, k, n = ragged_sizes(rng, 3)
    block = int(rng.integers(4, 8))
    m = 3 * block + int(rng.integers(1, block))  # three whole blocks and a smaller one
    a, b = floats(rng, m, k), floats(rng, k, n)
    even = a[: 3 * block]

    def case(left: FloatArray, right: FloatArray, rows: int, advice: str, part: str = "edges") -> Case:
        plain = _product(f"{_sizes(left, right)} in blocks of {rows}", left, right, advice, part)
        return replace(plain, args=(left, right, rows))

    own = "Every block fills its own rows of out from the same rows of a, and out is returned."
    last = "The last block is smaller when block_rows does not divide m: its rows count too."
    fill = "out may hold anything when it arrives: write every row of it, and return out itself."
    ragged = case(a, b, block, last, "values")
    return [
        case(even, b, block, own, "values"),
        ragged,
        _filled(ragged, fill),
        case(a, b, 1, "Blocks of one row are blocks too: start and stop differ by one."),
        case(a, b, m, "One block of exactly m rows is the whole product."),
        case(a, b, m + block, "A block larger than the matrix ends where the matrix ends."),
        case(b.T, a.T, block, "a and b may be transposed views: cut a by rows, and leave b whole."),
        replace(ragged, title="dtype of the result", dtype="float32", part="edges", advice=FLOAT32),
        left_alone(ragged, (0, 1), LEFT_ALONE),
    ]


def _exercise(
    name: str, build: Callable[[np.random.Generator], Sequence[Case]], forbidden: tuple[str, ...] = ()
) -> ExerciseCases:
    return ExerciseCases(f"solutions/matmul.py::{name}", build, CORE_AND_EDGES, forbidden)


EXERCISES = [
    _exercise("matmul_loops", matmul_loops_cases, INDEX_PATH),
    _exercise("matmul_reordered", matmul_reordered_cases, INDEX_PATH),
    _exercise("access_offsets", access_offsets_cases),
    _exercise("line_changes", line_changes_cases),
    _exercise("matmul_rank1", matmul_rank1_cases, INDEX_PATH),
    _exercise("matmul_blocked", matmul_blocked_cases, INDEX_PATH),
]
