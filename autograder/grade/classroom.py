"""A class: every student's chapters graded, kept on disk as they come, and taken up again after an interruption."""

from __future__ import annotations

import hashlib
import json
import platform
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from autograder.grade.grading import grade_chapter, not_graded
from autograder.grade.released import ReleasedChapter
from autograder.grade.results import NotebookResult
from autograder.grade.sandbox import Limits
from autograder.grade.scoring import total
from autograder.grade.submissions import Chosen, Submission, choose
from solutions.atomic import atomic_write

NOTHING_HANDED_IN = "no notebook was handed in for this chapter"


@dataclass(frozen=True)
class StudentResult:
    """One student.

    Attributes:
        student: the name, as in the submissions.
        chapters: a result for each chapter that anybody in the class handed in.
        problems: what does not belong to one chapter, a line each.
        keys: chapter → what its result was made from (see :func:`result_key`).
        seconds: how long grading took.
        unchanged: every result was taken over from an earlier run.
    """

    student: str
    chapters: tuple[NotebookResult, ...]
    problems: tuple[str, ...]
    keys: dict[int, str]
    seconds: float = 0.0
    unchanged: bool = False

    @property
    def points(self) -> float:
        """All chapters together."""
        return total([chapter.points for chapter in self.chapters])

    @property
    def max_points(self) -> float:
        """What full marks would be."""
        return total([chapter.max_points for chapter in self.chapters])

    @property
    def file(self) -> str:
        """A file name without ending, safe on every system and different for different students, capitals or not."""
        safe = re.sub(r"[^\w-]+", "_", self.student).strip("_")[:60]
        if safe == self.student.lower():
            return safe
        return f"{safe}-{hashlib.sha256(self.student.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"

    def to_json(self) -> dict[str, Any]:
        """Plain dictionaries and lists."""
        return {
            "student": printable(self.student),
            "points": self.points,
            "max_points": self.max_points,
            "problems": list(self.problems),
            "chapters": [{"key": self.keys.get(c.chapter, ""), **c.to_json()} for c in self.chapters],
        }


@dataclass(frozen=True)
class Settings:
    """What a run was asked for; ``seed`` is None for fresh seeds."""

    root: Path
    out: Path
    limits: Limits
    seed: int | None = None
    fresh: bool = False

    def student_file(self, result_file: str, ending: str) -> Path:
        """Where a student's report goes."""
        return self.out / "students" / f"{result_file}{ending}"


def printable(text: str) -> str:
    """Text from file names, without control characters and undecodable bytes."""
    clean = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in clean)


@cache
def grader_fingerprint(root: Path) -> str:
    """A digest of everything beside the submission that decides a result: cases, grader, course, versions."""
    digest = hashlib.sha256(f"{np.__version__} {platform.python_version()}".encode())
    cases, grader = Path(__file__).parents[1] / "cases", Path(__file__).parent
    modules = (path for folder in (cases, grader, root / "solutions") for path in folder.glob("*.py"))
    for path in sorted((*modules, *(root / "chapters").glob("*.ipynb"))):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def result_key(path: Path, settings: Settings) -> str:
    """What a result was made from: a result with the same key need not be made again."""
    digest = hashlib.sha256(repr((settings.limits, settings.seed, path.name)).encode("utf-8", "surrogateescape"))
    digest.update(grader_fingerprint(settings.root).encode())
    digest.update(path.read_bytes())
    return digest.hexdigest()


def grade_student(submission: Submission, chapters: Sequence[ReleasedChapter], settings: Settings) -> StudentResult:
    """Grade what one student handed in for ``chapters``, and write the result down.

    Results of an earlier run with the same key are taken over, unless ``settings.fresh``.

    Raises:
        CourseError: the result cannot be written.
    """
    start = time.monotonic()
    chosen, problems = choose(submission, settings.root)
    by_number = {choice.chapter.number: choice for choice in chosen}
    blank = StudentResult(submission.student, (), (), {})
    earlier = {} if settings.fresh else _earlier(settings.student_file(blank.file, ".json"))
    results, keys, worked = [], {}, False
    for chapter in chapters:
        choice = by_number.get(chapter.number)
        if choice is None or choice.notebook is None:
            results.append(_without_notebook(chapter, choice))
            continue
        keys[chapter.number] = key = result_key(choice.path, settings)
        if key not in earlier:
            worked = True
            earlier[key] = grade_chapter(choice.notebook, chapter, settings.seed, settings.limits)
        results.append(earlier[key])
    clean = tuple(printable(problem) for problem in problems)
    seconds, unchanged = time.monotonic() - start, bool(keys) and not worked
    result = StudentResult(submission.student, tuple(results), clean, keys, seconds, unchanged)
    with atomic_write(settings.student_file(result.file, ".json"), "w") as handle:
        json.dump(result.to_json(), handle, ensure_ascii=False, indent=1)
    return result


def _without_notebook(chapter: ReleasedChapter, choice: Chosen | None) -> NotebookResult:
    if choice is None:
        return not_graded(chapter, NOTHING_HANDED_IN)
    return not_graded(chapter, printable(choice.problem), printable(choice.path.name))


def _earlier(path: Path) -> dict[str, NotebookResult]:
    """Key → result from an earlier run; empty if there was none or its file is of no use."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        found = {chapter["key"]: NotebookResult.from_json(chapter) for chapter in data["chapters"]}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
    return {key: result for key, result in found.items() if key}
