"""The release: every notebook built from the single source, written, or compared with what is committed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import nbformat
import yaml
from nbformat import NotebookNode

from autograder.release.chapter import Chapter, read_chapter
from autograder.release.editions import REFERENCE, STUDENT, build, to_text
from autograder.release.execute import carry_outputs, execute
from autograder.release.exercise import Exercise, load_exercise, marked_exercises
from autograder.release.leaks import find_leaks
from solutions.atomic import atomic_write
from solutions.errors import CourseError

BOOK, CHAPTERS, SOLUTIONS = "book", "chapters", "solutions"


@dataclass(frozen=True)
class Course:
    """All chapters of a course and the exercises that they name."""

    root: Path
    chapters: tuple[Chapter, ...]
    exercises: Mapping[str, Exercise]

    def of(self, chapter: Chapter) -> dict[str, Exercise]:
        """The exercises of a chapter."""
        return {block.identity: self.exercises[block.identity] for block in chapter.exercises()}

    def up_to(self, chapter: Chapter) -> list[Exercise]:
        """The exercises of a chapter and of all before it."""
        earlier = [c for c in self.chapters if c.number <= chapter.number]
        return [self.exercises[block.identity] for c in earlier for block in c.exercises()]


def read_course(root: Path) -> Course:
    """Read every chapter of ``book/_toc.yml`` and cut out its exercises.

    Raises:
        CourseError: a chapter is missing, or an exercise is named twice or is not there.
    """
    chapters = tuple(read_chapter(root / BOOK / f"{name}.md") for name in chapter_names(root))
    exercises: dict[str, Exercise] = {}
    for chapter in chapters:
        for block in chapter.exercises():
            if block.identity in exercises:
                raise CourseError(f"{chapter.name}.md, line {block.line}: exercise {block.identity} is named twice")
            exercises[block.identity] = load_exercise(root, block.identity)
    return Course(root, chapters, exercises)


def chapter_names(root: Path) -> list[str]:
    """Names of the chapters in ``book/_toc.yml``: those whose file begins with two digits.

    Raises:
        CourseError: no such file, or one that is no table of contents.
    """
    path = root / BOOK / "_toc.yml"
    try:
        pages = yaml.safe_load(path.read_text(encoding="utf-8"))["chapters"]
        names = [page["file"] for page in pages if page["file"][:2].isdigit()]
    except (OSError, yaml.YAMLError, KeyError, TypeError) as error:
        raise CourseError(f"cannot read the table of contents {path}: {error}") from error
    return names


def student_texts(course: Course) -> dict[Path, str]:
    """Path → text of every student notebook.

    Raises:
        CourseError: one of them holds a line of a solution.
    """
    texts = {}
    for chapter in course.chapters:
        notebook = build(chapter, course.of(chapter), STUDENT)
        leaks = find_leaks(notebook, course.up_to(chapter))
        if leaks:
            raise CourseError(f"a solution leaks into the student's notebook: {leaks[0]}")
        texts[course.root / CHAPTERS / f"{chapter.name}.ipynb"] = to_text(notebook)
    return texts


def reference_notebook(course: Course, chapter: Chapter) -> tuple[NotebookNode, bool]:
    """The reference notebook with the outputs of the committed one; False if these are of other code or missing."""
    notebook = build(chapter, course.of(chapter), REFERENCE)
    return notebook, carry_outputs(notebook, read_notebook(reference_path(course.root, chapter.name)))


def reference_path(root: Path, name: str) -> Path:
    """Where a chapter's reference notebook is committed."""
    return root / SOLUTIONS / f"{name}.ipynb"


def read_notebook(path: Path) -> NotebookNode | None:
    """A notebook, or None if there is none or it cannot be read."""
    try:
        notebook: NotebookNode = nbformat.read(path, as_version=4)
    except (OSError, ValueError, nbformat.reader.NotJSONError):
        return None
    return notebook


def release(root: Path, only: str | None = None) -> list[Path]:
    """Write all notebooks, running those reference editions whose code has changed. Returns the paths that changed.

    Args:
        root: the course.
        only: name or number of the one chapter to build.

    Raises:
        CourseError: see :func:`read_course`; or a cell of a reference edition fails: nothing of it is written then.
    """
    course = read_course(root)
    students = student_texts(course)
    changed = []
    for chapter in _selected(course, only):
        notebook, carried = reference_notebook(course, chapter)
        if not carried:
            print(f"running the reference edition of {chapter.name} …", flush=True)
            execute(notebook, root / SOLUTIONS)
        path = root / CHAPTERS / f"{chapter.name}.ipynb"
        texts = {path: students[path], reference_path(root, chapter.name): to_text(notebook)}
        changed += [target for target, text in texts.items() if _write(target, text)]
    return changed


def drift(root: Path) -> list[str]:
    """What a fresh release would change, a line per file; empty if the committed notebooks are up to date.

    Raises:
        CourseError: see :func:`read_course`.
    """
    course = read_course(root)
    messages = loose_ends(course)
    for path, text in student_texts(course).items():
        messages += _difference(path, text, root)
    for chapter in course.chapters:
        path = reference_path(root, chapter.name)
        notebook, carried = reference_notebook(course, chapter)
        if carried:
            messages += _difference(path, to_text(notebook), root)
        else:
            messages.append(f"{path.relative_to(root)}: its outputs are of other code, or missing; run: make release")
    return messages


def loose_ends(course: Course) -> list[str]:
    """What belongs to no chapter: marked functions, files of chapters and built notebooks; a line for each."""
    root, names = course.root, {chapter.name for chapter in course.chapters}
    messages = [
        f"{identity}: marked as an exercise, but no chapter of {BOOK}/_toc.yml names it"
        for identity in marked_exercises(root)
        if identity not in course.exercises
    ]
    for path in sorted((root / BOOK).glob("[0-9][0-9]_*.md")):
        if path.stem not in names:
            messages.append(f"{path.relative_to(root)}: not in {BOOK}/_toc.yml; add it there, or remove the file")
    for path in (*sorted((root / CHAPTERS).glob("*.ipynb")), *sorted((root / SOLUTIONS).glob("*.ipynb"))):
        if path.stem not in names:
            messages.append(f"{path.relative_to(root)}: no chapter of the book builds it; remove it")
    return messages


def _selected(course: Course, only: str | None) -> Iterable[Chapter]:
    if only is None:
        return course.chapters
    found = [chapter for chapter in course.chapters if only in (chapter.name, chapter.name[:2], str(chapter.number))]
    if not found:
        names = ", ".join(chapter.name for chapter in course.chapters)
        raise CourseError(f"no chapter {only!r}; there are: {names}")
    return found


def _write(path: Path, text: str) -> bool:
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    with atomic_write(path, "w") as handle:
        handle.write(text)
    return True


def _difference(path: Path, text: str, root: Path) -> list[str]:
    name = path.relative_to(root)
    if not path.exists():
        return [f"{name}: missing; run: make release"]
    committed = path.read_bytes()
    if committed == text.encode("utf-8"):
        return []
    old = read_notebook(path)
    fresh = nbformat.reads(text, as_version=4)
    cells = zip(old.cells, fresh.cells, strict=False) if old else ()
    first = next((number for number, (a, b) in enumerate(cells) if a != b), None)
    place = "as a whole" if first is None else f"first at cell {first}"
    return [f"{name}: differs from a fresh release, {place}; run: make release"]
