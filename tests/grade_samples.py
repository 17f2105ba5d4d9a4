"""A course to grade against, cut from the real exercises, and submissions to it: as the release writes them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from autograder.cases import registry
from autograder.grade.grading import grade_notebook
from autograder.grade.results import ExerciseResult, NotebookResult
from autograder.grade.sandbox import Limits
from autograder.release.exercise import load_exercise

ROOT = Path(__file__).resolve().parents[1]
STEMS = {1: "01_tensors", 2: "02_matmul", 3: "03_linear", 4: "04_loss", 5: "05_training"}
POINTS = 10
IMPORTS = "import math\nimport numpy as np\nfrom autograder import check\n"
SETUPS = {
    1: IMPORTS + "from solutions.tensor import broadcast_shape",
    2: IMPORTS + "import matplotlib.pyplot as plt\nfrom solutions.tensor import row_major_strides",
    3: IMPORTS + "from solutions.linear import index_product",
    4: IMPORTS,
    5: IMPORTS + "from solutions.memory_plan import FLOAT32_BYTES, MOMENTS, TrainingBytes",
}
QUICK = Limits(call_seconds=2.0, notebook_seconds=30.0)


def code(source: str, course: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A code cell without outputs."""
    metadata = {"course": dict(course)} if course else {}
    return {"cell_type": "code", "metadata": metadata, "source": source, "outputs": [], "execution_count": None}


def document(
    chapter: int,
    edition: str = "reference",
    answers: Mapping[str, str | None] | None = None,
    *,
    marks: bool = True,
    before: Iterable[str] = (),
    after: Iterable[str] = (),
) -> dict[str, Any]:
    """A notebook of a chapter.

    Args:
        chapter: its number.
        edition: ``"reference"`` or ``"student"``: what fills the exercises that ``answers`` does not name.
        answers: function name → the student's cell; None leaves the cell out.
        marks: keep the release's metadata, which some editors lose.
        before, after: the student's own cells, before the exercises and after them.
    """
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "metadata": {}, "source": [f"# {chapter}. Title\n", "Prose."]},
        code(SETUPS[chapter], {"role": "setup"} if marks else None),
        *(code(source) for source in before),
    ]
    for cases in registry.for_chapter(chapter):
        exercise = load_exercise(ROOT, cases.exercise)
        text = exercise.reference if edition == "reference" else exercise.student
        source = (answers or {}).get(cases.name, text)
        if source is not None:
            facts = {"role": "exercise", "exercise": cases.exercise, "points": POINTS}
            cells.append(code(source, facts if marks else None))
            check = {"role": "check", "exercise": cases.exercise}
            cells.append(code(f"check({cases.name})", check if marks else None))
    cells += (code(source) for source in after)
    metadata = {"course": {"chapter": STEMS[chapter]}} if marks else {}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}


def write(path: Path, content: Mapping[str, Any] | str) -> Path:
    """Write a notebook, or any text, to ``path``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def write_course(root: Path, chapters: Iterable[int] = STEMS) -> Path:
    """Write ``chapters/`` and ``solutions/`` below ``root``, as a release does; returns ``root``."""
    for chapter in chapters:
        write(root / "chapters" / f"{STEMS[chapter]}.ipynb", document(chapter, "student"))
        write(root / "solutions" / f"{STEMS[chapter]}.ipynb", document(chapter))
    return root


def grade(
    root: Path, answers: Mapping[str, str | None], chapter: int = 1, limits: Limits = QUICK, **options: Any
) -> NotebookResult:
    """Grade a submission in which ``answers`` replace the reference's cells."""
    path = write(root / "submitted" / f"{STEMS[chapter]}.ipynb", document(chapter, answers=answers, **options))
    return grade_notebook(path, limits=limits, root=root)


def by_name(result: NotebookResult) -> dict[str, ExerciseResult]:
    """Function name → result."""
    return {exercise.exercise.rpartition("::")[2]: exercise for exercise in result.exercises}
