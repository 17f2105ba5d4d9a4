"""``check`` for a kernel: its text is compiled for the CPU emulator and launched, checked, in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

import kernels
from autograder.cases.kernel_case import KernelCase, KernelExercise, Launch
from autograder.cases.kernel_compare import Run, Trial, with_line
from autograder.kernels.text import exercise_of_text, is_untouched, lacks_lines, why_refused
from solutions.errors import CourseError


def ready(text: str) -> tuple[KernelExercise, Callable[[KernelCase], str | None]]:
    """The exercise that a text answers, and a function from a case to what is wrong (None if nothing is).

    Raises:
        CourseError: there is nothing to launch: the blank is still there, the text is refused (by the grader, too), it
            does not compile, or this machine cannot compile. A line of the text is shown below the message.
    """
    exercise = exercise_of_text(text)
    if lacks_lines(exercise) and is_untouched(exercise, text):
        raise CourseError(
            f"{exercise.name}: nothing to check yet. The blank is waiting: put your lines in place of YOUR CODE HERE, "
            "run the cell, then this one."
        )
    refused = why_refused(exercise, text)
    if refused:
        raise CourseError(f"{exercise.name}: {with_line(refused, text)}")
    try:
        return exercise, tried(exercise, text)
    except kernels.CompileError as error:
        raise CourseError(f"{exercise.name}: {with_line(str(error), text)}") from error


def tried(exercise: KernelExercise, text: str) -> Callable[[KernelCase], str | None]:
    """Compile a text; returns a function from a case to what is wrong (None if nothing is).

    Raises:
        CourseError: it does not compile, or this machine cannot compile.
    """
    kernel = kernels.load(text, target="emulator", mode="checked")[exercise.name]

    @cache
    def run(launch: Launch, order: int) -> Run:
        arguments = {n: a.copy() if isinstance(a, np.ndarray) else a for n, a in launch.args.items()}
        given = list(arguments.values())
        try:
            report = kernel.inspect(launch.grid, launch.block, given, shared=launch.shared, order=order)
        except kernels.LaunchError as error:
            return Run({}, refused=str(error))
        return Run(arguments, report.faults, report.counters)

    return Trial(exercise, run, text).message
