"""The static book: pages from ``book/``, outputs from the committed reference editions, built by Jupyter Book.

Nothing runs here. The reference edition is the cache of executions: ``make test`` runs it again and compares.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from autograder.release.build import BOOK, Course, read_course, read_notebook, reference_path
from autograder.release.chapter import Chapter
from autograder.release.editions import SITE, build, source_lines, to_text
from autograder.release.execute import carry_outputs
from autograder.release.plain import page_links
from solutions.errors import CourseError

PAGES = "html"
LOG_LINES = 30
ATTEMPTS = 20
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
COMPLAINT = re.compile(r"(?:(?P<file>\S*?)(?::(?P<line>\d+))?: )?(?:WARNING|ERROR|CRITICAL|SEVERE): (?P<words>.*)")
MATHJAX_PARTS = ("tex-svg.js", "input/tex/extensions")
"""The edition that needs no fonts of its own: formulas show from a disk, too, where browsers refuse to load fonts."""


def build_site(root: Path, out: Path) -> Path:
    """Build the book into ``out/html``; returns the path of its first page.

    The pages that were there before are replaced at the end: a failed build leaves them, and two builds at a time do
    not meet.

    Args:
        root: the course.
        out: a folder.

    Raises:
        CourseError: a reference edition is missing or of other code, or Jupyter Book warns: warnings are errors.
    """
    course = read_course(root)
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out, prefix=".book-") as folder:
            sources = Path(folder) / BOOK
            _write_sources(course, sources)
            _jupyter_book(sources)
            return _swap(Path(folder) / "_build" / "html", out / PAGES, Path(folder)) / "index.html"
    except OSError as error:
        raise CourseError(f"cannot write the book into {out}: {error.strerror or error}") from error


def _write_sources(course: Course, sources: Path) -> None:
    ignored = shutil.ignore_patterns("*.py", "__pycache__", ".*", "[0-9][0-9]_*.md")
    shutil.copytree(course.root / BOOK, sources, ignore=ignored)
    for page in sources.glob("*.md"):
        page.write_text(page_links(page.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    for chapter in course.chapters:
        (sources / f"{chapter.name}.ipynb").write_text(_page(course, chapter), encoding="utf-8", newline="\n")
    _copy_mathjax(sources / "_static" / "mathjax")


def _page(course: Course, chapter: Chapter) -> str:
    page = build(chapter, course.of(chapter), SITE)
    reference = read_notebook(reference_path(course.root, chapter.name))
    if not carry_outputs(page, reference):
        reason = "missing" if reference is None else "of other code"
        raise CourseError(f"the reference edition of {chapter.name} is {reason}; run: make release")
    # MyST-NB counts the lines of a cell from 2 above this number, so warnings carry the lines of the chapter.
    page.metadata["source_map"] = [line - 2 for line in source_lines(chapter, course.of(chapter), SITE)]
    return to_text(page)


def _copy_mathjax(target: Path) -> None:
    """Put MathJax beside the pages: a book on a disk without a network shows its formulas too."""
    package = importlib.util.find_spec("mathjax")
    if package is None or package.origin is None:
        raise CourseError("MathJax (the package django-static-mathjax) is not installed; run: make setup")
    folder = Path(package.origin).parent / "static" / "mathjax" / "es5"
    for part in MATHJAX_PARTS:
        (target / part).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (folder / part).is_dir() else shutil.copyfile
        copy(folder / part, target / part)


def _jupyter_book(sources: Path) -> None:
    program = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()"]  # it has no -m entry
    command = [*program, "build", str(sources), "--path-output", str(sources.parent)]
    command += ["--warningiserror", "--nitpick", "--keep-going", "--all", "--quiet"]
    run = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False,
        env=os.environ | {"PYTHONUTF8": "1", "NO_COLOR": "1"},
    )
    if run.returncode:
        lines = COLOUR.sub("", run.stdout + run.stderr).splitlines()
        complaints = [found for line in lines if (found := COMPLAINT.fullmatch(line.strip()))]
        # Said once for each: Sphinx prints a summary of what it printed before.
        told = list(dict.fromkeys(_complaint(found) for found in complaints)) or lines[-LOG_LINES:]
        raise CourseError("the book does not build without warnings:\n" + "\n".join(told[:LOG_LINES]))


def _complaint(found: re.Match[str]) -> str:
    """A warning with its place in what the author wrote, not in the notebook made of it."""
    if not found["file"]:
        return found["words"]
    place = f"{BOOK}/{Path(found['file']).with_suffix('.md').name}"
    return f"{place}{', line ' + found['line'] if found['line'] else ''}: {found['words']}"


def _swap(new: Path, place: Path, aside: Path) -> Path:
    """Put a folder in the place of another, which goes ``aside``; another build may do the same at this moment."""
    for attempt in range(ATTEMPTS):
        with contextlib.suppress(FileNotFoundError):
            os.replace(place, aside / f"old-{attempt}")
        try:
            os.replace(new, place)
        except OSError:
            if not place.exists():
                raise
        else:
            return place
    raise CourseError(f"cannot replace {place}: something else keeps writing there")
