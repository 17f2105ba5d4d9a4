"""What the course has released: chapters, exercises, points; read from the committed student notebooks.

Points are always taken from here, never from a submission.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from autograder.cases import registry
from autograder.cases.registry import Exercise
from autograder.grade.notebook import Cell, Notebook, read_notebook
from solutions.errors import CourseError

COURSE_ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK_NAME = re.compile(r"\d\d_[a-z][a-z0-9_]*")
TITLE = re.compile(r"^# (?:\d+\s*[.:·]?\s+)?(.+)$", re.MULTILINE)


@dataclass(frozen=True)
class ReleasedExercise:
    """An exercise as the book sets it: its label (``"1.2"``), its cases, what it is worth."""

    label: str
    cases: Exercise
    points: float

    @property
    def title(self) -> str:
        """``"1.2 flat_offset"``."""
        return f"{self.label} {self.cases.name}"


@dataclass(frozen=True)
class ReleasedChapter:
    """A chapter: its number, the name of its notebook without ending, its title, its exercises in the book's order."""

    number: int
    stem: str
    title: str
    exercises: tuple[ReleasedExercise, ...]

    @property
    def max_points(self) -> float:
        """All its exercises together."""
        return sum(exercise.points for exercise in self.exercises)


@cache
def released_chapters(root: Path = COURSE_ROOT) -> dict[int, ReleasedChapter]:
    """All released chapters by number.

    Raises:
        CourseError: there are none, or a released notebook has no points where it should.
    """
    chapters = {}
    for path in sorted((root / "chapters").glob("*.ipynb")):
        if NOTEBOOK_NAME.fullmatch(path.stem):
            chapter = _chapter(read_notebook(path))
            chapters[chapter.number] = chapter
    if not chapters:
        raise CourseError(f"no student notebooks in {root / 'chapters'}; build them: python -m autograder release")
    return chapters


def _chapter(notebook: Notebook) -> ReleasedChapter:
    number = int(notebook.path.stem[:2])
    exercises: list[ReleasedExercise] = []
    for cell in notebook.cells:
        name = exercise_of(cell)
        if name:
            points = cell.course.get("points")
            if not isinstance(points, (int, float)) or isinstance(points, bool) or points <= 0:
                raise CourseError(f"{notebook.path.name} sets no points for {name}; run python -m autograder release")
            label = f"{number}.{len(exercises) + 1}"
            exercises.append(ReleasedExercise(label, registry.find(name), float(points)))
    return ReleasedChapter(number, notebook.path.stem, _title(notebook), tuple(exercises))


def exercise_of(cell: Cell) -> str:
    """The exercise that a cell holds by the release's mark, ``"solutions/tensor.py::add"``; ``""`` if none."""
    name = cell.course.get("exercise")
    return name if isinstance(name, str) and cell.course.get("role") == "exercise" else ""


def points_in_book(exercise: str, root: Path = COURSE_ROOT) -> float | None:
    """What an exercise is worth: by the book where it is at hand, else by the released notebooks; None by neither."""
    for path in sorted((root / "book").glob("[0-9][0-9]_*.md")):
        found = re.search(
            rf"^```{{exercise}} {re.escape(exercise)}\n:points: (\d+)$", path.read_text("utf-8"), re.MULTILINE
        )
        if found:
            return float(found[1])
    with contextlib.suppress(CourseError):
        for chapter in released_chapters(root).values():
            for released in chapter.exercises:
                if released.cases.exercise == exercise:
                    return released.points
    return None


def _title(notebook: Notebook) -> str:
    """The first heading, else the file's name."""
    texts = (cell.source for cell in notebook.cells if cell.kind == "markdown")
    heading = next((match for text in texts if (match := TITLE.search(text))), None)
    return heading[1] if heading else notebook.path.stem


def chapter_of(notebook: Notebook, root: Path = COURSE_ROOT) -> ReleasedChapter:
    """The chapter that a submission answers: by its metadata, or else by its file name.

    Raises:
        CourseError: it cannot be told.
    """
    chapters = released_chapters(root)
    for name in (str(notebook.course.get("chapter")), notebook.path.stem):
        for chapter in chapters.values():
            if chapter.stem in name.lower():
                return chapter
    example = next(iter(chapters.values())).stem
    raise CourseError(
        f"{notebook.path.name} belongs to no chapter, by its name or by its metadata; name it like {example}.ipynb"
    )
