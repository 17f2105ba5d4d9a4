"""A kernel exercise: the student's text is read, refused or launched, and judged case by case."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.cases.kernel_case import KernelCase, KernelExercise
from autograder.cases.kernel_compare import verdict
from autograder.grade.kernel_lint import refusal
from autograder.grade.kernel_session import KernelSession, UncompiledError
from autograder.grade.kernel_text import is_untouched, kernel_names
from autograder.grade.results import CaseResult
from autograder.grade.sandbox import EndedError
from autograder.grade.session import NoTextError, Session


class NotRunError(Exception):
    """An answer that is not launched at all.

    Attributes:
        status: the exercise's status, one of ``results.STATUSES``.
    """

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


def run_kernel(
    cases: Sequence[KernelCase], exercise: KernelExercise, session: Session
) -> tuple[list[CaseResult], str]:
    """Run every case of a kernel; returns their results, and how its process ended if it did (``""`` if not).

    Raises:
        MissingError: the notebook does not define the text.
        NotRunError: the text is unfilled, refused, or does not compile.
    """
    text = answer(exercise, session)
    with KernelSession(text, exercise.name, session.limits, session.seconds_left) as kernels:
        try:
            return _run_cases(cases, exercise, kernels, text)
        except UncompiledError as error:
            raise NotRunError("broken", str(error)) from error


def answer(exercise: KernelExercise, session: Session) -> str:
    """The student's text, ready to be compiled.

    Raises:
        MissingError, NotRunError: see :func:`run_kernel`.
    """
    try:
        text = session.text(exercise.bound_name)
    except NoTextError as error:
        raise NotRunError("broken", str(error)) from error
    except EndedError as error:
        raise NotRunError(error.status, str(error)) from error
    if is_untouched(exercise, text):
        raise NotRunError("not attempted", f"{exercise.bound_name} is as it was given: nothing to grade yet")
    refused = refusal(text, exercise.forbidden)
    if refused:
        raise NotRunError("forbidden", refused)
    if exercise.name not in kernel_names(text):
        raise NotRunError("missing", f"{exercise.bound_name} holds no kernel {exercise.name}; was it renamed?")
    return text


def _run_cases(
    cases: Sequence[KernelCase], exercise: KernelExercise, kernels: KernelSession, text: str
) -> tuple[list[CaseResult], str]:
    """As for functions: a part in which the process ended is lost, and without the core the rest is not tried."""
    results: list[CaseResult] = []
    lost: set[str] = set()
    core = next(iter(exercise.parts))
    status = ""
    for case in cases:
        if core in lost or case.part in lost:
            results.append(CaseResult(case.title, case.part, False, "not tried after the case before", ""))
            continue
        try:
            message = verdict(case, kernels.runs(case), text)
        except EndedError as error:
            lost.add(case.part)
            status = error.status
            results.append(CaseResult(case.title, case.part, False, str(error), ""))
            continue
        advice = case.advice if message else ""
        results.append(CaseResult(case.title, case.part, message is None, message or "", advice))
    return results, status
