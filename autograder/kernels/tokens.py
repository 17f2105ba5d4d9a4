"""A kernel's text cut into the compiler's tokens, and refused where compilers and readers could see different ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

SIZE_LIMIT = 64_000
"""Characters of a kernel's text; the course's longest file has about a quarter of that."""

NESTING_LIMIT = 100
"""Brackets inside one another; compilers recurse at each."""

TOKEN = re.compile(
    r"(?P<space>[ \t]+)|(?P<line>\n)|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<open>/\*)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<number>\.?\d(?:[eEpP][+-]|'\w|[\w.])*)"
    r'|(?P<string>"(?:[^"\\\n]|\\[^\n])*")'
    r"|(?P<char>'(?:[^'\\\n]|\\[^\n])+')"
    r"|(?P<digraph>%:|<%|%>|<:|:>)"
    r"|(?P<sign>\#\#|\.\.\.|->\*|\.\*|->|::|\+\+|--|<<=|>>=|<<|[-+*/%&|^<>=!]=|&&|\|\||[-+*/%&|^~!<>=?:;,.(){}\[\]#])",
    re.DOTALL | re.ASCII,
)
DIRECTIVE = re.compile(r"(?:[ \t]|/\*.*?\*/)*([a-z]+)", re.DOTALL)
OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}


class RefusedTextError(Exception):
    """A text that is not compiled; says why in one line, with the line's number."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")


@dataclass(frozen=True)
class Token:
    """A token.

    Attributes:
        kind: ``"name"``, ``"number"``, ``"string"``, ``"char"`` or ``"sign"``.
        text: as written.
        line: its line, from 1.
        start: its place in the text, in characters.
        directive: number of the preprocessor's line that it belongs to; 0 for code.
        conditional: whether it stands between ``#if`` and ``#endif``.
    """

    kind: str
    text: str
    line: int
    start: int = 0
    directive: int = 0
    conditional: bool = False


def tokens(text: str) -> list[Token]:
    """The tokens of a kernel's text, without comments.

    Raises:
        RefusedTextError: see the messages.
    """
    text = text.replace("\r\n", "\n")
    _refuse_characters(text)
    found: list[Token] = []
    position, line, directive, depth, adjacent = 0, 1, 0, 0, ""
    first_of_line = True
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None or match.lastgroup == "open":
            raise RefusedTextError(line, _unreadable(text, position))
        kind, word = str(match.lastgroup), match[0]
        if kind == "line":
            directive, first_of_line = 0, True
        elif kind == "digraph":
            raise RefusedTextError(line, f"{word} is another way to write a bracket or #: write the plain sign")
        elif kind == "comment":
            if "\n" in word and directive:
                raise RefusedTextError(line, "a comment carries a # line on into the next: end it on its own line")
        elif kind != "space":
            if adjacent and kind != "sign" and {kind, adjacent} & {"string", "char"}:
                raise RefusedTextError(line, f"{word} touches a quote: prefixes and suffixes are not for kernels")
            if word == "#" and first_of_line:
                directive = line
                depth += _conditional(text, match.end())
            found.append(Token(kind, word, line, position, directive, depth > 0))
            first_of_line = False
        adjacent = kind if kind in ("name", "number", "string", "char") else ""
        line += word.count("\n")
        position = match.end()
    return found


def _refuse_characters(text: str) -> None:
    """What makes one reader see other tokens than the next: joined lines, trigraphs, control signs."""
    if len(text) > SIZE_LIMIT:
        raise RefusedTextError(1, f"the text has {len(text):,} characters, more than {SIZE_LIMIT:,}")
    for number, line in enumerate(text.split("\n"), 1):
        if re.search(r"\\[ \t]*\Z", line):
            raise RefusedTextError(number, "it ends with \\, which joins it to the next line: write it on one line")
        if re.search(r"\?\?[=/'()!<>-]", line):
            raise RefusedTextError(number, "?? with a sign behind it is a trigraph: put a blank in between")
        odd = next((c for c in line if not c.isprintable() and c != "\t"), "")
        if odd:
            raise RefusedTextError(number, f"it holds the invisible character U+{ord(odd):04X}: delete it")


def _unreadable(text: str, position: int) -> str:
    if text[position] in "\"'":
        return f"a {text[position]} is not closed on its line"
    if text.startswith("/*", position):
        return "a comment is opened with /* and not closed"
    return f"it holds {text[position]!r}, which is no sign of C++"


def _conditional(text: str, position: int) -> int:
    """1 where a ``#if`` opens, -1 where an ``#endif`` closes; the ``#`` stands before ``position``."""
    word = DIRECTIVE.match(text, position)
    return {"if": 1, "ifdef": 1, "ifndef": 1, "endif": -1}.get(word[1], 0) if word else 0


def matching(all_tokens: list[Token]) -> dict[int, int]:
    """Position of each bracket → position of its partner, both ways.

    Raises:
        RefusedTextError: they do not pair up, or are nested too deep.
    """
    partner: dict[int, int] = {}
    waiting: list[int] = []
    for position, token in enumerate(all_tokens):
        if token.kind == "sign" and token.text in OPENING:
            waiting.append(position)
            if len(waiting) > NESTING_LIMIT:
                raise RefusedTextError(token.line, f"more than {NESTING_LIMIT} brackets inside one another")
        elif token.kind == "sign" and token.text in CLOSING:
            if not waiting or OPENING[all_tokens[waiting[-1]].text] != token.text:
                raise RefusedTextError(token.line, f"{token.text} closes no bracket")
            opened = waiting.pop()
            partner[opened], partner[position] = position, opened
    if waiting:
        opener = all_tokens[waiting[-1]]
        raise RefusedTextError(opener.line, f"{opener.text} is never closed")
    return partner


def directives(all_tokens: list[Token]) -> Iterator[range]:
    """Positions of the tokens of each line of the preprocessor, with its ``#``."""
    for _, group in groupby(range(len(all_tokens)), lambda position: all_tokens[position].directive):
        positions = list(group)
        if all_tokens[positions[0]].directive:
            yield range(positions[0], positions[-1] + 1)
