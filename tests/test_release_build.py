"""Building a small course: the editions, their execution, drift, leaks, the hand-out and the site."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.__main__ import main
from autograder.release.build import drift, read_course, release, student_texts
from autograder.release.exercise import load_exercise
from autograder.release.leaks import find_leaks, telling_lines
from autograder.release.site import build_site
from autograder.release.students import FILES, FOLDERS, write_student_package
from solutions.errors import CourseError
from tests.small_course import CHAPTER, MODULE, write_small_course

pytestmark = pytest.mark.slow
STUDENT, REFERENCE = "chapters/01_numbers.ipynb", "solutions/01_numbers.ipynb"


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small course after one release."""
    root = write_small_course(tmp_path_factory.mktemp("course"))
    release(root)
    return root


@pytest.fixture
def course(released: Path, tmp_path: Path) -> Path:
    """A copy of the released course, to be spoiled."""
    return shutil.copytree(released, tmp_path / "copy")


def cells(root: Path, name: str) -> list[dict[str, Any]]:
    return json.loads((root / name).read_text(encoding="utf-8"))["cells"]


def test_the_student_edition_has_blanks_and_no_outputs(released: Path) -> None:
    student = cells(released, STUDENT)
    code = [cell for cell in student if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    roles = [cell["metadata"]["course"]["role"] for cell in code]
    assert roles == ["bootstrap", "setup", "exercise", "check", "provided", "exercise", "check"]
    exercise = code[2]
    facts = {"role": "exercise", "exercise": "solutions/numbers.py::scaled", "points": 5}
    assert exercise["metadata"]["course"] == facts
    assert "YOUR CODE HERE (about 2 lines)" in "".join(exercise["source"])
    text = (released / STUDENT).read_text(encoding="utf-8")
    assert "result.append" not in text
    assert "running_total_of_values" not in text


def test_the_reference_edition_is_executed(released: Path) -> None:
    outputs = ["".join(o["text"]) for cell in cells(released, REFERENCE) for o in cell.get("outputs", [])]
    assert outputs == ["checked scaled\n", "[3, 6]\n", "checked total\n"]
    for name in (STUDENT, REFERENCE):
        nbformat.validate(nbformat.read(released / name, as_version=4))


def test_exercises_are_numbered_and_say_what_to_expect(released: Path) -> None:
    text = "\n".join("".join(cell["source"]) for cell in cells(released, STUDENT))
    assert "### Exercise 1.1 · `scaled` · 5 points" in text
    assert "### Exercise 1.2 · `total` · 10 points" in text
    assert "*The reference solution has 2 lines.*" in text
    assert "<summary>Hint</summary>\n\nOne loop." in text
    assert "![A line.](../book/figures/01-line.svg)" in text


def test_a_second_release_changes_nothing(course: Path) -> None:
    before = {name: (course / name).read_bytes() for name in (STUDENT, REFERENCE)}
    assert release(course) == []
    assert drift(course) == []
    assert {name: (course / name).read_bytes() for name in before} == before


def test_a_changed_solution_is_run_again(course: Path) -> None:
    module = course / "solutions/numbers.py"
    module.write_text(MODULE.replace("value * factor + shift", "factor * value + shift"), encoding="utf-8")
    assert drift(course) == [f"{REFERENCE}: its outputs are of other code, or missing; run: make release"]
    assert release(course) == [course / REFERENCE]  # the student's blank looks the same
    assert drift(course) == []


def test_changed_prose_keeps_the_outputs(course: Path) -> None:
    (course / "book/01_numbers.md").write_text(CHAPTER.replace("A question first.", "A question."), encoding="utf-8")
    messages = drift(course)
    assert len(messages) == 2
    assert all("differs from a fresh release, first at cell 0" in message for message in messages)
    release(course)
    outputs = ["".join(o["text"]) for cell in cells(course, REFERENCE) for o in cell.get("outputs", [])]
    assert outputs == ["checked scaled\n", "[3, 6]\n", "checked total\n"]


EXERCISE_TWO = "```{exercise} solutions/numbers.py::total"
DIFFERS = "differs from a fresh release"


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda root: (root / STUDENT).unlink(), f"{STUDENT}: missing"),
        (lambda root: (root / REFERENCE).write_text("{"), f"{REFERENCE}: its outputs are of other code, or missing"),
        (lambda root: edit(root, STUDENT, "One loop.", "Two loops."), f"{STUDENT}: {DIFFERS}, first at cell"),
        (lambda root: edit(root, STUDENT, '"nbformat": 4', '"nbformat":  4'), f"{STUDENT}: {DIFFERS}, as a whole"),
        (lambda root: edit(root, REFERENCE, "factor + shift", "factor - shift"), f"{REFERENCE}: {DIFFERS}"),
        (lambda root: shutil.copy(root / STUDENT, root / "chapters/09_old.ipynb"), "chapters/09_old.ipynb: no chapter"),
        (lambda root: shutil.copy(root / "book/01_numbers.md", root / "book/02_more.md"), "book/02_more.md: not in"),
        (
            lambda root: edit(root, "book/01_numbers.md", EXERCISE_TWO, "```{admonition} x"),
            "solutions/numbers.py::total: marked as an exercise, but no chapter",
        ),
    ],
)
def test_drift_of_every_kind_is_named(course: Path, spoil: Any, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    spoil(course)
    assert any(message.startswith(words) for message in drift(course)), drift(course)
    assert main(["release", "--check", "--root", str(course)]) == 1
    assert words in capsys.readouterr().out


def edit(root: Path, name: str, old: str, new: str) -> None:
    text = (root / name).read_text(encoding="utf-8")
    assert old in text
    (root / name).write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("print(scaled([1, 2]))", "print(undefined)", "reference edition 01_numbers: a cell fails: .*undefined"),
        ("print(scaled([1, 2]))", "print(object())", "prints a memory address"),
        ("print(scaled([1, 2]))", "import os; print(os.getcwd())", "prints a path of this machine"),
        ("solutions/numbers.py::total", "solutions/numbers.py::scaled", "is named twice"),
        ("And nothing else.", "    result.append(value * factor + shift)  # see?", "leaks into the student's notebook"),
        ("print(scaled([1, 2]))", "result = []\nfor value in [1]:\n    result.append(value * factor + shift)", "leaks"),
    ],
)
def test_a_chapter_that_must_not_be_released(course: Path, old: str, new: str, words: str) -> None:
    before = {name: (course / name).read_bytes() for name in (STUDENT, REFERENCE)}
    edit(course, "book/01_numbers.md", old, new)
    with pytest.raises(CourseError, match=words) as error:
        release(course)
    assert "\n" not in str(error.value)
    assert {name: (course / name).read_bytes() for name in before} == before


def test_the_leak_finder_knows_what_tells_and_what_does_not(course: Path) -> None:
    total = load_exercise(course, "solutions/numbers.py::total")
    assert telling_lines(total) == {
        "running_total_of_values = 0", "running_total_of_values += value", "return running_total_of_values",
    }
    text = student_texts(read_course(course))[course / STUDENT]
    notebook = nbformat.reads(text, as_version=4)
    assert find_leaks(notebook, [total]) == []
    notebook.cells[2].outputs = [nbformat.v4.new_output("stream", text="3")]
    assert any("has no outputs" in message for message in find_leaks(notebook, [total]))


def test_unknown_chapters_are_refused(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CourseError, match="no chapter '7'; there are: 01_numbers"):
        release(course, "7")
    (course / "book/_toc.yml").write_text("- nonsense")
    with pytest.raises(CourseError, match="cannot read the table of contents"):
        release(course)


def test_the_hand_out_has_no_answers(course: Path, tmp_path: Path) -> None:
    for name in FILES:
        (course / name).write_text(name)
    for folder in FOLDERS:
        (course / folder).mkdir(parents=True, exist_ok=True)
    write_student_package(course, tmp_path / "out")
    names = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert {STUDENT, "solutions/numbers.py", "book/figures/01-line.svg", "README.md", "autograder/__init__.py"} <= names
    assert REFERENCE not in names
    for path in (tmp_path / "out").rglob("*"):
        if path.is_file():
            assert "running_total_of_values" not in path.read_text(encoding="utf-8"), path
    with pytest.raises(CourseError, match="is not an empty folder"):
        write_student_package(course, tmp_path / "out")


def test_the_site_shows_outputs_and_folded_solutions(course: Path, tmp_path: Path) -> None:
    page = build_site(course, tmp_path / "out")
    html = (page.parent / "01_numbers.html").read_text(encoding="utf-8")
    assert "[3, 6]" in html
    assert "Exercise 1.1" in html
    assert "hide-input" in html
    assert 'href="contract.html"' in html


def test_a_warning_is_an_error(course: Path, tmp_path: Path) -> None:
    edit(course, "book/contract.md", "None.", "See [this](nowhere.md).")
    with pytest.raises(CourseError, match=r"(?s)does not build without warnings.*nowhere\.md"):
        build_site(course, tmp_path / "out")
    (course / REFERENCE).unlink()
    with pytest.raises(CourseError, match="the reference edition of 01_numbers is missing; run: make release"):
        build_site(course, tmp_path / "out")
