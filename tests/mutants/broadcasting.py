"""Wrong answers to chapter 1: broadcasting and addition."""

from __future__ import annotations

import math

import numpy as np

from solutions.tensor import broadcast_shape, broadcast_strides, flat_offset, row_major_strides, unravel
from tests.mutants import mutant


@mutant("broadcast_strides")
def _lined_up_at_the_left(shape, target_shape):
    """axes lined up at the left"""
    padded = (*shape, *[1] * (len(target_shape) - len(shape)))
    return broadcast_strides(padded, target_shape)


@mutant("broadcast_strides")
def _strides_of_the_target(shape, target_shape):
    """kept axes take the strides of the large shape"""
    own = broadcast_strides(shape, target_shape)
    return tuple(s and t for s, t in zip(own, row_major_strides(target_shape), strict=True))


@mutant("broadcast_strides")
def _ones_keep_their_stride(shape, target_shape):
    """stretched axes keep their stride instead of 0"""
    missing = len(target_shape) - len(shape)
    broadcast_strides(shape, target_shape)
    return (*[0] * missing, *row_major_strides(shape))


@mutant("broadcast_strides")
def _missing_axes_left_out(shape, target_shape):
    """no stride for axes that the shape lacks"""
    return broadcast_strides(shape, target_shape)[len(target_shape) - len(shape) :]


@mutant("broadcast_strides")
def _missing_axes_step(shape, target_shape):
    """missing axes step over the whole small array"""
    missing = len(target_shape) - len(shape)
    return (*[math.prod(shape)] * missing, *broadcast_strides(shape, target_shape)[missing:])


@mutant("broadcast_strides", "edges")
def _no_check(shape, target_shape):
    """whatever does not fit is stretched: nothing raised"""
    own = dict(enumerate(zip(reversed(shape), reversed(row_major_strides(shape)), strict=True)))
    strides = []
    for axis, target in enumerate(reversed(target_shape)):
        length, stride = own.get(axis, (1, 0))
        strides.append(stride if length == target else 0)
    return tuple(reversed(strides))


@mutant("broadcast_strides", "edges")
def _assertion(shape, target_shape):
    """AssertionError instead of ValueError"""
    try:
        return broadcast_strides(shape, target_shape)
    except ValueError:
        raise AssertionError("shapes differ") from None


@mutant("broadcast_strides", "edges")
def _multiples_fit(shape, target_shape):
    """any divisor of the target's length is stretched"""
    fitted = [1 if n != t and t % n == 0 else n for n, t in zip(shape[::-1], target_shape[::-1], strict=False)]
    if fitted == list(shape[::-1]) or len(shape) > len(target_shape):
        return broadcast_strides(shape, target_shape)
    own = row_major_strides(shape)[::-1]
    return (
        *[0] * (len(target_shape) - len(shape)),
        *[0 if f == 1 else s for f, s in zip(fitted, own, strict=True)][::-1],
    )


@mutant("broadcast_strides", "edges")
def _too_many_axes_cut(shape, target_shape):
    """more axes than the target are cut off quietly"""
    return broadcast_strides(shape[-len(target_shape) :] if target_shape else (), target_shape)


@mutant("broadcast_strides", "edges")
def _stretches_backwards(shape, target_shape):
    """a target of length 1 is accepted for any length"""
    relaxed = [n if t == 1 else t for n, t in zip(shape[::-1], target_shape[::-1], strict=False)]
    rest = target_shape[: len(target_shape) - len(relaxed)]
    return broadcast_strides(shape, (*rest, *relaxed[::-1]))


@mutant("broadcast_strides", "edges")
def _nothing_to_stretch(shape, target_shape):
    """insists that there is something to stretch"""
    if tuple(shape) == tuple(target_shape):
        raise ValueError("shapes are equal")
    return broadcast_strides(shape, target_shape)


def _add(a, b, a_strides, b_strides):
    """The addition, with strides to get wrong."""
    shape = broadcast_shape(a.shape, b.shape)
    a_flat, b_flat = a.reshape(-1), b.reshape(-1)
    out = np.full(shape, np.nan, dtype=np.float32)
    for offset in range(out.size):
        index = unravel(offset, shape)
        out.reshape(-1)[offset] = a_flat[flat_offset(index, a_strides)] + b_flat[flat_offset(index, b_strides)]
    return out


@mutant("add")
def _no_broadcasting(a, b):
    """the same offset in both: no broadcasting"""
    flat = [x + y for x, y in zip(a.reshape(-1), b.reshape(-1), strict=True)]
    return np.array(flat, dtype=np.float32).reshape(a.shape)


@mutant("add")
def _wraps_round(a, b):
    """the offset modulo the size: right for rows, wrong for columns"""
    shape = broadcast_shape(a.shape, b.shape)
    a_flat, b_flat = a.reshape(-1), b.reshape(-1)
    flat = [a_flat[o % a.size] + b_flat[o % b.size] for o in range(math.prod(shape))]
    return np.array(flat, dtype=np.float32).reshape(shape)


@mutant("add")
def _only_b_stretches(a, b):
    """only b may be smaller"""
    return _add(a, b, row_major_strides(a.shape), broadcast_strides(b.shape, a.shape))


@mutant("add")
def _difference(a, b):
    """subtracts"""
    return a - b


@mutant("add")
def _last_element_left_out(a, b):
    """the last element is never written"""
    out = a + b
    out.reshape(-1)[-1:] = np.nan
    return out


@mutant("add")
def _flat_result(a, b):
    """the result is flat"""
    return (a + b).reshape(-1)


@mutant("add")
def _strides_swapped(a, b):
    """a is read with b's strides and b with a's"""
    shape = broadcast_shape(a.shape, b.shape)
    return _add(a, b, broadcast_strides(b.shape, shape), broadcast_strides(a.shape, shape))


@mutant("add")
def _rounded_to_half(a, b):
    """worked out in float16"""
    return (a.astype(np.float16) + b.astype(np.float16)).astype(np.float32)


@mutant("add", "edges")
def _memory_order(a, b):
    """flat in the order of memory: transposed views are read wrongly"""
    out = a + b
    if not a.flags.c_contiguous:
        return a.ravel(order="K").reshape(a.shape) + b
    return out


@mutant("add", "edges")
def _in_double(a, b):
    """returns float64"""
    return a.astype(np.float64) + b


@mutant("add", "edges")
def _into_a(a, b):
    """writes the sums into a where they fit"""
    out = a + b
    if out.shape == a.shape:
        a[...] = out
    return out


@mutant("add", "edges")
def _at_least_one_axis(a, b):
    """single numbers become arrays with one axis"""
    return np.atleast_1d(a + b)
