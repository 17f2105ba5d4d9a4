"""Strides, offsets and broadcasting against NumPy's own, and properties that hold for every shape."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from solutions.tensor import add, broadcast_shape, broadcast_strides, flat_offset, row_major_strides, unravel

ANY_SHAPE = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
"""Empty axes too: 0 against 1 makes 0, not 1."""

SHAPES = hnp.array_shapes(min_dims=0, max_dims=5, max_side=7)


def elements(shape: tuple[int, ...]) -> np.ndarray:
    """One byte an element, so that NumPy's strides in bytes are ours in elements."""
    return np.zeros(shape, dtype=np.int8)


@given(SHAPES)
def test_row_major_strides_are_numpys(shape):
    assert row_major_strides(shape) == elements(shape).strides


@given(SHAPES, st.data())
def test_offset_and_index_are_each_others_inverse(shape, data):
    offset = data.draw(st.integers(0, math.prod(shape) - 1))
    index = unravel(offset, shape)
    assert index == tuple(int(i) for i in (np.unravel_index(offset, shape) if shape else ()))
    assert flat_offset(index, row_major_strides(shape)) == offset


@given(hnp.array_shapes(min_dims=1, max_dims=4, max_side=5), st.data())
def test_flat_offset_follows_any_strides(shape, data):
    """Transposed, reversed and stepped views of ``arange`` say where each of their elements lies."""
    memory = np.arange(math.prod(shape)).reshape(shape)
    view = memory.transpose(data.draw(st.permutations(range(len(shape)))))
    view = view[tuple(slice(None, None, data.draw(st.sampled_from((1, 2, -1)))) for _ in shape)]
    index = tuple(data.draw(st.integers(0, n - 1)) for n in view.shape)
    strides = [s // memory.itemsize for s in view.strides]
    assert flat_offset(index, strides) == view[index] - view[(0,) * view.ndim]


def test_flat_offset_stays_exact_beyond_64_bits():
    assert flat_offset((2**40, 3), (2**40, 1)) == 2**80 + 3


def test_flat_offset_refuses_an_index_of_another_rank():
    with pytest.raises(ValueError, match="argument"):
        flat_offset((1, 2), (3,))


@given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, min_side=0, max_side=5))
def test_broadcasting_reads_what_numpy_reads(shapes):
    (first, second), target = shapes.input_shapes, shapes.result_shape
    assert broadcast_shape(first, second) == target == np.broadcast_shapes(first, second)
    memory = np.arange(math.prod(first), dtype=np.int64).reshape(first)
    strides = tuple(8 * stride for stride in broadcast_strides(first, target))
    read = np.lib.stride_tricks.as_strided(memory, target, strides)
    assert (read == np.broadcast_to(memory, target)).all()


@given(ANY_SHAPE, ANY_SHAPE)
def test_broadcast_strides_refuses_what_numpy_refuses(shape, target):
    try:
        np.broadcast_to(elements(shape), target)
    except ValueError:
        with pytest.raises(ValueError, match="shape"):
            broadcast_strides(shape, target)
    else:
        stretched = broadcast_strides(shape, target)
        assert len(stretched) == len(target)


@given(ANY_SHAPE, ANY_SHAPE)
def test_broadcast_shape_refuses_what_numpy_refuses(first, second):
    try:
        expected = np.broadcast_shapes(first, second)
    except ValueError:
        with pytest.raises(ValueError, match="do not broadcast"):
            broadcast_shape(first, second)
    else:
        assert broadcast_shape(first, second) == expected


@given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=4), st.integers(0, 2**32 - 1))
def test_add_is_numpys_addition_bit_for_bit(shapes, seed):
    rng = np.random.default_rng(seed)
    a, b = (np.asarray(rng.standard_normal(shape), dtype=np.float32) for shape in shapes.input_shapes)
    total = add(a, b)
    assert total.dtype == np.float32
    assert total.shape == shapes.result_shape
    assert (total == a + b).all()


def test_add_reads_views_by_index():
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert (add(a.T, a[:, ::-1].T) == a.T + a[:, ::-1].T).all()
