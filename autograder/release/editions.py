"""The three editions of a chapter: the student's notebook, the reference notebook, and the page of the book."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.release.chapter import Chapter, Code, ExerciseBlock, Prose
from autograder.release.exercise import Exercise
from autograder.release.plain import page_links, plain

FORMAT = 1
STUDENT, REFERENCE, SITE = "student", "reference", "site"

BOOTSTRAP = """\
# The course's own packages live one folder up.
import sys
from pathlib import Path

sys.path.insert(0, str(Path.cwd().parent))
if not Path("../autograder").is_dir():
    raise SystemExit("Move this notebook into the folder chapters/ of the course, and open it there.")"""

FOLDED = {"code_prompt_show": "Show a solution", "code_prompt_hide": "Hide the solution"}


def build(chapter: Chapter, exercises: Mapping[str, Exercise], edition: str) -> NotebookNode:
    """A notebook without outputs.

    Args:
        chapter: what :func:`autograder.release.chapter.read_chapter` gave.
        exercises: identity → exercise, for all that the chapter names.
        edition: :data:`STUDENT`, :data:`REFERENCE` or :data:`SITE`.
    """
    notebook: NotebookNode = new_notebook(cells=[cell for _, cell in _cells(chapter, exercises, edition)])
    for position, cell in enumerate(notebook.cells):
        course = cell.metadata.course  # the exercise's name is the better anchor: it survives a new paragraph above
        name = course.get("exercise", "").rpartition("::")[2]
        cell["id"] = f"{chapter.name}-{course.role}-{name or position}"
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata = NotebookNode(
        kernelspec={"display_name": "Python 3", "language": "python", "name": "python3"},
        language_info={"name": "python"},
        course={"format": FORMAT, "chapter": chapter.name, "edition": edition},
    )
    return notebook


def source_lines(chapter: Chapter, exercises: Mapping[str, Exercise], edition: str) -> list[int]:
    """For each cell of :func:`build` the line of the chapter that it comes from."""
    return [line for line, _ in _cells(chapter, exercises, edition)]


def to_text(notebook: NotebookNode) -> str:
    """The bytes that are committed: sorted keys, one space of indentation, a line end at the end."""
    nbformat.validate(notebook)
    return str(nbformat.writes(notebook, version=4)).rstrip("\n") + "\n"


def code_digest(notebook: NotebookNode) -> str:
    """SHA-256 of all code cells: outputs made from the same code need not be made again."""
    return _digest([cell.source for cell in notebook.cells if cell.cell_type == "code"])


def output_digest(notebook: NotebookNode) -> str:
    """SHA-256 of all outputs: an edited figure or table is noticed."""
    return _digest([cell.outputs for cell in notebook.cells if cell.cell_type == "code"])


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode("utf-8")).hexdigest()


def _cells(chapter: Chapter, exercises: Mapping[str, Exercise], edition: str) -> Iterator[tuple[int, NotebookNode]]:
    """Cells, each with its line in the chapter."""
    prose = page_links if edition == SITE else plain
    code_seen = False
    number = 0
    for block in chapter.blocks:
        if isinstance(block, Prose):
            yield block.line, _markdown(prose(block.text), "prose")
        elif isinstance(block, Code):
            if not code_seen:
                yield block.line, _bootstrap(edition)
                code_seen = True
            role = "setup" if "setup" in block.tags else "provided"
            yield block.line, _code(block.source, role, list(block.tags))
        else:
            number += 1
            label = f"{chapter.number}.{number}"
            for cell in _exercise_cells(block, exercises[block.identity], label, edition):
                yield block.line, cell


def _bootstrap(edition: str) -> NotebookNode:
    if edition == SITE:
        return _code(BOOTSTRAP, "bootstrap", ["remove-cell"])
    cell = _code(BOOTSTRAP, "bootstrap", [])
    cell.metadata["jupyter"] = {"source_hidden": True}  # JupyterLab shows three dots
    return cell


def _exercise_cells(block: ExerciseBlock, exercise: Exercise, label: str, edition: str) -> Iterator[NotebookNode]:
    head = _head(block, exercise, label)
    text = _page(head, block, exercise) if edition == SITE else _notebook(head, block, exercise)
    yield _markdown(text, "prose", block.identity)
    source = exercise.student if edition == STUDENT else exercise.reference
    cell = _code(source, "exercise", ["hide-input"] if edition == SITE else [], block.identity)
    cell.metadata.course["points"] = block.points
    if edition == SITE:
        cell.metadata["mystnb"] = dict(FOLDED)
    yield cell
    yield _code(f"check({exercise.bound_name})", "check", [], block.identity)


def _head(block: ExerciseBlock, exercise: Exercise, label: str) -> str:
    return f"### Exercise {label} · `{exercise.name}` · {_count(block.points, 'point')}"


def _notebook(head: str, block: ExerciseBlock, exercise: Exercise) -> str:
    hint = f"<details>\n<summary>Hint</summary>\n\n{plain(block.hint)}\n\n</details>"
    return "\n\n".join((head, plain(block.task), hint, _expect(exercise)))


def _page(head: str, block: ExerciseBlock, exercise: Exercise) -> str:
    """For the book: the task in a frame, which needs a fence longer than every fence in it."""
    longest = max((len(run) for run in re.findall("`+", block.task)), default=0)
    fence = "`" * max(4, longest + 1)
    hint = f"```{{dropdown}} Hint\n{page_links(block.hint)}\n```"
    return "\n\n".join((head, f"{fence}{{div}} exercise", page_links(block.task), hint, _expect(exercise), fence))


def _expect(exercise: Exercise) -> str:
    return f"*The reference solution has {_count(exercise.lines, 'line')}.*"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _markdown(source: str, role: str, exercise: str = "") -> NotebookNode:
    return _with_course(new_markdown_cell, source, role, exercise)


def _code(source: str, role: str, tags: list[str], exercise: str = "") -> NotebookNode:
    cell = _with_course(new_code_cell, source, role, exercise)
    if tags:
        cell.metadata["tags"] = tags
    return cell


def _with_course(make: Callable[..., Any], source: str, role: str, exercise: str) -> NotebookNode:
    course = {"role": role, "exercise": exercise} if exercise else {"role": role}
    cell: NotebookNode = make(source, metadata={"course": course})
    return cell
