"""Tensors by index: a shape, a stride for each axis, and one flat row of numbers in memory.

Nothing here knows more than arithmetic on offsets. Strides count elements, not bytes (NumPy's ``ndarray.strides``
counts bytes: divide by ``itemsize``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from solutions.arrays import FloatArray


def row_major_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Strides of a freshly made array: how far one step along each axis moves in memory.

    Args:
        shape: length of every axis, e.g. ``(2, 3, 4)``; may be empty (a single number).

    Returns:
        One stride per axis, in elements: ``(12, 4, 1)`` for the shape above. The last axis is contiguous.
    """
    ### BEGIN SOLUTION
    strides = []
    step = 1
    for length in reversed(shape):
        strides.append(step)
        step *= length
    return tuple(reversed(strides))
    ### END SOLUTION


def flat_offset(index: Sequence[int], strides: Sequence[int]) -> int:
    """Where the element at ``index`` lies: its distance from the first element, in elements.

    Args:
        index: one position per axis.
        strides: one stride per axis, in elements. Any strides: transposed, broadcast (0) and negative ones too.

    Returns:
        The offset, an ``int``.
    """
    ### BEGIN SOLUTION
    offset = 0
    for position, stride in zip(index, strides, strict=True):
        offset += position * stride
    return offset
    ### END SOLUTION


def unravel(offset: int, shape: Sequence[int]) -> tuple[int, ...]:
    """The index whose row-major offset is ``offset``: the way back from memory to coordinates.

    Args:
        offset: ``0 <= offset <`` number of elements.
        shape: length of every axis, each at least 1.

    Returns:
        One position per axis, so that ``flat_offset(unravel(o, shape), row_major_strides(shape)) == o``.
    """
    ### BEGIN SOLUTION
    index = []
    for length in reversed(shape):
        index.append(offset % length)
        offset //= length
    return tuple(reversed(index))
    ### END SOLUTION


def broadcast_strides(shape: Sequence[int], target_shape: Sequence[int]) -> tuple[int, ...]:
    """Strides that let an array of ``shape`` be read as if it had ``target_shape``, without copying a byte.

    Axes are lined up at the right. An axis of length 1 that is stretched gets a stride of 0, and so does an axis that
    ``shape`` does not have: every step along it lands on the same element. All others keep their stride.

    Args:
        shape: shape of a row-major array.
        target_shape: the shape it is read with; at least as many axes.

    Returns:
        One stride per axis of ``target_shape``, in elements.

    Raises:
        ValueError: some axis is neither equal nor 1, or ``shape`` has more axes than ``target_shape``.
    """
    own_strides = row_major_strides(shape)
    ### BEGIN SOLUTION
    missing = len(target_shape) - len(shape)
    if missing < 0:
        raise ValueError(f"shape {tuple(shape)} has more axes than {tuple(target_shape)}")
    strides = [0] * missing
    for length, stride, target in zip(shape, own_strides, target_shape[missing:], strict=True):
        if length not in (target, 1):
            raise ValueError(f"shape {tuple(shape)} does not stretch to {tuple(target_shape)}")
        strides.append(stride if length == target else 0)
    return tuple(strides)
    ### END SOLUTION


def broadcast_shape(first: Sequence[int], second: Sequence[int]) -> tuple[int, ...]:
    """The shape of an elementwise result: axes lined up at the right, ones stretched.

    Raises:
        ValueError: two lengths differ and neither is 1.
    """
    rank = max(len(first), len(second))
    lengths = []
    for axis in range(-rank, 0):
        a = first[axis] if -axis <= len(first) else 1
        b = second[axis] if -axis <= len(second) else 1
        if a != b and 1 not in (a, b):
            raise ValueError(f"shapes {tuple(first)} and {tuple(second)} do not broadcast: {a} against {b}")
        lengths.append(b if a == 1 else a)
    return tuple(lengths)


def add(a: FloatArray, b: FloatArray) -> FloatArray:
    """Elementwise sum with broadcasting, one offset at a time.

    Args:
        a, b: float32 arrays whose shapes broadcast, e.g. ``[96, 256]`` and ``[256]``.

    Returns:
        A new float32 array of the broadcast shape.
    """
    shape = broadcast_shape(a.shape, b.shape)
    a_flat, b_flat = a.reshape(-1), b.reshape(-1)  # row-major order, whatever the strides were
    out = np.empty(shape, dtype=np.float32)
    out_flat = out.reshape(-1)
    ### BEGIN SOLUTION
    a_strides = broadcast_strides(a.shape, shape)
    b_strides = broadcast_strides(b.shape, shape)
    for offset in range(out_flat.size):
        index = unravel(offset, shape)
        out_flat[offset] = a_flat[flat_offset(index, a_strides)] + b_flat[flat_offset(index, b_strides)]
    ### END SOLUTION
    return out
