"""Reading the single source: markers, exercises, blanks, chapters and plain Markdown; each fault is named."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.release.blank import blank_module, write_student_solutions
from autograder.release.chapter import Code, ExerciseBlock, Prose, read_chapter
from autograder.release.exercise import load_exercise, marked_exercises
from autograder.release.markers import Region, split
from autograder.release.plain import page_links, plain
from solutions.errors import CourseError
from tests.small_course import CHAPTER, MODULE, write_small_course

STUDENT_SCALED = '''\
def scaled(values, factor=SCALE, *, shift=0):
    """Every value times factor, plus shift.

    Args:
        values: whole numbers.
    """
    result = []
    # YOUR CODE HERE (about 2 lines)
    raise NotImplementedError("scaled")
    return result'''

REFERENCE_SCALED = '''\
def scaled(values, factor=SCALE, *, shift=0):
    """Every value times factor, plus shift.

    Args:
        values: whole numbers.
    """
    result = []
    for value in values:
        # a remark for teachers
        result.append(value * factor + shift)  # the whole idea
    return result'''


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return write_small_course(tmp_path)


def test_an_exercise_has_a_student_and_a_reference_side(course: Path) -> None:
    exercise = load_exercise(course, "solutions/numbers.py::scaled")
    assert exercise.student == STUDENT_SCALED
    assert exercise.reference == REFERENCE_SCALED
    assert exercise.lines == 2
    names: dict[str, object] = {"SCALE": 3}
    exec(exercise.reference, names)
    assert names["scaled"]([1, 2], shift=1) == [4, 7]  # type: ignore[operator]
    exec(exercise.student, names)
    with pytest.raises(NotImplementedError, match="scaled"):
        names["scaled"]([1])  # type: ignore[operator]


def test_a_marker_on_the_last_line_of_a_function_belongs_to_it(course: Path) -> None:
    assert "### END" not in load_exercise(course, "solutions/numbers.py::total").reference
    assert marked_exercises(course) == ["solutions/numbers.py::scaled", "solutions/numbers.py::total"]


def test_a_kernel_is_text_with_a_blank(course: Path) -> None:
    kernel = "// [n]\n__global__ void twice(float* x) {\n  // BEGIN SOLUTION\n  x[0] *= 2;\n  // END SOLUTION\n}\n"
    (course / "kernels/twice.cu").write_text(kernel)
    exercise = load_exercise(course, "kernels/twice.cu::twice")
    assert exercise.student.startswith("twice_source = r'''")
    assert "  // YOUR CODE HERE (about 1 line)" in exercise.student
    assert "x[0]" not in exercise.student
    assert "x[0] *= 2;" in exercise.reference
    ast.parse(exercise.student)
    write_student_solutions(course / "out", None, course)
    assert "x[0] *= 2" not in (course / "out/kernels/twice.cu").read_text()


@pytest.mark.parametrize(
    ("identity", "words"),
    [
        ("solutions/numbers.py", "expected solutions/FILE.py::FUNCTION"),
        ("book/numbers.py::scaled", "expected solutions/FILE.py::FUNCTION"),
        ("solutions/../secret.py::scaled", "expected solutions/FILE.py::FUNCTION"),
        ("solutions/nowhere.py::scaled", "there is no solutions/nowhere.py"),
        ("solutions/numbers.py::nothing", "has no function nothing"),
        ("solutions/numbers.py::untouched", "nothing is marked as its solution"),
    ],
)
def test_exercises_that_are_not_there(course: Path, identity: str, words: str) -> None:
    with pytest.raises(CourseError, match=words) as error:
        load_exercise(course, identity)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["### BEGIN SOLUTION", "x = 1"], "without an end"),
        (["x = 1", "### END SOLUTION"], "without a beginning"),
        (["### BEGIN SOLUTION", "### BEGIN SOLUTION", "### END SOLUTION"], "inside a solution"),
        (["### BEGIN SOLUTION", "", "### END SOLUTION"], "is empty"),
        (["## BEGIN SOLUTION", "x = 1", "### END SOLUTION"], "on a line of its own"),
        (["x = 1  ### BEGIN SOLUTION"], "on a line of its own"),
    ],
)
def test_markers_that_do_not_pair_up(lines: list[str], words: str) -> None:
    with pytest.raises(CourseError, match=words):
        split(lines, ".py", "a.py::f")


@given(st.lists(st.tuples(st.booleans(), st.lists(st.sampled_from(["x = 1", "", "# note", "  y()"]), min_size=1))))
def test_splitting_keeps_every_line_in_order(pieces: list[tuple[bool, list[str]]]) -> None:
    pieces = [(marked and any(line.strip() for line in lines), lines) for marked, lines in pieces]
    source = [
        line
        for marked, lines in pieces
        for line in (["### BEGIN SOLUTION", *lines, "### END SOLUTION"] if marked else lines)
    ]
    parts = split(source, ".py", "f")
    flat = [line for part in parts for line in (part.lines if isinstance(part, Region) else [part])]
    assert flat == [line for _, lines in pieces for line in lines]
    assert sum(isinstance(part, Region) for part in parts) == sum(marked for marked, _ in pieces)


def test_a_blanked_module_keeps_everything_but_the_answers() -> None:
    blanked = blank_module(MODULE)
    assert "running_total_of_values" not in blanked
    assert "SOLUTION" not in blanked
    assert "values: Sequence[int], factor: int = SCALE" in blanked
    assert "return x + 1" in blanked
    names: dict[str, object] = {"__name__": "numbers"}
    exec(blanked, names)
    assert names["untouched"](1) == 2  # type: ignore[operator]


def test_only_the_named_exercises_are_blanked(course: Path) -> None:
    write_student_solutions(course / "out", {"solutions/numbers.py::total"}, course)
    text = (course / "out/solutions/numbers.py").read_text(encoding="utf-8")
    assert "running_total_of_values" not in text
    assert "result.append" in text
    assert "SOLUTION" not in text


def test_a_chapter_is_prose_code_and_exercises_with_line_numbers(course: Path) -> None:
    chapter = read_chapter(course / "book/01_numbers.md")
    kinds = [type(block).__name__ for block in chapter.blocks]
    assert kinds == ["Prose", "Code", "Prose", "Prose", "ExerciseBlock", "Code", "Prose", "ExerciseBlock", "Prose"]
    lines = CHAPTER.splitlines()
    for block in chapter.blocks:
        first = {Prose: "", Code: "```{code-cell}", ExerciseBlock: "```{exercise}"}[type(block)]
        assert lines[block.line - 1].startswith(first)
    setup = chapter.blocks[1]
    assert isinstance(setup, Code)
    assert setup.tags == ("setup",)
    assert setup.source.startswith("SCALE = 3")
    assert [(e.identity, e.points, e.hint) for e in chapter.exercises()] == [
        ("solutions/numbers.py::scaled", 5, "One loop."),
        ("solutions/numbers.py::total", 10, "Start with nothing."),
    ]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (":points: 5", ":points: five", r"line 35: .* needs :points: with a whole number above 0, not 'five'"),
        (":points: 5", ":points: 0", "whole number above 0"),
        (":points: 5\n", "", "needs :points:"),
        (":hint: One loop.\n", "", "needs a :hint:"),
        (":hint: One loop.", ":tip: One loop.", "option :tip: is not known here; there are: hint, points"),
        (":tags: [setup]", ":tags: setup", "tags are written as a list"),
        (":tags: [setup]", ":label: setup", "option :label: is not known"),
        ("```{dropdown} Answer", "```{mystery} Answer", "directive {mystery} is not known; there are: code-cell"),
        ("Add them up.\n", "", "has no task text"),
        ("---\njupytext", "jupytext", "begins with jupytext's front matter"),
    ],
)
def test_faults_in_a_chapter_are_named_with_their_line(course: Path, old: str, new: str, words: str) -> None:
    path = course / "book/01_numbers.md"
    assert old in CHAPTER
    path.write_text(CHAPTER.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(CourseError, match=words) as error:
        read_chapter(path)
    assert "01_numbers.md, line " in str(error.value)


def test_headings_inside_code_do_not_cut_prose(course: Path) -> None:
    path = course / "book/01_numbers.md"
    path.write_text(CHAPTER + "\nBefore.\n\n```sh\n# no heading\n```\n\nAfter.\n", encoding="utf-8")
    last = read_chapter(path).blocks[-1]
    assert isinstance(last, Prose)
    assert "# no heading" in last.text
    assert last.text.endswith("After.")


def test_directives_become_plain_markdown() -> None:
    text = "Read [one](01_numbers.md#scaling), [two](contract.md).\n\n" + CHAPTER.partition("## Scaling")[0][-100:]
    assert plain("```{figure} figures/a.svg\n:alt: A line.\n\nOne\ntwo.\n```", "x") == (
        "![A line.](../book/figures/a.svg)\n\n*One two.*"
    )
    assert plain("```{admonition} Look\n:class: tip\n\nFirst.\n\nSecond.\n```", "x") == (
        "> **Look**\n>\n> First.\n>\n> Second."
    )
    assert plain("```{dropdown} Answer\nIt is [here](01_numbers.md#scaling).\n```", "x") == (
        "<details>\n<summary>Answer</summary>\n\nIt is [here](01_numbers.ipynb#scaling).\n\n</details>"
    )
    assert plain(text, "x").startswith("Read [one](01_numbers.ipynb#scaling), [two](../book/contract.md).")
    assert page_links("[one](01_numbers.md), [two](contract.md)") == "[one](01_numbers.ipynb), [two](contract.md)"


def test_nested_directives_are_converted_too() -> None:
    nested = "````{admonition} Look\n\n```{dropdown} More\ninside\n```\n````"
    assert plain(nested, "x") == (
        "> **Look**\n>\n> <details>\n> <summary>More</summary>\n>\n> inside\n>\n> </details>"
    )
