"""Directives as plain Markdown: what a notebook shows in Jupyter, VS Code or on a repository's page."""

from __future__ import annotations

import re

from autograder.release.chapter import CHAPTER_NAME, directives, options_and_body
from solutions.errors import CourseError

LINK = re.compile(r"(?<=\]\()([a-z0-9_]+)\.md(?=[#)])")
FIGURE_FOLDER = "../book/"


def plain(text: str, where: str) -> str:
    """Markdown with ``{figure}``, ``{admonition}``, ``{dropdown}`` and ``{math}`` turned into what every viewer knows.

    Links to chapters lead to notebooks, links to other pages of the book to their Markdown.

    Raises:
        CourseError: a directive that has no plain form.
    """
    lines = text.splitlines()
    out: list[str] = []
    position = 0
    for token, name, argument in directives(text):
        assert token.map is not None
        start, stop = token.map
        out += [_links(line) for line in lines[position:start]]
        out.append(_convert(name, argument, token.content, where))
        position = stop
    out += [_links(line) for line in lines[position:]]
    return "\n".join(out)


def _convert(name: str, argument: str, content: str, where: str) -> str:
    options, body = options_and_body(content)
    if name == "figure":
        caption = " ".join(plain(body, where).split())
        image = f"![{options.get('alt', '')}]({FIGURE_FOLDER}{argument})"
        return f"{image}\n\n*{caption}*" if caption else image
    if name == "admonition":
        inner = plain(body, where)
        return "\n".join([f"> **{argument}**", ">", *(f"> {line}".rstrip() for line in inner.splitlines())])
    if name == "dropdown":
        return f"<details>\n<summary>{argument}</summary>\n\n{plain(body, where)}\n\n</details>"
    if name == "math":
        return f"$$\n{body}\n$$"
    raise CourseError(f"{where}: directive {{{name}}} has no plain form for notebooks")


def page_links(text: str) -> str:
    """Text of a page of the book with links to chapters leading to notebooks, which is what chapters are there."""
    return LINK.sub(lambda match: f"{match[1]}.{'ipynb' if CHAPTER_NAME.fullmatch(match[1]) else 'md'}", text)


def _links(line: str) -> str:
    def target(match: re.Match[str]) -> str:
        page = match[1]
        return f"{page}.ipynb" if CHAPTER_NAME.fullmatch(page) else f"../book/{page}.md"

    return LINK.sub(target, line)
