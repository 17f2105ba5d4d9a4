"""Reports: a page for each student, an overview for the instructor, a table for the spreadsheet, JSON for programs.

All text that comes from students (names, messages, lines of code) is escaped by the template engine.
"""

from __future__ import annotations

import csv
import io
import json
import platform
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from autograder.grade.classroom import NOTHING_HANDED_IN, Settings, StudentResult, printable
from autograder.grade.released import ReleasedChapter
from autograder.grade.results import STATUSES, ExerciseResult
from autograder.grade.sandbox import level_in_words
from autograder.grade.scoring import shown
from solutions.atomic import atomic_write

TEMPLATES = Path(__file__).parent / "templates"
MARKS = {"full": "✓", "part": "◐", "not attempted": "–", "missing": "–"}
WRONG_MARK = "✗"
LOOK_AT = ("timed out", "crashed", "bad reply", "forbidden")
"""Statuses that an instructor may want to look at."""


@cache
def _environment() -> Any:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(points=shown, printable=printable)
    environment.globals.update(statuses=STATUSES, marks=MARKS, wrong_mark=WRONG_MARK)
    return environment


def _write(path: Path, text: str) -> None:
    with atomic_write(path, "w") as handle:
        handle.write(text)


def write_student_page(result: StudentResult, chapters: Sequence[ReleasedChapter], settings: Settings) -> None:
    """Write ``students/NAME.html``, one self-contained file."""
    titles = {chapter.number: chapter.title for chapter in chapters}
    text = _environment().get_template("student.html").render(result=result, titles=titles, limits=settings.limits)
    _write(settings.student_file(result.file, ".html"), text)


def write_class(results: Sequence[StudentResult], chapters: Sequence[ReleasedChapter], settings: Settings) -> None:
    """Write ``grades.json``, ``grades.csv`` and ``index.html``."""
    _write(settings.out / "grades.json", json.dumps(class_json(results, settings), ensure_ascii=False, indent=1))
    _write(settings.out / "grades.csv", class_csv(results, chapters))
    page = _environment().get_template("index.html")
    text = page.render(
        results=results,
        chapters=chapters,
        exercises=exercise_statistics(results, chapters),
        attention=attention(results),
        sandbox=level_in_words(),
        versions=f"Python {platform.python_version()}, NumPy {np.__version__}",
        settings=settings,
    )
    _write(settings.out / "index.html", text)


def class_json(results: Sequence[StudentResult], settings: Settings) -> dict[str, Any]:
    """The whole class for programs; details stand in each student's own file."""
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "sandbox": level_in_words(),
        "seed": settings.seed,
        "students": [
            {
                "student": printable(result.student),
                "report": f"students/{result.file}.json",
                "points": result.points,
                "max_points": result.max_points,
                "exercises": {e.exercise: e.points for chapter in result.chapters for e in chapter.exercises},
                "problems": all_problems(result),
            }
            for result in results
        ],
    }


def class_csv(results: Sequence[StudentResult], chapters: Sequence[ReleasedChapter]) -> str:
    """A row for each student. It begins with a byte order mark, without which Excel takes UTF-8 for something else."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    exercises = [exercise for chapter in chapters for exercise in chapter.exercises]
    sums = [f"chapter {chapter.number} (of {shown(chapter.max_points)})" for chapter in chapters]
    labels = [f"{exercise.title} (of {shown(exercise.points)})" for exercise in exercises]
    writer.writerow(["student", "points", "max points", *sums, *labels, "problems"])
    for result in results:
        points = [shown(chapter.points) for chapter in result.chapters]
        points += [shown(exercise.points) for chapter in result.chapters for exercise in chapter.exercises]
        problems = " | ".join(all_problems(result))
        total = [shown(result.points), shown(result.max_points)]
        writer.writerow([_harmless(printable(result.student)), *total, *points, _harmless(problems)])
    return "\ufeff" + out.getvalue()


def _harmless(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def all_problems(result: StudentResult) -> list[str]:
    """What was wrong beside single exercises, over all chapters; a chapter not handed in speaks for itself."""
    return [
        *result.problems,
        *(
            f"chapter {chapter.chapter}: {problem}"
            for chapter in result.chapters
            for problem in chapter.problems
            if problem != NOTHING_HANDED_IN
        ),
    ]


def exercise_statistics(results: Sequence[StudentResult], chapters: Sequence[ReleasedChapter]) -> list[dict[str, Any]]:
    """How the class did on each exercise: counts by outcome, and the mean share of its points."""
    by_exercise: dict[str, list[ExerciseResult]] = {}
    for result in results:
        for chapter in result.chapters:
            for exercise in chapter.exercises:
                by_exercise.setdefault(exercise.exercise, []).append(exercise)
    rows = []
    for released in (exercise for chapter in chapters for exercise in chapter.exercises):
        found = by_exercise.get(released.cases.exercise, [])
        counts = Counter(exercise.status for exercise in found)
        untried = counts["not attempted"] + counts["missing"]
        mean = sum(exercise.points for exercise in found) / (released.points * len(found)) if found else 0.0
        wrong = len(found) - counts["full"] - counts["part"] - untried
        rows.append(
            {"title": released.title, "full": counts["full"], "part": counts["part"], "wrong": wrong}
            | {"untried": untried, "mean": mean}
        )
    return rows


def attention(results: Sequence[StudentResult]) -> list[tuple[StudentResult, list[str]]]:
    """Students whose work may need a look, with the reasons."""
    found = []
    for result in results:
        reasons = all_problems(result)
        for chapter in result.chapters:
            reasons += (
                f"{exercise.title}: {STATUSES[exercise.status]}: {exercise.message}"
                for exercise in chapter.exercises
                if exercise.status in LOOK_AT
            )
        if reasons:
            found.append((result, reasons))
    return found
