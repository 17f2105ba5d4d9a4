"""Reading notebooks that may be anything: each fault is one line that says what to do about it."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solutions.errors import CourseError

SIZE_LIMIT = 20 * 10**6
"""Bytes; a chapter with all its pictures takes less than one million."""

CELL_LIMIT = 2000


@dataclass(frozen=True)
class Cell:
    """A cell as it stands in the file.

    Attributes:
        number: position in the notebook, from 1, all kinds of cells counted.
        kind: ``"code"``, ``"markdown"`` or ``"raw"``.
        source: its text.
        course: what the release noted in its metadata, if it is still there.
    """

    number: int
    kind: str
    source: str
    course: dict[str, Any]


@dataclass(frozen=True)
class Notebook:
    """A notebook, read; ``course`` is what the release noted in its metadata."""

    path: Path
    cells: tuple[Cell, ...]
    course: dict[str, Any]


def read_notebook(path: Path) -> Notebook:
    """Read a notebook of format 4.

    Raises:
        CourseError: it is no regular file, empty, too large, not UTF-8, not JSON, not a notebook, or of another format.
    """
    document = _json(_bytes(path), path.name)
    if not isinstance(document, dict) or not ("cells" in document or "nbformat" in document):
        raise CourseError(f"{path.name} is not a notebook: there are no cells in it; hand in the .ipynb file itself")
    if document.get("nbformat") != 4:
        raise CourseError(
            f"{path.name} has notebook format {str(document.get('nbformat'))[:10]}, not 4; "
            "open it in Jupyter and save it again"
        )
    cells = document.get("cells")
    if not isinstance(cells, list):
        raise CourseError(f"{path.name} is damaged: its list of cells is missing; restore it from a backup")
    if len(cells) > CELL_LIMIT:
        raise CourseError(f"{path.name} has {len(cells)} cells, more than {CELL_LIMIT}; delete those you do not need")
    return Notebook(path, tuple(_cell(n, cell) for n, cell in enumerate(cells, 1)), _course(document))


def _bytes(path: Path) -> bytes:
    try:
        found = path.lstat()
        if stat.S_ISLNK(found.st_mode):
            raise CourseError(f"{path.name} is a link, not a file; hand in the notebook itself")
        if not stat.S_ISREG(found.st_mode):
            raise CourseError(f"{path.name} is not a file; hand in the notebook itself")
        if found.st_size == 0:
            raise CourseError(f"{path.name} is empty; save the notebook and hand it in again")
        if found.st_size > SIZE_LIMIT:
            raise _too_large(path, found.st_size)
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as handle:
            data = handle.read(SIZE_LIMIT + 1)  # it may have grown since
    except OSError as error:
        raise CourseError(f"{path.name} cannot be read: {error.strerror}; check its permissions") from error
    if len(data) > SIZE_LIMIT:
        raise _too_large(path, len(data))
    return data


def _too_large(path: Path, size: int) -> CourseError:
    return CourseError(
        f"{path.name} has {size / 1e6:.0f} MB, more than {SIZE_LIMIT / 1e6:.0f}; clear its outputs and save it again"
    )


def _json(data: bytes, name: str) -> Any:
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise CourseError(f"{name} is damaged: byte {error.start} is not UTF-8; restore it from a backup") from error
    except RecursionError as error:
        raise CourseError(f"{name} is not a notebook: it is nested too deep") from error
    except json.JSONDecodeError as error:
        raise CourseError(
            f"{name} is not a notebook: no valid JSON at line {error.lineno}, column {error.colno}; "
            "download it as .ipynb and hand it in again"
        ) from error
    except ValueError as error:  # a number with thousands of digits
        raise CourseError(f"{name} is not a notebook: it holds a number too long to be read") from error


def _cell(number: int, cell: object) -> Cell:
    if not isinstance(cell, dict):
        return Cell(number, "raw", "", {})
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    kind = cell.get("cell_type")
    return Cell(number, str(kind), source if isinstance(source, str) else "", _course(cell))


def _course(holder: dict[str, Any]) -> dict[str, Any]:
    metadata = holder.get("metadata")
    course = metadata.get("course") if isinstance(metadata, dict) else None
    return course if isinstance(course, dict) else {}
