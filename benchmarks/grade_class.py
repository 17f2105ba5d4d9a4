"""How long grading a class takes: 30 students who hand in every chapter with all exercises solved.

Solved work takes longest among honest work, since every case runs. ``python -m benchmarks.grade_class``
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from autograder.grade import cli
from autograder.grade.classroom import Settings, grade_student
from autograder.grade.demo import edition
from autograder.grade.released import COURSE_ROOT, released_chapters
from autograder.grade.sandbox import Limits, level
from autograder.grade.submissions import find_submissions
from benchmarks.record import save_result
from solutions.command_line import OneLineParser, run

STUDENTS = 30


def write_class(root: Path, target: Path) -> None:
    """``STUDENTS`` folders with the reference edition of every chapter."""
    texts = {c.stem: json.dumps(edition(root, "solutions", c.stem)) for c in released_chapters(root).values()}
    for number in range(STUDENTS):
        folder = target / f"student-{number:02d}"
        folder.mkdir(parents=True)
        for stem, text in texts.items():
            (folder / f"{stem}.ipynb").write_text(text, encoding="utf-8")


def one_by_one(root: Path, submissions: Path, out: Path) -> list[float]:
    """Seconds for each student, one after the other on one core."""
    settings = Settings(root, out, Limits())
    chapters = list(released_chapters(root).values())
    seconds = []
    for submission in find_submissions(submissions, root):
        start = time.perf_counter()
        grade_student(submission, chapters, settings)
        seconds.append(time.perf_counter() - start)
    return seconds


def main(arguments: Sequence[str]) -> int:
    """Grade the class through the command, as many students at a time as there are cores, then one at a time."""
    parser = OneLineParser(prog="python -m benchmarks.grade_class", description=__doc__)
    parser.add_argument("--root", type=Path, default=COURSE_ROOT, help="the course (default: this one)")
    root = parser.parse_args(arguments).root.resolve()
    grade = OneLineParser()
    cli.add_arguments(grade)
    with tempfile.TemporaryDirectory() as folder:
        submissions, out = Path(folder) / "class", Path(folder) / "grades"
        write_class(root, submissions)
        start = time.perf_counter()
        cli.run(grade.parse_args([str(submissions), "--out", str(out), "--root", str(root)]))
        together = time.perf_counter() - start
        alone = one_by_one(root, submissions, Path(folder) / "alone")
    figures = {
        "students": STUDENTS,
        "notebooks": STUDENTS * len(released_chapters(root)),
        "jobs": os.cpu_count(),
        "walls": level(),
        "class_seconds": round(together, 1),
        "seconds_a_student": round(together / STUDENTS, 2),
        "one_at_a_time_median_seconds": round(statistics.median(alone), 2),
        "one_at_a_time_slowest_seconds": round(max(alone), 2),
    }
    print(json.dumps(figures, indent=1))
    print(f"kept in {save_result('grade_class', 'python -m benchmarks.grade_class', figures)}")
    return 0


if __name__ == "__main__":
    sys.exit(run(main, sys.argv[1:]))
