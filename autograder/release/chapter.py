"""Reading a chapter: a Markdown notebook becomes a list of prose, code and exercises, each with its line number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from solutions.errors import CourseError

CHAPTER_NAME = re.compile(r"\d\d_[a-z0-9_]+")
DIRECTIVE = re.compile(r"\{([a-z-]+)\}\s*(.*)")
OPTION = re.compile(r":([a-z-]+):\s*(.*)")
PROSE_DIRECTIVES = ("figure", "admonition", "dropdown", "math")
HEADING = re.compile(r"#{1,3} ")


@dataclass(frozen=True)
class Prose:
    """Markdown, with directives of :data:`PROSE_DIRECTIVES` in it."""

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

    def exercises(self) -> list[ExerciseBlock]:
        """Its exercises, in order."""
        return [block for block in self.blocks if isinstance(block, ExerciseBlock)]


def read_chapter(path: Path) -> Chapter:
    """Read ``book/NN_topic.md``.

    Raises:
        CourseError: something that the release does not know or that is incomplete; names file and line.
    """
    if not CHAPTER_NAME.fullmatch(path.stem):
        raise CourseError(f"{path.name}: a chapter's file is named NN_topic.md")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"cannot read chapter {path}: {error}") from error
    return Chapter(path.stem, tuple(_blocks(text, path.name)))


def directives(text: str) -> Iterator[tuple[Token, str, str]]:
    """Fences of the outermost level that are directives: (token, name, argument). ``token.map`` has their lines."""
    for token in MarkdownIt("commonmark").parse(text):
        if token.type == "fence" and token.level == 0 and token.map:
            match = DIRECTIVE.fullmatch(token.info.strip())
            if match:
                yield token, match[1], match[2].strip()


def options_and_body(content: str) -> tuple[dict[str, str], str]:
    """The ``:name: value`` lines at the top of a directive, and what follows them."""
    lines = content.splitlines()
    options: dict[str, str] = {}
    while lines and (match := OPTION.fullmatch(lines[0])):
        options[match[1]] = match[2].strip()
        lines.pop(0)
    return options, "\n".join(lines).strip("\n")


def _blocks(text: str, file: str) -> Iterator[Block]:
    text, skipped = _without_front_matter(text, file)
    lines = text.splitlines()
    position = 0
    for token, name, argument in directives(text):
        assert token.map is not None
        start, stop = token.map
        where = f"{file}, line {start + skipped + 1}"
        if name in PROSE_DIRECTIVES:
            continue
        yield from _prose(lines[position:start], position + skipped)
        position = stop
        options, body = options_and_body(token.content)
        if name == "code-cell":
            _demand_options(options, {"tags"}, where)
            yield Code(body, _tags(options.get("tags", "[]"), where), start + skipped + 1)
        elif name == "exercise":
            yield _exercise(argument, options, body, where, start + skipped + 1)
        else:
            known = ", ".join(("code-cell", "exercise", *PROSE_DIRECTIVES))
            raise CourseError(f"{where}: directive {{{name}}} is not known; there are: {known}")
    yield from _prose(lines[position:], position + skipped)


def _without_front_matter(text: str, file: str) -> tuple[str, int]:
    if not text.startswith("---\n"):
        raise CourseError(f"{file}, line 1: a chapter begins with jupytext's front matter (---)")
    end = text.find("\n---\n", 4)
    if end < 0:
        raise CourseError(f"{file}, line 1: the front matter does not end")
    head = text[: end + 5]
    return text[len(head) :], head.count("\n")


def _prose(lines: list[str], offset: int) -> Iterator[Prose]:
    """Prose, cut before every heading (so that a notebook can fold its sections) and at ``+++``."""
    piece: list[str] = []
    first = 0
    fenced = ""
    for number, line in enumerate([*lines, "+++"]):
        fence = re.match(r"(`{3,}|~{3,})", line)
        if fence and not fenced:
            fenced = fence[1]
        elif fence and line.strip() == fenced:
            fenced = ""
        cut = not fenced and (line.strip() == "+++" or HEADING.match(line))
        if cut:
            if "".join(piece).strip():
                yield Prose("\n".join(piece).strip("\n"), offset + first + 1)
            piece, first = [], number
        if line.strip() != "+++" or fenced:
            piece.append(line)


def _tags(text: str, where: str) -> tuple[str, ...]:
    try:
        tags = yaml.safe_load(text)
    except yaml.YAMLError:
        tags = None
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise CourseError(f"{where}: tags are written as a list, [one, two], not {text!r}")
    return tuple(tags)


def _exercise(identity: str, options: dict[str, str], task: str, where: str, line: int) -> ExerciseBlock:
    _demand_options(options, {"points", "hint"}, where)
    points = options.get("points", "")
    if not points.isdigit() or int(points) < 1:
        raise CourseError(f"{where}: exercise {identity} needs :points: with a whole number above 0, not {points!r}")
    if not options.get("hint"):
        raise CourseError(f"{where}: exercise {identity} needs a :hint:")
    if not task.strip():
        raise CourseError(f"{where}: exercise {identity} has no task text")
    return ExerciseBlock(identity, int(points), options["hint"], task, line)


def _demand_options(options: dict[str, str], known: set[str], where: str) -> None:
    for name in options:
        if name not in known:
            raise CourseError(f"{where}: option :{name}: is not known here; there are: {', '.join(sorted(known))}")
