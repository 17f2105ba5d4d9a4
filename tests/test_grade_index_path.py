"""The index path's two guards: names found in source code, and calls that fail while switched off."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np
import pytest

from autograder.grade import index_path
from autograder.grade.index_path import INDEX_PATH, SwitchedOffError, index_path_only, scan, switched_off

A = np.arange(9, dtype=np.float32).reshape(3, 3)


class Sub(np.ndarray):
    """A subclass written in Python."""


def _in_place() -> None:
    copy = A.copy()
    copy @= A


PRODUCTS: dict[str, Callable[[], object]] = {
    "np.dot": lambda: np.dot(A, A),
    "np.matmul": lambda: np.matmul(A, A),
    "ndarray.dot": lambda: A.dot(A),
    "unbound ndarray.dot": lambda: np.ndarray.dot(A, A),
    "@": lambda: A @ A,
    "list @": lambda: [[1, 2, 3]] @ A,
    "@=": _in_place,
    "operator.matmul": lambda: operator.matmul(A, A),
    "__matmul__": lambda: A.__matmul__(A),
    "ndarray.__matmul__": lambda: np.ndarray.__matmul__(A, A),
    "__rmatmul__": lambda: A.__rmatmul__(A),
    "matrix @": lambda: np.matrix(A) @ A,
    "matrix *": lambda: np.matrix(A) * np.matrix(A),
    "subclass @": lambda: A.view(Sub) @ A,
    "new subclass @": lambda: A.view(type("Fresh", (np.ndarray,), {})) @ A,
    "masked array @": lambda: np.ma.array(A) @ A,
    "np.ma.dot": lambda: np.ma.dot(np.ma.array(A), np.ma.array(A)),
    "np.einsum": lambda: np.einsum("ij,jk", A, A),
    "c_einsum": lambda: np._core.multiarray.c_einsum("ij,jk", A, A),
    "np.tensordot": lambda: np.tensordot(A, A, 1),
    "np.inner": lambda: np.inner(A, A),
    "np.vdot": lambda: np.vdot(A, A),
    "np.outer": lambda: np.outer(A, A),
    "np.vecdot": lambda: np.vecdot(A, A),
    "np.matvec": lambda: np.matvec(A, A[0]),
    "np.vecmat": lambda: np.vecmat(A[0], A),
    "linalg.norm": lambda: np.linalg.norm(A),
    "linalg.multi_dot": lambda: np.linalg.multi_dot([A, A, A]),
    "linalg.matmul": lambda: np.linalg.matmul(A, A),
    "multiarray.dot": lambda: np._core.multiarray.dot(A, A),
    "_multiarray_umath.dot": lambda: np._core._multiarray_umath.dot(A, A),
    "umath.matmul": lambda: np._core.umath.matmul(A, A),
}


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")  # np.matrix is old, and still a way to multiply
@pytest.mark.parametrize("product", PRODUCTS)
def test_every_product_is_off_inside_and_on_again_outside(product: str) -> None:
    PRODUCTS[product]()
    with index_path_only(), pytest.raises(SwitchedOffError, match="index by index"):
        PRODUCTS[product]()
    PRODUCTS[product]()


def test_everything_else_works_inside() -> None:
    with index_path_only():
        total = float(np.sum(A[:, :, None] * A[None, :, :]))
        assert str(A)
        assert np.median(A) == 4.0
        assert np.maximum(A, 4).mean() > 4
        assert np.sort(A[::-1], axis=0)[0, 0] == 0
    assert total == pytest.approx(float(np.sum(A @ A)))


def test_numpy_is_as_before_afterwards() -> None:
    before = (np.dot, np.einsum, np.ndarray.dot, np.ndarray.__matmul__, np.linalg.norm)
    with pytest.raises(ZeroDivisionError), index_path_only():
        raise ZeroDivisionError
    assert (np.dot, np.einsum, np.ndarray.dot, np.ndarray.__matmul__, np.linalg.norm) == before
    assert not any(index_path._off.values())


def test_only_what_is_named_is_off() -> None:
    with switched_off(["dot", "broadcast_to"]):
        assert (A @ A).shape == (3, 3)
        with pytest.raises(SwitchedOffError, match="dot"):
            np.dot(A, A)
        with pytest.raises(SwitchedOffError, match="broadcast_to"):
            np.broadcast_to(A, (2, 3, 3))


def test_blocks_nest() -> None:
    with index_path_only():
        with switched_off(["dot"]):
            pass
        with pytest.raises(SwitchedOffError):
            np.dot(A, A)


def test_what_was_saved_under_guard_refuses_later() -> None:
    """The student's process puts guards in place before any student code runs."""
    with index_path.guarded(INDEX_PATH):
        saved, method = np.dot, np.ndarray.dot
        assert saved(A, A).shape == (3, 3)
        with index_path.refusing(["dot"]):
            for function in (saved, method):
                with pytest.raises(SwitchedOffError):
                    function(A, A)
    assert saved(A, A).shape == (3, 3)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import numpy as np\nnp.dot(a, b)", "dot"),
        ("a.T.dot(b)", "dot"),
        ("a @ b", "@"),
        ("a @= b", "@"),
        ("a.__matmul__(b)", "@"),
        ("from numpy import dot as d", "dot"),
        ("from numpy import *\ndot(a, b)", "dot"),
        ("from operator import matmul", "matmul"),
        ("import numpy.linalg as la", "linalg"),
        ("from numpy.linalg import norm", "linalg"),
        ("np.linalg.norm(a)", "linalg"),
        ("getattr(np, 'dot')(a, b)", "dot"),
        ("operator.attrgetter('einsum')", "einsum"),
        ("np.__dict__['tensordot']", "tensordot"),
        ("vars(np)['inner']", "inner"),
        ("f = lambda a, b: np.vdot(a, b)", "vdot"),
        ("np.multiply.outer(a, b)", "outer"),
    ],
)
def test_scan_finds(source: str, name: str) -> None:
    found = scan(source)
    assert [violation.name for violation in found] == [name]
    assert found[0].line == source.count("\n") + 1
    assert found[0].code in source


@pytest.mark.parametrize(
    "source",
    [
        "inner = 3\nprint(inner)",
        "for outer in range(3):\n    outer",
        "def dot(a, b):\n    return sum(a * b)\ndot(1, 2)",
        "def f(a, dot):\n    return dot",
        "sizes = {'inner': 3}\nsizes['inner']",
        "'np.dot is what we do without'",
        "# np.dot(a, b)",
        "from mylib import dot",
        "np.dotted(a)",
        "out[i * n + j] += a[i * k + p] * b[p * n + j]",
    ],
)
def test_scan_leaves_alone(source: str) -> None:
    assert scan(source) == []


def test_scan_lists_by_line_and_looks_for_what_it_is_told() -> None:
    source = "x = a @ b\ny = np.dot(x, b)\nz = np.broadcast_to(y, s)"
    assert [str(v) for v in scan(source)] == ["line 1 uses @: x = a @ b", "line 2 uses dot: y = np.dot(x, b)"]
    assert [v.name for v in scan(source, ["broadcast_to"])] == ["broadcast_to"]
    with pytest.raises(SyntaxError):
        scan("def")
