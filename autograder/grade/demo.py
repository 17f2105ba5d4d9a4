"""A small class of good, broken and hostile notebooks, and its grades: ``python -m autograder.grade.demo OUT``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from autograder.grade import cli
from autograder.grade.released import COURSE_ROOT, released_chapters
from solutions.atomic import atomic_write
from solutions.command_line import OneLineParser, run
from solutions.errors import CourseError

Document = dict[str, Any]

WRAPPED = """{answer}


answer_of_{name} = {name}


def {name}(*args, **kwargs):
{body}
"""
CALL = "    return answer_of_{name}(*args, **kwargs)"

TRICKS: Mapping[str, str] = {
    "endless-loop": "    while True:\n        pass",
    "ends-its-process": "    import os\n\n    os._exit(0)",
    "memory-hog": "    import numpy as np\n\n    np.ones(10**12)\n" + CALL,
    "nan-answers": "    import numpy as np\n\n" + CALL + " * np.float32('nan')",
    "print-flood": "    print('flood ' * 10**6)\n" + CALL,
}
"""Name → what one exercise's function does instead of, or before, its right answer."""


def edition(root: Path, folder: str, stem: str) -> Document:
    """A built notebook: ``folder`` is ``"chapters"`` (unfilled) or ``"solutions"`` (reference); outputs left out.

    Raises:
        CourseError: it has not been built.
    """
    path = root / folder / f"{stem}.ipynb"
    try:
        document: Document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CourseError(f"no usable {path}; build it: python -m autograder release") from error
    for cell in document["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
    return document


def exercise_cells(document: Document) -> dict[str, Document]:
    """Function name → the cell that holds the exercise."""
    found = {}
    for cell in document["cells"]:
        course = cell["metadata"].get("course", {})
        if course.get("role") == "exercise":
            found[course["exercise"].rpartition("::")[2]] = cell
    return found


def source_of(cell: Document) -> str:
    """The text of a cell, which files hold as one string or as a list of lines."""
    return cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])


def half_filled(root: Path, stem: str) -> Document:
    """The student edition with every other exercise filled in from the reference edition."""
    document, reference = edition(root, "chapters", stem), exercise_cells(edition(root, "solutions", stem))
    for position, (name, cell) in enumerate(exercise_cells(document).items()):
        if position % 2 == 0:
            cell["source"] = source_of(reference[name])
    return document


def with_trick(root: Path, stem: str, body: str) -> Document:
    """The reference edition, in which the last exercise does ``body``."""
    document = edition(root, "solutions", stem)
    name, cell = list(exercise_cells(document).items())[-1]
    cell["source"] = WRAPPED.format(answer=source_of(cell), name=name, body=body.format(name=name))
    return document


def syntax_error(root: Path, stem: str) -> Document:
    """The reference edition, in which the last exercise lacks a colon."""
    document = edition(root, "solutions", stem)
    _, cell = list(exercise_cells(document).items())[-1]
    cell["source"] = source_of(cell).replace("):", ")", 1)
    return document


def write_class(root: Path, target: Path) -> None:
    """Write the class into ``target``: a folder for each student; tricks in the first chapter only."""
    stems = [chapter.stem for chapter in released_chapters(root).values()]
    whole: dict[str, Callable[[str], Document]] = {
        "full-marks": lambda stem: edition(root, "solutions", stem),
        "half-filled": lambda stem: half_filled(root, stem),
        "unfilled": lambda stem: edition(root, "chapters", stem),
    }
    for student, make in whole.items():
        for stem in stems:
            _write(target / student / f"{stem}.ipynb", json.dumps(make(stem)))
    for student, body in TRICKS.items():
        _write(target / student / f"{stems[0]}.ipynb", json.dumps(with_trick(root, stems[0], body)))
    _write(target / "syntax-error" / f"{stems[0]}.ipynb", json.dumps(syntax_error(root, stems[0])))
    _write(target / "not-json" / f"{stems[0]}.ipynb", "<html>Log in to download this file</html>")


def _write(path: Path, text: str) -> None:
    with atomic_write(path, "w") as handle:
        handle.write(text)


def main(arguments: Sequence[str]) -> int:
    """Build the class in ``OUT/submissions`` and grade it into ``OUT/grades``."""
    parser = OneLineParser(prog="python -m autograder.grade.demo", description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT", help="a folder for submissions and grades")
    parser.add_argument("--root", type=Path, default=COURSE_ROOT, help="the course (default: this one)")
    options = parser.parse_args(arguments)
    submissions, grades = options.out / "submissions", options.out / "grades"
    write_class(options.root, submissions)
    grade = OneLineParser()
    cli.add_arguments(grade)
    return cli.run(grade.parse_args([str(submissions), "--out", str(grades), "--root", str(options.root)]))


if __name__ == "__main__":
    sys.exit(run(main, sys.argv[1:]))
