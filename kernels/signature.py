"""The kernels of a text: their names and parameters, read without a compiler, for messages that name an argument."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernels.errors import CompileError
from kernels.source import Source

_SCALARS: dict[str, str] = {
    "float": "float32",
    "double": "float64",
    "bool": "bool",
    "char": "int8",
    "signed char": "int8",
    "unsigned char": "uint8",
    "short": "int16",
    "unsigned short": "uint16",
    "int": "int32",
    "unsigned": "uint32",
    "unsigned int": "uint32",
    "long long": "int64",
    "unsigned long long": "uint64",
    "long": "int64",
    "unsigned long": "uint64",
    "size_t": "uint64",
    "int8_t": "int8",
    "uint8_t": "uint8",
    "int16_t": "int16",
    "uint16_t": "uint16",
    "int32_t": "int32",
    "uint32_t": "uint32",
    "int64_t": "int64",
    "uint64_t": "uint64",
}
_VECTORS = {"float2": ("float32", 2), "float4": ("float32", 4), "int2": ("int32", 2), "int4": ("int32", 4),
            "uint2": ("uint32", 2), "uint4": ("uint32", 4), "double2": ("float64", 2), "uchar4": ("uint8", 4)}
_ORDER = {"int": 9, "long": 2, "short": 3, "char": 4, "unsigned": 0, "signed": 1}
_QUALIFIERS = {"const", "volatile", "__restrict__", "__restrict", "restrict", "struct", "__grid_constant__"}
_NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^()\\\s]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL
)
_BOUNDS = r"__launch_bounds__\s*\((?P<{0}>(?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)\s*"
_KERNEL = re.compile(
    r"\b__global__\s+(?:(?:static|inline|__forceinline__)\s+)*(?:"
    + _BOUNDS.format("before")
    + r")?(?:static\s+|inline\s+)*void\s+"
    r"(?:" + _BOUNDS.format("after") + r")?(?P<name>[A-Za-z_]\w*)\s*\("
)


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel.

    Attributes:
        name: as written; ``argument N`` where there is none.
        kind: ``pointer``, ``scalar``, ``struct`` or ``unknown`` (a type that the text or a macro defines).
        type: the type pointed to, or of the value, without qualifiers.
        const: a pointer to const.
        dtype: NumPy's name for it, None where not known.
        lanes: elements of ``dtype`` in one ``type``: 4 for float4.
    """

    name: str
    kind: str
    type: str
    const: bool
    dtype: np.dtype[Any] | None
    lanes: int = 1


@dataclass(frozen=True)
class Signature:
    """A kernel as declared: ``max_threads`` is its launch bound, where that is a plain number."""

    name: str
    parameters: tuple[Parameter, ...]
    line: int
    max_threads: int | None = None
    template: bool = False

    def __str__(self) -> str:
        parts = [
            f"{'const ' if p.const else ''}{p.type}{'*' if p.kind == 'pointer' else ''} {p.name}"
            for p in self.parameters
        ]
        return f"{self.name}({', '.join(parts)})"


def signatures(source: Source) -> tuple[Signature, ...]:
    """All kernels of a text, templates too, in order; each once.

    Raises:
        CompileError: there is no kernel, or a parameter list does not end.
    """
    text = plain(source.text)
    found: dict[str, Signature] = {}
    for match in _KERNEL.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        end = _closing(text, match.end())
        if end is None:
            raise CompileError(f"the parameter list of {match['name']} does not end", line)
        head = text[:match.start()].rstrip()
        head = re.sub(r'extern\s*$|\bstatic\s*$', "", head).rstrip()
        parameters = tuple(_parameter(part, number) for number, part in enumerate(_split(text[match.end():end])))
        bound = match["before"] or match["after"]
        number = bound.split(",")[0].strip() if bound else ""
        found.setdefault(
            match["name"],
            Signature(match["name"], parameters, line, int(number) if number.isdigit() else None, head.endswith(">")),
        )
    if not found:
        raise CompileError(f'{source.name} has no kernel; one begins with: extern "C" __global__ void name(...)', None)
    return tuple(found.values())


def plain(text: str) -> str:
    """The text without comments, strings and preprocessor lines; every line keeps its number."""
    text = _NOISE.sub(_blank, text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", _blank, text, flags=re.MULTILINE)


def without_comments(text: str) -> str:
    """The text without comments; every line keeps its number."""
    return _NOISE.sub(lambda match: _blank(match) if match[0].startswith("/") else match[0], text)


def _blank(match: re.Match[str]) -> str:
    return " " + "\n" * match[0].count("\n")


def _closing(text: str, start: int) -> int | None:
    depth = 1
    for position in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if not depth:
            return position
    return None


def _split(text: str) -> list[str]:
    """At commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += {"(": 1, "<": 1, "[": 1, ")": -1, ">": -1, "]": -1}.get(character, 0)
        if character == "," and not depth:
            parts.append(text[start:position])
            start = position + 1
    parts.append(text[start:])
    return [part for part in parts if part.strip() not in ("", "void")]


def _parameter(text: str, number: int) -> Parameter:
    text = text.split("=")[0]
    array = re.search(r"\[[^\]]*\]\s*$", text.strip())
    if array:
        text = text.strip()[: array.start()]
    before, star, after = text.rpartition("*")
    pointers = text.count("*") + bool(array)
    words = re.findall(r"[A-Za-z_][\w:]*(?:\s*<[^>]*>)?", before if star else after)
    tail = [word for word in re.findall(r"[A-Za-z_]\w*", after) if word not in _QUALIFIERS] if star else []
    const = "const" in re.findall(r"[A-Za-z_]\w*", text.split("*")[0])
    words = [word for word in words if word not in _QUALIFIERS]
    known = [word for word in words if word in _ORDER]
    if star:
        name = tail[-1] if tail else ""
    else:
        typed = len(known) == len(words) or len(words) <= 1
        name = "" if typed else words.pop()
    known = sorted((word for word in words if word in _ORDER), key=_ORDER.__getitem__)
    kind_of = " ".join(known if len(known) == len(words) else words)
    kind_of = _normal(kind_of)
    name = name or f"argument {number}"
    if pointers:
        return _pointer(name, kind_of, const, pointers)
    if kind_of in _SCALARS:
        return Parameter(name, "scalar", kind_of, False, np.dtype(_SCALARS[kind_of]))
    if kind_of in _VECTORS:
        base, lanes = _VECTORS[kind_of]
        return Parameter(name, "struct", kind_of, False, np.dtype(base), lanes)
    return Parameter(name, "unknown", kind_of, False, None)


def _normal(words: str) -> str:
    parts = words.split()
    if "int" in parts and len(parts) > 1 and parts != ["unsigned", "int"]:
        parts.remove("int")
    if parts and parts[0] == "signed" and parts[1:] != ["char"]:
        parts = parts[1:] or ["int"]
    return " ".join(parts)


def _pointer(name: str, kind_of: str, const: bool, depth: int) -> Parameter:
    if depth > 1:
        return Parameter(name, "unknown", kind_of + "*" * depth, const, None)
    if kind_of in _VECTORS:
        base, lanes = _VECTORS[kind_of]
        return Parameter(name, "pointer", kind_of, const, np.dtype(base), lanes)
    dtype = _SCALARS.get(kind_of)
    return Parameter(name, "pointer", kind_of, const, np.dtype(dtype) if dtype else None)
