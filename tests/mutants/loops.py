"""Wrong answers to chapter 2: the products in plain loops."""

from __future__ import annotations

import numpy as np

from solutions.matmul import matmul_loops, matmul_reordered
from tests.mutants import mutant


def _both_orders(function):
    """A mistake that is made in either loop order."""
    mutant("matmul_loops", "values")(function)
    return mutant("matmul_reordered", "values")(function)


def _loops(a, b, term, lengths=None):
    """out[i, j] as a sum over p of ``term(a_flat, b_flat, i, p, j)``; offsets beyond the end raise IndexError."""
    (m, k), n = a.shape, b.shape[1]
    a_flat, b_flat = a.reshape(-1).tolist(), b.reshape(-1).tolist()
    p_range = lengths or range(k)
    flat = [sum(term(a_flat, b_flat, i, p, j) for p in p_range) for i in range(m) for j in range(n)]
    return np.array(flat, dtype=np.float32).reshape(m, n)


@_both_orders
def _b_transposed(a, b):
    """row j of b instead of column j: fits only when b is square"""
    return a @ b.T


@_both_orders
def _a_transposed(a, b):
    """column i of a instead of row i: fits only when a is square"""
    return a.T @ b


@_both_orders
def _other_way_round(a, b):
    """b times a"""
    return b @ a


@_both_orders
def _row_length_of_b_wrong(a, b):
    """b's rows are taken to be k long"""
    k = a.shape[1]
    return _loops(a, b, lambda x, y, i, p, j: x[i * k + p] * y[(p * k + j) % len(y)])


@_both_orders
def _row_length_of_a_wrong(a, b):
    """a's rows are taken to be m long"""
    m, n = a.shape[0], b.shape[1]
    return _loops(a, b, lambda x, y, i, p, j: x[(i * m + p) % len(x)] * y[p * n + j])


@_both_orders
def _last_term_left_out(a, b):
    """the sum stops one short: range(k - 1)"""
    return a[:, :-1] @ b[:-1]


@_both_orders
def _first_term_left_out(a, b):
    """the sum starts at 1"""
    return a[:, 1:] @ b[1:]


@_both_orders
def _only_last_term(a, b):
    """= instead of +="""
    return a[:, -1:] * b[-1:]


@_both_orders
def _added_up(a, b):
    """a + b instead of a * b"""
    return a.sum(axis=1)[:, None] + b.sum(axis=0)


@_both_orders
def _result_transposed(a, b):
    """out is filled column by column"""
    return np.ascontiguousarray((a @ b).T).reshape(a.shape[0], b.shape[1])


@_both_orders
def _whole_numbers(a, b):
    """rounded to whole numbers on the way"""
    return a.astype(int) @ b.astype(int)


@mutant("matmul_loops")
def _total_not_reset(a, b):
    """the running total is not reset for each element"""
    return np.cumsum(a @ b, dtype=np.float32).reshape(a.shape[0], b.shape[1])


@mutant("matmul_loops")
def _last_column_left_out(a, b):
    """the last column of out is never written"""
    out = a @ b
    out[:, -1] = np.nan
    return out


@mutant("matmul_loops", "edges")
def _memory_order(a, b):
    """flat in the order of memory: transposed views are read wrongly"""
    return a.ravel(order="K").reshape(a.shape) @ b.ravel(order="K").reshape(b.shape)


@mutant("matmul_loops")
def _thin_flattened(a, b):
    """thin results lose their axis"""
    return np.squeeze(matmul_loops(a, b))


@mutant("matmul_reordered", "edges")
def _list_of_doubles(a, b):
    """returns float64"""
    return matmul_reordered(a, b).astype(np.float64)


@mutant("matmul_reordered", "edges")
def _scaled_in_place(a, b):
    """scales b in place"""
    out = matmul_reordered(a, b)
    b *= a[0, 0]
    return out


@mutant("matmul_reordered")
def _flat_result(a, b):
    """the result is flat"""
    return matmul_reordered(a, b).reshape(-1)
