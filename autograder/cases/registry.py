"""Which exercises there are: each chapter's module is imported when it is first asked for."""

from __future__ import annotations

import importlib
import pkgutil
import re
from functools import cache
from typing import cast

import autograder.cases
from autograder.cases.case import ExerciseCases
from autograder.cases.kernel_case import KernelExercise
from solutions.errors import CourseError

Exercise = ExerciseCases | KernelExercise
"""A function's or a kernel's cases; both have ``exercise``, ``name``, ``bound_name``, ``parts`` and ``forbidden``."""

CHAPTER_MODULE = re.compile(r"ch(\d\d)\Z")


@cache
def chapters() -> tuple[int, ...]:
    """Numbers of the chapters that have cases, in order."""
    modules = pkgutil.iter_modules(autograder.cases.__path__)
    return tuple(sorted(int(match[1]) for module in modules if (match := CHAPTER_MODULE.match(module.name))))


@cache
def for_chapter(number: int) -> tuple[Exercise, ...]:
    """The exercises of a chapter, in the order of its module.

    Raises:
        CourseError: the chapter has no cases.
    """
    if number not in chapters():
        known = ", ".join(str(n) for n in chapters())
        raise CourseError(f"chapter {number} has no graded exercises; there are some in chapters {known}")
    module = importlib.import_module(f"autograder.cases.ch{number:02d}")
    return tuple(cast("list[Exercise]", module.EXERCISES))


@cache
def _by_exercise() -> dict[str, Exercise]:
    found: dict[str, Exercise] = {}
    for number in chapters():
        for cases in for_chapter(number):
            if cases.name in {other.name for other in found.values()}:
                raise CourseError(f"two exercises are called {cases.name}: names must differ across chapters")
            found[cases.exercise] = cases
    return found


def find(exercise: str) -> Exercise:
    """The cases of an exercise by where its reference stands, ``"solutions/tensor.py::flat_offset"``.

    Raises:
        CourseError: there is no such exercise.
    """
    try:
        return _by_exercise()[exercise]
    except KeyError:
        raise CourseError(f"there is no exercise {exercise!r}{_nearest(exercise, list(_by_exercise()))}") from None


def by_name(name: str) -> Exercise:
    """The cases of an exercise by the bare name of its function or kernel, ``"flat_offset"``.

    Raises:
        CourseError: there is no such exercise.
    """
    named = {cases.name: cases for cases in _by_exercise().values()}
    try:
        return named[name]
    except KeyError:
        raise CourseError(f"there is no exercise called {name!r}{_nearest(name, list(named))}") from None


def _nearest(wrong: str, known: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(wrong, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
