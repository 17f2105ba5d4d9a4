"""What an instructor hands out: the course without its answers."""

from __future__ import annotations

import ast
import os
import shutil
import tempfile
from pathlib import Path

from autograder.release import lend
from autograder.release.blank import write_student_solutions
from autograder.release.build import BOOK, CHAPTERS, Course, pages, read_course, select, student_texts, unnamed
from autograder.release.plain import LINK, plain_page
from solutions.atomic import atomic_write
from solutions.errors import CourseError

FILES = ("requirements.txt", "requirements-train.txt", "hardware_check.py")
FOLDERS = {
    "autograder": "*.py", "autograder/cases": "*.py", "autograder/contract": "*.*", "autograder/grade": "*.py",
    "autograder/kernels": "*.py",
    "benchmarks/results": "*.json", f"{BOOK}/figures": "*.svg",
}
"""What is copied as it is: ``check`` with its cases, the hardware contract, measured results that chapters show."""
NOT_FOR_STUDENTS = ("autograder/__main__.py", "autograder/grade/demo.py")

README = """\
# Your copy of the course

With Python 3.10 or newer, in this folder, once:

```sh
python3 -m venv .venv
.venv/bin/pip install -r requirements.txt      # on Windows: .venv\\Scripts\\pip
```

Then, each time:

```sh
.venv/bin/jupyter lab chapters                 # on Windows: .venv\\Scripts\\jupyter
```

Begin with {first}. Fill the blanks marked YOUR CODE HERE,
run `check(your_function)` below each, and hand in the notebooks in `chapters/`. Leave them in that folder: they look
for the course's code beside it.

The course's own code is in `solutions/`. {blanks}
`.venv/bin/python hardware_check.py` holds your machine against the hardware contract.
"""
ALL_BLANK = """What the exercises ask for is blank there. Later chapters use what earlier ones build:
when your function passes its check, put it in place of the blank in `solutions/` too."""
SOME_BLANK = """What the exercises of chapter {number} and later ask for is blank there;
what earlier chapters asked for is filled in, so that you can go on from there."""


def write_student_package(root: Path, target: Path, chapter: str | None = None) -> None:
    """Write the hand-out into ``target``, which must not exist or be empty: whole, or not at all.

    It holds the chapters with their pictures, ``check`` with its cases (whose expected values come from float64 code
    of their own), and ``solutions/`` with blanks.

    Args:
        root: the course.
        target: a folder.
        chapter: name or number of the chapter that comes next in class: the exercises of earlier ones are filled in.
            All are blank if None.

    Raises:
        CourseError: ``target`` holds something already, or see :func:`autograder.release.build.read_course`.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise CourseError(f"{target} is not an empty folder; remove it or name another")
    course = read_course(root)
    number = None if chapter is None else select(course, chapter)[0].number
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as folder:
            copy = Path(folder) / "copy"
            _write(course, copy, number)
            if target.exists():
                target.rmdir()
            os.replace(copy, target)
    except OSError as error:
        raise CourseError(f"cannot write {target}: {error.strerror}; nothing of it was written") from error


def _write(course: Course, copy: Path, number: int | None) -> None:
    for path, text in student_texts(course).items():
        with atomic_write(copy / CHAPTERS / path.name, "w") as handle:
            handle.write(text)
    _write_solutions(course, copy, number)
    for name in FILES:
        shutil.copyfile(course.root / name, copy / name)
    for folder, pattern in FOLDERS.items():
        for path in sorted((course.root / folder).glob(pattern)):
            if path.is_file() and f"{folder}/{path.name}" not in NOT_FOR_STUDENTS:
                (copy / folder).mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy / folder / path.name)
    for page in _linked_pages(course):
        with atomic_write(copy / BOOK / page.name, "w") as handle:
            handle.write(plain_page(page.read_text(encoding="utf-8")))
    blanks = ALL_BLANK if number is None else SOME_BLANK.format(number=number)
    with atomic_write(copy / "README.md", "w") as handle:
        first = course.chapters[0].name
        handle.write(README.format(first=f"[{first}]({CHAPTERS}/{first}.ipynb)", blanks=blanks))


def _linked_pages(course: Course) -> list[Path]:
    """Pages of the book that chapters lead to, and those that these lead to."""
    there = {page.stem: page for page in pages(course.root)}
    waiting = [course.root / chapter.file for chapter in course.chapters]
    linked: set[str] = set()
    while waiting:
        found = {stem for stem in LINK.findall(waiting.pop().read_text(encoding="utf-8")) if stem in there} - linked
        linked |= found
        waiting += [there[stem] for stem in found]
    return [there[stem] for stem in sorted(linked)]


def _write_solutions(course: Course, copy: Path, number: int | None) -> None:
    earlier = {
        block.identity
        for chapter in course.chapters
        for block in chapter.exercises()
        if number is not None and chapter.number < number
    }
    blank = (set(course.exercises) | set(unnamed(course))) - earlier
    write_student_solutions(copy, blank, course.root)
    for file in sorted({identity.partition("::")[0] for identity in blank}):
        if file.endswith(".py"):
            names = {identity.partition("::")[2] for identity in blank if identity.startswith(f"{file}::")}
            text = borrowing((copy / file).read_text(encoding="utf-8"), names)
            (copy / file).write_text(text, encoding="utf-8", newline="\n")
    shutil.copyfile(lend.__file__, copy / "solutions" / "lend.py")


def borrowing(source: str, names: set[str]) -> str:
    """A module whose functions ``names`` are decorated with :func:`autograder.release.lend.lent`."""
    tree = ast.parse(source)
    lines = source.splitlines()
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in names]
    for node in reversed(functions):
        lines.insert(min([node.lineno, *(d.lineno for d in node.decorator_list)]) - 1, "@lent")
    first = [node for node in tree.body[:1] if ast.get_docstring(tree)]
    first += [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    lines.insert(max((node.end_lineno or 0 for node in first), default=0), "\nfrom solutions.lend import lent")
    return "\n".join(lines) + "\n"
