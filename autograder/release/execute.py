"""Running the reference editions, and keeping of their outputs what is the same on every machine."""

from __future__ import annotations

import re
from pathlib import Path

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from autograder.release.editions import code_digest
from solutions.errors import CourseError

CELL_SECONDS = 240
ADDRESS = re.compile(r"\bat 0x[0-9a-f]{6,}")


def carry_outputs(fresh: NotebookNode, old: NotebookNode | None) -> bool:
    """Give ``fresh`` the outputs of ``old`` if they were made by the same code; False if it must be run."""
    digest = code_digest(fresh)
    if old is None or old.metadata.get("course", {}).get("executed") != digest:
        return False
    ours, theirs = ([cell for cell in book.cells if cell.cell_type == "code"] for book in (fresh, old))
    if len(ours) != len(theirs):
        return False
    for cell, done in zip(ours, theirs, strict=True):
        cell.outputs, cell.execution_count = done.outputs, done.execution_count
    fresh.metadata.course["executed"] = digest
    return True


def execute(notebook: NotebookNode, folder: Path) -> None:
    """Run all cells in ``folder`` and keep the outputs in ``notebook``.

    Raises:
        CourseError: a cell fails, or an output would carry something of this machine: a path or an address.
    """
    name = notebook.metadata.course["chapter"]
    client = NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        resources={"metadata": {"path": str(folder)}},
        record_timing=False,
        coalesce_streams=True,
    )
    try:
        client.execute()
    except CellExecutionError as error:
        last = str(error).strip().splitlines()[-1]
        raise CourseError(f"reference edition {name}: a cell fails: {last}; nothing was written") from error
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
            _demand_portable(cell, f"reference edition {name}, cell {number}", folder.resolve().parent)
    notebook.metadata.course["executed"] = code_digest(notebook)
    notebook.metadata.language_info = NotebookNode(name="python")  # the kernel writes its version there


def _demand_portable(cell: NotebookNode, where: str, root: Path) -> None:
    for output in cell.outputs:
        texts = [output.get("text", ""), *(value for key, value in output.get("data", {}).items() if "text" in key)]
        for text in texts:
            for trace in (str(root), str(Path.home()) + "/"):
                if trace in text:
                    raise CourseError(f"{where} prints a path of this machine ({trace}): print something portable")
            if ADDRESS.search(text):
                raise CourseError(f"{where} prints a memory address, which differs at every run")
