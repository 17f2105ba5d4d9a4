"""Reading a chapter: a Markdown notebook becomes a list of prose, code and exercises, each with its line number.

jupytext cuts the text into cells, markdown-it-py finds headings and directives in it. What neither a notebook nor the
book would show as meant is refused here, with its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jupytext.myst import MystMetadataParsingError, myst_to_notebook  # type: ignore[import-untyped]
from markdown_it import MarkdownIt
from markdown_it.token import Token
from nbformat import NotebookNode, ValidationError

from autograder.release.prose import fences, options_and_body, read_text, refuse_what_notebooks_cannot_show
from solutions.errors import CourseError

CHAPTER_NAME = re.compile(r"\d\d_[a-z0-9_]+")
HEADINGS = ("h1", "h2", "h3")


@dataclass(frozen=True)
class Prose:
    """Markdown, with directives of :data:`autograder.release.prose.DIRECTIVES` in it."""

    text: str
    line: int


@dataclass(frozen=True)
class Code:
    """A cell that the author wrote."""

    source: str
    tags: tuple[str, ...]
    line: int


@dataclass(frozen=True)
class ExerciseBlock:
    """A place for an exercise: what it is, what it is worth, and what the reader is told."""

    identity: str
    points: int
    hint: str
    task: str
    line: int
    task_line: int


Block = Prose | Code | ExerciseBlock


@dataclass(frozen=True)
class Chapter:
    """A chapter: ``name`` is ``"01_tensors"``."""

    name: str
    blocks: tuple[Block, ...]

    @property
    def number(self) -> int:
        """1 for ``01_tensors``."""
        return int(self.name[:2])

    @property
    def file(self) -> str:
        """Where it is written, for messages."""
        return f"book/{self.name}.md"

    def exercises(self) -> list[ExerciseBlock]:
        """Its exercises, in order."""
        return [block for block in self.blocks if isinstance(block, ExerciseBlock)]


def read_chapter(path: Path) -> Chapter:
    """Read ``book/NN_topic.md``.

    Raises:
        CourseError: something that the release does not know or that is incomplete; names file and line.
    """
    file = f"{path.parent.name}/{path.name}"
    if not CHAPTER_NAME.fullmatch(path.stem):
        raise CourseError(f"{file}: a chapter's file is named NN_topic.md")
    text = read_text(path, file)
    _demand_closed_fences(text, file)
    blocks = tuple(_blocks(_cells(text, file), text.splitlines(), file))
    setup = next((block for block in blocks if isinstance(block, Code)), None)
    if setup is not None and "setup" not in setup.tags:
        raise CourseError(f"{file}, line {setup.line}: the first code cell has the tag setup and makes the imports")
    for block in blocks:
        if isinstance(block, Prose):
            refuse_what_notebooks_cannot_show(block.text, file, block.line, path.parent)
        elif isinstance(block, ExerciseBlock):
            refuse_what_notebooks_cannot_show(block.task, file, block.task_line, path.parent)
    return Chapter(path.stem, blocks)


def _cells(text: str, file: str) -> list[tuple[NotebookNode, int]]:
    """jupytext's cells, with the number of the line where each begins."""
    try:
        notebook = myst_to_notebook(text, add_source_map=True)
    except MystMetadataParsingError as error:
        found = re.search(r"at line (\d+) could not be read: (.*)", str(error), re.DOTALL)
        line, reason = (int(found[1]), found[2]) if found else (1, str(error))
        raise CourseError(f"{file}, line {line}: {' '.join(reason.split())}") from error
    except ValidationError as error:
        where = f"{file}, line {_invalid_cell(text)}"
        raise CourseError(f"{where}: {error.message}; tags are written as a list, [one, two]") from error
    jupytext = notebook.metadata.get("jupytext", {})
    if jupytext.get("text_representation", {}).get("format_name") != "myst":
        raise CourseError(f"{file}, line 1: a chapter begins with jupytext's front matter, with format_name: myst")
    return list(zip(notebook.cells, notebook.metadata["source_map"], strict=True))


def _invalid_cell(text: str) -> int:
    """The line of the first code cell whose options are no cell's; nbformat does not say which it was."""
    lines = text.splitlines()
    for token, name, _ in fences(text):
        if name == "code-cell" and token.map:
            try:
                myst_to_notebook("\n".join(lines[token.map[0] : token.map[1]]))
            except ValidationError:
                return token.map[0] + 1
    return 1


def _blocks(cells: list[tuple[NotebookNode, int]], lines: list[str], file: str) -> Iterator[Block]:
    for cell, start in cells:
        if cell.cell_type == "code":
            yield _code(cell, f"{file}, line {start}", start)
            continue
        if cell.cell_type != "markdown":
            raise CourseError(f"{file}, line {start}: a raw cell; chapters have prose, code cells and exercises")
        first = start  # jupytext counts from 0 here, and does not skip the blank lines that it strips
        while not lines[first].strip():
            first += 1
        yield from _prose_and_exercises(cell.source, first + 1, file)


def _code(cell: NotebookNode, where: str, line: int) -> Code:
    options = dict(cell.metadata)
    _demand_options(options, {"tags"}, where)
    if not cell.source.strip():
        raise CourseError(f"{where}: an empty code cell")
    return Code(cell.source, tuple(options.get("tags", [])), line)


def _prose_and_exercises(text: str, first: int, file: str) -> Iterator[Block]:
    """Prose cut before every heading (so that a notebook can fold its sections), with the exercises in between.

    Args:
        text: a Markdown cell.
        first: number of its first line in the file.
        file: name for messages.
    """
    lines = text.splitlines()
    position = 0
    for start, stop, found in _cuts(text):
        yield from _prose(lines, position, start, first)
        position = start
        if found is not None:
            position = stop
            yield _exercise(*found, f"{file}, line {first + start}", first + start)
    yield from _prose(lines, position, len(lines), first)


def _cuts(text: str) -> list[tuple[int, int, tuple[Token, str] | None]]:
    """Where prose ends: (line, line after, None) of each heading, with (token, argument) instead for an exercise."""
    cuts: list[tuple[int, int, tuple[Token, str] | None]] = []
    for token, name, argument in fences(text):
        if name == "exercise" and token.map:
            cuts.append((*token.map, (token, argument)))  # type: ignore[arg-type]  # two lines, in markdown-it's list
    for token in MarkdownIt("commonmark").parse(text):
        if token.type == "heading_open" and token.level == 0 and token.tag in HEADINGS and token.map:
            cuts.append((*token.map, None))  # type: ignore[arg-type]
    return sorted(cuts, key=lambda cut: cut[0])


def _prose(lines: list[str], start: int, stop: int, first: int) -> Iterator[Prose]:
    while start < stop and not lines[start].strip():
        start += 1
    if start < stop:
        yield Prose("\n".join(lines[start:stop]).rstrip(), first + start)


def _exercise(token: Token, identity: str, where: str, line: int) -> ExerciseBlock:
    options, task, skipped = options_and_body(token.content)
    _demand_options(options, {"points", "hint"}, where)
    points = options.get("points", "")
    if not (points.isascii() and points.isdigit()) or int(points) < 1:
        raise CourseError(f"{where}: exercise {identity} needs :points: with a whole number above 0, not {points!r}")
    if not options.get("hint"):
        raise CourseError(f"{where}: exercise {identity} needs a :hint:")
    if not task.strip():
        raise CourseError(f"{where}: exercise {identity} has no task text")
    return ExerciseBlock(identity, int(points), options["hint"], task, line, line + 1 + skipped)


def _demand_options(options: dict[str, str], known: set[str], where: str) -> None:
    for name in options:
        if name not in known:
            raise CourseError(f"{where}: option :{name}: is not known here; there are: {', '.join(sorted(known))}")


def _demand_closed_fences(text: str, file: str) -> None:
    """A fence that is not closed swallows what follows, in silence: up to the end of the next one, or of the file."""
    lines = text.splitlines()
    for token in MarkdownIt("commonmark").parse(text):
        if token.type == "fence" and token.map:
            start, stop = token.map
            mark = rf"[\s>]*{token.markup[0]}{{{len(token.markup)},}}"
            closed = stop - start > 1 and re.fullmatch(rf"{mark}\s*", lines[stop - 1])
            swallowed = [line for line in lines[start + 1 : stop - 1] if re.match(rf"{mark}{{", line)]
            if not closed or swallowed:
                raise CourseError(f"{file}, line {start + 1}: {token.markup}{token.info} is not closed")
