"""What an instructor hands out: the course without its answers."""

from __future__ import annotations

import shutil
from pathlib import Path

from autograder.release.blank import write_student_solutions
from autograder.release.build import BOOK, CHAPTERS, read_course, student_texts
from solutions.atomic import atomic_write
from solutions.errors import CourseError

FILES = ("README.md", "requirements.txt", "requirements-train.txt", "hardware_check.py", "pyproject.toml")
FOLDERS = {"autograder": "*.py", "autograder/cases": "*.py", "autograder/contract": "*.*", "autograder/grade": "*.py"}


def write_student_package(root: Path, target: Path) -> None:
    """Write the hand-out into ``target``, which must not exist or be empty.

    It holds the chapters with their pictures, ``check`` with its cases (whose expected values come from float64 code
    of their own), and ``solutions/`` with every exercise blank.

    Raises:
        CourseError: ``target`` holds something already, or see :func:`autograder.release.build.read_course`.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise CourseError(f"{target} is not an empty folder; remove it or name another")
    course = read_course(root)
    for path, text in student_texts(course).items():
        with atomic_write(target / CHAPTERS / path.name, "w") as handle:
            handle.write(text)
    write_student_solutions(target, None, root)
    for name in FILES:
        shutil.copyfile(root / name, target / name)
    for folder, pattern in FOLDERS.items():
        (target / folder).mkdir(parents=True, exist_ok=True)
        for path in sorted((root / folder).glob(pattern)):
            if path.is_file():
                shutil.copyfile(path, target / folder / path.name)
    (target / BOOK / "figures").mkdir(parents=True)
    for path in sorted((root / BOOK / "figures").glob("*.svg")):
        shutil.copyfile(path, target / BOOK / "figures" / path.name)
