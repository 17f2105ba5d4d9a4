"""Files that are no notebooks: one line each, that names the file and the way out."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from autograder.grade.notebook import SIZE_LIMIT, read_notebook
from solutions.errors import CourseError
from tests.grade_samples import document

GOOD = json.dumps(document(1))


def with_notebook(**changes: object) -> bytes:
    return json.dumps({**document(1), **changes}).encode()


BAD = {
    "empty": (b"", "is empty"),
    "not JSON": (b"<html>Log in</html>", "not a notebook: no valid JSON at line 1, column 1"),
    "cut off": (GOOD[: len(GOOD) // 2].encode(), "no valid JSON"),
    "not UTF-8": (GOOD.encode().replace(b"Prose", b"Pr\xff\xfese"), "is not UTF-8"),
    "a list": (b"[1, 2]", "there are no cells"),
    "a number": (b"3", "there are no cells"),
    "other JSON": (b'{"a": 1}', "there are no cells"),
    "nested too deep": (b"[" * 10**6, "nested too deep"),
    "nested too deep and closed": (b"[" * 10**5 + b"]" * 10**5, "nested too deep"),
    "a long number": (b'{"cells": ' + b"9" * 10**4 + b"}", "number too long"),
    "format 3": (b'{"nbformat": 3, "worksheets": []}', "format 3, not 4; open it in Jupyter"),
    "no format": (with_notebook(nbformat=None), "format None"),
    "no cells": (b'{"nbformat": 4, "metadata": {}}', "list of cells is missing"),
    "cells as text": (with_notebook(cells="cells"), "list of cells is missing"),
    "too many cells": (with_notebook(cells=[{}] * 3000), "3000 cells"),
}


@pytest.mark.parametrize("fault", BAD)
def test_bad_files(fault: str, tmp_path: Path) -> None:
    content, words = BAD[fault]
    path = tmp_path / "01_tensors.ipynb"
    path.write_bytes(content)
    with pytest.raises(CourseError, match=r"01_tensors\.ipynb") as caught:
        read_notebook(path)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_fifty_megabytes_are_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.ipynb"
    with path.open("wb") as handle:
        handle.truncate(50 * 10**6)
    monkeypatch.setattr(os, "open", None)  # opening it would be an error
    with pytest.raises(CourseError, match=r"50 MB, more than 20; clear its outputs"):
        read_notebook(path)


def test_links_folders_and_missing_files(tmp_path: Path) -> None:
    target = tmp_path / "a.ipynb"
    target.write_text(GOOD)
    link, folder = tmp_path / "link.ipynb", tmp_path / "folder.ipynb"
    link.symlink_to(target)
    folder.mkdir()
    os.mkfifo(tmp_path / "pipe.ipynb")
    for path, words in ((link, "is a link"), (folder, "is not a file"), (tmp_path / "pipe.ipynb", "is not a file")):
        with pytest.raises(CourseError, match=words):
            read_notebook(path)
    with pytest.raises(CourseError, match="cannot be read"):
        read_notebook(tmp_path / "none.ipynb")


def test_large_outputs_are_fine_up_to_the_limit(tmp_path: Path) -> None:
    notebook = document(1)
    notebook["cells"][1]["outputs"] = [{"output_type": "stream", "text": "x" * (SIZE_LIMIT - 10**5)}]
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps(notebook))
    assert len(read_notebook(path).cells) == len(notebook["cells"])


def test_odd_cells_are_read_as_far_as_they_go(tmp_path: Path) -> None:
    cells = [
        None,
        {"cell_type": "code", "source": ["a = 1\n", 7, "b = 2"]},
        {"cell_type": "code", "source": {"no": "text"}},
        {"cell_type": "code", "metadata": {"course": "mine"}, "source": "c"},
        {"cell_type": ["code"]},
    ]
    path = tmp_path / "a.ipynb"
    path.write_bytes(b"\xef\xbb\xbf" + with_notebook(cells=cells, metadata={"course": {"chapter": "01_tensors"}}))
    notebook = read_notebook(path)
    assert [cell.source for cell in notebook.cells] == ["", "a = 1\nb = 2", "", "c", ""]
    assert [cell.kind for cell in notebook.cells] == ["raw", "code", "code", "code", "['code']"]
    assert notebook.course == {"chapter": "01_tensors"}
    assert all(cell.course == {} for cell in notebook.cells)
