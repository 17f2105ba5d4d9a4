"""The four statements about the course itself: a skeleton scores nothing, the reference scores everything, no solution
is in a student's notebook, and the committed notebooks equal a fresh release. And a fifth: what an instructor hands out
is enough to work with."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from autograder.cases import registry
from autograder.grade.grading import grade_notebook
from autograder.release.build import chapter_names, drift, read_course
from autograder.release.leaks import leaks_in, telling_pieces
from autograder.release.students import write_student_package
from book.figures.__main__ import drawings

ROOT = Path(__file__).parent.parent
COURSE = read_course(ROOT)
CHAPTERS = [chapter.name for chapter in COURSE.chapters]
POINTS = {"01_tensors": 35, "02_matmul": 45, "03_linear": 35, "04_loss": 50, "05_training": 45, "06_first_kernel": 55,
          "07_tools": 85}


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


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_no_solution_is_in_a_students_notebook(chapter: str) -> None:
    """The built file, not the builder: every telling piece of every exercise, in every cell."""
    notebook = nbformat.read(ROOT / "chapters" / f"{chapter}.ipynb", as_version=4)
    for cell in notebook.cells:
        assert list(leaks_in(cell.source, COURSE.exercises.values())) == []
        assert not cell.get("outputs")


@pytest.mark.parametrize("identity", COURSE.exercises)
def test_every_solution_would_be_recognized(identity: str) -> None:
    """A rule that finds nothing telling in a solution could not find its leak."""
    exercise = COURSE.exercises[identity]
    assert telling_pieces(exercise)
    assert list(leaks_in(exercise.reference, [exercise]))
    assert not list(leaks_in(exercise.student, [exercise]))


def test_the_committed_notebooks_equal_a_fresh_release() -> None:
    assert drift(ROOT) == []


@pytest.mark.parametrize("folder", ["chapters", "solutions"])
def test_every_picture_and_page_that_a_notebook_names_is_there(folder: str) -> None:
    for chapter in CHAPTERS:
        notebook = nbformat.read(ROOT / folder / f"{chapter}.ipynb", as_version=4)
        for cell in notebook.cells:
            for target in re.findall(r"\]\(([^)#\s]+)", cell.source) if cell.cell_type == "markdown" else ():
                assert "://" in target or (ROOT / folder / target).is_file(), (chapter, target)


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


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_what_is_handed_out_is_enough_for_a_chapter(chapter: str, tmp_path: Path) -> None:
    """A student who has solved a chapter can run all of it, in a copy where this chapter and later ones are blank."""
    write_student_package(ROOT, tmp_path / "copy", chapter)
    for path in (tmp_path / "copy/solutions").glob("*.py"):
        later = [COURSE.exercises[b.identity] for c in COURSE.chapters if c.name >= chapter for b in c.exercises()]
        assert list(leaks_in(path.read_text(encoding="utf-8"), later)) == [], path.name
    notebook = nbformat.read(tmp_path / f"copy/chapters/{chapter}.ipynb", as_version=4)
    for cell in notebook.cells:
        if cell.metadata.course.role == "exercise":
            cell.source = COURSE.exercises[cell.metadata.course.exercise].reference
    NotebookClient(notebook, timeout=240, resources={"metadata": {"path": str(tmp_path / "copy/chapters")}}).execute()
    checks = [cell for cell in notebook.cells if cell.metadata.course.role == "check"]
    told = ["".join(output.get("text", "") for output in cell.outputs).strip().splitlines()[-1] for cell in checks]
    points = [re.search(r"([\d.]+) of ([\d.]+) points$", line) for line in told]
    assert all(found and found[1] == found[2] for found in points), told
    assert sum(float(found[1]) for found in points if found) == POINTS[chapter]
