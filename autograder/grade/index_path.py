"""The index path: finding NumPy's ready-made products in source code, and switching them off while code runs.

``scan`` reads the syntax tree; ``switched_off`` makes the calls themselves fail, whatever name they were saved under
before. The two together are a guard rail for honest work: code that goes looking for a way round (``ctypes``,
``gc``) can find one.

The student's process loads this file by itself: standard library and NumPy only.
"""

from __future__ import annotations

import ast
import contextlib
import ctypes
import gc
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

INDEX_PATH = (
    *("dot", "matmul", "@", "einsum", "tensordot", "inner", "vdot", "outer", "linalg"),
    *("vecdot", "matvec", "vecmat"),
)
"""Every ready-made product of NumPy; ``"@"`` is the operator, ``"linalg"`` all of ``numpy.linalg``."""

OPERATOR_METHODS = ("__matmul__", "__rmatmul__", "__imatmul__")


@dataclass(frozen=True, order=True)
class Violation:
    """A forbidden name in source code; ``code`` is the line it stands on, without its indentation."""

    line: int
    name: str
    code: str

    def __str__(self) -> str:
        return f"line {self.line} uses {self.name}: {self.code}"


class SwitchedOffError(RuntimeError):
    """A call of something that the index path avoids."""


# --- in the source ----------------------------------------------------------------------------------------------------


def scan(source: str, forbidden: Collection[str] = INDEX_PATH) -> list[Violation]:
    """Find forbidden names in Python source, in the order of lines.

    Seen are attributes (``np.dot``, ``a.dot``, ``np.linalg.norm``), imports from NumPy under any name, the operator
    and its methods, ``getattr`` with a literal, and bare names that the source itself does not bind (after
    ``from numpy import *``). A variable of your own called ``inner`` is no violation.

    Raises:
        SyntaxError: ``source`` is not Python.
    """
    tree = ast.parse(source)
    return scan_tree(tree, forbidden, source.splitlines(), bound_names(tree))


def scan_tree(tree: ast.AST, forbidden: Collection[str], lines: list[str], bound: Collection[str]) -> list[Violation]:
    """:func:`scan` on part of a syntax tree.

    Args:
        tree: what to read.
        forbidden: the names.
        lines: the source that it was parsed from.
        bound: bare names that have another meaning here: see :func:`bound_names`.
    """
    found = set()
    for node in ast.walk(tree):
        for name in _forbidden_here(node, forbidden, bound):
            line = getattr(node, "lineno", 1)
            found.add(Violation(line, name, lines[line - 1].strip() if line <= len(lines) else ""))
    return sorted(found)


def bound_names(tree: ast.AST) -> set[str]:
    """Names that code gives a meaning of its own: assigned, defined, taken as parameter or imported from elsewhere."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    return names


def _forbidden_here(node: ast.AST, forbidden: Collection[str], bound: Collection[str]) -> Iterator[str]:
    for name in _names_used(node):
        if not (isinstance(node, ast.Name) and name in bound):
            yield from _spelled(name, forbidden)


def _names_used(node: ast.AST) -> Iterator[str]:
    """What this one node reaches for, by name."""
    if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.MatMult):
        yield "@"
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.Import):
        for alias in node.names:
            yield from alias.name.split(".")[1:]
    elif isinstance(node, ast.ImportFrom) and node.module:
        package, *modules = node.module.split(".")
        if package in ("numpy", "scipy", "operator", "_operator"):  # a module of ours may well be called matmul
            yield from modules
            yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.Call) and _last_name(node.func) in ("getattr", "attrgetter", "methodcaller"):
        yield from _literals(node.args)
    elif isinstance(node, ast.Subscript) and _last_name(node.value) in ("__dict__", "vars", "globals"):
        yield from _literals([node.slice])


def _last_name(node: ast.AST) -> str:
    """``"d"`` of ``a.b.d``, ``d`` or ``a.d(…)``."""
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _literals(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _spelled(name: str, forbidden: Collection[str]) -> set[str]:
    """``{name}`` if it is forbidden under this spelling, ``{"@"}`` for the operator's methods, else nothing."""
    if name in (*OPERATOR_METHODS, "imatmul") or (name == "matmul" and "matmul" not in forbidden):
        return {"@"}.intersection(forbidden)
    return {name}.intersection(forbidden)


# --- while it runs ----------------------------------------------------------------------------------------------------

_off: Counter[str] = Counter()
"""How many open ``switched_off`` blocks name each of them; a guard asks here at every call."""


def _guard(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """A stand-in for ``original`` that refuses while ``name`` is switched off, and passes calls on otherwise."""

    def guard(*args: Any, **kwargs: Any) -> Any:
        if _off[name]:
            shown = "the @ operator" if name == "@" else name
            raise SwitchedOffError(f"{shown} is switched off here: write the sum out, index by index")
        return original(*args, **kwargs)

    guard.__name__ = guard.__qualname__ = getattr(original, "__name__", name)
    guard.__doc__ = original.__doc__
    return guard


@cache
def _function_guards(name: str) -> dict[int, tuple[Any, Callable[..., Any]]]:
    """For every function of NumPy called ``name``: its id, itself (so that the id stays its own) and a guard."""
    if name == "linalg":
        found = [getattr(np.linalg, public) for public in np.linalg.__all__]
    else:
        spaces = ["numpy", "numpy.linalg", "numpy.lib.stride_tricks", "numpy._core.multiarray"]
        spaces += ["numpy._core._multiarray_umath", "numpy._core.umath"]
        spellings = (name, "c_einsum") if name == "einsum" else (name,)
        found = [getattr(sys.modules.get(space), spelling, None) for space in spaces for spelling in spellings]
    functions = [item for item in found if callable(item) and not isinstance(item, type)]
    return {id(function): (function, _guard(name, function)) for function in functions}


def forbidden_objects(names: Iterable[str]) -> dict[int, str]:
    """Ids of NumPy's functions called ``names``, each with its name: to recognise one that was saved under another."""
    return {key: name for name in names for key in _function_guards(name)}


def _numpy_places(names: Iterable[str]) -> Iterator[tuple[dict[str, Any], str, Any]]:
    """Where NumPy's modules hold the functions called ``names``: (namespace, key, guard)."""
    guards = {key: pair for name in names for key, pair in _function_guards(name).items()}
    for module_name, module in list(sys.modules.items()):
        if module_name.partition(".")[0] != "numpy" or module is None:
            continue
        for key, value in list(vars(module).items()):
            if id(value) in guards:
                yield vars(module), key, guards[id(value)][1]


def _array_types() -> list[type[Any]]:
    """``ndarray`` and every class made from it so far: each has its own copy of the operator."""
    types: list[type[Any]] = []
    waiting: list[type[Any]] = [np.ndarray]
    while waiting:
        kind = waiting.pop()
        types.append(kind)
        waiting += kind.__subclasses__()
    return types


def _type_places(names: Collection[str]) -> Iterator[tuple[type, str, Any]]:
    """Methods of array types to be guarded: (type, attribute, guard)."""
    wanted = {"dot": "dot"} if "dot" in names else {}
    if "@" in names:
        wanted.update(dict.fromkeys(OPERATOR_METHODS, "@"))
    for kind in _array_types():
        for attribute, name in wanted.items():
            if attribute in vars(kind):
                yield kind, attribute, _guard(name, vars(kind)[attribute])


def _set_type_attribute(kind: type, attribute: str, value: Any) -> None:
    """``setattr`` that also works on a type made in C: written into its dictionary, and caches told."""
    gc.get_referents(kind.__dict__)[0][attribute] = value
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))


class _Dispatching:
    """A class whose operator slots look ``__matmul__`` up by name, as those of any class written in Python do."""

    def __matmul__(self, other: object) -> object:
        return NotImplemented

    def __imatmul__(self, other: object) -> object:
        return NotImplemented


# Offsets in CPython's PyTypeObject and PyNumberMethods (Include/cpython/object.h), in pointers; 3.10 to 3.13 agree.
_TP_AS_NUMBER = 12
_NB_MATRIX_MULTIPLY, _NB_INPLACE_MATRIX_MULTIPLY = 34, 35
_POINTER = ctypes.sizeof(ctypes.c_void_p)


def _operator_slots(kind: type) -> list[ctypes.c_void_p]:
    """The two function pointers behind ``@`` and ``@=`` of a type."""
    table = ctypes.c_void_p.from_address(id(kind) + _TP_AS_NUMBER * _POINTER).value
    if not table:
        return []
    places = (_NB_MATRIX_MULTIPLY, _NB_INPLACE_MATRIX_MULTIPLY)
    return [ctypes.c_void_p.from_address(table + place * _POINTER) for place in places]


@contextlib.contextmanager
def _operator_looked_up() -> Iterator[None]:
    """Let ``@`` between arrays go through the (guarded) methods instead of straight into NumPy's C code."""
    if sys.implementation.name != "cpython":
        raise RuntimeError("the @ operator can only be switched off in CPython")
    saved = [(slot, slot.value) for kind in _array_types() for slot in _operator_slots(kind)]
    try:
        for kind in _array_types():
            for slot, by_name in zip(_operator_slots(kind), _operator_slots(_Dispatching), strict=False):
                slot.value = by_name.value
        yield
    finally:
        for slot, value in saved:
            slot.value = value


@contextlib.contextmanager
def guarded(names: Collection[str]) -> Iterator[None]:
    """Put the guards in their places, all of them open: whatever is saved from here on can be switched off later."""
    with contextlib.ExitStack() as undo:
        for namespace, key, guard in list(_numpy_places(names)):
            undo.callback(namespace.__setitem__, key, namespace[key])
            namespace[key] = guard
        for kind, attribute, guard in list(_type_places(names)):
            undo.callback(_set_type_attribute, kind, attribute, vars(kind)[attribute])
            _set_type_attribute(kind, attribute, guard)
        if "@" in names:
            undo.enter_context(_operator_looked_up())
        yield


@contextlib.contextmanager
def refusing(names: Collection[str]) -> Iterator[None]:
    """Close the guards of ``names``, where :func:`guarded` has put any, for the time of the block."""
    _off.update(names)
    try:
        yield
    finally:
        _off.subtract(names)


@contextlib.contextmanager
def switched_off(names: Collection[str] = INDEX_PATH) -> Iterator[None]:
    """Make every call of ``names`` in NumPy raise :class:`SwitchedOffError` inside the block.

    Covered are the functions wherever NumPy's modules hold them, ``ndarray.dot``, and for ``"@"`` the operator and its
    methods on arrays and their subclasses. Everything is as before afterwards.
    """
    with guarded(names), refusing(names):
        yield


def index_path_only() -> contextlib.AbstractContextManager[None]:
    """Inside the block, nothing of :data:`INDEX_PATH` works: sums of products have to be written out."""
    return switched_off(INDEX_PATH)
