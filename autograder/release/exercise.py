"""An exercise cut out of its source: the student's cell with blanks, the reference's cell, and the solution's lines."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.release.markers import END, Region, blank_lines, split
from solutions.errors import CourseError

PACKAGES = {".py": "solutions", ".cu": "kernels"}


@dataclass(frozen=True)
class Exercise:
    """A function of ``solutions/`` or a kernel of ``kernels/``.

    Attributes:
        identity: ``"solutions/tensor.py::flat_offset"``.
        student: text of the student's code cell.
        reference: text of the same cell in the reference edition.
        solution: the lines that the student has to find.
        lines: how many lines to expect.
    """

    identity: str
    student: str
    reference: str
    solution: tuple[str, ...]
    lines: int

    @property
    def name(self) -> str:
        """The function's bare name."""
        return self.identity.rpartition("::")[2]


def load_exercise(root: Path, identity: str) -> Exercise:
    """Cut an exercise out of the source below ``root``.

    Raises:
        CourseError: no such file or function, or no marked region in it.
    """
    file, separator, name = identity.partition("::")
    path = root / file
    if not separator or PACKAGES.get(path.suffix) != Path(file).parent.as_posix():
        raise CourseError(f"exercise {identity!r}: expected solutions/FILE.py::FUNCTION or kernels/FILE.cu::KERNEL")
    if not path.is_file():
        raise CourseError(f"exercise {identity}: there is no {file}")
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".cu":
        if name not in source:
            raise CourseError(f"exercise {identity}: {file} has no kernel {name}")
        return _from_parts(identity, [], split(source.splitlines(), ".cu", identity))
    node = next((node for node in functions(source, file) if node.name == name), None)
    if node is None:
        raise CourseError(f"exercise {identity}: {file} has no function {name}")
    lines = source.splitlines()
    body = lines[node.body[0].lineno - 1 : last_line(node, lines)]
    return _from_parts(identity, [_signature(node)], split(body, ".py", identity))


def functions(source: str, file: str) -> Iterator[ast.FunctionDef]:
    """Top-level functions of a module.

    Raises:
        CourseError: not Python.
    """
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise CourseError(f"{file}, line {error.lineno}: {error.msg}") from error
    return (node for node in tree.body if isinstance(node, ast.FunctionDef))


def last_line(node: ast.FunctionDef, lines: list[str]) -> int:
    """Number of a function's last line; a marker below its last statement is a comment to Python, but belongs to it."""
    last = node.end_lineno or node.lineno
    if last < len(lines) and lines[last].strip() == END[".py"]:
        last += 1
    return last


def marked_exercises(root: Path) -> list[str]:
    """Identities of all functions below ``root/solutions`` that have a marked region, in the order of the files."""
    found = []
    for path in sorted((root / "solutions").glob("*.py")):
        source = path.read_text(encoding="utf-8")
        if "BEGIN SOLUTION" not in source:
            continue
        file = f"solutions/{path.name}"
        lines = source.splitlines()
        for node in functions(source, file):
            parts = split(lines[node.lineno - 1 : last_line(node, lines)], ".py", f"{file}::{node.name}")
            if any(isinstance(part, Region) for part in parts):
                found.append(f"{file}::{node.name}")
    return found


def _signature(node: ast.FunctionDef) -> str:
    """``def name(a, b=1):`` without annotations, on one line."""
    bare = ast.parse(ast.unparse(node)).body[0]  # a copy: the tree of the caller stays as it is
    assert isinstance(bare, ast.FunctionDef)
    for argument in ast.walk(bare.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    bare.returns, bare.decorator_list, bare.body = None, [], [ast.Pass()]
    return ast.unparse(bare).splitlines()[0]


def _from_parts(identity: str, head: list[str], parts: list[str | Region]) -> Exercise:
    suffix = Path(identity.partition("::")[0]).suffix
    name = identity.rpartition("::")[2]
    regions = [part for part in parts if isinstance(part, Region)]
    if not regions:
        raise CourseError(f"exercise {identity}: nothing is marked as its solution")
    student, reference = list(head), list(head)
    for part in parts:
        if isinstance(part, Region):
            student += blank_lines(part, name, suffix)
            reference += part.lines
        else:
            student.append(part)
            reference.append(part)
    if suffix == ".cu":  # a kernel is text to Python: the cell binds it to a name, and check() compiles it
        student, reference = ([f"{name}_source = r'''", *lines, "'''"] for lines in (student, reference))
    return Exercise(
        identity,
        "\n".join(student),
        "\n".join(reference),
        tuple(line for region in regions for line in region.lines),
        sum(region.count(suffix) for region in regions),
    )
