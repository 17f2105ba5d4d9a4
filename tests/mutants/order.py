"""Wrong answers to chapter 2: orders of access and cache lines."""

from __future__ import annotations

import numpy as np

from solutions.matmul import access_offsets, line_changes
from tests.mutants import mutant


def _offsets(order, m, k, n, triple):
    """The triple loop in the right order, with ``triple(i, j, p)`` to get wrong."""
    lengths = {"i": m, "j": n, "k": k}
    steps = np.indices([lengths[letter] for letter in order]).reshape(3, -1)
    i, j, p = (steps[order.index(letter)] for letter in "ijk")
    return np.stack(triple(i, j, p), axis=1).astype(np.int64)


@mutant("access_offsets")
def _order_ignored(order, m, k, n):
    """always i, j, k"""
    return access_offsets("ijk", m, k, n)


@mutant("access_offsets")
def _inside_out(order, m, k, n):
    """the first letter is taken for the innermost loop"""
    return access_offsets(order[::-1], m, k, n)


@mutant("access_offsets")
def _row_length_of_a(order, m, k, n):
    """a's rows are taken to be m long"""
    return _offsets(order, m, k, n, lambda i, j, p: (i * m + p, p * n + j, i * n + j))


@mutant("access_offsets")
def _row_length_of_b(order, m, k, n):
    """b's rows are taken to be k long"""
    return _offsets(order, m, k, n, lambda i, j, p: (i * k + p, p * k + j, i * n + j))


@mutant("access_offsets")
def _row_length_of_out(order, m, k, n):
    """out's rows are taken to be m long"""
    return _offsets(order, m, k, n, lambda i, j, p: (i * k + p, p * n + j, i * m + j))


@mutant("access_offsets")
def _b_by_columns(order, m, k, n):
    """b is walked as if it were transposed"""
    return _offsets(order, m, k, n, lambda i, j, p: (i * k + p, j * k + p, i * n + j))


@mutant("access_offsets")
def _columns_in_another_order(order, m, k, n):
    """out comes first"""
    return access_offsets(order, m, k, n)[:, [2, 0, 1]]


@mutant("access_offsets")
def _columns_as_rows(order, m, k, n):
    """[3, steps] instead of [steps, 3]"""
    return access_offsets(order, m, k, n).T


@mutant("access_offsets")
def _bytes(order, m, k, n):
    """offsets in bytes"""
    return 4 * access_offsets(order, m, k, n)


@mutant("access_offsets")
def _lengths_by_place(order, m, k, n):
    """the outer loop always runs over m, the next over k, the last over n"""
    steps = np.indices([m, k, n]).reshape(3, -1)
    i, j, p = (steps[order.index(letter)] for letter in "ijk")
    return np.stack([i * k + p, p * n + j, i * n + j], axis=1)


@mutant("access_offsets", "edges")
def _three_orders_known(order, m, k, n):
    """orders that the chapter does not show raise KeyError"""
    return access_offsets({"ijk": "ijk", "ikj": "ikj", "jki": "jki"}[order], m, k, n)


@mutant("access_offsets", "edges")
def _thirty_two_bits(order, m, k, n):
    """int32"""
    return access_offsets(order, m, k, n).astype(np.int32)


@mutant("access_offsets", "edges")
def _as_floats(order, m, k, n):
    """float64"""
    offsets = access_offsets(order, m, k, n)
    return offsets if order == "jki" or 1 in (m, n) else offsets.astype(np.float64) if order == "kji" else offsets


@mutant("line_changes")
def _distinct_lines(offsets, line_elements):
    """counts different lines: coming back costs nothing"""
    return len(np.unique(offsets // line_elements))


@mutant("line_changes")
def _first_line_free(offsets, line_elements):
    """the first line is not counted"""
    return max(0, line_changes(offsets, line_elements) - 1)


@mutant("line_changes")
def _every_access(offsets, line_elements):
    """counts every access"""
    return len(offsets)


@mutant("line_changes")
def _distance(offsets, line_elements):
    """a step of a whole line or more counts, a short one over the border does not"""
    return int(offsets.size > 0) + int(np.count_nonzero(np.abs(np.diff(offsets)) >= line_elements))


@mutant("line_changes")
def _true_division(offsets, line_elements):
    """divides without rounding: every other element is another line"""
    lines = offsets / line_elements
    return int(offsets.size > 0) + int(np.count_nonzero(np.diff(lines)))


@mutant("line_changes")
def _remainders(offsets, line_elements):
    """compares places within the line instead of lines"""
    return int(offsets.size > 0) + int(np.count_nonzero(np.diff(offsets % line_elements)))


@mutant("line_changes")
def _forwards_only(offsets, line_elements):
    """steps back to an earlier line are not seen"""
    return int(offsets.size > 0) + int(np.count_nonzero(np.diff(offsets // line_elements) > 0))


@mutant("line_changes")
def _lines_passed(offsets, line_elements):
    """adds up how many lines each step passes over"""
    return int(offsets.size > 0) + int(np.abs(np.diff(offsets // line_elements)).sum())


@mutant("line_changes", "edges")
def _sixteen(offsets, line_elements):
    """always 16 in a line"""
    return line_changes(offsets, 16)


@mutant("line_changes", "edges")
def _power_of_two(offsets, line_elements):
    """shifts bits instead of dividing"""
    return line_changes(offsets >> (line_elements.bit_length() - 1), 1)


@mutant("line_changes", "edges")
def _empty_walk_counts(offsets, line_elements):
    """1 for an empty walk"""
    return max(1, line_changes(offsets, line_elements))


@mutant("line_changes", "edges")
def _empty_walk_fails(offsets, line_elements):
    """fails on an empty walk"""
    return line_changes(offsets, line_elements) + 0 * int(offsets[0])


@mutant("line_changes", "edges")
def _divides_in_place(offsets, line_elements):
    """divides the caller's offsets in place"""
    changes = line_changes(offsets, line_elements)
    offsets //= line_elements
    return changes
