"""Whole notebooks: full marks for the reference, nothing for the skeleton, and the right share for all between."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.cases import registry
from autograder.cases.case import Case, ExerciseCases
from autograder.grade import grading, scoring
from autograder.grade.grading import build_cases, grade_notebook
from autograder.grade.released import chapter_of, points_in_book, released_chapters
from autograder.grade.results import STATUSES, NotebookResult
from solutions.errors import CourseError
from tests.grade_samples import POINTS, QUICK, STEMS, by_name, document, grade, write, write_course


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_course(tmp_path_factory.mktemp("course"))


@pytest.mark.parametrize("chapter", STEMS)
def test_reference_has_full_marks(chapter: int, course: Path) -> None:
    result = grade_notebook(course / "solutions" / f"{STEMS[chapter]}.ipynb", limits=QUICK, root=course)
    assert [(e.title, e.message) for e in result.exercises if e.status != "full"] == []
    assert result.points == result.max_points == POINTS * len(registry.for_chapter(chapter))
    assert result.problems == ()


@pytest.mark.parametrize("chapter", STEMS)
def test_skeleton_has_nothing(chapter: int, course: Path) -> None:
    result = grade_notebook(course / "chapters" / f"{STEMS[chapter]}.ipynb", limits=QUICK, root=course)
    assert result.points == 0
    assert {exercise.status for exercise in result.exercises} == {"not attempted"}
    assert result.problems == ()


def test_without_marks_and_under_another_name(course: Path, tmp_path: Path) -> None:
    """As Colab hands it back: metadata gone, a number behind the name."""
    path = write(tmp_path / "01_tensors (1).ipynb", document(1, marks=False))
    result = grade_notebook(path, limits=QUICK, root=course)
    assert (result.chapter, result.points) == (1, result.max_points)


def test_empty_and_shortened_notebooks(course: Path, tmp_path: Path) -> None:
    nothing = {**document(1), "cells": []}
    result = grade_notebook(write(tmp_path / "01_tensors.ipynb", nothing), limits=QUICK, root=course)
    assert (result.points, result.max_points) == (0, 5 * POINTS)
    assert {exercise.status for exercise in result.exercises} == {"missing"}
    found = by_name(grade(course, {"unravel": None}))
    assert found["unravel"].status == "missing"
    assert "no cell of the notebook defines unravel" in found["unravel"].message
    assert found["flat_offset"].status == "full"


def test_a_renamed_function_is_missing_and_said_so(course: Path) -> None:
    found = by_name(grade(course, {"unravel": "def my_unravel(offset, shape):\n    return ()"}))["unravel"]
    assert (found.status, found.message) == ("missing", "cell 7 holds this exercise, but defines no function unravel")


def test_points_come_from_the_course_not_from_the_submission(course: Path, tmp_path: Path) -> None:
    generous = document(1)
    for cell in generous["cells"]:
        if "points" in cell["metadata"].get("course", {}):
            cell["metadata"]["course"]["points"] = 1000
    result = grade_notebook(write(tmp_path / "01_tensors.ipynb", generous), limits=QUICK, root=course)
    assert result.points == result.max_points == 5 * POINTS


def test_the_chapter_on_the_label_is_the_one_that_is_graded(course: Path, tmp_path: Path) -> None:
    """Chapter 1 with the label of chapter 5 gets chapter 5's exercises: there is nothing to gain from a false label."""
    labelled = document(1)
    labelled["metadata"]["course"]["chapter"] = "05_training"
    result = grade_notebook(write(tmp_path / "01_tensors.ipynb", labelled), limits=QUICK, root=course)
    assert (result.chapter, result.points) == (5, 0)
    nameless = {**document(1), "metadata": {}}
    with pytest.raises(CourseError, match=r"homework\.ipynb belongs to no chapter"):
        grade_notebook(write(tmp_path / "homework.ipynb", nameless), limits=QUICK, root=course)


def test_a_later_definition_wins(course: Path) -> None:
    right = "def flat_offset(index, strides):\n    return sum(i * s for i, s in zip(index, strides))"
    wrong = "def flat_offset(index, strides):\n    return 0"
    result = grade(course, {"flat_offset": wrong}, after=[right])
    assert by_name(result)["flat_offset"].status == "full"
    assert result.problems == ("flat_offset is defined in cells 5, 13: the last definition counts",)
    assert by_name(grade(course, {"flat_offset": right}, after=[wrong]))["flat_offset"].status == "wrong"


def test_helpers_constants_and_flags_of_other_cells_are_there(course: Path) -> None:
    before = [
        "from __future__ import annotations",
        "import functools\nSTART = 0",
        "def add_up(pairs):\n    return functools.reduce(lambda t, p: t + p[0] * p[1], pairs, START)",
        "%matplotlib inline\nimport matplotlib.pyplot as plt\n!pip install x",
        "from matplotlib.ticker import FuncFormatter",
        "fig, ax = plt.subplots()\nwhile True: pass",
        "raise SystemExit",
    ]
    answer = "def flat_offset(index: Undefined, strides) -> Nothing:\n    return add_up(zip(index, strides))\n"
    answer += "plt.plot(1)[0].set(x=3)"
    result = grade(course, {"flat_offset": answer}, before=before)
    assert result.points == result.max_points
    assert result.problems == ()


def test_a_broken_cell_stops_no_other(course: Path) -> None:
    answers = {
        "row_major_strides": "def row_major_strides(shape)\n    return ()",
        "flat_offset": "x = 1 / 0\ndef flat_offset(index, strides):\n    return 0",
        "broadcast_strides": "def broadcast_strides(shape, target_shape):\n    return ()\nprint(undefined)",
    }
    result = grade(course, answers, before=["import no_such_module\nimport numpy as np", "def f(:"])
    found = by_name(result)
    assert (found["row_major_strides"].status, found["row_major_strides"].message) == (
        "broken", "cell 5, line 1: SyntaxError: expected ':'",
    )  # fmt: skip
    assert (found["flat_offset"].status, found["flat_offset"].message) == (
        "broken", "ZeroDivisionError: division by zero (cell 7, line 1)",
    )  # fmt: skip
    assert found["broadcast_strides"].status == "wrong"
    assert found["unravel"].status == "full"
    assert result.problems[0] == "ModuleNotFoundError: No module named 'no_such_module' (cell 3, line 1)"
    assert result.problems[1].startswith("cell 4, line 1: SyntaxError")
    assert len(result.problems) == 5


def test_messages_name_cell_line_case_and_advice(course: Path) -> None:
    answer = "def unravel(offset, shape):\n    index = []\n    index[3]"
    found = by_name(grade(course, {"unravel": answer}))["unravel"]
    assert "it raised IndexError: list index out of range (cell 7, line 3)" in found.message
    assert found.message.startswith("offset ")
    assert "last axis" in found.advice


def test_an_answer_that_needs_an_unfilled_one(course: Path) -> None:
    student = by_name(grade(course, {"unravel": document(1, "student")["cells"][6]["source"]}))
    assert student["unravel"].status == "not attempted"
    assert student["add"].status == "wrong"
    assert "it needs unravel, which is not filled in yet" in student["add"].message


def test_core_and_edges(course: Path) -> None:
    no_negatives = "def flat_offset(index, strides):\n    return sum(abs(i * s) for i, s in zip(index, strides))"
    found = by_name(grade(course, {"flat_offset": no_negatives}))["flat_offset"]
    assert (found.status, found.points) == ("part", 8.0)
    assert [(part.part, part.points, part.passed, part.cases) for part in found.parts] == [
        ("values", 8.0, 3, 3), ("edges", 0.0, 3, 4),
    ]  # fmt: skip
    only_edges = "def flat_offset(index, strides):\n    return 0 if not index else -1"
    found = by_name(grade(course, {"flat_offset": only_edges}))["flat_offset"]
    assert (found.status, found.points) == ("wrong", 0.0)


def test_forbidden_answers_score_nothing(course: Path) -> None:
    answers = {
        "matmul_loops": "def matmul_loops(a, b):\n    return a @ b",
        "matmul_reordered": "def matmul_reordered(a, b):\n    return getattr(np, 'd' + 'ot')(a, b)",
        "matmul_rank1": "hidden = vars(np)['mat' + 'mul']\ndef matmul_rank1(a, b, out=None):\n    return hidden(a, b)",
    }
    found = by_name(grade(course, answers, chapter=2))
    assert found["matmul_loops"].status == "forbidden"
    assert found["matmul_loops"].message == (
        "cell 3, line 2 uses @: return a @ b (this exercise is to be solved without it)"
    )
    for name in ("matmul_reordered", "matmul_rank1"):
        assert found[name].status == "wrong"
        assert "switched off here" in found[name].message
    assert found["access_offsets"].status == "full"


def test_a_seed_gives_the_same_result_again(course: Path) -> None:
    answers = {"flat_offset": "def flat_offset(index, strides):\n    return 1"}
    path = write(course / "submitted" / "01_tensors.ipynb", document(1, answers=answers))
    first, again = (grade_notebook(path, seed=7, limits=QUICK, root=course) for _ in range(2))
    assert first == again
    fresh = [grade_notebook(path, limits=QUICK, root=course) for _ in range(2)]
    assert fresh[0].seed != fresh[1].seed
    assert fresh[0].exercises[1].message != fresh[1].exercises[1].message
    assert grade_notebook(path, seed=fresh[0].seed, limits=QUICK, root=course) == fresh[0]


def test_results_survive_json(course: Path) -> None:
    result = grade(course, {"flat_offset": "def flat_offset(index, strides):\n    return 1", "unravel": None})
    assert NotebookResult.from_json(json.loads(json.dumps(result.to_json()))) == result
    assert {exercise.status for exercise in result.exercises} <= set(STATUSES)


def test_every_exercise_of_every_chapter_has_as_many_cases_whatever_the_seed() -> None:
    for chapter in registry.chapters():
        for cases in registry.for_chapter(chapter):
            counts = {len(build_cases(cases, seed)) for seed in range(5)}
            assert len(counts) == 1, cases.exercise


def test_cases_that_do_not_match_their_parts_are_refused() -> None:
    def build(_: np.random.Generator) -> list[Case]:
        return [Case("one", (), 1)]

    assert build_cases(ExerciseCases("solutions/x.py::f", build), 1)
    with pytest.raises(CourseError, match="parts"):
        build_cases(ExerciseCases("solutions/x.py::f", build, {"values": 0.5, "edges": 0.5}), 1)


@given(st.lists(st.booleans(), min_size=1, max_size=4), st.integers(1, 30))
def test_points_of_parts(passed: list[bool], points: int) -> None:
    shares = {str(n): 1 / len(passed) for n in range(len(passed))}
    found = scoring.part_points(shares, {str(n): p for n, p in enumerate(passed)}, points)
    if not passed[0]:
        assert sum(found.values()) == 0
    assert scoring.total(list(found.values())) <= points + 0.02 * len(passed)
    if all(passed):
        assert sum(found.values()) == pytest.approx(points, abs=0.01 * len(passed))


def test_registry() -> None:
    assert registry.by_name("flat_offset") is registry.find("solutions/tensor.py::flat_offset")
    assert registry.by_name("flat_offset") in registry.for_chapter(1)
    for wrong, words in (("flat_ofset", "did you mean 'flat_offset'"), ("zzz", "no exercise called 'zzz'")):
        with pytest.raises(CourseError, match=words):
            registry.by_name(wrong)
    with pytest.raises(CourseError, match=r"solutions/tensor\.py::flat_offset"):
        registry.find("solutions/tensor.py::flat_ofset")
    with pytest.raises(CourseError, match="chapter 99"):
        registry.for_chapter(99)


def test_released_chapters(course: Path, tmp_path: Path) -> None:
    chapters = released_chapters(course)
    assert [chapter.stem for chapter in chapters.values()] == list(STEMS.values())
    assert [exercise.title for exercise in chapters[1].exercises][:2] == ["1.1 row_major_strides", "1.2 flat_offset"]
    assert (chapters[1].title, chapters[1].max_points) == ("Title", 50)
    with pytest.raises(CourseError, match="python -m autograder release"):
        released_chapters(tmp_path)
    broken = document(1)
    del broken["cells"][2]["metadata"]["course"]["points"]
    write(tmp_path / "chapters" / "01_tensors.ipynb", broken)
    with pytest.raises(CourseError, match=r"sets no points for solutions/tensor\.py::row_major"):
        released_chapters(tmp_path)


def test_points_of_the_book_come_first(course: Path, tmp_path: Path) -> None:
    name = "solutions/tensor.py::add"
    assert points_in_book(name, course) == POINTS
    assert points_in_book("solutions/tensor.py::ad", course) is None
    assert points_in_book(name, tmp_path) is None
    book = "# 1\n\n```{exercise} solutions/tensor.py::add\n:points: 25\n:hint: Walk.\n\nTask.\n```\n"
    write(tmp_path / "book" / "01_tensors.md", book)
    assert points_in_book(name, tmp_path) == 25
    assert chapter_of is grading.chapter_of
