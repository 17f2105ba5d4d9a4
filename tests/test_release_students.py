"""What an instructor hands out: complete, without an answer, and usable at every point of the course."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.release import students
from autograder.release.lend import lent
from autograder.release.students import FILES, FOLDERS, borrowing, write_student_package
from solutions.command_line import run
from solutions.errors import CourseError
from tests.small_course import CHAPTER, KERNEL, MODULE, write_small_course

SECOND = """---
jupytext:
  text_representation:
    format_name: myst
---

# 2 · Kernels

```{code-cell} ipython3
:tags: [setup]

SCALE = 3
```

```{exercise} kernels/twice.cu::twice
:points: 5
:hint: One line.

Double [them](01_numbers.md), see [more](more.md).
```
"""


PLAN = """from solutions.numbers import total


def planned(values):
    return total(values) + 1
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Two chapters, three exercises, one of them a kernel; two linked pages and one that is not."""
    root = write_small_course(tmp_path / "course")
    files = {
        "book/02_kernels.md": SECOND,
        "book/more.md": "# More\n\nOn to [the contract](contract.md) and [numbers](01_numbers.md).\n",
        "book/teachers.md": "# For teachers\n\nNothing.\n",
        "book/_toc.yml": (root / "book/_toc.yml").read_text().replace("contract", "02_kernels\n  - file: contract"),
        "kernels/twice.cu": KERNEL,
        "solutions/plan.py": PLAN,
        "autograder/__main__.py": "x = 1\n",
    }
    for name in FILES:
        files[name] = f"# {name}\n"
    for folder, pattern in FOLDERS.items():
        files[f"{folder}/sample{pattern.removeprefix('*').replace('.*', '.toml')}"] = ""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def written(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}


def test_everything_is_there_and_no_answer(course: Path, tmp_path: Path) -> None:
    write_student_package(course, tmp_path / "out")
    files = written(tmp_path / "out")
    assert {
        "README.md", "chapters/01_numbers.ipynb", "chapters/02_kernels.ipynb", "solutions/numbers.py",
        "solutions/lend.py", "kernels/twice.cu", "book/contract.md", "book/more.md", "book/figures/01-line.svg",
        "autograder/__init__.py", "autograder/contract/sample.toml", *FILES,
    } <= set(files)
    assert not {"book/teachers.md", "book/01_numbers.md", "autograder/__main__.py"} & set(files)
    for name, text in files.items():
        assert "running_total_of_values" not in text, name
        assert "result.append" not in text, name
        assert "x[i] *= 2.0f" not in text, name
        assert "SOLUTION" not in text or name.startswith("autograder/"), name
    assert "is blank there. Later chapters use" in files["README.md"]
    assert "[01_numbers](chapters/01_numbers.ipynb)" in files["README.md"]


def test_every_link_in_it_leads_somewhere(course: Path, tmp_path: Path) -> None:
    write_student_package(course, tmp_path / "out")
    checked = 0
    for name, text in written(tmp_path / "out").items():
        for target in re.findall(r"\]\(([^)#\\ ]+)", text) if name.endswith((".md", ".ipynb")) else ():
            assert ((tmp_path / "out" / name).parent / target).is_file(), (name, target)
            checked += 1
    assert checked >= 8


@pytest.mark.parametrize(
    ("chapter", "blank", "filled"),
    [
        ("1", ["running_total_of_values", "result.append", "x[i] *= 2.0f"], []),
        ("02_kernels", ["x[i] *= 2.0f"], ["running_total_of_values", "result.append"]),
    ],
)
def test_earlier_chapters_are_filled_in(
    course: Path, tmp_path: Path, chapter: str, blank: list[str], filled: list[str]
) -> None:
    write_student_package(course, tmp_path / "out", chapter)
    files = written(tmp_path / "out")
    code = "".join(text for name, text in files.items() if name.startswith(("solutions/", "kernels/")))
    assert all(line not in code for line in blank)
    assert all(line in code for line in filled)
    assert f"exercises of chapter {chapter[:2].lstrip('0')} and later" in files["README.md"]


def test_blank_code_runs_on_the_notebooks_functions(course: Path, tmp_path: Path) -> None:
    """As in a notebook: the exercise is defined in ``__main__``, and the course's own code needs it."""
    write_student_package(course, tmp_path / "out")
    script = (
        "from solutions.plan import planned\n"
        "try:\n    planned([1])\nexcept NotImplementedError as error:\n    print('blank:', error)\n"
        "def total(values):\n    return sum(values)\n"
        "print(planned([1, 2]))\n"
        "from solutions.numbers import total\n"
        "try:\n    planned([1])\nexcept NotImplementedError as error:\n    print('blank:', error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path / "out", capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "out")},
    )
    assert done.stdout == "blank: total\n4\nblank: total\n"


def test_lent_without_a_notebook_is_the_blank(monkeypatch: pytest.MonkeyPatch) -> None:
    @lent
    def double(x: int) -> int:
        """Twice x."""
        raise NotImplementedError("double")

    with pytest.raises(NotImplementedError, match="double"):
        double(1)
    assert double.__doc__ == "Twice x."
    monkeypatch.setattr(sys.modules["__main__"], "double", lambda x: 2 * x, raising=False)
    assert double(4) == 8


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (MODULE, 5),
        ('"""Doc."""\n\n\ndef total(x):\n    return x\n', 3),
        ("def total(x):\n    return x\n", 2),
    ],
)
def test_borrowing_code_is_still_python(source: str, line: int) -> None:
    text = borrowing(source, {"total"})
    compile(text, "m.py", "exec")
    assert text.splitlines()[line - 1] == "from solutions.lend import lent"
    assert "@lent\ndef total(" in text
    assert text.count("@lent") == 1


def test_a_folder_with_something_in_it_is_left_alone(course: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    write_student_package(course, tmp_path / "out")  # an empty one is fine
    before = written(tmp_path / "out")
    for target in (tmp_path / "out", tmp_path / "out/README.md"):
        with pytest.raises(CourseError, match="is not an empty folder; remove it or name another"):
            write_student_package(course, target)
    assert written(tmp_path / "out") == before


def test_it_is_written_whole_or_not_at_all(course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(students.shutil, "copyfile", full)
    with pytest.raises(CourseError, match=r"out: No space left on device; nothing of it was written$"):
        write_student_package(course, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["course"]


def test_a_leak_stops_the_hand_out(course: Path, tmp_path: Path) -> None:
    text = CHAPTER.replace("And nothing else.", "`running_total_of_values += value`")
    (course / "book/01_numbers.md").write_text(text, encoding="utf-8")
    with pytest.raises(CourseError, match="a solution leaks"):
        write_student_package(course, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_command(course: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["release", "--root", str(course), "--students", str(tmp_path / "out")]
    assert run(main, [*arguments, "--chapter", "2"]) == 0
    assert capsys.readouterr().out == f"what students get is in {tmp_path / 'out'}\n"
    assert run(main, arguments) == 2
    assert capsys.readouterr().err.endswith("is not an empty folder; remove it or name another\n")
