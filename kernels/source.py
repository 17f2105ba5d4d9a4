"""A kernel file's text, and where it came from."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from solutions.errors import CourseError

HERE = Path(__file__).parent
MAX_BYTES = 1 << 20
"""Kernel files are screens of text; a megabyte is something else."""


@dataclass(frozen=True)
class Source:
    """CUDA C++ text.

    Attributes:
        text: as written; line 1 is the first line of ``text``.
        name: for messages: the file's name, or ``kernel text``.
        path: the file, or None for text.
    """

    text: str
    name: str
    path: Path | None = None


def read(source: str | os.PathLike[str]) -> Source:
    """Take text as it is; read a path; look up a bare file name in ``kernels/``.

    A string is text when it has a line break or the word ``__global__``.

    Raises:
        CourseError: there is no such file, or it is not text.
    """
    if isinstance(source, str) and ("\n" in source or "__global__" in source):
        return Source(_checked(source, "kernel text"), "kernel text")
    if not isinstance(source, (str, os.PathLike)):
        raise CourseError(f"a kernel is a file name or text, not {type(source).__name__}")
    path = Path(source)
    if not path.exists() and path.parent == Path("."):
        path = HERE / path
    try:
        data = path.read_bytes()
    except OSError as error:
        known = ", ".join(sorted(file.name for file in HERE.glob("*.cu")))
        raise CourseError(f"cannot read the kernel file {source}: {error.strerror}; the course has {known}") from None
    if len(data) > MAX_BYTES:
        raise CourseError(f"{path.name} has {len(data):,} bytes; a kernel file has at most {MAX_BYTES:,}")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise CourseError(f"{path.name} is not UTF-8 text; save it as UTF-8") from None
    return Source(_checked(text.replace("\r\n", "\n"), path.name), path.name, path)


def _checked(text: str, name: str) -> str:
    if "\0" in text:
        raise CourseError(f"{name} holds a NUL character; it is no kernel text")
    if not text.strip():
        raise CourseError(f"{name} is empty; a kernel begins with: extern \"C\" __global__ void name(...)")
    return text
