"""What a student's kernel may not hold, found in its text before it is compiled.

A kernel is C++ that runs on the grader's CPU. The emulator's checked build confines what it *accesses*; this keeps it
from *calling* anything but its own functions and the device's, from running outside of a launch, and from switching the
checks off. Nothing here understands C++: it reads tokens, and refuses what it cannot place. Each refusal is one line
that names the line of the text.

Refused are: the preprocessor beyond constants and simple macros (``#include``, ``#pragma`` except ``unroll``, ``##``,
joined lines, trigraphs, digraphs); words of the operating system and of C's memory functions; compiler extensions
(``asm``, attributes, ``__builtin_…``, names with two underscores that CUDA does not have); texts except formats of
``printf``; calls of anything that is neither defined in the text nor CUDA's, and calls through pointers, casts and
arrays; constructors, and variables outside of functions that are set by a call; C linkage of anything but kernels.

What it cannot see: an index that leaves a local array. That is the compiler's to check, or it is nobody's.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import takewhile

from autograder.kernels.scopes import BODY, Scopes, own_functions, refuse_dynamic_start
from autograder.kernels.tokens import RefusedTextError, Token, directives, matching, tokens
from autograder.kernels.words import (
    ATTRIBUTES,
    BEFORE_BRACKET,
    BUILT_IN,
    CONTROL,
    FUNCTIONS,
    KEYWORDS,
    REFUSED,
    TYPE_WORDS,
    TYPES,
    UNDERSCORED,
)

PLAIN_DIRECTIVES = ("define", "if", "ifdef", "ifndef", "elif", "else", "endif")
UNCHECKED_FORMAT = re.compile(r"%[-+ #0-9.*$hlLqjzt']*[sSn]")
RESERVED = re.compile(r"\w*__|_[A-Z]|emu_|Emu|EMU_")
KNOWN = KEYWORDS | FUNCTIONS | UNDERSCORED | BUILT_IN
NOTHING = Token("sign", ";", 0)


def refusal(text: str, forbidden: Collection[str] = ()) -> str | None:
    """Why a kernel's text is not compiled, ``"line 7: …"``; None if it may be.

    Args:
        text: the student's kernel.
        forbidden: names that this exercise is to be solved without.
    """
    try:
        _Lint(tokens(text)).run(forbidden)
    except RefusedTextError as error:
        return str(error)
    return None


class _Lint:
    """The rules on one text.

    Attributes:
        macros: name → the line of its first definition.
        with_arguments: macros that take some.
        calling: macros that may call something.
    """

    def __init__(self, found: list[Token]) -> None:
        self.tokens = found
        self.partner = matching(found)
        self.scopes = Scopes(found, self.partner)
        self.functions: set[str] = set()
        self.macros: dict[str, int] = {}
        self.with_arguments: set[str] = set()
        self.calling: set[str] = set()

    def run(self, forbidden: Collection[str]) -> None:
        lines = list(directives(self.tokens))
        for line in lines:
            self._directive(line)
        for position, token in enumerate(self.tokens):
            if token.kind == "name":
                self._word(position, token, forbidden)
            elif token.kind == "string":
                self._text(position, token)
            elif token.text in ("##", "...", "->*", ".*") or (token.text == "#" and not token.directive):
                raise RefusedTextError(token.line, f"{token.text} is not for kernels here")
        self.functions = own_functions(self.scopes)
        refuse_dynamic_start(self.scopes, self.functions)
        for line in lines:
            if self._at(line.start + 1).text == "define" and len(line) > 2:
                self._define(self.tokens[line[2]], line[3:])
        for position, token in enumerate(self.tokens):
            if not token.directive:
                self._use(position, self._at(position - 1), ())
        for token, scope in zip(self.scopes.tokens, self.scopes.scope, strict=True):
            if token.text in self.calling and scope != BODY:
                raise RefusedTextError(token.line, f"the macro {token.text} may call something outside of any function")

    def _at(self, position: int) -> Token:
        return self.tokens[position] if 0 <= position < len(self.tokens) else NOTHING

    # --- words --------------------------------------------------------------------------------------------------------

    def _word(self, position: int, token: Token, forbidden: Collection[str]) -> None:
        word, line = token.text, token.line
        if word in forbidden:
            raise RefusedTextError(line, f"it uses {word}: this exercise is to be solved without it")
        if word in REFUSED:
            raise RefusedTextError(line, f"{word} {REFUSED[word]}")
        if RESERVED.match(word) and word not in UNDERSCORED:
            raise RefusedTextError(line, f"{word} is no name of CUDA's that the course knows")
        if word == "printf" and (self._at(position + 1).text != "(" or self._at(position + 2).kind != "string"):
            raise RefusedTextError(line, 'the format of printf stands right behind its bracket: printf("…", x)')
        if word == "extern" and self._at(position + 1).text != "__shared__" and not self._is_kernel(position + 1):
            what = 'extern "C" __global__ void NAME(…) {…}, and extern __shared__ arrays'
            raise RefusedTextError(line, f"extern is for {what}")

    def _is_kernel(self, position: int) -> bool:
        """Whether ``"C" __global__ void NAME(…) {`` stands there, with or without launch bounds."""
        for word in ('"C"', "__global__", "void"):
            while self._at(position).text == "__launch_bounds__":
                position = self.partner[position + 1] + 1
            if self._at(position).text != word:
                return False
            position += 1
        if self._at(position).text == "__launch_bounds__":
            position = self.partner[position + 1] + 1
        if self._at(position).kind != "name" or self._at(position + 1).text != "(":
            return False
        return self._at(self.partner[position + 1] + 1).text == "{"

    def _text(self, position: int, token: Token) -> None:
        """Formats of printf that neither read nor write through a pointer; and the C of ``extern "C"``."""
        if self._at(position - 1).text == "extern" and token.text == '"C"':
            return
        if self._at(position - 1).kind == "string":
            return  # looked at with the first of the texts that the compiler joins
        if self._at(position - 1).text != "(" or self._at(position - 2).text != "printf":
            raise RefusedTextError(token.line, f"the text {token.text[:40]} is no format of printf")
        joined = takewhile(lambda other: other.kind == "string", self.tokens[position:])
        if UNCHECKED_FORMAT.search("".join(other.text[1:-1] for other in joined)):
            raise RefusedTextError(token.line, "a format with %s or %n goes to memory that nobody checks")

    # --- the preprocessor ---------------------------------------------------------------------------------------------

    def _directive(self, line: range) -> None:
        number = self.tokens[line[0]].line
        word = self.tokens[line[1]].text if len(line) > 1 else ""
        if word == "pragma":
            if len(line) < 3 or self.tokens[line[2]].text != "unroll":
                raise RefusedTextError(number, "of all pragmas only #pragma unroll is for kernels here")
        elif word == "include":
            raise RefusedTextError(number, "#include is not needed: the functions of CUDA are there already")
        elif word not in PLAIN_DIRECTIVES:
            raise RefusedTextError(number, f"#{word} is not for kernels here")

    def _define(self, name: Token, rest: range) -> None:
        if name.text in KNOWN or name.text in self.functions:
            raise RefusedTextError(name.line, f"{name.text} has a meaning already: give the macro another name")
        parameters: set[str] = set()
        body = rest
        takes = bool(rest) and self.tokens[rest[0]].text == "("
        takes = takes and self.tokens[rest[0]].start == name.start + len(name.text)
        if name.text in self.macros and takes != (name.text in self.with_arguments):
            raise RefusedTextError(name.line, f"the macro {name.text} is defined with and without arguments")
        if takes:
            close = self.partner[rest[0]]
            parameters = {self.tokens[i].text for i in range(rest[0], close) if self.tokens[i].kind == "name"}
            self._parameters(name, parameters)
            body = range(close + 1, rest[-1] + 1)
            self.with_arguments.add(name.text)
        elif name.text in self.macros and not name.conditional:
            raise RefusedTextError(name.line, f"the macro {name.text} is defined twice")
        self.macros.setdefault(name.text, name.line)
        for position in body:
            token = self.tokens[position]
            if position in self.partner and self.partner[position] not in body:
                raise RefusedTextError(name.line, f"the macro {name.text} holds a bracket without its partner")
            if token.kind == "name" and token.text not in KEYWORDS | ATTRIBUTES | parameters | set(self.macros):
                self.calling.add(name.text)
            if token.text in self.calling:
                self.calling.add(name.text)
            before = NOTHING if position == body.start else self._at(position - 1)
            self._use(position, before, parameters)

    def _parameters(self, name: Token, parameters: set[str]) -> None:
        """A macro with arguments: defined once, or once in each branch, its parameters being nothing else.

        Where no branch defines it, its name must not be that of a function of the system: they have no capitals.
        """
        if name.conditional and not name.text.isupper():
            why = "takes arguments inside #if: write its name in capitals"
            raise RefusedTextError(name.line, f"the macro {name.text} {why}")
        if name.text in self.macros and not name.conditional:
            raise RefusedTextError(name.line, f"the macro {name.text} is defined twice")
        wrong = parameters & (KNOWN | self.functions | set(self.macros))
        if wrong:
            raise RefusedTextError(name.line, f"{min(wrong)} means something: give that parameter another name")

    # --- calls --------------------------------------------------------------------------------------------------------

    def _use(self, position: int, before: Token, parameters: Collection[str]) -> None:
        """One token where it stands: what it calls, and what a macro could make of it."""
        token = self.tokens[position]
        if token.text == "[":
            named = before.kind == "name" and (before.text not in KEYWORDS or before.text in TYPES)
            if not named and before.text not in (")", "]"):
                raise RefusedTextError(token.line, "[ belongs behind an array's name: no lambdas and no attributes")
        elif token.text == "(":
            self._call(position, before, parameters)
        elif token.kind == "name" and (token.text in parameters or token.text in self.macros):
            joined = before.text == "]" or (before.kind == "name" and before.text not in KEYWORDS)
            if joined or (before.text == ")" and not self._is_cast_or_control(position - 1)):
                raise RefusedTextError(token.line, f"{token.text} follows {before.text}: put a sign in between")

    def _call(self, position: int, before: Token, parameters: Collection[str]) -> None:
        line = self.tokens[position].line
        if before.text == "]":
            raise RefusedTextError(line, "an element of an array is called like a function")
        if before.text == ")" and not self._is_cast_or_control(position - 1):
            way_out = "a cast to a type of your own is written static_cast<T>(x)"
            raise RefusedTextError(line, f"what is in brackets is called like a function; {way_out}")
        if before.kind == "name" and before.text not in BEFORE_BRACKET | ATTRIBUTES | FUNCTIONS | self.functions:
            defined = self.macros.get(before.text, line)
            if before.text in parameters or before.text not in self.with_arguments or defined >= line:
                why = "is neither a function of this text nor one of the device"
                raise RefusedTextError(line, f"{before.text}(…) {why}")

    def _is_cast_or_control(self, close: int) -> bool:
        """Whether a closing bracket ends ``(const float *)``, ``if (…)`` or ``__launch_bounds__(…)``."""
        opened = self.partner[close]
        inside = [self.tokens[i].text for i in range(opened + 1, close)]
        types = inside[:1] != ["*"] and all(word in TYPE_WORDS or word in "*&" for word in inside)
        return self._at(opened - 1).text in CONTROL | ATTRIBUTES or (bool(inside) and types)
