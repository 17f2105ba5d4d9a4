"""Wrong answers to chapter 2: rank-1 accumulation and blocks."""

from __future__ import annotations

import numpy as np

from solutions.matmul import matmul_blocked, matmul_rank1
from tests.mutants import mutant


def _rank1(a, b, out=None, clear=True):
    """The reference, to spoil."""
    if out is None:
        out = np.zeros((a.shape[0], b.shape[1]), dtype=np.float32)
    if clear:
        out[...] = 0.0
    for p in range(a.shape[1]):
        out += a[:, p, None] * b[p]
    return out


@mutant("matmul_rank1")
def _not_cleared(a, b, out=None):
    """out is not cleared first"""
    return _rank1(a, b, out, clear=False)


@mutant("matmul_rank1")
def _multiplied_by_zero(a, b, out=None):
    """out is cleared by multiplying with 0, which keeps NaN"""
    if out is not None:
        out *= 0.0
    return _rank1(a, b, out, clear=False)


@mutant("matmul_rank1")
def _out_ignored(a, b, out=None):
    """a new array is returned, and out is left as it was"""
    return _rank1(a, b)


@mutant("matmul_rank1")
def _out_rebound(a, b, out=None):
    """out = … moves the name to a new array"""
    out = np.zeros((a.shape[0], b.shape[1]), dtype=np.float32)
    for p in range(a.shape[1]):
        out = out + a[:, p, None] * b[p]
    return out


@mutant("matmul_rank1")
def _nothing_returned(a, b, out=None):
    """out is filled and not returned"""
    _rank1(a, b, out)


@mutant("matmul_rank1")
def _last_product_only(a, b, out=None):
    """the last outer product only: = instead of +="""
    product = _rank1(a[:, -1:], b[-1:])
    if out is None:
        return product
    out[...] = product
    return out


@mutant("matmul_rank1")
def _rows_of_a(a, b, out=None):
    """row p of a instead of column p: fits only when a is square"""
    return _rank1(a.T, b, out)


@mutant("matmul_rank1")
def _columns_of_b(a, b, out=None):
    """column p of b instead of row p: fits only when b is square"""
    return _rank1(a, b.T, out)


@mutant("matmul_rank1")
def _outer_turned(a, b, out=None):
    """the row of b stands upright and the column of a lies flat"""
    return _rank1(b.T, a.T, None if out is None else out.T).T[: a.shape[0]].T


@mutant("matmul_rank1")
def _one_short(a, b, out=None):
    """the loop over p stops one short"""
    return _rank1(a[:, :-1], b[:-1], out)


@mutant("matmul_rank1")
def _half_precision(a, b, out=None):
    """products rounded to float16"""
    return _rank1(a.astype(np.float16), b.astype(np.float16), out)


@mutant("matmul_rank1", "edges")
def _rank1_memory_order(a, b, out=None):
    """flattens the memory under a view"""
    return _rank1(a.ravel(order="K").reshape(a.shape), b.ravel(order="K").reshape(b.shape), out)


@mutant("matmul_rank1", "edges")
def _at_most_256(a, b, out=None):
    """a hard-coded limit of 256 terms"""
    return _rank1(a[:, :256], b[:256], out)


@mutant("matmul_rank1", "edges")
def _new_array_in_double(a, b, out=None):
    """a new array of float64"""
    return _rank1(a, b, np.zeros((a.shape[0], b.shape[1])) if out is None else out)


@mutant("matmul_rank1", "edges")
def _a_used_up(a, b, out=None):
    """writes into a on the way"""
    result = _rank1(a, b, out)
    a[:, 0] = 0.0
    return result


def _blocks(a, b, starts_and_stops, out):
    """Rows worked out block by block, for blocks to get wrong."""
    if out is None:
        out = np.full((a.shape[0], b.shape[1]), np.nan, dtype=np.float32)
    for start, stop in starts_and_stops:
        matmul_rank1(a[start:stop], b, out[start:stop])
    return out


@mutant("matmul_blocked")
def _last_block_dropped(a, b, block_rows, out=None):
    """the last, smaller block is dropped"""
    whole = len(a) // block_rows
    return _blocks(a, b, [(i * block_rows, (i + 1) * block_rows) for i in range(whole)], out)


@mutant("matmul_blocked")
def _must_divide(a, b, block_rows, out=None):
    """insists that block_rows divides m"""
    if len(a) % block_rows:
        raise ValueError("block_rows must divide the number of rows")
    return matmul_blocked(a, b, block_rows, out)


@mutant("matmul_blocked")
def _first_block_only(a, b, block_rows, out=None):
    """returns after the first block"""
    return _blocks(a, b, [(0, block_rows)], out)


@mutant("matmul_blocked")
def _stop_included(a, b, block_rows, out=None):
    """each block stops one row early"""
    return _blocks(a, b, [(s, min(s + block_rows, len(a)) - 1) for s in range(0, len(a), block_rows)], out)


@mutant("matmul_blocked")
def _always_from_the_top(a, b, block_rows, out=None):
    """every block reads the first rows of a"""
    out = np.empty((len(a), b.shape[1]), dtype=np.float32) if out is None else out
    for start in range(0, len(a), block_rows):
        stop = min(start + block_rows, len(a))
        matmul_rank1(a[: stop - start], b, out[start:stop])
    return out


@mutant("matmul_blocked")
def _scratch_of_whole_blocks(a, b, block_rows, out=None):
    """the scratch has block_rows rows, also for the smaller last block"""
    out = np.zeros((len(a), b.shape[1]), dtype=np.float32) if out is None else out
    out[...] = 0.0
    scratch = np.empty((block_rows, b.shape[1]), dtype=np.float32)
    for start in range(0, len(a), block_rows):
        for p in range(a.shape[1]):
            np.multiply(a[start : start + block_rows, p, None], b[p], out=scratch)
            out[start : start + block_rows] += scratch
    return out


@mutant("matmul_blocked")
def _blocked_out_ignored(a, b, block_rows, out=None):
    """a new array is returned, and out is left as it was"""
    return matmul_blocked(a, b, block_rows)


@mutant("matmul_blocked")
def _blocked_nothing_returned(a, b, block_rows, out=None):
    """out is filled and not returned"""
    matmul_blocked(a, b, block_rows, out)


@mutant("matmul_blocked", "edges")
def _scratch_larger_than_matrix(a, b, block_rows, out=None):
    """a block larger than the matrix is refused"""
    if block_rows > len(a):
        raise IndexError("index out of range")
    return matmul_blocked(a, b, block_rows, out)


@mutant("matmul_blocked", "edges")
def _at_least_two_rows(a, b, block_rows, out=None):
    """a block of one row loses its axis"""
    if block_rows == 1:
        return np.array([np.squeeze(matmul_rank1(row[None], b)) for row in a]).T
    return matmul_blocked(a, b, block_rows, out)


@mutant("matmul_blocked", "edges")
def _blocked_in_double(a, b, block_rows, out=None):
    """a new array of float64"""
    result = matmul_blocked(a, b, block_rows, out)
    return result.astype(np.float64) if out is None else result
