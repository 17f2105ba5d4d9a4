"""No solution in a student's notebook: the lines of every exercise so far are looked for in every cell."""

from __future__ import annotations

import re
from collections.abc import Iterable

from nbformat import NotebookNode

from autograder.release.exercise import Exercise

SHORTEST = 24
"""A shorter line (``return offset``, ``for value in values:``) says nothing that the task does not say."""


def normalized(line: str) -> str:
    """A line of code without indentation, trailing comment and runs of blanks."""
    return " ".join(re.sub(r"\s+(#|//) .*$", "", line).split())


def telling_lines(exercise: Exercise) -> set[str]:
    """The lines of a solution that give it away: long enough, no comment, and not in the student's cell anyway."""
    shown = {normalized(line) for line in exercise.student.splitlines()}
    lines = {normalized(line) for line in exercise.solution}
    return {line for line in lines if len(line) >= SHORTEST and line not in shown and not line.startswith(("#", "//"))}


def find_leaks(notebook: NotebookNode, exercises: Iterable[Exercise]) -> list[str]:
    """Messages for every telling line of ``exercises`` that stands in a cell of a student's notebook, or in an output.

    Prose is searched too, and code that the author provides: a line that the reader is to find must not be a
    page further on.
    """
    found = []
    chapter = notebook.metadata["course"]["chapter"]
    lines = {line: exercise.identity for exercise in exercises for line in telling_lines(exercise)}
    for number, cell in enumerate(notebook.cells):
        text = [normalized(line) for line in cell.source.splitlines()]
        for line, identity in lines.items():
            if any(line in shown for shown in text):
                found.append(f"{chapter}, cell {number}: {line!r} is of {identity}'s solution")
        if cell.cell_type == "code" and cell.outputs:
            found.append(f"{chapter}, cell {number}: a student's notebook has no outputs")
    return found
