"""The matrix product by index, as a ladder: plain loops, loops in a better order, rank-1 accumulation, blocks.

Every rung computes ``out[i, j] = sum over p of a[i, p] * b[p, j]`` and differs only in the order in which memory is
walked. ``np.dot`` and its relatives are avoided throughout: the sum is written out.
"""

from __future__ import annotations

import numpy as np

from solutions.arrays import FloatArray, IntArray


def matmul_loops(a: FloatArray, b: FloatArray) -> FloatArray:
    """Product by three plain loops in the order i, j, k: a row of ``a`` against a column of ``b``.

    Args:
        a: float32 ``[m, k]``.
        b: float32 ``[k, n]``.

    Returns:
        float32 ``[m, n]``. Sums are kept in Python's float64 and rounded once, when they are stored.
    """
    m, k = a.shape
    n = b.shape[1]
    a_flat, b_flat = a.reshape(-1).tolist(), b.reshape(-1).tolist()  # plain lists: one number at one offset
    out = np.empty((m, n), dtype=np.float32)
    out_flat = out.reshape(-1)
    ### BEGIN SOLUTION
    for i in range(m):
        for j in range(n):
            total = 0.0
            for p in range(k):
                total += a_flat[i * k + p] * b_flat[p * n + j]
            out_flat[i * n + j] = total
    ### END SOLUTION
    return out


def matmul_reordered(a: FloatArray, b: FloatArray) -> FloatArray:
    """Product by three plain loops in the order i, k, j: the inner loop walks a row of ``b`` and a row of ``out``.

    Args:
        a: float32 ``[m, k]``.
        b: float32 ``[k, n]``.

    Returns:
        float32 ``[m, n]``.
    """
    m, k = a.shape
    n = b.shape[1]
    a_flat, b_flat = a.reshape(-1).tolist(), b.reshape(-1).tolist()
    out_flat = [0.0] * (m * n)
    ### BEGIN SOLUTION
    for i in range(m):
        for p in range(k):
            scale = a_flat[i * k + p]
            for j in range(n):
                out_flat[i * n + j] += scale * b_flat[p * n + j]
    ### END SOLUTION
    return np.array(out_flat, dtype=np.float32).reshape(m, n)


def access_offsets(order: str, m: int, k: int, n: int) -> IntArray:
    """Which elements a triple loop touches, in the order in which it touches them.

    Args:
        order: the loops from outside to inside, a permutation of ``"ijk"``; ``i`` runs over ``m``, ``j`` over ``n``,
            ``k`` over the summed axis.
        m, k, n: sizes of ``a [m, k]``, ``b [k, n]`` and ``out [m, n]``, all row-major.

    Returns:
        int64 ``[m * k * n, 3]``: for every innermost step, the flat offsets into ``a``, ``b`` and ``out``.
    """
    lengths = {"i": m, "j": n, "k": k}
    ### BEGIN SOLUTION
    steps = np.indices([lengths[letter] for letter in order]).reshape(3, -1)
    i, j, p = (steps[order.index(letter)] for letter in "ijk")
    return np.stack([i * k + p, p * n + j, i * n + j], axis=1).astype(np.int64)
    ### END SOLUTION


def line_changes(offsets: IntArray, line_elements: int) -> int:
    """How often a walk through memory enters a cache line other than the one it was just in.

    Args:
        offsets: int64 ``[steps]``, element offsets in the order of access.
        line_elements: elements in a cache line: 16 float32 values in 64 bytes.

    Returns:
        The number of lines entered, the first one included; 0 for an empty walk. (A cache that holds one line
        would fetch exactly as many.)
    """
    ### BEGIN SOLUTION
    if offsets.size == 0:
        return 0
    lines = offsets // line_elements
    return 1 + int(np.count_nonzero(lines[1:] != lines[:-1]))
    ### END SOLUTION


def matmul_rank1(a: FloatArray, b: FloatArray, out: FloatArray | None = None) -> FloatArray:
    """Product as a sum of outer products: for each p, column p of ``a`` times row p of ``b`` is added to ``out``.

    The two inner loops become two NumPy operations over the whole of ``out``. Strides are free: ``a.T`` and ``b.T``
    may be passed as they are, and nothing is copied.

    Args:
        a: float32 ``[m, k]``, any strides.
        b: float32 ``[k, n]``, any strides.
        out: float32 ``[m, n]`` to fill, whatever it held before; a new array if None.

    Returns:
        ``out``.
    """
    m, k = a.shape
    n = b.shape[1]
    if out is None:
        out = np.empty((m, n), dtype=np.float32)
    ### BEGIN SOLUTION
    scratch = np.empty((m, n), dtype=np.float32)
    out[...] = 0.0
    for p in range(k):
        np.multiply(a[:, p, None], b[p], out=scratch)
        np.add(out, scratch, out=out)
    ### END SOLUTION
    return out


def matmul_blocked(a: FloatArray, b: FloatArray, block_rows: int, out: FloatArray | None = None) -> FloatArray:
    """:func:`matmul_rank1` on ``block_rows`` rows of ``out`` at a time, so that a block stays in the cache.

    Every one of the k updates walks the block twice (write the product, add it). At 256 columns a block of 256 rows is
    256 KB; the whole ``[784, 256]`` gradient of MNIST's first layer would be 800 KB and leave a small L2 each time.

    Args:
        a: float32 ``[m, k]``, any strides.
        b: float32 ``[k, n]``, any strides.
        block_rows: rows of ``out`` worked on at once, at least 1; the last block may be smaller.
        out: float32 ``[m, n]`` to fill, whatever it held before; a new array if None.

    Returns:
        ``out``, equal to :func:`matmul_rank1` bit for bit: each element sees the same sums in the same order.
    """
    m = a.shape[0]
    if out is None:
        out = np.empty((m, b.shape[1]), dtype=np.float32)
    ### BEGIN SOLUTION
    for start in range(0, m, block_rows):
        stop = min(start + block_rows, m)
        matmul_rank1(a[start:stop], b, out[start:stop])
    ### END SOLUTION
    return out
