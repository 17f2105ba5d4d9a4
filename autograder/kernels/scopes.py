"""Where in a kernel's text each token stands: in a function's body, in a type, in a list of values, or outside."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograder.kernels.tokens import RefusedTextError, Token
from autograder.kernels.words import ATTRIBUTES, BUILT_IN, FUNCTIONS, KEYWORDS, TYPES

FILE, TYPE, BODY, VALUES = "file", "type", "body", "values"
TYPE_KEYWORDS = ("struct", "union", "class", "enum")


@dataclass
class _Open:
    """A brace that is open: its kind, where its present statement begins, and the statement's words so far."""

    kind: str
    start: int
    words: set[str] = field(default_factory=set)

    def next_statement(self, start: int) -> None:
        self.start, self.words = start, set()


class Scopes:
    """Code tokens of a text, the preprocessor's lines left out, each with its scope.

    Attributes:
        tokens: the code tokens.
        partner: position of a bracket → position of its partner, among ``tokens``.
        scope: for each token the kind of the innermost braces around it.
        statement: for each token the position at which its statement begins.
    """

    def __init__(self, all_tokens: list[Token], partner: dict[int, int]) -> None:
        kept = [position for position, token in enumerate(all_tokens) if not token.directive]
        place = {position: number for number, position in enumerate(kept)}
        self.tokens = [all_tokens[position] for position in kept]
        self.partner = {place[a]: place[b] for a, b in partner.items() if a in place and b in place}
        self.scope: list[str] = []
        self.statement: list[int] = []
        open_scopes = [_Open(FILE, 0)]
        for number, token in enumerate(self.tokens):
            sign = token.text if token.kind == "sign" else ""
            if sign == "}" and len(open_scopes) > 1 and open_scopes.pop().kind in (BODY, TYPE):
                open_scopes[-1].next_statement(number + 1)
            innermost = open_scopes[-1]
            self.scope.append(innermost.kind)
            self.statement.append(innermost.start)
            if sign == "{":
                open_scopes.append(_Open(self._opened(number, innermost), number + 1))
            elif sign == ";":
                innermost.next_statement(number + 1)
            innermost.words.add(token.text)

    def text(self, number: int) -> str:
        """The text of a token; ``";"`` before the first and behind the last."""
        return self.tokens[number].text if 0 <= number < len(self.tokens) else ";"

    def _opened(self, number: int, around: _Open) -> str:
        before = self.text(number - 1)
        if around.kind in (BODY, VALUES):
            return around.kind
        if before == ")" or (before == "const" and self.text(number - 2) == ")"):
            return BODY
        return TYPE if around.words.intersection(TYPE_KEYWORDS) and "=" not in around.words else VALUES

    def heads(self) -> list[int]:
        """Positions of names in front of a round bracket, outside of bodies."""
        return [
            number
            for number, token in enumerate(self.tokens)
            if token.kind == "name" and self.text(number + 1) == "(" and self.scope[number] != BODY
        ]

    def behind(self, head: int) -> str:
        """What follows the brackets of ``name(…)``: ``"{"`` for a definition, with or without ``const`` before it."""
        close = self.partner[head + 1]
        return self.text(close + 2) if self.text(close + 1) == "const" else self.text(close + 1)

    def is_set(self, number: int) -> bool:
        """Whether a ``=`` stands before a token in its statement, or it stands in a list of values."""
        return self.scope[number] == VALUES or "=" in {
            token.text for token in self.tokens[self.statement[number] : number]
        }


def own_functions(scopes: Scopes) -> set[str]:
    """Names of the functions that the text defines.

    Raises:
        RefusedTextError: one is a constructor, has the name of something of CUDA's, or stands inside ``#if``.
    """
    types = {scopes.text(i + 1) for i, token in enumerate(scopes.tokens) if token.text in TYPE_KEYWORDS}
    found = set()
    for head in scopes.heads():
        token = scopes.tokens[head]
        if scopes.behind(head) != "{" or scopes.is_set(head) or token.text in ATTRIBUTES:
            continue
        if token.text in types:
            raise RefusedTextError(token.line, f"{token.text} has a constructor: set its members by name instead")
        if token.text in KEYWORDS | FUNCTIONS | BUILT_IN:
            raise RefusedTextError(token.line, f"{token.text} has a meaning already: give the function another name")
        if token.conditional:
            raise RefusedTextError(token.line, f"the function {token.text} stands inside #if: take it out")
        found.add(token.text)
    return found


def refuse_dynamic_start(scopes: Scopes, functions: set[str]) -> None:
    """Nothing is called outside of functions: it would run when the text is loaded, outside of any launch.

    Raises:
        RefusedTextError: something is.
    """
    for head in scopes.heads():
        token = scopes.tokens[head]
        if token.text in ATTRIBUTES or token.text in TYPES:
            continue
        if token.text not in functions or scopes.behind(head) not in ("{", ";") or scopes.is_set(head):
            raise RefusedTextError(token.line, f"{token.text}(…) is called outside of any function: use a plain number")
