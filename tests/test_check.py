"""``check``, as a student meets it: what it prints for right, wrong, unfilled and impossible answers."""

from __future__ import annotations

import importlib
import pkgutil
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tests.mutants
from autograder import check, feedback
from autograder.cases import registry
from autograder.cases.compare import judge
from autograder.grade.grading import build_cases
from tests.calling import BY_NAME, EXERCISES, reference
from tests.mutants import MUTANTS
from tests.right_answers import RIGHT_ANSWERS

for _module in pkgutil.iter_modules(tests.mutants.__path__):
    importlib.import_module(f"tests.mutants.{_module.name}")

Printed = Callable[[object], str]


@pytest.fixture(name="printed")
def _printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Printed:
    """Check something, and give back what was printed; every exercise is worth 5 points."""
    monkeypatch.setattr(feedback, "points_in_book", lambda exercise: 5.0)

    def run(function: object) -> str:
        assert check(function) is None  # type: ignore[func-returns-value, arg-type]
        captured = capsys.readouterr()
        assert captured.err == ""
        return captured.out

    return run


def right(index, strides):
    return sum(i * s for i, s in zip(index, strides, strict=True))


def named(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    function.__name__ = name
    return function


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
@pytest.mark.filterwarnings("error")
def test_the_reference_passes_with_the_same_words_every_time(exercise: Any, printed: Printed) -> None:
    first = printed(reference(exercise))
    count = len(build_cases(exercise, 1))
    assert first.endswith(f"{exercise.name}: {count} of {count} cases passed · 5 of 5 points\n")
    assert first.count("✓") == count
    assert "✗" not in first
    assert printed(reference(exercise)) == first


def test_a_wrong_answer_shows_the_first_difference_and_advice(printed: Printed) -> None:
    def flat_offset(index, strides):
        return sum(abs(i * s) for i, s in zip(index, strides, strict=True))

    lines = printed(flat_offset).splitlines()
    place = next(n for n, line in enumerate(lines) if "✗" in line)
    assert lines[place].startswith("  ✗ reversed: index")
    assert "expected -" in lines[place + 1]
    assert lines[place + 2] == (
        "      → A negative stride walks backwards, so the offset may be negative: keep the sign."
    )
    assert lines[-1] == "flat_offset: 6 of 7 cases passed · 4 of 5 points"


def test_edges_alone_earn_nothing_and_that_is_said(printed: Printed) -> None:
    def flat_offset(index, strides):
        return 0

    last = printed(flat_offset).splitlines()[-1]
    assert "· 0 of 5 points (the first cases come first" in last


def test_only_the_first_failures_are_told_in_full(printed: Printed) -> None:
    out = printed(named(lambda index, strides: None, "flat_offset"))
    assert out.count("✗") == 7
    assert out.count("is there a return at the end?") == 3


def test_numbers_learnt_by_heart_do_not_pass(printed: Printed, monkeypatch: pytest.MonkeyPatch) -> None:
    known = {case.args: case.expected for case in build_cases(BY_NAME["flat_offset"], feedback.PUBLIC_SEED)}
    monkeypatch.setattr(feedback, "fresh_seed", lambda: 12345)
    out = printed(named(lambda *args: known.get(args, 0), "flat_offset"))
    assert "flat_offset: 2 of 7 cases passed" in out  # the first element and no axes: the same whatever the seed


def test_unfilled(printed: Printed) -> None:
    def flat_offset(index, strides):
        raise NotImplementedError("flat_offset")

    assert printed(flat_offset).startswith("flat_offset: not yet. The blank is waiting")

    def add(a, b):
        flat_offset(0, 0)
        raise NotImplementedError("add")

    assert printed(add).startswith("add: not yet.")

    def unravel(offset, shape):
        return flat_offset(0, 0)

    assert "it needs flat_offset, which is not filled in yet" in printed(unravel)


def test_exceptions_tell_their_line(printed: Printed) -> None:
    def flat_offset(index, strides):
        nothing: list[int] = []
        return nothing[3]

    line = flat_offset.__code__.co_firstlineno + 2
    assert f"it raised IndexError: list index out of range (line {line})" in printed(flat_offset)


@pytest.mark.parametrize("error", [SystemExit(0), BaseException("odd"), RecursionError()])
def test_nothing_gets_out(error: BaseException, printed: Printed) -> None:
    def flat_offset(index, strides):
        raise error

    assert f"it raised {type(error).__name__}" in printed(flat_offset)


def test_the_stop_button_ends_it_quietly(printed: Printed) -> None:
    def flat_offset(index, strides):
        raise KeyboardInterrupt

    assert printed(flat_offset) == "flat_offset: stopped before the end.\n"


def test_a_word_when_it_takes_long(printed: Printed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feedback, "SLOW_SECONDS", 0.05)
    waited = []

    def flat_offset(index, strides):
        if not waited:
            waited.append(time.sleep(0.3))
        return right(index, strides)

    out = printed(flat_offset)
    assert out.startswith("… still at “row-major")
    assert out.count("…") == 1
    assert "7 of 7 cases passed" in out


def test_what_is_no_exercise(printed: Printed) -> None:
    assert printed(3) == (
        "check takes a function, not a value of type int: "
        "write check(flat_offset), with the name alone and no brackets after it\n"
    )
    assert "did you mean 'flat_offset'?" in printed(named(lambda: 0, "flat_ofset"))
    assert "no exercise called 'print'" in printed(print)
    assert "not a value of type str" in printed("flat_offset")


def test_forbidden_products(printed: Printed) -> None:
    def matmul_loops(a, b):
        return helper_that_multiplies(a, b)

    out = printed(matmul_loops)
    assert "uses @: return a @ b" in out
    assert "✓" not in out
    out = printed(named(lambda a, b: saved_product(a, b), "matmul_rank1"))
    assert "uses dot, under the name saved_product" in out
    out = printed(named(lambda a, b: vars(np)["d" + "ot"](a, b), "matmul_rank1"))
    assert "dot is switched off here" in out
    assert np.dot([1], [1]) == 1


def helper_that_multiplies(a, b):
    return a @ b


saved_product = np.dot


def test_without_points_nothing_is_said_of_them(printed: Printed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feedback, "points_in_book", lambda exercise: None)
    assert printed(named(right, "flat_offset")).endswith("flat_offset: 7 of 7 cases passed\n")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("part", ["values", "edges"])
def test_planted_mistakes_are_caught_and_never_raise(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every third one; the forbidden ones among them are stopped before they run."""
    lines: list[str] = []
    monkeypatch.setattr("builtins.print", lambda *texts, **options: lines.extend(map(str, texts)))
    mutants = [mutant for mutant in MUTANTS if mutant.fails == part]
    assert len(mutants) > 100
    for mutant in mutants[::3]:
        lines.clear()
        cases = registry.by_name(mutant.exercise)
        monkeypatch.setattr(feedback, "_cases_of", lambda function, cases=cases: cases)
        check(mutant.function)
        assert "✗" in "".join(lines) or "solved without it" in "".join(lines), mutant.label


@pytest.mark.parametrize(("name", "function"), RIGHT_ANSWERS, ids=lambda value: str(getattr(value, "__doc__", value)))
def test_check_and_grader_see_the_same_value(name: str, function: Callable[..., Any]) -> None:
    """What ``check`` judges has been through the grader's packing and unpacking."""
    cases = BY_NAME[name]
    for case in build_cases(cases, 3):
        assert judge(case, feedback._call(function, case, ())) is None
