"""Finding a class's notebooks: a folder for each student, or flat files named after student and chapter."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.grade.notebook import Notebook, read_notebook
from autograder.grade.released import ReleasedChapter, chapter_of, released_chapters
from solutions.errors import CourseError

NOTEBOOKS_PER_STUDENT = 100
"""More files than this in one student's folder are not looked at."""


@dataclass(frozen=True)
class Submission:
    """What one student handed in; ``ignored`` says in words what was not looked at."""

    student: str
    paths: tuple[Path, ...]
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chosen:
    """The file that answers a chapter: read, or (``notebook`` is None) why it cannot be."""

    chapter: ReleasedChapter
    path: Path
    notebook: Notebook | None
    problem: str = ""


def find_submissions(place: Path, root: Path, skip: Iterable[Path] = ()) -> list[Submission]:
    """All students at ``place``, in alphabetical order.

    Args:
        place: a folder of folders, a folder of files, or one notebook.
        root: the course, whose chapters tell the student's part of a file name from the chapter's.
        skip: folders that are no student's, e.g. the one results go to.

    Raises:
        CourseError: there is nothing to grade.
    """
    stems = [chapter.stem for chapter in released_chapters(root).values()]
    if not place.exists():
        raise CourseError(f"there is no {place}; name the folder with the submissions")
    if not place.is_dir():
        return [Submission(student_of(place, stems) or place.stem, (place,))]
    skipped = {path.resolve() for path in skip}
    found: dict[str, list[Path]] = {}
    ignored: dict[str, list[str]] = {}
    for entry in _entries(place):
        if entry.suffix.lower() == ".ipynb":
            found.setdefault(student_of(entry, stems) or place.resolve().name, []).append(entry)
        elif entry.is_symlink():
            ignored.setdefault(entry.name, []).append(f"{entry.name} is a link, not a folder; it was not followed")
            found.setdefault(entry.name, [])
        elif entry.is_dir() and entry.resolve() not in skipped:
            found.setdefault(entry.name, []).extend(_notebooks_in(entry, ignored.setdefault(entry.name, [])))
    if not any(found.values()):
        raise CourseError(
            f"no notebooks in {place}; expected a folder for each student, or files like name_{stems[0]}.ipynb"
        )
    return [
        Submission(student, tuple(found[student]), tuple(ignored.get(student, ())))
        for student in sorted(found, key=lambda name: (name.casefold(), name))
    ]


def student_of(path: Path, stems: Iterable[str]) -> str:
    """The student's part of a file name: ``"mueller"`` of ``mueller__01_tensors.ipynb``; ``""`` if there is none.

    A file that names no chapter is a student's by its whole name.
    """
    for stem in stems:
        before, found, _ = path.stem.partition(stem)
        if found:
            return before.rstrip("_-. ")
    return path.stem


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        raise CourseError(f"cannot read the folder {folder}: {error.strerror}") from error


def _notebooks_in(folder: Path, ignored: list[str]) -> Iterator[Path]:
    """Notebooks at any depth, without hidden folders and without following links."""
    count = 0
    for place, folders, files in os.walk(folder, onerror=lambda error: ignored.append(f"unreadable: {error.strerror}")):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        named = [*files, *(name for name in folders if name.lower().endswith(".ipynb"))]  # a folder may be called so
        for name in sorted(named):
            if name.lower().endswith(".ipynb") and not name.startswith("."):
                count += 1
                if count > NOTEBOOKS_PER_STUDENT:
                    ignored.append(f"more than {NOTEBOOKS_PER_STUDENT} notebooks: the others were not looked at")
                    return
                yield Path(place) / name


def choose(submission: Submission, root: Path) -> tuple[list[Chosen], list[str]]:
    """The notebook that counts for each chapter that the student handed in, and what to say about the other files.

    Of several for one chapter, a readable one counts before a broken one, the released name before another, then the
    first by name.
    """
    candidates: dict[int, list[Chosen]] = {}
    problems = list(submission.ignored)
    for path in submission.paths:
        try:
            chosen = _look_at(path, root)
        except CourseError as error:
            problems.append(str(error))
            continue
        candidates.setdefault(chosen.chapter.number, []).append(chosen)
    best = []
    for number in sorted(candidates):
        ranked = sorted(candidates[number], key=lambda c: (c.notebook is None, c.path.stem != c.chapter.stem, c.path))
        best.append(ranked[0])
        problems += (
            other.problem or f"{ranked[0].path.name} was graded for chapter {number}, not {other.path.name}"
            for other in ranked[1:]
        )
    return best, problems


def _look_at(path: Path, root: Path) -> Chosen:
    try:
        notebook = read_notebook(path)
    except CourseError as error:
        nameless = Notebook(path, (), {})  # which chapter it was meant for, its name may still tell
        try:
            return Chosen(chapter_of(nameless, root), path, None, str(error))
        except CourseError:
            raise error from None
    return Chosen(chapter_of(notebook, root), path, notebook)
