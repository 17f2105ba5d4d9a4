"""Wrong answers to chapter 1: strides, offsets, indices."""

from __future__ import annotations

import itertools
import math

import numpy as np

from solutions.tensor import flat_offset, row_major_strides, unravel
from tests.mutants import mutant


@mutant("row_major_strides")
def _first_axis_contiguous(shape):
    """column-major: the first axis is contiguous"""
    return tuple(itertools.accumulate((1, *shape[:-1]), lambda a, b: a * b))


@mutant("row_major_strides")
def _bytes(shape):
    """strides in bytes"""
    return tuple(4 * stride for stride in row_major_strides(shape))


@mutant("row_major_strides")
def _not_turned_round(shape):
    """collected from the last axis and not turned round"""
    return row_major_strides(shape)[::-1]


@mutant("row_major_strides")
def _own_length_included(shape):
    """each stride includes the axis's own length"""
    return tuple(math.prod(shape[axis:]) for axis in range(len(shape)))


@mutant("row_major_strides")
def _neighbour_only(shape):
    """only the next axis's length, not the product of all that follow"""
    return (*shape[1:], 1)


@mutant("row_major_strides")
def _three_axes_only(shape):
    """hard-coded for three axes"""
    _, b, c = shape
    return (b * c, c, 1)


@mutant("row_major_strides", "edges")
def _one_for_no_axes(shape):
    """a stride too many when there are no axes"""
    return row_major_strides(shape) or (1,)


@mutant("row_major_strides", "edges")
def _stretched_ones(shape):
    """axes of length 1 get stride 0, as if stretched"""
    return tuple(0 if n == 1 else s for n, s in zip(shape, row_major_strides(shape), strict=True))


@mutant("row_major_strides")
def _only_the_last(shape):
    """only one number instead of a stride for each axis"""
    return math.prod(shape[1:])


@mutant("flat_offset")
def _added_not_multiplied(index, strides):
    """positions and strides added instead of multiplied"""
    return sum(index) + sum(strides)


@mutant("flat_offset")
def _strides_from_the_wrong_end(index, strides):
    """the last position meets the first stride"""
    return sum(i * s for i, s in zip(index, reversed(strides), strict=True))


@mutant("flat_offset")
def _sorted_strides(index, strides):
    """takes the largest stride for the first axis, as if all memory were row-major"""
    return sum(i * s for i, s in zip(index, sorted(strides, reverse=True), strict=True))


@mutant("flat_offset")
def _counted_from_one(index, strides):
    """offsets counted from 1"""
    return 1 + flat_offset(index, strides)


@mutant("flat_offset")
def _bytes_again(index, strides):
    """the offset in bytes"""
    return 4 * flat_offset(index, strides)


@mutant("flat_offset")
def _overwritten(index, strides):
    """only the last axis counts: = instead of +="""
    offset = 0
    for i, s in zip(index, strides, strict=True):
        offset = i * s
    return offset


@mutant("flat_offset", "edges")
def _zero_is_one(index, strides):
    """a stride of 0 is taken for 1"""
    return sum(i * (s or 1) for i, s in zip(index, strides, strict=True))


@mutant("flat_offset", "edges")
def _no_sign(index, strides):
    """negative strides lose their sign"""
    return sum(i * abs(s) for i, s in zip(index, strides, strict=True))


@mutant("flat_offset", "edges")
def _first_element_taken_apart(index, strides):
    """starts from the first axis, and fails when there is none"""
    offset = index[0] * strides[0]
    for i, s in zip(index[1:], strides[1:], strict=True):
        offset += i * s
    return offset


@mutant("flat_offset", "edges")
def _thirty_two_bits(index, strides):
    """the offset wraps at 32 bits"""
    return (flat_offset(index, strides) + 2**31) % 2**32 - 2**31


@mutant("unravel")
def _first_axis_fastest(offset, shape):
    """the first axis turns fastest"""
    index = []
    for length in shape:
        index.append(offset % length)
        offset //= length
    return tuple(index)


@mutant("unravel")
def _reversed_index(offset, shape):
    """the index is not turned round"""
    return unravel(offset, shape)[::-1]


@mutant("unravel")
def _two_axes_only(offset, shape):
    """hard-coded for two axes"""
    return divmod(offset, shape[-1])


@mutant("unravel")
def _remainder_twice(offset, shape):
    """the offset is not divided after the remainder"""
    return tuple(offset % length for length in shape)


@mutant("unravel")
def _strides_reversed(offset, shape):
    """divides by the lengths from the left instead of by strides"""
    index = []
    for length in shape:
        index.append(offset // length)
        offset %= length
    return tuple(index)


@mutant("unravel")
def _first_position_wraps_off(offset, shape):
    """counted from 1"""
    return tuple(i + 1 for i in unravel(offset, shape))


@mutant("unravel")
def _first_axis_lost(offset, shape):
    """stops before the first axis"""
    return unravel(offset, shape)[1:]


@mutant("unravel", "edges")
def _single_precision(offset, shape):
    """divides in float32, which is exact only up to 16 million"""
    index = []
    for length in reversed(shape):
        whole = int(np.float32(offset) / np.float32(length))
        index.append(offset - whole * length)
        offset = whole
    return tuple(reversed(index))


@mutant("unravel", "edges")
def _no_axes_forgotten(offset, shape):
    """a single number gets an index with one position"""
    return unravel(offset, shape) or (offset,)
