"""The four statements about the course itself: a skeleton scores nothing, the reference scores everything, no solution
is in a student's notebook, and the committed notebooks equal a fresh release."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from autograder.cases import registry
from autograder.grade.grading import grade_notebook
from autograder.release.build import chapter_names, drift, read_course
from autograder.release.leaks import find_leaks, telling_lines
from book.figures.__main__ import drawings

ROOT = Path(__file__).parent.parent
COURSE = read_course(ROOT)
CHAPTERS = [chapter.name for chapter in COURSE.chapters]
POINTS = {"01_tensors": 35, "02_matmul": 45, "03_linear": 35, "04_loss": 50, "05_training": 45}


def test_all_chapters_are_there() -> None:
    assert chapter_names(ROOT) == list(POINTS)
    points = {chapter.name: sum(block.points for block in chapter.exercises()) for chapter in COURSE.chapters}
    assert points == POINTS
    assert all(3 <= len(chapter.exercises()) <= 6 for chapter in COURSE.chapters)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_an_unfilled_skeleton_scores_nothing(chapter: str) -> None:
    result = grade_notebook(ROOT / "chapters" / f"{chapter}.ipynb")
    assert result.points == 0
    assert result.max_points == POINTS[chapter]
    assert all(exercise.points == 0 for exercise in result.exercises)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_reference_scores_full_marks(chapter: str) -> None:
    result = grade_notebook(ROOT / "solutions" / f"{chapter}.ipynb")
    assert result.points == result.max_points == POINTS[chapter], [
        (exercise.exercise, exercise.message) for exercise in result.exercises if exercise.points < exercise.max_points
    ]


def test_no_solution_is_in_a_students_notebook() -> None:
    """Every telling line of every exercise, against every chapter up to its own; built files, not the builder."""
    checked = 0
    for chapter in COURSE.chapters:
        notebook = nbformat.read(ROOT / "chapters" / f"{chapter.name}.ipynb", as_version=4)
        exercises = COURSE.up_to(chapter)
        assert find_leaks(notebook, exercises) == []
        checked += sum(len(telling_lines(exercise)) for exercise in exercises)
    assert checked > 100


def test_the_committed_notebooks_equal_a_fresh_release() -> None:
    assert drift(ROOT) == []


def test_every_exercise_has_cases_and_all_cases_belong_to_one() -> None:
    named = list(COURSE.exercises)
    assert [registry.find(identity).exercise for identity in named] == named
    assert {cases.exercise for n in registry.chapters() for cases in registry.for_chapter(n)} == set(named)


def test_pictures_equal_their_drawings_and_all_are_shown() -> None:
    folder = ROOT / "book/figures"
    drawn = drawings()
    assert {path.name for path in folder.glob("*.svg")} == set(drawn)
    prose = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "book").glob("*.md"))
    for name, svg in drawn.items():
        assert (folder / name).read_text(encoding="utf-8") == svg
        assert f"figures/{name}" in prose
