"""Marked regions: what stands between ``### BEGIN SOLUTION`` and ``### END SOLUTION`` is the student's to write."""

from __future__ import annotations

from dataclasses import dataclass

from solutions.errors import CourseError

BEGIN = {".py": "### BEGIN SOLUTION", ".cu": "// BEGIN SOLUTION"}
END = {".py": "### END SOLUTION", ".cu": "// END SOLUTION"}
COMMENT = {".py": "#", ".cu": "//"}


@dataclass(frozen=True)
class Region:
    """A solution: its indentation, and its lines without the markers."""

    indent: str
    lines: tuple[str, ...]

    def count(self, suffix: str) -> int:
        """Lines to expect: those with code on them."""
        return sum(1 for line in self.lines if line.strip() and not line.strip().startswith(COMMENT[suffix]))


def split(lines: list[str], suffix: str, where: str) -> list[str | Region]:
    """Lines of source with each marked region folded into a :class:`Region`.

    Args:
        lines: source lines without line ends.
        suffix: ``".py"`` or ``".cu"``: which markers to look for.
        where: file (and function) for messages.

    Raises:
        CourseError: a region that does not end, does not begin, is empty, or stands inside another.
    """
    parts: list[str | Region] = []
    inside: list[str] | None = None
    indent = ""
    for line in lines:
        stripped = line.strip()
        if stripped == BEGIN[suffix]:
            if inside is not None:
                raise CourseError(f"{where}: {BEGIN[suffix]} inside a solution; end the first one before")
            inside, indent = [], line[: len(line) - len(line.lstrip())]
        elif stripped == END[suffix]:
            if inside is None:
                raise CourseError(f"{where}: {END[suffix]} without a beginning")
            if not any(text.strip() for text in inside):
                raise CourseError(f"{where}: the solution between the markers is empty")
            parts.append(Region(indent, tuple(inside)))
            inside = None
        elif "BEGIN SOLUTION" in line or "END SOLUTION" in line:
            raise CourseError(f"{where}: a marker must stand on a line of its own, exactly as {BEGIN[suffix]}")
        elif inside is not None:
            inside.append(line)
        else:
            parts.append(line)
    if inside is not None:
        raise CourseError(f"{where}: {BEGIN[suffix]} without an end")
    return parts


def blank_lines(region: Region, name: str, suffix: str) -> list[str]:
    """What a student finds in place of a solution."""
    count = region.count(suffix)
    noun = "line" if count == 1 else "lines"
    note = f"{region.indent}{COMMENT[suffix]} YOUR CODE HERE (about {count} {noun})"
    if suffix == ".py":
        return [note, f'{region.indent}raise NotImplementedError("{name}")']
    return [note]
