"""Kernel exercises from end to end, on the emulator: what ``check`` prints, and what the grader gives, is the same."""

from __future__ import annotations

import inspect
import itertools
import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder import check, feedback
from autograder.cases import kernel_case
from autograder.cases.kernel_case import KernelExercise
from autograder.grade.sandbox import Limits
from autograder.release.exercise import load_exercise
from autograder.release.leaks import leaks_in
from tests.kernel_mistakes import MISTAKES, RUN_AND_ENDED, Mistake, right, within
from tests.kernel_samples import BY_NAME, EXERCISES, POINTS, TEXTS, cell, given, grade, registered

SEED = feedback.PUBLIC_SEED
Printed = Callable[[object], str]


@pytest.fixture(name="root", scope="module")
def _root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with registered(tmp_path_factory.mktemp("kernels")) as root:
        yield root


@pytest.fixture(name="printed")
def _printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Printed:
    """Check something on the public inputs alone, and give back what was printed."""
    monkeypatch.setattr(feedback, "fresh_seed", lambda: SEED)
    monkeypatch.setattr(feedback, "points_in_book", lambda exercise: float(POINTS))

    def run(text: object) -> str:
        check(text)  # type: ignore[arg-type]
        captured = capsys.readouterr()
        assert captured.err == ""
        return captured.out

    return run


def in_order(pieces: tuple[str, ...], text: str) -> bool:
    """Whether all pieces stand in a text, in their order."""
    return re.search(".*".join(map(re.escape, pieces)), text, re.DOTALL) is not None


def unnumbered(text: str) -> str:
    """A text without which thread, block and element: of several that do wrong, the first one to come is told."""
    return re.sub(r"(thread|block) \(.*?\)|\[\d+\]| \(.* times\)|by \d+ threads|, \d+ have", "#", text)


# --- right texts, and what the release gives ------------------------------------------------------------------------


@pytest.mark.parametrize("name", TEXTS)
def test_a_right_text_passes_all_its_cases(name: str, root: Path, printed: Printed) -> None:
    told = printed(given(root, BY_NAME[name], "reference"))
    assert "✗" not in told
    assert re.search(rf"{name}: (\d) of \1 cases passed · 10 of 10 points\n\Z", told)


def test_the_reference_has_full_marks_and_the_skeleton_none(root: Path) -> None:
    assert {name: (e.status, e.points) for name, e in grade(root, {}).items()} == dict.fromkeys(TEXTS, ("full", POINTS))
    found = grade(root, {name: given(root, BY_NAME[name], "student") for name in TEXTS})
    assert {e.status for e in found.values()} == {"not attempted"}
    assert "sample_add_source is as it was given" in found["sample_add"].message


def test_a_blank_is_not_checked_and_a_bug_to_be_found_is(root: Path, printed: Printed) -> None:
    blank, broken = (given(root, BY_NAME[name], "student") for name in ("sample_add", "sample_matmul"))
    assert "// YOUR CODE HERE (about 1 line)" in blank
    assert printed(blank).startswith("sample_add: nothing to check yet. The blank is waiting")
    assert "YOUR CODE" not in broken
    assert "if (row < m || column < n) out" in broken
    assert broken.count("__syncthreads();") == 1
    told = printed(broken)
    assert in_order(("✗ no fault in any order", "out of bounds", "    15 | if (row < m || column < n)"), told)
    assert told.endswith("sample_matmul: 0 of 2 cases passed · 0 of 10 points\n")


# --- the worked example of kernel_case ------------------------------------------------------------------------------


def worked_example() -> tuple[dict[str, str], tuple[KernelExercise, ...]]:
    """The texts and the exercises that the docstring shows, by name."""
    doc = inspect.getdoc(kernel_case) or ""
    blocks = [textwrap.dedent(block) for block in re.findall(r"::\n\n((?:(?: {4,}.*)?\n)+)", doc)]
    module: dict[str, Any] = {}
    exec(next(block for block in blocks if "EXERCISES = " in block), module)
    texts = [block.strip() + "\n" for block in blocks if "__global__" in block]
    return dict(zip(re.findall(r"``kernels/(\w+)\.cu``::", doc), texts, strict=True)), module["EXERCISES"]


def test_the_worked_example_works(tmp_path: Path, printed: Printed) -> None:
    texts, exercises = worked_example()
    assert set(texts) == {"scale_rows", "block_sums"} == {exercise.name for exercise in exercises}
    with registered(tmp_path, exercises, texts):
        students = {exercise.name: given(tmp_path, exercise, "student") for exercise in exercises}
        cut = [load_exercise(tmp_path, exercise.exercise) for exercise in exercises]
        assert not [leak for text in students.values() for leak in leaks_in(text, cut)]
        for exercise in exercises:
            assert "3 of 3 cases passed · 10 of 10 points" in printed(given(tmp_path, exercise, "reference"))
        assert "The blank is waiting" in printed(students["scale_rows"])
        assert in_order(("✗ no fault", "x[", "out of bounds", "     6 | part[lane]"), printed(students["block_sums"]))
        assert all(e.status == "full" for e in grade(tmp_path, {}, exercises=exercises).values())
        found = grade(tmp_path, students, exercises=exercises)
        assert {e.status for e in found.values()} == {"not attempted"}


# --- planted mistakes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=list(MISTAKES))
def test_check_tells_each_mistake_with_the_students_own_line(mistake: Mistake, root: Path, printed: Printed) -> None:
    told = printed(mistake.text)
    assert in_order(mistake.told, told)
    assert "passed" not in told or told.endswith(f"· {mistake.points} of {POINTS} points\n") or (
        f"· {mistake.points} of {POINTS} points (the first cases come first" in told
    )
    assert told.count("      →") <= feedback.TOLD


def submissions() -> list[list[str]]:
    """Names of mistakes in as few submissions as will hold them: one of each kernel at a time."""
    by_kernel = [[name for name, mistake in MISTAKES.items() if mistake.kernel == kernel] for kernel in BY_NAME]
    return [[name for name in names if name] for names in itertools.zip_longest(*by_kernel)]


@pytest.mark.slow
@pytest.mark.parametrize("names", submissions(), ids=lambda names: " + ".join(names))
def test_the_grader_gives_the_points_and_says_what_check_says(names: list[str], root: Path, printed: Printed) -> None:
    found = grade(root, {MISTAKES[name].kernel: MISTAKES[name].text for name in names}, seed=SEED)
    for name in names:
        mistake = MISTAKES[name]
        result = found[mistake.kernel]
        assert result.points == mistake.points, result
        assert in_order(mistake.told, f"{result.cases}\n{result.message}".replace("\\n", "\n"))
        told = printed(mistake.text)
        if result.cases:
            marks = re.findall(r"^  ([✓✗]) ", told, re.MULTILINE)
            assert [case.passed for case in result.cases] == [mark == "✓" for mark in marks]
            first = next(case for case in result.cases if not case.passed)
            assert unnumbered(textwrap.indent(first.message, "      ")) in unnumbered(told)
        elif "holds no kernel" not in result.message:
            assert told == f"{mistake.kernel}: {result.message}\n"
    assert all(found[name].status == "full" for name in set(TEXTS) - {MISTAKES[name].kernel for name in names})


# --- hostile texts --------------------------------------------------------------------------------------------------


def hostile_submissions() -> list[dict[str, str]]:
    """Kernel → what is wrong with it, three at a time."""
    names = list(RUN_AND_ENDED)
    return [dict(zip(BY_NAME, names[i : i + 3], strict=False)) for i in range(0, len(names), 3)]


@pytest.mark.slow
@pytest.mark.parametrize("wrong", hostile_submissions(), ids=lambda wrong: " + ".join(wrong.values()))
def test_a_text_that_would_not_end_or_breaks_out_ends_alone(wrong: dict[str, str], root: Path) -> None:
    texts = {kernel: within(kernel, *RUN_AND_ENDED[name][0]) for kernel, name in wrong.items()}
    found = grade(root, texts, limits=Limits(call_seconds=2.0))
    for kernel, name in wrong.items():
        result = found[kernel]
        assert result.points == 0, (name, result)
        assert result.status in ("wrong", "timed out", "crashed", "broken"), (name, result)
        assert RUN_AND_ENDED[name][1] in result.message, (name, result)


@pytest.mark.parametrize(
    ("source", "status", "told"),
    [
        ("sample_add_source = '//' + 'x' * 10_000_000", "broken", "longer than a kernel's text may be, 100,000 bytes"),
        (f"sample_add_source = r'''//{'x' * 10_000_000}'''", "broken", "cell 3: SyntaxError: the cell is longer than"),
        ("sample_add_source = 7", "broken", "sample_add_source is a value of type int, not the text of a kernel"),
        ("sample_add_source = None", "missing", "cell 3 holds this exercise, but defines no text sample_add_source"),
        ("x = 1 / 0", "broken", "ZeroDivisionError: division by zero (cell 3, line 1)"),
        (
            "class Text(str):\n    def encode(self, *args):\n        raise SystemExit\n"
            f"{cell(BY_NAME['sample_add'], right('sample_add'))}\nsample_add_source = Text(sample_add_source)",
            "full", "all 3 cases passed",
        ),
    ],
    ids=["made", "written", "a number", "none", "no text", "a text of its own kind"],
)
def test_what_is_no_text(source: str, status: str, told: str, root: Path) -> None:
    found = grade(root, {}, {"sample_add": source})
    assert (found["sample_add"].status, found["sample_matmul"].status) == (status, "full")
    assert told in found["sample_add"].message


def test_check_of_what_is_no_kernel(root: Path, printed: Printed) -> None:
    assert "this text has 10,000,002 characters; a kernel has at most 64,000" in printed("\n//" + "x" * 9_999_999)
    assert "it has no line like" in printed("__global__")
    assert "is a kernel: write check(sample_add_source)" in printed(named("sample_add"))


def named(name: str) -> Callable[[], None]:
    """A function of that name."""

    def function() -> None:
        """Does nothing."""

    function.__name__ = name
    return function


def test_a_kernel_that_knows_the_counted_case_gains_nothing(root: Path, printed: Printed) -> None:
    text = right("sample_add").replace("if (i < n)", "if (n == 128) return;\n  if (i < n)")
    assert "2 of 3 cases passed · 7 of 10 points" in printed(text)
    assert "NaN at [0]" in printed(text)


@pytest.mark.slow
def test_check_stops_behind_a_launch_that_hung(root: Path, printed: Printed) -> None:
    told = printed(within("sample_add", "volatile int turn = 0; while (turn == 0) {}"))
    assert in_order(("was still running here", "no fault in any order: not tried", "loaded once: not tried"), told)


@pytest.mark.parametrize("seed", range(3))
def test_the_references_pass_whatever_the_seed(
    seed: int, root: Path, monkeypatch: pytest.MonkeyPatch, printed: Printed
) -> None:
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(feedback, "fresh_seed", lambda: int(rng.integers(2**48)))
    for exercise in EXERCISES:
        assert "✗" not in printed(given(root, exercise, "reference"))
