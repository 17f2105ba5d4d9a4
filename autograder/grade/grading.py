"""One notebook in, one result out. Nothing here depends on other notebooks, on the clock or on where results go."""

from __future__ import annotations

import secrets
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import overload

import numpy as np

from autograder.cases.case import Case, ExerciseCases
from autograder.cases.compare import judge
from autograder.cases.kernel_case import KernelCase, KernelExercise
from autograder.cases.registry import Exercise
from autograder.grade import scoring
from autograder.grade.identify import Plan, forbidden_uses, is_unfilled, make_plan
from autograder.grade.notebook import Notebook, read_notebook
from autograder.grade.released import COURSE_ROOT, ReleasedChapter, ReleasedExercise, chapter_of
from autograder.grade.results import CaseResult, ExerciseResult, NotebookResult, PartResult
from autograder.grade.sandbox import EndedError, Limits, level_in_words
from autograder.grade.session import MissingError, Session
from autograder.grade.tree import student_tree
from autograder.kernels.grading import NotRunError, run_kernel
from solutions.errors import CourseError

SEED_BITS = 48
"""Enough that nobody guesses a seed, and few enough that every reader of JSON keeps it exact."""


def fresh_seed() -> int:
    """A seed that nobody knows beforehand."""
    return secrets.randbits(SEED_BITS)


@overload
def build_cases(cases: ExerciseCases, seed: int) -> list[Case]: ...
@overload
def build_cases(cases: KernelExercise, seed: int) -> list[KernelCase]: ...
def build_cases(cases: Exercise, seed: int) -> Sequence[Case | KernelCase]:
    """The cases of an exercise for a seed; the same seed gives the same inputs, and each exercise its own.

    Raises:
        CourseError: the parts of the cases are not those of the exercise: points would be lost or given away; or no
            case of a kernel asks for a launch without faults.
    """
    built: list[Case | KernelCase] = []
    built += cases.build(np.random.default_rng([seed, zlib.crc32(cases.exercise.encode())]))
    if {case.part for case in built} != set(cases.parts):
        raise CourseError(f"the cases of {cases.exercise} do not match its parts: {', '.join(cases.parts)}")
    if isinstance(cases, KernelExercise) and all(len(c.orders) < 2 for c in built if isinstance(c, KernelCase)):
        raise CourseError(f"no case of {cases.exercise} is clean: a kernel that races would pass")
    return built


def grade_notebook(
    path: Path, seed: int | None = None, limits: Limits | None = None, root: Path = COURSE_ROOT
) -> NotebookResult:
    """Grade one notebook.

    Args:
        path: the filled-in notebook.
        seed: what inputs are made from; None for a fresh, secret one (the result tells it).
        limits: what student code may use.
        root: the course whose ``chapters/`` says what there is to be done, and for how many points.

    Raises:
        CourseError: the file cannot be read as a notebook of the course (what is wrong inside one is in the result).
    """
    notebook = read_notebook(path)
    return grade_chapter(notebook, chapter_of(notebook, root), seed, limits or Limits())


def grade_chapter(notebook: Notebook, chapter: ReleasedChapter, seed: int | None, limits: Limits) -> NotebookResult:
    """Grade a notebook that has been read, as an answer to ``chapter``."""
    seed = fresh_seed() if seed is None else seed
    plan = make_plan(notebook, chapter)
    guard = sorted({name for exercise in chapter.exercises for name in exercise.cases.forbidden})
    with Session(plan.run, student_tree(chapter.number), limits, guard) as session:
        results = tuple(_grade_exercise(exercise, plan, session, seed) for exercise in chapter.exercises)
        problems = [*_duplicates(plan), *(session.problems[number] for number in sorted(session.problems))]
    return NotebookResult(chapter.number, notebook.path.name, seed, results, tuple(problems), level_in_words())


def not_graded(chapter: ReleasedChapter, problem: str, file: str = "") -> NotebookResult:
    """The result for a chapter without a usable notebook: 0 points, and why."""
    results = tuple(_empty(exercise, "missing", problem) for exercise in chapter.exercises)
    return NotebookResult(chapter.number, file, 0, results, (problem,), "")


def _duplicates(plan: Plan) -> list[str]:
    return [
        f"{name} is defined in cells {', '.join(map(str, numbers))}: the last definition counts"
        for name, numbers in sorted(plan.definers.items())
        if len(numbers) > 1
    ]


def _empty(exercise: ReleasedExercise, status: str, message: str) -> ExerciseResult:
    return ExerciseResult(exercise.cases.exercise, exercise.title, 0.0, exercise.points, status, message)


def _grade_exercise(exercise: ReleasedExercise, plan: Plan, session: Session, seed: int) -> ExerciseResult:
    name = exercise.cases.bound_name
    if not plan.holders[name]:
        return _empty(exercise, "missing", f"no cell of the notebook defines {name}; was its cell deleted or renamed?")
    try:
        return _scored(exercise, *_results(exercise, plan, session, seed))
    except NotRunError as error:
        return _empty(exercise, error.status, str(error))
    except MissingError:
        problems = [session.problems[number] for number in plan.holders[name] if number in session.problems]
        if problems:
            return _empty(exercise, "broken", problems[-1])
        what = "text" if isinstance(exercise.cases, KernelExercise) else "function"
        message = f"cell {plan.holders[name][-1]} holds this exercise, but defines no {what} {name}"
        return _empty(exercise, "missing", message)


def _results(
    exercise: ReleasedExercise, plan: Plan, session: Session, seed: int
) -> tuple[list[CaseResult], str]:
    """The results of all cases, and how the process ended if it did.

    Raises:
        MissingError: the notebook does not define what the exercise asks for.
        NotRunError: what it defines is not run.
    """
    cases = exercise.cases
    if isinstance(cases, KernelExercise):
        return run_kernel(build_cases(cases, seed), cases, session)
    uses = forbidden_uses(plan, cases.name, cases.forbidden)
    if uses:
        raise NotRunError("forbidden", f"{uses[0]} (this exercise is to be solved without it)")
    results, status = _run_cases(build_cases(cases, seed), cases, session, is_unfilled(plan, cases.name))
    if status == "not attempted":
        raise NotRunError(status, f"{cases.name} still raises NotImplementedError: the blank is waiting")
    return results, status


def _run_cases(
    cases: Sequence[Case], exercise: ExerciseCases, session: Session, blank: bool
) -> tuple[list[CaseResult], str]:
    """Run every case; returns their results, and how the process ended if it did (``""`` if not).

    After the process has ended in a part, the rest of that part is lost anyway and not tried, since each try may take
    seconds. The other parts are tried, unless it was the core, on which all points rest.
    """
    results: list[CaseResult] = []
    lost: dict[str, str] = {}
    core = next(iter(exercise.parts))
    status = ""
    for case in cases:
        if core in lost or case.part in lost:
            results.append(CaseResult(case.title, case.part, False, "not tried after the case before", ""))
            continue
        try:
            outcome = session.call(exercise.name, case, exercise.forbidden)
        except EndedError as error:
            lost[case.part] = status = error.status
            results.append(CaseResult(case.title, case.part, False, str(error), ""))
            continue
        unfilled = outcome.raised.unfilled if outcome.raised else ""
        if not results and unfilled and (blank or unfilled == exercise.name):
            return [], "not attempted"  # what was given above the blank may call another exercise, unfilled as well
        message = judge(case, outcome)
        advice = case.advice if message else ""
        results.append(CaseResult(case.title, case.part, message is None, message or "", advice))
    return results, status


def _scored(exercise: ReleasedExercise, results: list[CaseResult], status: str) -> ExerciseResult:
    shares = exercise.cases.parts
    by_part = {part: [result.passed for result in results if result.part == part] for part in shares}
    points = scoring.part_points(shares, {part: all(passed) for part, passed in by_part.items()}, exercise.points)
    parts = tuple(
        PartResult(part, points[part], round(share * exercise.points, 2), sum(by_part[part]), len(by_part[part]))
        for part, share in shares.items()
    )
    earned = scoring.total(list(points.values()))
    first_wrong = next((result for result in results if not result.passed), None)
    summary = _empty(exercise, status or "wrong", "")
    if first_wrong is None:
        summary = replace(summary, status="full", message=f"all {len(results)} cases passed")
    else:
        message = f"{first_wrong.title}: {first_wrong.message}"
        summary = replace(summary, message=message, advice=first_wrong.advice)
        if earned > 0:
            summary = replace(summary, status="part")
    return replace(summary, points=earned, parts=parts, cases=tuple(results))
