"""The release: every notebook built from the single source, written, or compared with what is committed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import nbformat
import yaml
from nbformat import NotebookNode

from autograder.release.chapter import CHAPTER_NAME, Chapter, read_chapter
from autograder.release.editions import REFERENCE, STUDENT, build, source_lines, to_text
from autograder.release.execute import carry_outputs, execute
from autograder.release.exercise import Exercise, load_exercise, marked_exercises
from autograder.release.leaks import find_leaks
from autograder.release.prose import read_text, refuse_what_notebooks_cannot_show
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

    def places(self, chapter: Chapter, edition: str) -> list[str]:
        """For each cell of an edition, where it is written: ``"book/01_tensors.md, line 40"``."""
        return [f"{chapter.file}, line {line}" for line in source_lines(chapter, self.of(chapter), edition)]


def read_course(root: Path) -> Course:
    """Read every chapter of ``book/_toc.yml`` and cut out its exercises.

    Raises:
        CourseError: a chapter is missing, or an exercise is named twice or is not there.
    """
    chapters = tuple(read_chapter(root / BOOK / f"{name}.md") for name in chapter_names(root))
    exercises: dict[str, Exercise] = {}
    named: dict[str, str] = {}
    for chapter in chapters:
        for block in chapter.exercises():
            place = f"{chapter.file}, line {block.line}"
            key = _key(block.identity)
            if key in named:
                raise CourseError(f"{place}: exercise {key} is named twice; the first time in {named[key]}")
            named[key] = place
            try:
                exercises[block.identity] = load_exercise(root, block.identity)
            except CourseError as error:
                raise CourseError(f"{place}: {error}") from error
    for page in pages(root):  # the hand-out shows them as plain Markdown, as notebooks show chapters
        file = f"{BOOK}/{page.name}"
        refuse_what_notebooks_cannot_show(read_text(page, file), file, 1, page.parent)
    return Course(root, chapters, exercises)


def pages(root: Path) -> list[Path]:
    """The pages of the book that are no chapters."""
    return [page for page in sorted((root / BOOK).glob("*.md")) if not CHAPTER_NAME.fullmatch(page.stem)]


def _key(identity: str) -> str:
    """What can be named once: a function, or a kernel's file."""
    file = identity.partition("::")[0]
    return file if file.endswith(".cu") else identity


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
        reason = " ".join(str(error).split())
        raise CourseError(f"cannot read the table of contents {path}: {reason}") from error
    return names


def select(course: Course, only: str | None) -> tuple[Chapter, ...]:
    """The chapter of that name or number, or all chapters if ``only`` is None.

    Raises:
        CourseError: there is no such chapter.
    """
    if only is None:
        return course.chapters
    found = tuple(c for c in course.chapters if only in (c.name, c.name[:2], str(c.number)))
    if not found:
        names = ", ".join(chapter.name for chapter in course.chapters)
        raise CourseError(f"no chapter {only!r}; there are: {names}")
    return found


def student_texts(course: Course) -> dict[Path, str]:
    """Path → text of every student notebook.

    Raises:
        CourseError: one of them holds a line of a solution.
    """
    texts = {}
    for chapter in course.chapters:
        notebook = build(chapter, course.of(chapter), STUDENT)
        leaks = find_leaks(notebook, course.exercises.values(), course.places(chapter, STUDENT))
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
        notebook: NotebookNode = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
        nbformat.validate(notebook)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, nbformat.ValidationError):
        return None  # nbformat stumbles in many ways over JSON that is no notebook
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
    for chapter in select(course, only):
        notebook, carried = reference_notebook(course, chapter)
        if not carried:
            print(f"running the reference edition of {chapter.name} …", flush=True)
            execute(notebook, root / SOLUTIONS, course.places(chapter, REFERENCE))
        path = root / CHAPTERS / f"{chapter.name}.ipynb"
        texts = {path: students[path], reference_path(root, chapter.name): to_text(notebook)}
        changed += [target for target, text in texts.items() if _write(target, text)]
    return changed


def drift(root: Path, only: str | None = None) -> list[str]:
    """What a fresh release would change, a line per file; empty if the committed notebooks are up to date.

    Args:
        root: the course.
        only: name or number of the one chapter to compare; what belongs to no chapter is not looked for then.

    Raises:
        CourseError: see :func:`read_course`.
    """
    course = read_course(root)
    students = student_texts(course)
    messages = loose_ends(course) if only is None else []
    for chapter in select(course, only):
        path = root / CHAPTERS / f"{chapter.name}.ipynb"
        messages += _difference(path, students[path], root)
        path = reference_path(root, chapter.name)
        notebook, carried = reference_notebook(course, chapter)
        if carried:
            messages += _difference(path, to_text(notebook), root)
        else:
            messages.append(
                f"{path.relative_to(root)}: its outputs are missing, of other code, or edited; run: make release"
            )
    return messages


def unnamed(course: Course) -> list[str]:
    """What is marked as an exercise, and named by no chapter."""
    named = {_key(identity) for identity in course.exercises}
    return [identity for identity in marked_exercises(course.root) if identity not in named]


def loose_ends(course: Course) -> list[str]:
    """What belongs to no chapter: marked functions, files of chapters and built notebooks; a line for each."""
    root, names = course.root, {chapter.name for chapter in course.chapters}
    messages = [
        f"{identity}: marked as an exercise, but no chapter of {BOOK}/_toc.yml names it" for identity in unnamed(course)
    ]
    for path in sorted((root / BOOK).glob("[0-9][0-9]_*.md")):
        if path.stem not in names:
            messages.append(f"{path.relative_to(root)}: not in {BOOK}/_toc.yml; add it there, or remove the file")
    for path in (*sorted((root / CHAPTERS).glob("*.ipynb")), *sorted((root / SOLUTIONS).glob("*.ipynb"))):
        if path.stem not in names:
            messages.append(f"{path.relative_to(root)}: no chapter of the book builds it; remove it")
    return messages


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
    if path.read_bytes() == text.encode("utf-8"):
        return []
    old = read_notebook(path)
    fresh = nbformat.reads(text, as_version=4)
    place = "unreadable" if old is None else f"differs from a fresh release {_first_difference(old, fresh)}"
    return [f"{name}: {place}; run: make release"]


def _first_difference(old: NotebookNode, fresh: NotebookNode) -> str:
    for number, (before, after) in enumerate(zip(old.cells, fresh.cells, strict=False)):
        if before != after:
            return f"from cell {number} on ({after.id})"
    if len(old.cells) != len(fresh.cells):
        return f"in the number of cells ({len(old.cells)}, not {len(fresh.cells)})"
    return "as a whole (metadata or formatting)"
