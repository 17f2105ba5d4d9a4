"""The three editions of a chapter: the student's notebook, the reference notebook, and the page of the book."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
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
import sys
from pathlib import Path

sys.path.insert(0, "..")  # the course's own packages live one folder up
if not Path("../autograder").is_dir():
    print("Open this notebook inside the course's folder: chapters/ and autograder/ must stand side by side.")"""

SOLUTION_PROMPT = {"code_prompt_show": "Show the solution", "code_prompt_hide": "Hide the solution"}
"""What the book writes over a folded solution."""


@dataclass(frozen=True)
class Heading:
    """How an exercise is introduced."""

    title: str
    task: str
    hint: str
    expect: str

    def notebook(self, where: str) -> str:
        """For Jupyter."""
        hint = f"<details>\n<summary>Hint</summary>\n\n{plain(self.hint, where)}\n\n</details>"
        return f"### {self.title}\n\n{plain(self.task, where)}\n\n{hint}\n\n*{self.expect}*"

    def page(self) -> str:
        """For the book."""
        hint = f"```{{dropdown}} Hint\n{page_links(self.hint)}\n```"
        return f"### {self.title}\n\n{page_links(self.task)}\n\n{hint}\n\n*{self.expect}*"


def build(chapter: Chapter, exercises: Mapping[str, Exercise], edition: str) -> NotebookNode:
    """A notebook without outputs.

    Args:
        chapter: what :func:`autograder.release.chapter.read_chapter` gave.
        exercises: identity → exercise, for all that the chapter names.
        edition: :data:`STUDENT`, :data:`REFERENCE` or :data:`SITE`.
    """
    cells = list(_cells(chapter, exercises, edition))
    for position, cell in enumerate(cells):
        cell["id"] = f"{chapter.name.replace('_', '-')}-{position:03d}"
    notebook: NotebookNode = new_notebook(cells=cells)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata = NotebookNode(
        kernelspec={"display_name": "Python 3", "language": "python", "name": "python3"},
        language_info={"name": "python"},
        course={"format": FORMAT, "chapter": chapter.name, "edition": edition},
    )
    return notebook


def to_text(notebook: NotebookNode) -> str:
    """The bytes that are committed: sorted keys, one space of indentation, a line end at the end."""
    nbformat.validate(notebook)
    return str(nbformat.writes(notebook, version=4)).rstrip("\n") + "\n"


def code_digest(notebook: NotebookNode) -> str:
    """SHA-256 of all code cells: outputs made from the same code need not be made again."""
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return hashlib.sha256(json.dumps(sources).encode("utf-8")).hexdigest()


def _cells(chapter: Chapter, exercises: Mapping[str, Exercise], edition: str) -> Iterator[NotebookNode]:
    prose: Callable[[str, str], str] = (lambda text, _: page_links(text)) if edition == SITE else plain
    setup_seen = False
    number = 0
    for block in chapter.blocks:
        where = f"{chapter.name}.md, line {block.line}"
        if isinstance(block, Prose):
            yield _markdown(prose(block.text, where), "prose")
        elif isinstance(block, Code):
            if not setup_seen:
                yield _code(BOOTSTRAP, "bootstrap", ["hide-input", "remove-cell"])
                setup_seen = True
            yield _code(block.source, "setup" if "setup" in block.tags else "provided", list(block.tags))
        else:
            number += 1
            exercise = exercises[block.identity]
            heading = _heading(block, exercise, f"{chapter.number}.{number}")
            yield _markdown(heading.page() if edition == SITE else heading.notebook(where), "prose")
            facts = {"exercise": block.identity, "points": block.points}
            text = exercise.student if edition == STUDENT else exercise.reference
            cell = _code(text, "exercise", ["hide-input"] if edition == SITE else [], facts)
            if edition == SITE:
                cell.metadata["mystnb"] = SOLUTION_PROMPT
            yield cell
            yield _code(f"check({exercise.name})", "check", [], {"exercise": block.identity})


def _heading(block: ExerciseBlock, exercise: Exercise, number: str) -> Heading:
    lines = "1 line" if exercise.lines == 1 else f"{exercise.lines} lines"
    title = f"Exercise {number} · `{exercise.name}` · {block.points} points"
    return Heading(title, block.task, block.hint, f"The reference solution has {lines}.")


def _markdown(source: str, role: str) -> NotebookNode:
    cell: NotebookNode = new_markdown_cell(source, metadata={"course": {"role": role}})
    return cell


def _code(source: str, role: str, tags: list[str], facts: Mapping[str, Any] | None = None) -> NotebookNode:
    metadata: dict[str, Any] = {"course": {"role": role, **(facts or {})}}
    if tags:
        metadata["tags"] = tags
    cell: NotebookNode = new_code_cell(source, metadata=metadata)
    return cell
