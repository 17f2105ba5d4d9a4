"""Which statements of a notebook run when it is graded, and how a cell becomes Python.

Cells that hold an exercise run whole, as in Jupyter. Of all other cells, the student's own included, only these
statements run, each on its own: imports, definitions of functions and classes, and assignments of plain values
(numbers, texts, containers of them, arithmetic on them, NumPy's scalar types). So helpers and constants are there, and
experiments, plots and training are not repeated.

The student's process loads this file by itself: standard library only.
"""

from __future__ import annotations

import ast
import contextlib
import re
import threading
import warnings
from collections.abc import Iterator

SOURCE_LIMIT = 200_000
"""Characters in a cell; the longest exercise of the course has about 2,000."""

MAGIC = re.compile(r"^(\s*)(?:[%!?]|[\w., ]+=\s*[%!]|[\w.%]+\?{1,2}\s*$)")
CELL_MAGICS_THAT_RUN_PYTHON = ("time", "timeit", "capture", "prun")
SCALAR_TYPES = frozenset(
    ("bool_", "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
)
BUILT_IN_MAKERS = frozenset(("int", "float", "bool", "str", "tuple", "list", "dict", "set", "len", "range"))

PLAIN_NODES = (
    *(ast.Constant, ast.Name, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.UnaryOp, ast.BinOp),
    *(ast.operator, ast.unaryop, ast.expr_context),
)

_parsing = threading.Lock()


def cell_name(number: int) -> str:
    """The file name that code of cell ``number`` carries in tracebacks."""
    return f"<cell {number}>"


def parse(source: str, number: int = 0) -> ast.Module:
    """The syntax tree of a cell; lines that belong to IPython (``%matplotlib``, ``!pip``, ``name?``) do nothing.

    A line counts as IPython's only where Python stumbles over it, so that ``% 7`` inside brackets stays arithmetic.

    Raises:
        SyntaxError: the cell is not Python; the line numbers are the cell's.
    """
    if len(source) > SOURCE_LIMIT:
        raise SyntaxError(f"the cell is longer than {SOURCE_LIMIT:,} characters")
    lines = source.split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        if lines[first][2:].split(" ")[0].strip() not in CELL_MAGICS_THAT_RUN_PYTHON:
            return ast.Module(body=[], type_ignores=[])
        lines[first] = ""
    for _ in range(len(lines) + 1):
        try:
            return _parse("\n".join(lines), number)
        except SyntaxError as error:
            line = (error.lineno or 0) - 1
            magic = MAGIC.match(lines[line]) if 0 <= line < len(lines) else None
            if not magic:
                raise
            lines[line] = f"{magic[1]}pass"
    raise SyntaxError("the cell is not Python")


def _parse(text: str, number: int) -> ast.Module:
    with _parsing, warnings.catch_warnings():  # the lock: catch_warnings is not safe between threads
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text, cell_name(number))
        except (MemoryError, RecursionError) as error:
            raise SyntaxError("the cell is nested too deep to be read") from error
        except ValueError as error:  # a null byte, before Python 3.12
            raise SyntaxError(str(error)) from error


def kept_statements(tree: ast.Module, whole: bool) -> list[ast.stmt]:
    """The statements of a cell that run; ``whole`` for a cell that holds an exercise."""
    return tree.body if whole else [statement for statement in tree.body if _is_kept(statement)]


def _is_kept(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return True
    if isinstance(statement, ast.Assign):
        return all(_is_target(target) for target in statement.targets) and _is_plain(statement.value)
    if isinstance(statement, ast.AnnAssign):
        return _is_target(statement.target) and statement.value is not None and _is_plain(statement.value)
    if isinstance(statement, ast.Try):  # an optional import, with a stand-in
        parts = [*statement.body, *statement.orelse, *statement.finalbody]
        parts += [inner for handler in statement.handlers for inner in handler.body]
        return all(isinstance(inner, ast.Pass) or _is_kept(inner) for inner in parts)
    return False


def _is_target(target: ast.expr) -> bool:
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(_is_target(item) for item in target.elts)
    return isinstance(target, ast.Name)


def _is_plain(value: ast.expr) -> bool:
    """Whether a value is written out: no calls but those of ``int`` or ``np.float32`` and their like."""
    return all(_is_plain_node(node) for node in ast.walk(value))


def _is_plain_node(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):  # np.pi, np.float32
        return isinstance(node.value, ast.Name)
    if isinstance(node, ast.Call):
        by_module = isinstance(node.func, ast.Attribute) and node.func.attr in SCALAR_TYPES
        return by_module or (isinstance(node.func, ast.Name) and node.func.id in BUILT_IN_MAKERS)
    return isinstance(node, PLAIN_NODES)


def names_bound(statement: ast.stmt) -> Iterator[str]:
    """Names that a statement of a cell gives to the notebook, inside ``if``, ``for``, ``with`` and ``try`` too."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
        return
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        yield from ((alias.asname or alias.name).partition(".")[0] for alias in statement.names)
        return
    for node in ast.iter_child_nodes(statement):
        if isinstance(node, ast.stmt):
            yield from names_bound(node)
        elif isinstance(node, ast.ExceptHandler):
            for inner in node.body:
                yield from names_bound(inner)
        else:
            yield from (n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def defines(source: str, names: set[str]) -> set[str]:
    """Which of ``names`` a cell binds at its top level; none if it is not Python."""
    with contextlib.suppress(SyntaxError):
        return {name for statement in parse(source).body for name in names_bound(statement)} & names
    return set()


def has_blank(tree: ast.AST, name: str) -> bool:
    """Whether code still holds ``raise NotImplementedError("name")``, the blank of exercise ``name``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            texts = [argument.value for argument in node.exc.args if isinstance(argument, ast.Constant)]
            if texts == [name] and getattr(node.exc.func, "id", "") == "NotImplementedError":
                return True
    return False
