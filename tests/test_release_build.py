"""Building a small course: the editions, their execution, drift, leaks and the command line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.__main__ import main
from autograder.release.build import drift, read_course, read_notebook, release, student_texts
from autograder.release.execute import carry_outputs
from autograder.release.exercise import load_exercise
from autograder.release.leaks import find_leaks, leaks_in, telling_pieces
from solutions.command_line import run
from solutions.errors import CourseError
from tests.small_course import CHAPTER, GOLDEN, KERNEL, MODULE, editions, write_small_course

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
    found: list[dict[str, Any]] = json.loads((root / name).read_text(encoding="utf-8"))["cells"]
    return found


def outputs(root: Path) -> list[str]:
    return ["".join(o["text"]) for cell in cells(root, REFERENCE) for o in cell.get("outputs", [])]


def edit(root: Path, name: str, old: str, new: str) -> None:
    text = (root / name).read_text(encoding="utf-8")
    assert old in text
    (root / name).write_text(text.replace(old, new), encoding="utf-8")


# --- editions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("edition", ["student", "reference", "site"])
def test_editions_are_as_agreed(released: Path, edition: str) -> None:
    """To renew the files after a change that is meant: python -m tests.small_course."""
    assert editions(read_course(released))[edition] == (GOLDEN / f"{edition}.ipynb").read_text(encoding="utf-8")


def test_written_notebooks_are_the_editions(released: Path) -> None:
    for name, edition in ((STUDENT, "student"), (REFERENCE, "reference")):
        assert (released / name).read_bytes() == (GOLDEN / f"{edition}.ipynb").read_bytes()
        nbformat.validate(nbformat.read(released / name, as_version=4))


def test_the_student_edition_has_blanks_and_no_outputs(released: Path) -> None:
    student = cells(released, STUDENT)
    code = [cell for cell in student if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    roles = [cell["metadata"]["course"]["role"] for cell in code]
    assert roles == ["bootstrap", "setup", "exercise", "check", "provided", "exercise", "check"]
    facts = {"role": "exercise", "exercise": "solutions/numbers.py::scaled", "points": 5}
    assert code[2]["metadata"]["course"] == facts
    text = (released / STUDENT).read_text(encoding="utf-8")
    assert "result.append" not in text
    assert "running_total_of_values" not in text


def test_a_kernel_is_an_exercise_like_any_other(tmp_path: Path) -> None:
    root = write_small_course(tmp_path)
    (root / "kernels/twice.cu").write_text(KERNEL)
    chapter = CHAPTER + "\n```{exercise} kernels/twice.cu::twice\n:points: 1\n:hint: One line.\n\nDouble it.\n```\n"
    (root / "book/01_numbers.md").write_text(chapter, encoding="utf-8")
    notebook = nbformat.reads(student_texts(read_course(root))[root / STUDENT], as_version=4)
    task, cell, check = notebook.cells[-3:]
    assert task.source.startswith("### Exercise 1.3 · `twice` · 1 point\n\nDouble it.")
    assert task.source.endswith("*The reference solution has 1 line.*")
    assert cell.source.startswith("twice_source = r'''\n// Doubles x")
    assert cell.metadata.course == {"role": "exercise", "exercise": "kernels/twice.cu::twice", "points": 1}
    assert check.source == "check(twice_source)"
    (root / "book/01_numbers.md").write_text(chapter + chapter[len(CHAPTER) :].replace("::twice", "::twice "))
    with pytest.raises(CourseError, match=r"exercise kernels/twice\.cu is named twice; the first time in book/01"):
        read_course(root)


def test_a_notebook_in_the_wrong_folder_says_so(released: Path, tmp_path: Path) -> None:
    from nbclient import NotebookClient

    notebook = nbformat.read(released / STUDENT, as_version=4)
    NotebookClient(notebook, allow_errors=True, resources={"metadata": {"path": str(tmp_path)}}).execute()
    [error] = [o for cell in notebook.cells for o in cell.get("outputs", []) if o.output_type == "error"][:1]
    assert error.evalue == "Move this notebook into the folder chapters/ of the course, and open it there."


# --- drift --------------------------------------------------------------------------------------------------------


def test_a_second_release_changes_nothing(course: Path) -> None:
    before = {name: (course / name).read_bytes() for name in (STUDENT, REFERENCE)}
    assert release(course) == []
    assert drift(course) == []
    assert {name: (course / name).read_bytes() for name in before} == before


def test_a_changed_solution_is_run_again(course: Path) -> None:
    module = course / "solutions/numbers.py"
    module.write_text(MODULE.replace("value * factor + shift", "factor * value + shift + 0"), encoding="utf-8")
    assert drift(course) == [f"{REFERENCE}: its outputs are missing, of other code, or edited; run: make release"]
    assert release(course) == [course / REFERENCE]  # the student's blank looks the same
    assert drift(course) == []


def test_changed_prose_keeps_the_outputs(course: Path) -> None:
    edit(course, REFERENCE, "[3, 6]", "[3, 6]")  # there before
    (course / "book/01_numbers.md").write_text(CHAPTER.replace("A question first.", "A question."), encoding="utf-8")
    assert drift(course) == [
        f"{name}: differs from a fresh release from cell 0 on (01_numbers-prose-0); run: make release"
        for name in (STUDENT, REFERENCE)
    ]
    assert release(course) == [course / STUDENT, course / REFERENCE]
    assert outputs(course) == ["checked scaled\n", "[3, 6]\n", "checked total\n"]


EXERCISE_TWO = "```{exercise} solutions/numbers.py::total"
DIFFERS = "differs from a fresh release"
OTHER = "its outputs are missing, of other code, or edited"


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda root: (root / STUDENT).unlink(), f"{STUDENT}: missing"),
        (lambda root: (root / REFERENCE).write_text("{"), f"{REFERENCE}: {OTHER}"),
        (lambda root: (root / REFERENCE).write_text("[]"), f"{REFERENCE}: {OTHER}"),
        (lambda root: (root / STUDENT).write_text('{"cells": 3, "nbformat": 4}'), f"{STUDENT}: unreadable"),
        (lambda root: edit(root, REFERENCE, "[3, 6]", "[3, 7]"), f"{REFERENCE}: {OTHER}"),
        (lambda root: edit(root, STUDENT, "One loop.", "Two loops."),
         f"{STUDENT}: {DIFFERS} from cell 5 on (01_numbers-prose-scaled); run: make release"),
        (lambda root: edit(root, STUDENT, '"points": 5', '"points": 6'),
         f"{STUDENT}: {DIFFERS} from cell 6 on (01_numbers-exercise-scaled)"),
        (lambda root: edit(root, STUDENT, '"nbformat": 4', '"nbformat":  4'), f"{STUDENT}: {DIFFERS} as a whole"),
        (lambda root: drop_last_cell(root / STUDENT), f"{STUDENT}: {DIFFERS} in the number of cells (13, not 14)"),
        (lambda root: edit(root, REFERENCE, "factor + shift", "factor - shift"), f"{REFERENCE}: {DIFFERS} from cell 6"),
        (lambda root: shutil.copy(root / STUDENT, root / "chapters/09_old.ipynb"), "chapters/09_old.ipynb: no chapter"),
        (lambda root: shutil.copy(root / "book/01_numbers.md", root / "book/02_more.md"), "book/02_more.md: not in"),
        (lambda root: edit(root, "book/01_numbers.md", EXERCISE_TWO, "```{admonition} x"), "option"),
        (lambda root: (root / "kernels/twice.cu").write_text(KERNEL), "kernels/twice.cu: marked as an exercise, but"),
        (lambda root: (root / "solutions/more.py").write_text(MODULE), "solutions/more.py::total: marked as an exerc"),
    ],
)
def test_drift_of_every_kind_is_named(course: Path, spoil: Any, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    spoil(course)
    status = run(main, ["release", "--check", "--root", str(course)])
    told = capsys.readouterr()
    if words == "option":  # no drift: the chapter itself is wrong
        assert status == 2
        assert told.err == (
            "error: book/01_numbers.md, line 56: option :points: of {admonition} is not known; there are: class\n"
        )
    else:
        assert status == 1
        assert any(line.startswith(words) for line in told.out.splitlines()), told.out


def drop_last_cell(path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    document["cells"].pop()
    path.write_text(json.dumps(document), encoding="utf-8")


def test_outputs_are_carried_over_only_from_the_same_code_and_unedited(course: Path) -> None:
    fresh, old = read_notebook(course / REFERENCE), read_notebook(course / REFERENCE)
    assert fresh is not None
    assert old is not None
    assert carry_outputs(fresh, old)
    assert not carry_outputs(fresh, None)
    del old.metadata["course"]
    assert not carry_outputs(fresh, old)


# --- what must not be released ------------------------------------------------------------------------------------

CALL = "print(scaled([1, 2]))"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (CALL, "print(undefined)", "^book/01_numbers.md, line 44: the cell fails: NameError: .*; nothing"),
        (CALL, "def f(:", "^book/01_numbers.md, line 44: the cell fails: SyntaxError: "),
        (CALL, "import os; os._exit(3)", "^book/01_numbers.md, line 44: Kernel died"),
        (CALL, "print(object())", "line 44: prints a memory address"),
        (CALL, "import os; print(os.getcwd())", "line 44: prints a path of this machine"),
        (CALL, "import sys; print(sys.prefix)", "line 44: prints a path of this machine"),
        (CALL, "import warnings; warnings.warn('old')", "line 44: the cell warns, .*: UserWarning: old"),
        ("solutions/numbers.py::total", "solutions/numbers.py::scaled",
         "line 56: exercise .*::scaled is named twice; the first time in book/01_numbers.md, line 35"),
        ("solutions/numbers.py::total", "solutions/numbers.py::totals",
         "line 56: exercise solutions/numbers.py::totals: solutions/numbers.py has no function totals"),
        ("And nothing else.", "    result.append(value * factor + shift)  # see?", "line 48: .*of the solution of"),
        ("And nothing else.", "Use `running_total_of_values=0`.", "line 48: .*of the solution of"),
        (CALL, "for value in [1]:\n    result.append(value * factor + shift)", "line 44: .* of the solution"),
        (CALL, "result.append(\n    value *\n    factor\n    + shift\n)", "line 44: .* of the solution"),
        (CALL, "# result.append( value*factor+shift )", "line 44: .* of the solution"),
    ],
)
def test_a_chapter_that_must_not_be_released(course: Path, old: str, new: str, words: str) -> None:
    before = {name: (course / name).read_bytes() for name in (STUDENT, REFERENCE)}
    edit(course, "book/01_numbers.md", old, new)
    with pytest.raises(CourseError, match=words) as error:
        release(course)
    assert "\n" not in str(error.value)
    assert {name: (course / name).read_bytes() for name in before} == before


def test_messages_on_stderr_are_not_kept(course: Path) -> None:
    edit(course, "book/01_numbers.md", CALL, f"import sys; print('12 %\\r', file=sys.stderr); {CALL}")
    release(course)
    assert outputs(course) == ["checked scaled\n", "[3, 6]\n", "checked total\n"]


def test_plots_are_sharp(course: Path) -> None:
    edit(course, "book/01_numbers.md", CALL, "import matplotlib.pyplot as plt\nplt.figure(figsize=(4, 2))\nplt.show()")
    release(course)
    [data] = [o for cell in cells(course, REFERENCE) for o in cell.get("outputs", []) if o["output_type"] != "stream"]
    assert data["data"]["text/plain"] == ["<Figure size 400x200 with 0 Axes>"]


# --- leaks --------------------------------------------------------------------------------------------------------


def test_the_leak_finder_knows_what_tells_and_what_does_not(course: Path) -> None:
    total = load_exercise(course, "solutions/numbers.py::total")
    assert telling_pieces(total) == {
        "running_total_of_values=0", "running_total_of_values+=value", "returnrunning_total_of_values",
        "running_total_of_values=0forvalueinvalues:", "forvalueinvalues:running_total_of_values+=value",
        "forvalueinvalues:", "running_total_of_values+=valuereturnrunning_total_of_values",
    }
    told = "Begin: running_total_of_values =\n 0"
    assert list(leaks_in(told, [total])) == [
        "'running_total_of_values=0' (blanks aside) is of the solution of solutions/numbers.py::total"
    ]
    assert list(leaks_in("a running total of values, from 0", [total])) == []


@pytest.mark.parametrize(
    ("solution", "shown", "leaks"),
    [
        ("offset, position = divmod(offset, n)  # carry", "offset,position=divmod(offset,n)", True),
        ("rest = offset // shape[axis]", "rest = offset // shape[axis]", True),  # // is no comment in Python
        ('text = "a # b, c and d"', 'text = "a # b, c and d"', True),
        ("values = [i for i in\n              x]", "values = [i for i in x]", True),  # halves of a line, as a pair
        ("a = b + c\n    d = a * b\n    e = d", "a = b + c\nd = a * b", False),  # 11 characters: anybody writes that
        ("first = second\n    third = fourth", "first = second\n# then\nthird = fourth", True),
        ("for i in range(n):\n        pass", "for i in range(n): pass", False),
        ("return out", "return out", False),
        ("x = scaled_by(x)  # in place", 'def f(x):\n    """x = scaled_by(x)"""', False),  # the docstring shows it
    ],
)
def test_the_rule_line_by_line(course: Path, solution: str, shown: str, leaks: bool) -> None:
    docstring = '    """x = scaled_by(x)"""\n'
    text = f"def f(x):\n{docstring}    ### BEGIN SOLUTION\n    {solution}\n    ### END SOLUTION\n"
    (course / "solutions/more.py").write_text(text)
    assert bool(list(leaks_in(shown, [load_exercise(course, "solutions/more.py::f")]))) is leaks


def test_half_a_statement_can_be_marked(course: Path) -> None:
    text = "def f(x):\n    return max(\n    ### BEGIN SOLUTION\n    first_of(x), second)\n    ### END SOLUTION\n"
    (course / "solutions/more.py").write_text(text)
    exercise = load_exercise(course, "solutions/more.py::f")
    assert telling_pieces(exercise) == {"first_of(x),second)"}


def test_a_leak_from_a_kernel_is_found(course: Path) -> None:
    (course / "kernels/twice.cu").write_text(KERNEL)
    kernel = load_exercise(course, "kernels/twice.cu::twice")
    assert list(leaks_in("if(i<n) x[i] *= 2.0f; // double", [kernel]))
    assert not list(leaks_in("const int i = blockIdx.x * blockDim.x + threadIdx.x;", [kernel]))


def test_outputs_in_a_students_notebook_are_found(course: Path) -> None:
    notebook = nbformat.reads(student_texts(read_course(course))[course / STUDENT], as_version=4)
    places = [f"cell {number}" for number in range(len(notebook.cells))]
    assert find_leaks(notebook, [], places) == []
    notebook.cells[2].outputs = [nbformat.v4.new_output("stream", text="3")]
    assert find_leaks(notebook, [], places) == ["cell 2: a student's notebook has no outputs"]


# --- the command --------------------------------------------------------------------------------------------------


def test_unknown_chapters_and_tables_of_contents_are_refused(course: Path) -> None:
    with pytest.raises(CourseError, match="no chapter '7'; there are: 01_numbers"):
        release(course, "7")
    edit(course, "book/_toc.yml", "01_numbers", "02_gone")
    with pytest.raises(CourseError, match=r"cannot read book/02_gone\.md: No such file"):
        release(course)
    for nonsense in ("- nonsense", "a: [", ""):
        (course / "book/_toc.yml").write_text(nonsense)
        with pytest.raises(CourseError, match="cannot read the table of contents") as error:
            release(course)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "status", "out", "err"),
    [
        (["release"], 0, "everything was up to date\n", ""),
        (["release", "--chapter", "01"], 0, "everything was up to date\n", ""),
        (["release", "--check"], 0, "the committed notebooks equal a fresh release\n", ""),
        (["release", "--check", "--chapter", "1"], 0, "the committed notebooks equal a fresh release\n", ""),
        (["release", "--chapter", "5"], 2, "", "error: no chapter '5'; there are: 01_numbers\n"),
    ],
)
def test_the_command(
    released: Path, arguments: list[str], status: int, out: str, err: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(main, [*arguments, "--root", str(released)]) == status
    assert capsys.readouterr() == (out, err)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "error: the following arguments are required: command (all options: python -m autograder --help)\n"),
        (["bake"], "error: argument command: invalid choice: 'bake'"),
        (["release", "--chek"], "error: unrecognized arguments: --chek"),
        (["release", "--check", "--students", "x"], "not allowed with argument"),
    ],
)
def test_a_wrong_command_line_is_one_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1
