"""A kernel's text as an answer: which exercise it answers, whether its blank is still there, why it is not launched."""

from __future__ import annotations

import re

from autograder.cases import registry
from autograder.cases.kernel_case import KernelExercise
from autograder.grade.released import COURSE_ROOT
from autograder.kernels.lint import refusal
from autograder.kernels.tokens import SIZE_LIMIT
from solutions.errors import CourseError

KERNEL = re.compile(
    r"(?:\btemplate\s*<(?P<template>[^;{}]{0,200})>\s*)?(?:\bextern\s+\"C\"\s+)?\b__global__\b[^;{}]{0,400}?\bvoid\s+"
    r"(?:__launch_bounds__\s*\([^;{}]{0,100}\)\s*)?(?P<name>\w+)\s*\("
)
COMMENT = re.compile(r'("(?:[^"\\\n]|\\[^\n])*(?:"|$))|//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)', re.MULTILINE)
"""A text in quotes, kept; or a comment. What is not closed ends with its line, or with the text: no second try."""

BLANK, MARK = "YOUR CODE HERE", "// BEGIN SOLUTION"


def without_comments(text: str) -> str:
    """Kernel source with a blank in place of each comment."""
    return COMMENT.sub(lambda match: match[1] or " ", text)


def kernel_names(text: str) -> list[str]:
    """Names of the kernels that a text defines, templates left out, in its order."""
    found = KERNEL.finditer(without_comments(text))
    return [match["name"] for match in found if match["template"] is None]


def exercise_of_text(text: str) -> KernelExercise:
    """The exercise that a text answers: the one that its kernel is named after.

    Raises:
        CourseError: none is.
    """
    names = kernel_names(text) if len(text) <= SIZE_LIMIT else []
    known = {
        cases.name: cases
        for number in registry.chapters()
        for cases in registry.for_chapter(number)
        if isinstance(cases, KernelExercise)
    }
    found = [known[name] for name in names if name in known]
    if len(text) > SIZE_LIMIT:
        raise CourseError(f"this text has {len(text):,} characters; a kernel has at most {SIZE_LIMIT:,}")
    if not found:
        there = f"it has {', '.join(names)}" if names else 'it has no line like extern "C" __global__ void NAME(…)'
        raise CourseError(f"this text holds no kernel of an exercise ({there}); was it renamed, or made a template?")
    # The file of one exercise may hold another's kernel as a step on its ladder; then its whole ladder is there.
    return max(found, key=lambda cases: set(kernel_names(course_text(cases))) == set(names))


def course_text(cases: KernelExercise) -> str:
    """The course's own file as it is at hand, its solution marked, blank or filled in; empty if there is none."""
    try:
        return (COURSE_ROOT / cases.exercise.partition("::")[0]).read_text(encoding="utf-8")
    except OSError:
        return ""


def skeleton(cases: KernelExercise) -> str:
    """What the release gave to the student; empty where that cannot be told from a solution.

    A student's copy of the course has no marks: there a file with a blank is the skeleton, and any other may be either
    filled in or hold a bug to be found.
    """
    source = course_text(cases)
    if MARK not in source:
        return source if BLANK in source else ""
    from autograder.release.blank import blank_kernel  # a student's copy has no release

    return blank_kernel(source, True, cases.exercise.partition("::")[0])


def is_untouched(cases: KernelExercise, text: str) -> bool:
    """Whether a text is still what the release gave, comments and white space aside."""
    given = skeleton(cases)
    return bool(given) and _squeezed(given) == _squeezed(text)


def lacks_lines(cases: KernelExercise) -> bool:
    """Whether the student's text has a blank to be filled; one with a bug to be found has none."""
    return BLANK in skeleton(cases)


def why_refused(cases: KernelExercise, text: str) -> str | None:
    """Why a text is not compiled, in one line; None if it may be."""
    why = refusal(text, cases.forbidden)
    if why is None and cases.name not in kernel_names(text):
        return f"{cases.bound_name} holds no kernel {cases.name}; was it renamed, or made a template?"
    return why


def _squeezed(text: str) -> str:
    return "".join(without_comments(text).split())
