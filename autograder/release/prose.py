"""What chapters may hold beside code and exercises: Markdown and four directives that both notebooks and book show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from solutions.errors import CourseError

DIRECTIVES = ("admonition", "dropdown", "figure", "math")
CLASSES = ("important", "note", "tip", "warning")
CELLS = ("code-cell", "exercise")
DIRECTIVE = re.compile(r"\{([a-z-]+)\}\s*(.*)")
OPTION = re.compile(r":([a-z-]+):\s*(.*)")
TEXT_WITH_UNDERSCORE = re.compile(r"\\text\w*\{[^}]*\\_[^}]*\}")
PARSER = MarkdownIt("commonmark").use(dollarmath_plugin).use(myst_role_plugin).use(colon_fence_plugin)


def read_text(path: Path, file: str) -> str:
    """The text of a page.

    Raises:
        CourseError: there is none, or it is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"cannot read {file}: {getattr(error, 'strerror', None) or error}") from error


def fences(text: str) -> Iterator[tuple[Token, str, str]]:
    """Fences of the outermost level: (token, name, argument), with ``""`` for both where it is no directive.

    ``token.map`` has its lines, counted from 0.
    """
    for token in MarkdownIt("commonmark").parse(text):
        if token.type == "fence" and token.level == 0:
            match = DIRECTIVE.fullmatch(token.info.strip())
            yield token, match[1] if match else "", match[2].strip() if match else ""


def options_and_body(content: str) -> tuple[dict[str, str], str, int]:
    """The ``:name: value`` lines at the top of a directive, what follows them, and how many lines stand before that."""
    lines = content.splitlines()
    options: dict[str, str] = {}
    skipped = 0
    while skipped < len(lines) and (match := OPTION.fullmatch(lines[skipped])):
        options[match[1]] = match[2].strip()
        skipped += 1
    while skipped < len(lines) and not lines[skipped].strip():
        skipped += 1
    return options, "\n".join(lines[skipped:]).rstrip("\n"), skipped


def refuse_what_notebooks_cannot_show(text: str, file: str, first: int, folder: Path) -> None:
    """Refuse directives and roles that have no plain form, and pictures that are not there.

    Args:
        text: Markdown.
        file: name for messages.
        first: number of its first line in the file.
        folder: where pictures are looked for.

    Raises:
        CourseError: names file and line.
    """
    for token in PARSER.parse(text):
        line = first + (token.map[0] if token.map else 0)
        where = f"{file}, line {line}"
        if token.type == "colon_fence":
            raise CourseError(f"{where}: directives are written with backticks, ```{{name}}, not with colons")
        if token.type == "fence" and (match := DIRECTIVE.fullmatch(token.info.strip())):
            if token.level:
                raise CourseError(f"{where}: directive {{{match[1]}}} inside a list or a quote; move it out of there")
            _demand_complete(match[1], match[2].strip(), token.content, where, folder)
            if match[1] in ("admonition", "dropdown"):
                _, body, skipped = options_and_body(token.content)
                refuse_what_notebooks_cannot_show(body, file, line + 1 + skipped, folder)
        for child in (token, *(token.children or ())):
            if child.type.startswith("math_") and (match := TEXT_WITH_UNDERSCORE.search(child.content)):
                raise CourseError(f"{where}: MathJax shows the \\ of {match[0]}; say \\mathtt or \\mathrm instead")
            if child.type == "myst_role":
                raise CourseError(f"{where}: {{{child.meta['name']}}}`…` would stand in notebooks as it is written; "
                                  "say it in Markdown")


def _demand_complete(name: str, argument: str, content: str, where: str, folder: Path) -> None:
    options, body, _ = options_and_body(content)
    if name in CELLS:
        raise CourseError(f"{where}: {{{name}}} inside another directive; it stands at the outermost level")
    if name not in DIRECTIVES:
        known = ", ".join((*CELLS, *DIRECTIVES))
        raise CourseError(f"{where}: directive {{{name}}} is not known; there are: {known}")
    known_options = {"figure": ("alt",), "admonition": ("class",)}.get(name, ())
    for option in options:
        if option not in known_options:
            words = ", ".join(known_options) or "none"
            raise CourseError(f"{where}: option :{option}: of {{{name}}} is not known; there are: {words}")
    if name == "figure" and not options.get("alt"):
        raise CourseError(f"{where}: a figure needs :alt:, which tells what it shows to those who cannot see it")
    if name == "figure" and not (folder / argument).is_file():
        raise CourseError(f"{where}: there is no picture {argument}")
    if name in ("admonition", "dropdown") and not argument:
        raise CourseError(f"{where}: {{{name}}} needs a title")
    if name == "admonition" and options.get("class", "note") not in CLASSES:
        raise CourseError(f"{where}: :class: {options['class']} is not known; there are: {', '.join(CLASSES)}")
    if name != "figure" and not body.strip():
        raise CourseError(f"{where}: {{{name}}} is empty")
