"""The course's own kernel exercises: the reference passes, and what the student is given does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.cases import registry
from autograder.cases.kernel_case import KernelExercise
from autograder.grade.grading import build_cases
from autograder.kernels.feedback import tried
from autograder.kernels.text import why_refused
from autograder.release.exercise import load_exercise

ROOT = Path(__file__).resolve().parents[1]
KERNELS = [
    cases
    for number in registry.chapters()
    for cases in registry.for_chapter(number)
    if isinstance(cases, KernelExercise)
]
each = pytest.mark.parametrize("exercise", KERNELS, ids=lambda exercise: exercise.name)


def text_of(exercise: KernelExercise, edition: str) -> str:
    """The text that the cell of an edition binds."""
    names: dict[str, str] = {}
    exec(getattr(load_exercise(ROOT, exercise.exercise), edition), names)
    return names[exercise.bound_name]


@each
def test_the_parts_add_up_and_each_case_says_what_helps(exercise: KernelExercise) -> None:
    assert sum(exercise.parts.values()) == pytest.approx(1.0)
    assert all(case.advice and case.title for case in build_cases(exercise, 1))


@each
def test_the_reference_passes_with_any_inputs(exercise: KernelExercise) -> None:
    text = text_of(exercise, "reference")
    assert why_refused(exercise, text) is None
    message_of = tried(exercise, text)
    for seed in range(3):
        assert [(case.title, message_of(case)) for case in build_cases(exercise, seed)] == [
            (case.title, None) for case in build_cases(exercise, seed)
        ]


@each
def test_what_is_given_earns_nothing(exercise: KernelExercise) -> None:
    text = text_of(exercise, "student")
    assert why_refused(exercise, text) is None
    core = next(iter(exercise.parts))
    message_of = tried(exercise, text)
    for seed in range(3):
        assert any(message_of(case) for case in build_cases(exercise, seed) if case.part == core)
