"""Kernel texts as trees: what the rewriting of :mod:`kernels.emulator.lanes` asks of tree-sitter's nodes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

WORDS = frozenset((
    "bool", "const", "else", "false", "float", "for", "if", "int", "return", "static", "struct", "template", "true",
    "unsigned", "void", "uint3", "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "min", "max", "ceilf",
    "cosf", "expf", "fabsf", "floorf", "fmaf", "fmaxf", "fminf", "logf", "log2f", "powf", "rsqrtf", "sinf", "sqrtf",
    "tanhf", "__expf", "__logf", "__fdividef", "__float_as_int", "__float_as_uint", "__int_as_float",
    "__uint_as_float",
))
"""What a macro or a function of the text must not redefine."""
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(.*)$", re.MULTILINE)
_NUMBER = re.compile(r"\s*\(?-?(0[xX][0-9a-fA-F]+|[0-9.]+([eE][-+]?\d+)?)[fFuUlL]*\)?\s*(//.*|/\*[^/]*\*/\s*)?")


class UnknownError(Exception):
    """Something in the kernel that this pass does not understand."""


def number_macros(text: str) -> frozenset[str] | None:
    """Macros that are plain numbers, defined once; None where another one could change what words mean."""
    found = DEFINE.findall(text)
    names = [name for name, _ in found]
    if "\\\n" in text or re.search(r"#[ \t]*undef", text) or any(name in WORDS for name in names):
        return None
    return frozenset(name for name, value in found if names.count(name) == 1 and _NUMBER.fullmatch(value))


def top_level(root: Node) -> list[Node]:
    """Functions of the file, also within ``extern "C"``; nothing below ``#if``, a namespace or a template."""
    found = []
    for node in root.named_children:
        if node.type == "linkage_specification" and (body := node.child_by_field_name("body")) is not None:
            found += [body] if body.type == "function_definition" else body.named_children
        else:
            found.append(node)
    return found


def function_name(node: Node) -> str:
    """The name that a function definition begins with, or nothing."""
    declarator = node.child_by_field_name("declarator")
    inner = declarator.child_by_field_name("declarator") if declarator is not None else None
    return text_of(inner) if inner is not None else ""


def text_of(node: Node) -> str:
    """The source that a node covers."""
    return (node.text or b"").decode()


def field_of(node: Node, name: str) -> Node:
    """A field of a node.

    Raises:
        UnknownError: it has none of that name.
    """
    child = node.child_by_field_name(name)
    if child is None:
        raise UnknownError(name)
    return child


def nodes(node: Node) -> list[Node]:
    """A node and all below it."""
    found = [node]
    for child in node.children:
        found += nodes(child)
    return found


def children_of(node: Node) -> list[Node]:
    """Named children without comments."""
    return [child for child in node.named_children if child.type != "comment"]


def bare(node: Node) -> Node:
    """An expression without the parentheses around it."""
    while node.type == "parenthesized_expression":
        node = children_of(node)[0]
    return node


def written_to(node: Node) -> Node | None:
    """What an assignment or ``++`` writes to."""
    if node.type == "assignment_expression":
        return bare(field_of(node, "left"))
    return bare(field_of(node, "argument")) if node.type == "update_expression" else None


def declared_name(declarator: Node) -> str:
    """The name that a declarator without arrays, functions and references declares."""
    while declarator.type in ("init_declarator", "pointer_declarator"):
        declarator = field_of(declarator, "declarator")
    if declarator.type != "identifier":
        raise UnknownError(declarator.type)
    return text_of(declarator)


def stores(node: Node) -> bool:
    """Whether anything in it may write to memory."""
    targets = [target for inner in nodes(node) if (target := written_to(inner)) is not None]
    return any(target.type != "identifier" for target in targets)


def stars(declarator: Node) -> str:
    """The stars of a pointer's declarator."""
    return "*" * sum(inner.type == "pointer_declarator" for inner in nodes(declarator))
