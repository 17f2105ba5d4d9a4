"""A kernel exercise: the student's text is read, refused or launched, and judged case by case."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.cases.kernel_case import KernelCase, KernelExercise, Launch
from autograder.cases.kernel_compare import NOT_TRIED, Run, Trial, with_line
from autograder.grade.results import CaseResult
from autograder.grade.sandbox import EndedError
from autograder.grade.session import NoTextError, Session
from autograder.kernels.session import KernelSession, UncompiledError
from autograder.kernels.text import is_untouched, why_refused
from autograder.kernels.tokens import SIZE_LIMIT


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
    statuses = [""]
    with KernelSession(text, exercise.name, session.limits, session.seconds_left) as kernels:

        def launch(what: Launch, order: int) -> Run:
            try:
                return kernels.run(what, order)
            except EndedError as error:
                statuses.append(error.status)
                return Run({}, refused=str(error), ended=True)

        trial = Trial(exercise, launch, text)
        try:
            return [_result(case, trial.message(case)) for case in cases], statuses[-1]
        except UncompiledError as error:
            raise NotRunError("broken", with_line(str(error), text)) from error


def _result(case: KernelCase, message: str | None) -> CaseResult:
    advice = case.advice if message and message != NOT_TRIED else ""
    return CaseResult(case.title, case.part, message is None, message or "", advice)


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
    if len(text) <= SIZE_LIMIT and is_untouched(exercise, text):
        raise NotRunError("not attempted", f"{exercise.bound_name} is as it was given: nothing to grade yet")
    refused = why_refused(exercise, text)
    if refused:
        raise NotRunError("forbidden", with_line(refused, text))
    return text
