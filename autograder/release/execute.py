"""Running the reference editions, and keeping of their outputs what is the same on every machine."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from autograder.release.editions import code_digest, output_digest
from solutions.errors import CourseError

CELL_SECONDS = 240
ADDRESS = re.compile(r"\bat 0x[0-9a-f]{6,}")
WARNING = re.compile(r"\b\w*Warning: .*")
SHARP_PLOTS = ("--InlineBackend.figure_formats={'retina'}",)
"""Twice the pixels: a phone has two or three for each that a page counts."""


def carry_outputs(fresh: NotebookNode, old: NotebookNode | None) -> bool:
    """Give ``fresh`` the outputs of ``old`` if they were made by the same code; False if it must be run.

    False also if the outputs are not those that the run left: figures edited by hand are no measurement.
    """
    course = {} if old is None else old.metadata.get("course", {})
    if old is None or course.get("executed") != code_digest(fresh) or course.get("outputs") != output_digest(old):
        return False
    ours, theirs = ([cell for cell in book.cells if cell.cell_type == "code"] for book in (fresh, old))
    for cell, done in zip(ours, theirs, strict=True):
        cell.outputs, cell.execution_count = done.outputs, done.execution_count
    _sign(fresh)
    return True


def execute(notebook: NotebookNode, folder: Path, places: list[str]) -> None:
    """Run all cells in ``folder`` and keep the outputs in ``notebook``.

    Args:
        notebook: an edition without outputs.
        folder: where it runs.
        places: for each cell what messages call it: file and line of the chapter.

    Raises:
        CourseError: a cell fails or takes too long, warns, or would carry something of this machine in its
            output: a path or an address.
    """
    reached = [0]
    client = NotebookClient(
        notebook,
        on_cell_start=lambda cell, cell_index: reached.append(cell_index),
        timeout=CELL_SECONDS,
        resources={"metadata": {"path": str(folder)}},
        record_timing=False,
        coalesce_streams=True,
        extra_arguments=list(SHARP_PLOTS),
    )
    try:
        client.execute()
    except CellExecutionError as error:
        reason = f"the cell fails: {error.ename}: {_first_line(error.evalue)}"
        raise CourseError(f"{places[reached[-1]]}: {reason}; nothing of this chapter was written") from error
    except (CellTimeoutError, DeadKernelError) as error:
        reason = _first_line(str(error))
        raise CourseError(f"{places[reached[-1]]}: {reason}; nothing of this chapter was written") from error
    traces = {str(folder.resolve().parent), f"{Path.home()}/", sys.prefix, f"{tempfile.gettempdir()}/"}
    for cell, place in zip(notebook.cells, places, strict=True):
        if cell.cell_type == "code":
            _demand_no_warning(cell, place)
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
            _demand_portable(cell, place, sorted(traces))
    _sign(notebook)
    notebook.metadata.language_info = NotebookNode(name="python")  # the kernel writes its version there


def _sign(notebook: NotebookNode) -> None:
    notebook.metadata.course["executed"] = code_digest(notebook)
    notebook.metadata.course["outputs"] = output_digest(notebook)


def _first_line(text: str) -> str:
    return next(iter(text.strip().splitlines()), "")


def _demand_no_warning(cell: NotebookNode, place: str) -> None:
    """Progress bars and messages on stderr are for the one who waits, and are dropped; a warning must be dealt with."""
    for output in cell.outputs:
        warning = WARNING.search(output.text) if output.get("name") == "stderr" else None
        if warning:
            raise CourseError(f"{place}: the cell warns, which students would take for an error: {warning[0]}")


def _demand_portable(cell: NotebookNode, place: str, traces: list[str]) -> None:
    for output in cell.outputs:
        for text in _texts(output):
            for trace in traces:
                if trace in text:
                    raise CourseError(f"{place}: prints a path of this machine ({trace}): print something portable")
            if ADDRESS.search(text):
                raise CourseError(f"{place}: prints a memory address, which differs at every run")


def _texts(output: NotebookNode) -> Iterator[str]:
    yield output.get("text", "")
    yield "\n".join(output.get("traceback", []))
    yield from (str(value) for kind, value in output.get("data", {}).items() if not kind.startswith("image/"))
