"""An exercise cut out of its source: the student's cell with blanks, the reference's cell, and the solution's lines."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from autograder.release.markers import Part, Region, blank_lines, module_parts, split
from solutions.errors import CourseError

PACKAGES = {".py": ("solutions",), ".cu": ("kernels", "kernels/exercises")}
LONGEST_LINE = 100
"""A signature is written on one line up to this length: a phone or half a screen shows no more."""


@dataclass(frozen=True)
class Exercise:
    """A function of ``solutions/`` or a kernel of ``kernels/``.

    Attributes:
        identity: ``"solutions/tensor.py::flat_offset"``.
        student: text of the student's code cell.
        reference: text of the same cell in the reference edition.
        regions: the lines that the student has to find, a tuple for each blank.
        lines: how many lines to expect.
    """

    identity: str
    student: str
    reference: str
    regions: tuple[tuple[str, ...], ...]
    lines: int

    @property
    def name(self) -> str:
        """The function's bare name."""
        return self.identity.rpartition("::")[2]

    @property
    def bound_name(self) -> str:
        """The name that the student's cell gives to the answer: of a function, or of a kernel's text."""
        return self.name if self.suffix == ".py" else f"{self.name}_source"

    @property
    def suffix(self) -> str:
        """``".py"`` or ``".cu"``."""
        return Path(self.identity.partition("::")[0]).suffix


def load_exercise(root: Path, identity: str) -> Exercise:
    """Cut an exercise out of the source below ``root``.

    Raises:
        CourseError: no such file or function, or no marked region in it.
    """
    file, separator, name = identity.partition("::")
    path = root / file
    if not separator or not name.isidentifier() or Path(file).parent.as_posix() not in PACKAGES.get(path.suffix, ()):
        raise CourseError(f"exercise {identity!r}: expected solutions/FILE.py::FUNCTION or kernels/FILE.cu::KERNEL")
    if not path.is_file():
        raise CourseError(f"exercise {identity}: there is no {file}")
    source = path.read_text(encoding="utf-8")
    return _kernel(identity, source) if path.suffix == ".cu" else _function(identity, source)


def marked_exercises(root: Path) -> list[str]:
    """Identities of everything that has a marked region, in the order of the files.

    A file of ``kernels/`` holds one exercise, so ``"kernels/relu.cu"`` stands for it whatever its kernel is called.
    """
    found = []
    for path in sorted((root / "solutions").rglob("*.py")):
        file = path.relative_to(root).as_posix()
        found += [
            f"{file}::{node.name}"
            for node, parts in module_parts(path.read_text(encoding="utf-8"), file)
            if node is not None and any(isinstance(part, Region) for part in parts)
        ]
    for path in sorted((root / "kernels").rglob("*.cu")):
        file = path.relative_to(root).as_posix()
        parts = split(path.read_text(encoding="utf-8").splitlines(), ".cu", file)
        found += [file] if any(isinstance(part, Region) for part in parts) else []
    return found


def _function(identity: str, source: str) -> Exercise:
    file, _, name = identity.partition("::")
    named = [(node, parts) for node, parts in module_parts(source, file) if node is not None and node.name == name]
    if not named:
        raise CourseError(f"exercise {identity}: {file} has no function {name}")
    if len(named) > 1:
        raise CourseError(f"exercise {identity}: {file} defines {name} {len(named)} times; which one is meant?")
    node, parts = named[0]
    body = _first_body_line(node, source.splitlines())
    head = body - node.lineno  # lines of the signature: no marker can stand between them
    return _from_parts(identity, [_signature(node, source)], parts[head:])


def _kernel(identity: str, source: str) -> Exercise:
    """The whole file is the exercise: one operation, with its helpers and its first comment.

    To Python a kernel is text. The cell binds it to a name, and ``check`` compiles it.
    """
    file, _, name = identity.partition("::")
    if not re.search(rf"__global__[^;{{}}]*\b{name}\s*\(", source):
        raise CourseError(f"exercise {identity}: {file} has no kernel {name}")
    if "'''" in source:
        raise CourseError(f"exercise {identity}: {file} holds ''', which would end the student's text")
    return _from_parts(identity, [f"{name}_source = r'''"], [*split(source.splitlines(), ".cu", file), "'''"])


def _from_parts(identity: str, head: list[str], parts: list[Part]) -> Exercise:
    suffix = Path(identity.partition("::")[0]).suffix
    name = identity.rpartition("::")[2]
    regions = [part for part in parts if isinstance(part, Region)]
    if not regions:
        raise CourseError(f"exercise {identity}: nothing is marked as its solution")
    student, reference = list(head), list(head)
    for part in parts:
        student += blank_lines(part, name, suffix) if isinstance(part, Region) else [part]
        reference += part.lines if isinstance(part, Region) else [part]
    return Exercise(
        identity,
        "\n".join(student),
        "\n".join(reference),
        tuple(region.lines for region in regions),
        sum(region.count(suffix) for region in regions),
    )


def _first_body_line(node: ast.FunctionDef, lines: list[str]) -> int:
    """Number of the first line below the signature: a marker above the first statement is a comment to Python."""
    first = node.body[0].lineno
    while first - 1 > node.lineno and lines[first - 2].strip().startswith("#"):
        first -= 1
    return first


def _signature(node: ast.FunctionDef, source: str) -> str:
    """``def name(a, b=1e-6):`` without decorators and annotations; defaults as they are written."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [*[None] * (len(positional) - len(arguments.defaults)), *arguments.defaults]
    words = [_argument(a, default, source) for a, default in zip(positional, defaults, strict=True)]
    if arguments.posonlyargs:
        words.insert(len(arguments.posonlyargs), "/")
    if arguments.vararg:
        words.append(f"*{arguments.vararg.arg}")
    elif arguments.kwonlyargs:
        words.append("*")
    words += [_argument(a, d, source) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    if arguments.kwarg:
        words.append(f"**{arguments.kwarg.arg}")
    line = f"def {node.name}({', '.join(words)}):"
    if len(line) <= LONGEST_LINE:
        return line
    return f"def {node.name}(\n    " + ",\n    ".join(words) + ",\n):"


def _argument(argument: ast.arg, default: ast.expr | None, source: str) -> str:
    if default is None:
        return argument.arg
    written = ast.get_source_segment(source, default)
    return f"{argument.arg}={ast.unparse(default) if written is None or chr(10) in written else written}"
