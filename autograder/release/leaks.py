"""No solution in a student's notebook.

The rule. White space and comments not counted, a *telling* piece of a solution is

- a line (of Python: a statement, however many lines it takes) of at least :data:`LINE` characters;
- two neighbouring ones of at least :data:`PAIR` characters together, neither of them a bare ``else:`` or the like;

unless the exercise's own cell shows it anyway (in the docstring, or beside the blank). No telling piece of any exercise
of the course may stand anywhere in a student's notebook: in prose, in code that the author provides, in a comment,
wrapped over several lines or joined into one. White space is taken out before comparing, so neither spacing nor line
breaks hide anything. Other names for the variables do: that is for the author's eye.
"""

from __future__ import annotations

import io
import itertools
import re
import textwrap
import tokenize
from collections.abc import Iterable, Iterator

from nbformat import NotebookNode

from autograder.release.exercise import Exercise

LINE = 16
"""``forjinrange(n):`` has 15 characters and stands in every chapter; what is longer is somebody's idea."""

PAIR = 24
"""Two short lines together give away as much as one long one."""

SHORTEST_OF_PAIR = 8


def squeezed(text: str) -> str:
    """Text without any white space."""
    return "".join(text.split())


def code_alone(line: str, suffix: str) -> str:
    """A line of code without white space and without a comment."""
    if suffix == ".py":
        try:
            tokens = list(tokenize.generate_tokens(io.StringIO(line.strip()).readline))
        except (tokenize.TokenError, SyntaxError):  # a bracket that another line closes
            tokens = []
        comments = [token.start[1] for token in tokens if token.type == tokenize.COMMENT]
        return squeezed(line.strip()[: comments[0]] if comments else line)
    return squeezed(re.sub(r"//.*$|/\*.*?\*/", "", line))


def statements(region: tuple[str, ...]) -> list[str]:
    """Python lines without white space and comments; a statement in brackets over several lines is one of them."""
    found = [""]
    source = io.StringIO(textwrap.dedent("\n".join(region)))
    try:
        for token in tokenize.generate_tokens(source.readline):
            if token.type == tokenize.NEWLINE:
                found.append("")
            elif token.type != tokenize.COMMENT:
                found[-1] += squeezed(token.string)
    except (tokenize.TokenError, SyntaxError):  # half a statement is marked
        return [code_alone(line, ".py") for line in region]
    return found


def telling_pieces(exercise: Exercise) -> set[str]:
    """What gives a solution away, by the rule above, without white space."""
    shown = squeezed(exercise.student)
    pieces = set()
    for region in exercise.regions:
        lines = statements(region) if exercise.suffix == ".py" else [code_alone(line, ".cu") for line in region]
        lines = [line for line in lines if line]
        pieces |= {line for line in lines if len(line) >= LINE}
        for first, second in itertools.pairwise(lines):
            if min(len(first), len(second)) >= SHORTEST_OF_PAIR and len(first) + len(second) >= PAIR:
                pieces.add(first + second)
    return {piece for piece in pieces if piece not in shown}


def leaks_in(text: str, exercises: Iterable[Exercise]) -> Iterator[str]:
    """For each exercise that ``text`` gives away: its identity and the piece that does."""
    whole = squeezed(text)
    without_comments = {
        suffix: "".join(code_alone(line, suffix) for line in text.splitlines()) for suffix in (".py", ".cu")
    }
    for exercise in exercises:
        for piece in sorted(telling_pieces(exercise), key=len, reverse=True):
            if piece in whole or piece in without_comments[exercise.suffix]:
                yield f"{piece!r} (blanks aside) is of the solution of {exercise.identity}"
                break


def find_leaks(notebook: NotebookNode, exercises: Iterable[Exercise], places: list[str]) -> list[str]:
    """A message for every cell of a student's notebook that holds a telling piece, or an output.

    Args:
        notebook: the student edition.
        exercises: those whose solutions must not stand in it.
        places: for each cell what messages call it.
    """
    found = []
    known = list(exercises)
    for cell, place in zip(notebook.cells, places, strict=True):
        found += [f"{place}: {leak}" for leak in leaks_in(cell.source, known)]
        if cell.cell_type == "code" and cell.outputs:
            found.append(f"{place}: a student's notebook has no outputs")
    return found
