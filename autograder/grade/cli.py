"""``python -m autograder grade SUBMISSIONS --out DIR``: a class graded, with progress, resume and reports."""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path

from autograder.grade.classroom import Settings, StudentResult, grade_student, printable
from autograder.grade.grading import SEED_BITS
from autograder.grade.released import COURSE_ROOT, ReleasedChapter, released_chapters
from autograder.grade.report import all_problems, write_class, write_student_page
from autograder.grade.sandbox import MEBIBYTE, Limits, level_in_words
from autograder.grade.scoring import shown
from autograder.grade.submissions import Submission, choose, find_submissions
from solutions.atomic import atomic_write
from solutions.errors import CourseError

LEAST_MEMORY_MB = 256
"""Python and NumPy alone take 100 to 150 MB of address space."""

CALLS_PER_NOTEBOOK = 12
"""A notebook may take as long as this many calls that run into their limit."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``grade``."""
    parser.add_argument(
        "submissions",
        type=Path,
        metavar="SUBMISSIONS",
        help="a folder with a folder for each student, a folder of files name_01_tensors.ipynb, or one notebook",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where reports go")
    parser.add_argument("--jobs", type=int, default=None, metavar="N", help="students at a time (default: one a core)")
    parser.add_argument("--seed", type=int, default=None, metavar="S", help="make inputs from this seed: a replay")
    parser.add_argument("--time-limit", type=float, default=5.0, metavar="S", help="seconds for one call (default: 5)")
    parser.add_argument(
        "--memory-limit", type=int, default=1024, metavar="MB", help="memory of a student's process (default: 1024)"
    )
    parser.add_argument("--fresh", action="store_true", help="grade everything again, even what has not changed")
    parser.add_argument("--root", type=Path, default=COURSE_ROOT, help="the course (default: this one)")


def run(options: argparse.Namespace) -> int:
    """Grade and report; 0 when grading ran, whatever the marks; 130 when interrupted; 1 if a notebook broke the grader.

    Raises:
        CourseError: the input is unusable, or reports cannot be written.
    """
    settings, jobs = _settings(options)
    submissions = find_submissions(options.submissions, settings.root, skip=[settings.out])
    chapters = _chapters(submissions, settings)
    _try_writing(settings.out)
    counts = f"{_count(len(submissions), 'student')}, {_count(len(chapters), 'chapter')}"
    print(f"{counts}; {level_in_words()}", flush=True)
    start = time.monotonic()
    results: dict[str, StudentResult] = {}
    failures: list[str] = []
    try:
        for result in _graded(submissions, chapters, settings, jobs, failures):
            results[result.student] = result
            print(_progress(result, len(results) + len(failures), len(submissions), start), flush=True)
    except KeyboardInterrupt:
        print(
            f"stopped after {len(results)} of {_count(len(submissions), 'student')}; the same command goes on from here"
        )
        return 130
    ordered = [results[submission.student] for submission in submissions if submission.student in results]
    write_class(ordered, chapters, settings)
    _summary(ordered, failures, settings, time.monotonic() - start)
    return 1 if failures else 0


def _settings(options: argparse.Namespace) -> tuple[Settings, int]:
    jobs = (os.cpu_count() or 1) if options.jobs is None else options.jobs
    if jobs < 1:
        raise CourseError(f"--jobs {jobs}: at least 1")
    if not 0 < options.time_limit <= 3600:
        raise CourseError(f"--time-limit {options.time_limit:g}: seconds, above 0 and at most 3600")
    if not LEAST_MEMORY_MB <= options.memory_limit <= 2**20:
        raise CourseError(f"--memory-limit {options.memory_limit}: megabytes, {LEAST_MEMORY_MB} to {2**20}")
    if options.seed is not None and not 0 <= options.seed < 2**SEED_BITS:
        raise CourseError(f"--seed {options.seed}: a whole number from 0 to {2**SEED_BITS - 1}")
    limits = Limits(
        call_seconds=options.time_limit,
        notebook_seconds=CALLS_PER_NOTEBOOK * options.time_limit,
        memory_bytes=options.memory_limit * MEBIBYTE,
    )
    return Settings(options.root.resolve(), options.out, limits, options.seed, options.fresh), jobs


def _chapters(submissions: Sequence[Submission], settings: Settings) -> list[ReleasedChapter]:
    """Chapters that anybody handed in; one that nobody did is not due yet, and costs nobody points."""
    released = released_chapters(settings.root)
    found = {choice.chapter.number for submission in submissions for choice in choose(submission, settings.root)[0]}
    if not found:
        raise CourseError(
            "none of the files is a notebook of this course; the first one: "
            + printable(choose(next(s for s in submissions if s.paths), settings.root)[1][0])
        )
    return [released[number] for number in sorted(found)]


def _try_writing(out: Path) -> None:
    """Find out that reports cannot be written before the work, not after it."""
    with atomic_write(out / "students" / ".writable") as handle:
        handle.write(b"")
    (out / "students" / ".writable").unlink()


def _graded(
    submissions: Sequence[Submission],
    chapters: Sequence[ReleasedChapter],
    settings: Settings,
    jobs: int,
    failures: list[str],
) -> Iterator[StudentResult]:
    """Results as they come; what breaks the grader itself is added to ``failures`` and stops nobody else."""

    def one(submission: Submission) -> StudentResult:
        result = grade_student(submission, chapters, settings)
        write_student_page(result, chapters, settings)
        return result

    with ThreadPoolExecutor(jobs) as pool:  # threads: the work is done in the students' processes
        waiting: dict[Future[StudentResult], Submission] = {pool.submit(one, s): s for s in submissions}
        try:
            for future in as_completed(waiting):
                try:
                    yield future.result()
                except CourseError:
                    raise
                except Exception:
                    student = printable(waiting[future].student)
                    failures.append(student)
                    print(f"the grader itself failed on {student}:\n{traceback.format_exc()}", file=sys.stderr)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _progress(result: StudentResult, done: int, count: int, start: float) -> str:
    left = (time.monotonic() - start) / done * (count - done)
    width = len(str(count))
    took = "unchanged" if result.unchanged else f"{result.seconds:.1f} s"
    points = f"{shown(result.points)} of {shown(result.max_points)} points"
    ahead = f" · about {_clock(left)} left" if done < count else ""
    return f"[{done:{width}}/{count}] {printable(result.student)[:24]:<24} {points:<20} {took}{ahead}"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def _summary(results: Sequence[StudentResult], failures: Sequence[str], settings: Settings, seconds: float) -> None:
    unchanged = sum(result.unchanged for result in results)
    print(f"{_count(len(results), 'student')} in {_clock(seconds)}, {unchanged} unchanged since the last run")
    for result in results:
        for problem in all_problems(result):
            print(f"  {printable(result.student)}: {problem}")
    for student in failures:
        print(f"  {student}: not graded, because of an error in the grader (see above); please report it")
    print(f"reports: {settings.out / 'index.html'}, grades.csv, grades.json, students/")
