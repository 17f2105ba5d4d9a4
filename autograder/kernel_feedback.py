"""``check`` for a kernel: its text is compiled for the CPU emulator and launched, checked, in a process of its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import numpy as np

import kernels
from autograder.cases.kernel_case import KernelCase, KernelExercise, Launch
from autograder.cases.kernel_compare import Run, shown_line, verdict
from autograder.grade.kernel_lint import refusal
from autograder.grade.kernel_text import exercise_of_text, has_blank
from solutions.errors import CourseError

LINE = re.compile(r"line (\d+)\b")


def ready(text: str) -> tuple[KernelExercise, Callable[[KernelCase], str | None]]:
    """The exercise that a text answers, and a function from a case to what is wrong (None if nothing is).

    Raises:
        CourseError: there is nothing to launch: the blank is still there, the text is refused (by the grader, too), it
            does not compile, or this machine cannot compile. A line of the text is shown below the message.
    """
    exercise = exercise_of_text(text)
    if has_blank(exercise, text):
        raise CourseError(
            f"{exercise.name}: nothing to check yet. The blank is waiting: put your lines in place of YOUR CODE HERE, "
            "run the cell, then this one."
        )
    refused = refusal(text, exercise.forbidden)
    if refused:
        raise CourseError(f"{exercise.name}: {_with_line(refused, text)}")
    try:
        kernel = kernels.load(text, target="emulator", mode="checked")[exercise.name]
    except kernels.CompileError as error:
        raise CourseError(f"{exercise.name}: {_with_line(str(error), text)}") from error

    @cache
    def run(launch: Launch, order: int) -> Run:
        arguments = {n: a.copy() if isinstance(a, np.ndarray) else a for n, a in launch.args.items()}
        given = list(arguments.values())
        try:
            report = kernel.inspect(launch.grid, launch.block, given, shared=launch.shared, order=order)
        except kernels.LaunchError as error:
            return Run({}, refused=str(error))
        return Run(arguments, report.faults, report.counters)

    def message_of(case: KernelCase) -> str | None:
        return verdict(case, [run(case.launch, order) for order in case.orders], text)

    return exercise, message_of


def _with_line(message: str, text: str) -> str:
    """A message, and below it the line that it names."""
    named = LINE.match(message)
    shown = shown_line(int(named[1]), text.split("\n")) if named else ""
    return f"{message}\n{shown}" if shown else message
