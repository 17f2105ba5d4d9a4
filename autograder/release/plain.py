"""Directives as plain Markdown: what a notebook shows in Jupyter, VS Code or on a repository's page."""

from __future__ import annotations

import re
from collections.abc import Callable

from autograder.release.chapter import CHAPTER_NAME
from autograder.release.prose import fences, options_and_body

LINK = re.compile(r"(?<=\]\()([a-z0-9_]+)\.md(?=[#)])")
BOOK_FOLDER = "../book/"
"""Where pictures and pages of the book are, seen from a notebook's folder."""


def plain(text: str, link: Callable[[str], str] | None = None) -> str:
    """Markdown with ``{figure}``, ``{admonition}``, ``{dropdown}`` and ``{math}`` turned into what every viewer knows.

    Args:
        text: Markdown of a chapter.
        link: from a page's name to its place. If None, as a notebook needs it: chapters are notebooks beside it, other
            pages are Markdown in ``book/``.
    """
    target = link or _notebook_link

    def inner(body: str) -> str:
        return plain(body, target)

    return _rewritten(text, target, lambda name, title, content, _: PLAIN_FORMS[name](title, content, inner))


def page_links(text: str) -> str:
    """Text of a page of the book with links to chapters leading to notebooks, which is what chapters are there."""
    return _rewritten(
        text,
        lambda page: f"{page}.ipynb" if CHAPTER_NAME.fullmatch(page) else f"{page}.md",
        lambda _name, _argument, content, around: around[0] + page_links("\n" + content) + around[1],
    )


def plain_page(text: str) -> str:
    """Like :func:`plain`, for a page that stays in ``book/``, with the notebooks of the chapters in ``chapters/``."""
    return plain(text, lambda page: f"../chapters/{page}.ipynb" if CHAPTER_NAME.fullmatch(page) else f"{page}.md")


def _rewritten(
    text: str, link: Callable[[str], str], directive: Callable[[str, str, str, tuple[str, str]], str]
) -> str:
    """Text with every link's target and every directive rewritten; other fences, which show code, are left alone."""
    lines = text.split("\n")
    out: list[str] = []
    position = 0

    def with_links(start: int, stop: int) -> list[str]:
        return [LINK.sub(lambda match: link(match[1]), line) for line in lines[start:stop]]

    for token, name, argument in fences(text):
        start, stop = token.map or (0, 0)
        out += with_links(position, start)
        around = (lines[start], lines[stop - 1])
        out += [directive(name, argument, token.content, around)] if name else lines[start:stop]
        position = stop
    return "\n".join(out + with_links(position, len(lines)))


def _notebook_link(page: str) -> str:
    return f"{page}.ipynb" if CHAPTER_NAME.fullmatch(page) else f"{BOOK_FOLDER}{page}.md"


Inner = Callable[[str], str]
"""Makes what stands inside a directive plain."""


def _figure(file: str, content: str, inner: Inner) -> str:
    options, body, _ = options_and_body(content)
    image = f"![{options['alt']}]({BOOK_FOLDER}{file})"
    caption = " ".join(inner(body).split())
    return f"{image}\n\n*{caption}*" if caption else image


def _admonition(title: str, content: str, inner: Inner) -> str:
    _, body, _ = options_and_body(content)
    return "\n".join([f"> **{title}**", ">", *(f"> {line}".rstrip() for line in inner(body).splitlines())])


def _dropdown(title: str, content: str, inner: Inner) -> str:
    _, body, _ = options_and_body(content)
    return f"<details>\n<summary>{title}</summary>\n\n{inner(body)}\n\n</details>"


def _math(_title: str, content: str, _inner: Inner) -> str:
    return f"$$\n{content.strip()}\n$$"


PLAIN_FORMS: dict[str, Callable[[str, str, Inner], str]] = {
    "admonition": _admonition, "dropdown": _dropdown, "figure": _figure, "math": _math,
}
