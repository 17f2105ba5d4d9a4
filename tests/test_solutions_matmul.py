"""All matrix products against float64, and against one another; orders of access against plain loops."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.gradcheck import relative_error
from solutions.matmul import (
    access_offsets,
    line_changes,
    matmul_blocked,
    matmul_loops,
    matmul_rank1,
    matmul_reordered,
)

SIZE = st.integers(1, 9)
SEED = st.integers(0, 2**32 - 1)
PRODUCTS = [
    matmul_loops,
    matmul_reordered,
    matmul_rank1,
    lambda a, b: matmul_blocked(a, b, 3),
    lambda a, b: matmul_blocked(a, b, 100),
]


def matrices(seed: int, m: int, k: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((m, k), dtype=np.float32), rng.standard_normal((k, n), dtype=np.float32)


@given(SIZE, SIZE, SIZE, SEED)
def test_every_product_is_within_the_rounding_bound(m, k, n, seed):
    """Each element is off by at most k roundings of 2⁻²⁴ of the sum of |a| · |b| (Higham 2002, section 3.5)."""
    a, b = matrices(seed, m, k, n)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    bound = (k + 1) * 2.0**-24 * (np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64))
    for product in PRODUCTS:
        got = product(a, b)
        assert got.dtype == np.float32
        assert (np.abs(got - exact) <= bound).all()


@given(SIZE, SIZE, SIZE, SEED)
def test_transposed_views_are_read_by_index(m, k, n, seed):
    a, b = matrices(seed, m, k, n)
    for product in PRODUCTS:
        assert (product(b.T, a.T) == product(b.T.copy(), a.T.copy())).all()


@pytest.mark.parametrize("product", PRODUCTS)
def test_mnist_sizes(product):
    """A batch of 7 through 784 to 10: the sum of 784 terms keeps six digits."""
    a, b = matrices(0, 7, 784, 10)
    assert relative_error(product(a, b), a.astype(np.float64) @ b.astype(np.float64)) < 2e-6


@given(SIZE, SIZE, SIZE, st.integers(1, 12), SEED)
def test_blocks_change_no_bit(m, k, n, block_rows, seed):
    a, b = matrices(seed, m, k, n)
    whole, blocked = matmul_rank1(a, b), matmul_blocked(a, b, block_rows)
    assert whole.tobytes() == blocked.tobytes()


@given(SIZE, SIZE, SIZE, SEED)
def test_out_is_filled_whatever_it_held(m, k, n, seed):
    a, b = matrices(seed, m, k, n)
    for fill in (lambda out: matmul_rank1(a, b, out), lambda out: matmul_blocked(a, b, 2, out)):
        out = np.full((m, n), np.nan, dtype=np.float32)
        assert fill(out) is out
        assert out.tobytes() == matmul_rank1(a, b).tobytes()


def test_nothing_to_sum_makes_zeros():
    a, b = np.zeros((3, 0), dtype=np.float32), np.zeros((0, 2), dtype=np.float32)
    for product in PRODUCTS:
        assert product(a, b).tolist() == [[0.0, 0.0]] * 3


def test_nan_and_infinity_spread_as_ieee_says():
    """NaN times anything is NaN, infinity times 0 too: one bad number spoils its row, and no other."""
    a, b = matrices(1, 3, 4, 2)
    a[1, 2] = np.inf
    b[2, 0] = 0.0
    for product in PRODUCTS:
        with np.errstate(invalid="ignore"):
            got = product(a, b)
        assert np.isnan(got[1, 0])
        assert np.isinf(got[1, 1])
        assert np.isfinite(got[[0, 2]]).all()


@given(st.permutations("ijk"), st.integers(0, 5), st.integers(0, 5), st.integers(0, 5))
def test_access_offsets_are_those_of_three_loops(order, m, k, n):
    lengths = {"i": m, "j": n, "k": k}
    expected = []
    for steps in itertools.product(*(range(lengths[letter]) for letter in order)):
        at = dict(zip(order, steps, strict=True))
        expected.append([at["i"] * k + at["k"], at["k"] * n + at["j"], at["i"] * n + at["j"]])
    offsets = access_offsets("".join(order), m, k, n)
    assert offsets.dtype == np.int64
    assert offsets.shape == (m * k * n, 3)
    assert offsets.tolist() == expected


@given(st.permutations("ijk"), SIZE, SIZE, SIZE)
def test_every_order_touches_each_triple_once(order, m, k, n):
    """Each element of a is met n times, each of b m times, each of out k times, and no triple twice."""
    offsets = access_offsets("".join(order), m, k, n)
    assert len(np.unique(offsets, axis=0)) == m * k * n
    for column, (elements, times) in enumerate(((m * k, n), (k * n, m), (m * n, k))):
        assert np.bincount(offsets[:, column], minlength=elements).tolist() == [times] * elements


@given(SIZE, SIZE, SIZE, SEED, st.permutations("ijk"))
def test_the_offsets_of_any_order_make_the_product(m, k, n, seed, order):
    a, b = matrices(seed, m, k, n)
    out = np.zeros(m * n)
    for i, j, o in access_offsets("".join(order), m, k, n).tolist():
        out[o] += float(a.reshape(-1)[i]) * float(b.reshape(-1)[j])
    exact = a.astype(np.float64) @ b.astype(np.float64)
    assert (np.abs(out.reshape(m, n) - exact) <= 1e-14 * (np.abs(a).astype(np.float64) @ np.abs(b))).all()


@given(st.lists(st.integers(0, 300), max_size=60), st.integers(1, 40))
def test_line_changes_counts_a_walk_step_by_step(walk, line_elements):
    entered, current = 0, None
    for offset in walk:
        if offset // line_elements != current:
            entered, current = entered + 1, offset // line_elements
    assert line_changes(np.array(walk, dtype=np.int64), line_elements) == entered


def test_the_ladder_of_chapter_two():
    """Inner loop along a row: one line in 16 steps for b; along a column: a new line at every step."""
    rows, columns = (access_offsets(order, 4, 32, 64)[:, 1] for order in ("ikj", "ijk"))
    assert line_changes(rows, 16) == 4 * 32 * 64 // 16
    assert line_changes(columns, 16) == 4 * 32 * 64
