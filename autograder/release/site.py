"""The static book: pages from ``book/``, outputs from the committed reference editions, built by Jupyter Book.

Nothing runs here. The reference edition is the cache of executions: ``make test`` runs it again and compares.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from autograder.release.build import BOOK, Course, read_course, read_notebook, reference_path
from autograder.release.chapter import Chapter
from autograder.release.editions import SITE, build, code_digest, to_text
from autograder.release.execute import carry_outputs
from autograder.release.plain import page_links
from solutions.errors import CourseError

SOURCES, PAGES = "book_src", "html"
LOG_LINES = 30
MATHJAX_PARTS = ("tex-chtml.js", "output/chtml/fonts", "input/tex/extensions", "ui")
"""Of MathJax's 35 MB, the 3 MB that set TeX as HTML."""
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def build_site(root: Path, out: Path) -> Path:
    """Build the book; returns the path of its first page.

    Args:
        root: the course.
        out: folder for the pages' sources (``book_src``), Jupyter Book's own files and the result (``html``).

    Raises:
        CourseError: a reference edition is missing or of other code, or Jupyter Book warns: warnings are errors.
    """
    course = read_course(root)
    sources = out / SOURCES
    shutil.rmtree(sources, ignore_errors=True)
    shutil.copytree(root / BOOK, sources, ignore=shutil.ignore_patterns("*.py", "__pycache__", "[0-9][0-9]_*.md"))
    for page in sources.glob("*.md"):
        page.write_text(page_links(page.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    for chapter in course.chapters:
        (sources / f"{chapter.name}.ipynb").write_text(_page(course, chapter), encoding="utf-8", newline="\n")
    _copy_mathjax(sources / "_static" / "mathjax")
    _jupyter_book(sources, out)
    html = out / PAGES
    shutil.rmtree(html, ignore_errors=True)
    shutil.move(str(out / "_build" / "html"), html)
    return html / "index.html"


def _page(course: Course, chapter: Chapter) -> str:
    page = build(chapter, course.of(chapter), SITE)
    reference = read_notebook(reference_path(course.root, chapter.name))
    if not carry_outputs(page, reference):
        reason = "missing" if reference is None else "of other code"
        raise CourseError(f"the reference edition of {chapter.name} is {reason}; run: make release")
    assert page.metadata.course["executed"] == code_digest(page)
    return to_text(page)


def _copy_mathjax(target: Path) -> None:
    """Put MathJax beside the pages: a book on a disk without a network shows its formulas too."""
    package = importlib.util.find_spec("mathjax")
    if package is None or not package.submodule_search_locations:
        raise CourseError("MathJax is not installed; run: make setup")
    folder = Path(package.submodule_search_locations[0]) / "static" / "mathjax" / "es5"
    for part in MATHJAX_PARTS:
        (target / part).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (folder / part).is_dir() else shutil.copyfile
        copy(folder / part, target / part)


def _jupyter_book(sources: Path, out: Path) -> None:
    program = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()"]  # it has no -m entry
    command = [*program, "build", str(sources), "--path-output", str(out)]
    command += ["--warningiserror", "--nitpick", "--keep-going", "--all", "--quiet"]
    run = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False,
        env=os.environ | {"PYTHONUTF8": "1", "NO_COLOR": "1"},
    )
    if run.returncode:
        lines = COLOUR.sub("", run.stdout + run.stderr).splitlines()
        telling = [line for line in lines if "WARNING" in line or "ERROR" in line] or lines[-LOG_LINES:]
        raise CourseError("the book does not build without warnings:\n" + "\n".join(telling[:LOG_LINES]))
