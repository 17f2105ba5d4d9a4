"""Marked regions: what stands between ``### BEGIN SOLUTION`` and ``### END SOLUTION`` is the student's to write.

In a kernel, lines below ``// GIVEN INSTEAD`` are what the student finds there: a bug to be found. In the file they are
comments.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from solutions.errors import CourseError

BEGIN = {".py": "### BEGIN SOLUTION", ".cu": "// BEGIN SOLUTION"}
END = {".py": "### END SOLUTION", ".cu": "// END SOLUTION"}
MENTION = re.compile("(BEGIN|END) SOLUTION")
GIVEN = "// GIVEN INSTEAD"
GIVEN_LINE = re.compile(r"(\s*)// ?(.*)")
COMMENT = {".py": "#", ".cu": "//"}


@dataclass(frozen=True)
class Region:
    """A solution: its indentation, and its lines without the markers.

    Attributes:
        given: what the student finds in its place; a blank if None.
    """

    indent: str
    lines: tuple[str, ...]
    given: tuple[str, ...] | None = None

    def count(self, suffix: str) -> int:
        """Lines to expect: those with code on them."""
        return sum(1 for line in self.lines if line.strip() and not line.strip().startswith(COMMENT[suffix]))


def _region(indent: str, inside: list[str], suffix: str, where: str) -> Region:
    marks = [i for i, line in enumerate(inside) if line.strip() == GIVEN and suffix == ".cu"]
    if not marks:
        return Region(indent, tuple(inside))
    given = [GIVEN_LINE.fullmatch(line) for line in inside[marks[0] + 1 :]]
    if not all(given):
        raise CourseError(f"{where}: below {GIVEN} there are comments only: the student's lines, each behind //")
    return Region(indent, tuple(inside[: marks[0]]), tuple(line[1] + line[2] for line in given if line))


Part = str | Region
"""A line of source, or a marked region."""


def split(lines: list[str], suffix: str, where: str, first: int = 1) -> list[Part]:
    """Lines of source with each marked region folded into a :class:`Region`.

    Args:
        lines: source lines without line ends.
        suffix: ``".py"`` or ``".cu"``: which markers to look for.
        where: file (and function) for messages.
        first: number of the first line in its file, for messages.

    Raises:
        CourseError: a region that does not end, does not begin, is empty, or stands inside another.
    """
    parts: list[Part] = []
    inside: list[str] | None = None
    indent = ""
    opened = 0
    for number, line in enumerate(lines, first):
        stripped = line.strip()
        if stripped == BEGIN[suffix]:
            if inside is not None:
                raise CourseError(f"{where}, line {number}: {BEGIN[suffix]} inside a solution; end that one first")
            inside, opened, indent = [], number, line[: len(line) - len(line.lstrip())]
        elif stripped == END[suffix]:
            if inside is None:
                raise CourseError(f"{where}, line {number}: {END[suffix]} without a beginning")
            region = _region(indent, inside, suffix, f"{where}, line {opened}")
            if not region.count(suffix):
                raise CourseError(f"{where}, line {number}: the solution between the markers is empty")
            parts.append(region)
            inside = None
        elif MENTION.search(line):
            raise CourseError(f"{where}, line {number}: a marker stands on a line of its own, exactly {BEGIN[suffix]}"
                              f" or {END[suffix]}")
        elif inside is not None:
            inside.append(line)
        else:
            parts.append(line)
    if inside is not None:
        raise CourseError(f"{where}, line {opened}: {BEGIN[suffix]} without an end")
    return parts


def module_parts(source: str, file: str) -> Iterator[tuple[ast.FunctionDef | None, list[Part]]]:
    """A Python module in pieces: each top-level function with its parts, and (with None) what stands between.

    Raises:
        CourseError: not Python, markers that do not pair up, or a marker outside of a function.
    """
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise CourseError(f"{file}, line {error.lineno}: {error.msg}") from error
    lines = source.splitlines()
    position = 0
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield None, list(_unmarked(lines, position, node.lineno - 1, file))
            position = _last_line(node, lines)
            where = f"{file}::{node.name}"
            yield node, split(lines[node.lineno - 1 : position], Path(file).suffix, where, node.lineno)
    yield None, list(_unmarked(lines, position, len(lines), file))


def _unmarked(lines: list[str], start: int, stop: int, file: str) -> Iterator[str]:
    for number in range(start, stop):
        if lines[number].strip().startswith("#") and MENTION.search(lines[number]):
            raise CourseError(f"{file}, line {number + 1}: a marker outside of a top-level function")
        yield lines[number]


def _last_line(node: ast.FunctionDef, lines: list[str]) -> int:
    """Number of a function's last line; a marker below its last statement is a comment to Python, but belongs to it."""
    last = node.end_lineno or node.lineno
    for number in range(last, len(lines)):
        text = lines[number]
        if text.strip() and not (text[0].isspace() and text.strip().startswith("#")):
            break
        if text.strip() == END[".py"]:
            last = number + 1
    return last


def blank_lines(region: Region, name: str, suffix: str) -> list[str]:
    """What a student finds in place of a solution."""
    if region.given is not None:
        return list(region.given)
    count = region.count(suffix)
    noun = "line" if count == 1 else "lines"
    note = f"{region.indent}{COMMENT[suffix]} YOUR CODE HERE (about {count} {noun})"
    if suffix == ".py":
        return [note, f'{region.indent}raise NotImplementedError("{name}")']
    return [note]
