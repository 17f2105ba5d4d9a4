"""Grading a class from the command line: finding notebooks, reports, resume, and input that is none."""

from __future__ import annotations

import csv
import io
import json
import os
import threading
from pathlib import Path

import pytest

from autograder import __main__ as command
from autograder.grade import classroom, cli
from autograder.grade.classroom import Settings, StudentResult, printable
from autograder.grade.report import class_csv, exercise_statistics
from autograder.grade.sandbox import Limits
from autograder.grade.submissions import choose, find_submissions, student_of
from solutions import command_line
from solutions.errors import CourseError
from tests.grade_samples import POINTS, STEMS, document, write, write_course

TENSORS, MATMUL = (f"{STEMS[n]}.ipynb" for n in (1, 2))


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_course(tmp_path_factory.mktemp("course"), [1, 2, 3])


def run(course: Path, submissions: Path, out: Path, *options: str) -> int:
    arguments = ["grade", str(submissions), "--out", str(out), "--root", str(course), *options]
    return command_line.run(command.main, arguments)


def names(course: Path, place: Path) -> dict[str, list[str]]:
    return {s.student: [path.name for path in s.paths] for s in find_submissions(place, course)}


# --- finding submissions ------------------------------------------------------------------------------------------


def test_folders_flat_files_and_a_single_notebook(course: Path, tmp_path: Path) -> None:
    for name in (
        "ann/01_tensors.ipynb", "ann/deep/er/02_matmul.ipynb", "ann/.ipynb_checkpoints/01_tensors-checkpoint.ipynb",
        "bob/notes.txt", "Zoé__01_tensors.ipynb", "carl_01_tensors.ipynb", "carl_02_matmul (1).ipynb",
        "ann-02_matmul.ipynb", "dora.ipynb", "01_tensors.ipynb", ".hidden/01_tensors.ipynb", "readme.md",
    ):  # fmt: skip
        write(tmp_path / "class" / name, "{}")
    assert names(course, tmp_path / "class") == {
        "ann": ["01_tensors.ipynb", "02_matmul.ipynb", "ann-02_matmul.ipynb"],
        "bob": [],
        "carl": ["carl_01_tensors.ipynb", "carl_02_matmul (1).ipynb"],
        "class": ["01_tensors.ipynb"],
        "dora": ["dora.ipynb"],
        "Zoé": ["Zoé__01_tensors.ipynb"],
    }
    assert names(course, tmp_path / "class" / "carl_01_tensors.ipynb") == {"carl": ["carl_01_tensors.ipynb"]}


@pytest.mark.parametrize(
    ("file", "student"),
    [
        ("mueller__01_tensors.ipynb", "mueller"),
        ("mueller_01_tensors.ipynb", "mueller"),
        ("van_der_Berg, Jan - 02_matmul (2).ipynb", "van_der_Berg, Jan"),
        ("01_tensors.ipynb", ""),
        ("homework.ipynb", "homework"),
    ],
)
def test_names_of_students_in_file_names(file: str, student: str) -> None:
    assert student_of(Path(file), list(STEMS.values())) == student


def test_links_are_not_followed(course: Path, tmp_path: Path) -> None:
    secret = write(tmp_path / "elsewhere" / TENSORS, "{}").parent
    place = tmp_path / "class"
    write(place / "ann" / TENSORS, "{}")
    (place / "mallory").symlink_to(secret)
    (place / "ann" / "more").symlink_to(secret)
    found = {s.student: s for s in find_submissions(place, course)}
    assert found["mallory"].paths == ()
    assert "is a link" in found["mallory"].ignored[0]
    assert len(found["ann"].paths) == 1


def test_one_notebook_counts_for_each_chapter(course: Path, tmp_path: Path) -> None:
    place = tmp_path / "ann"
    write(place / "01_tensors-Copy1.ipynb", document(1))
    write(place / TENSORS, document(1))
    write(place / "01_tensors (1).ipynb", "{broken")
    write(place / MATMUL, "{broken")
    write(place / "02_matmul (1).ipynb", document(2))
    write(place / "other.ipynb", {**document(1), "metadata": {}})
    submission = find_submissions(tmp_path, course)[0]
    chosen, problems = choose(submission, course)
    assert [choice.path.name for choice in chosen] == [TENSORS, "02_matmul (1).ipynb"]
    assert len(problems) == 4
    assert any("01_tensors.ipynb was graded for chapter 1, not 01_tensors-Copy1.ipynb" in p for p in problems)
    assert any("other.ipynb belongs to no chapter" in p for p in problems)


# --- a class, end to end ------------------------------------------------------------------------------------------

HOSTILE_NAME = "=cmd|' !A1 <script>alert(1)<"


@pytest.fixture(scope="module")
def graded(course: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A class and its grades."""
    place, out = tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("grades") / "out"
    for stem in (1, 2):
        write(place / "ann" / f"{STEMS[stem]}.ipynb", document(stem))
    sly = {"flat_offset": "def flat_offset(index, strides):\n    raise ValueError('<img src=x onerror=alert(1)>')"}
    write(place / HOSTILE_NAME / TENSORS, document(1, answers=sly))
    write(place / "zed" / TENSORS, document(1, "student"))
    write(place / "bad" / TENSORS, "not JSON")
    (place / "nobody").mkdir()
    assert run(course, place, out, "--jobs", "2", "--seed", "3") == 0
    return place, out


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_grades_json(graded: tuple[Path, Path]) -> None:
    data = json.loads(read(graded[1] / "grades.json"))
    points = {student["student"]: student["points"] for student in data["students"]}
    assert points == {HOSTILE_NAME: 30.0, "ann": 110.0, "bad": 0.0, "nobody": 0.0, "zed": 0.0}
    assert {student["max_points"] for student in data["students"]} == {110.0}  # chapter 3: nobody handed it in
    ann = next(student for student in data["students"] if student["student"] == "ann")
    details = json.loads(read(graded[1] / ann["report"]))
    assert (details["points"], [chapter["chapter"] for chapter in details["chapters"]]) == (110.0, [1, 2])
    assert ann["exercises"]["solutions/tensor.py::add"] == POINTS
    assert data["seed"] == 3
    bad = next(student for student in data["students"] if student["student"] == "bad")
    assert bad["problems"] == [
        "chapter 1: 01_tensors.ipynb is not a notebook: no valid JSON at line 1, column 1; "
        "download it as .ipynb and hand it in again"
    ]


def test_grades_csv_opens_in_a_spreadsheet_and_holds_no_formula(graded: tuple[Path, Path]) -> None:
    raw = (graded[1] / "grades.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(raw.decode("utf-8-sig"))))
    assert rows[0][:5] == ["student", "points", "max points", "chapter 1 (of 50)", "chapter 2 (of 60)"]
    assert rows[0][5] == "1.1 row_major_strides (of 10)"
    assert {len(row) for row in rows} == {3 + 2 + 5 + 6 + 1}
    table = {row[0]: row for row in rows[1:]}
    assert table["ann"][1:6] == ["110", "110", "50", "60", "10"]
    assert f"'{HOSTILE_NAME}" in table


def test_pages_are_escaped_whole_and_reachable(graded: tuple[Path, Path]) -> None:
    out = graded[1]
    index = read(out / "index.html")
    pages = sorted((out / "students").glob("*.html"))
    assert len(pages) == 5
    for page in (index, *map(read, pages)):
        assert page.startswith("<!DOCTYPE html>")
        assert "<script" not in page
        assert "<img" not in page
        assert "http" not in page.replace('http-equiv="Content-Security-Policy"', "")
        assert page.rstrip().endswith("</html>")
    for page in pages:
        assert f"students/{page.name}".replace("'", "%27") in index
    sly = read(next(page for page in pages if "cmd" in page.name))
    assert "&lt;img src=x onerror=alert(1)&gt;" in sly
    assert "&lt;script&gt;alert(1)&lt;" in sly
    assert "ended the process" not in sly
    assert "full marks" in read(out / "students" / "ann.html")
    assert "not attempted" in read(out / "students" / "zed.html")
    assert "no notebook was handed in for this chapter" in read(out / "students" / "nobody.html")


def test_a_second_run_takes_results_over(
    course: Path, graded: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place, out = graded
    before = {path.name: path.read_bytes() for path in (out / "students").iterdir()}
    seen = []
    real = classroom.grade_chapter
    monkeypatch.setattr(classroom, "grade_chapter", lambda *a: seen.append(a[0].path.parent.name) or real(*a))
    assert run(course, place, out, "--seed", "3") == 0
    assert seen == []
    assert "5 students in 0 s, 3 unchanged" in capsys.readouterr().out
    assert {path.name: path.read_bytes() for path in (out / "students").iterdir()} == before

    notebook = place / "zed" / TENSORS
    original = notebook.read_bytes()
    notebook.write_text(json.dumps(document(1)))
    assert run(course, place, out, "--seed", "3") == 0
    notebook.write_bytes(original)
    assert seen == ["zed"]
    assert json.loads(read(out / "students" / "zed.json"))["points"] == 50.0

    (out / "students" / "ann.json").write_text('{"chapters": [{"key": "x"}]}')
    for options in (["--seed", "4"], ["--seed", "3", "--time-limit", "4"], ["--seed", "3", "--fresh"]):
        seen.clear()
        assert run(course, place, out, *options) == 0
        assert sorted(set(seen)) == sorted([HOSTILE_NAME, "ann", "zed"])
    assert json.loads(read(out / "students" / "ann.json"))["points"] == 110.0


def test_an_interrupted_run_goes_on_where_it_stopped(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place, out = tmp_path / "class", tmp_path / "out"
    for name in "abcd":
        write(place / name / TENSORS, document(1, "student"))
    real = classroom.grade_chapter
    done = threading.Semaphore(2)

    def stopped_at_the_third(*arguments: object) -> object:
        if not done.acquire(blocking=False):
            raise KeyboardInterrupt
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(classroom, "grade_chapter", stopped_at_the_third)
    assert run(course, place, out, "--jobs", "1", "--seed", "1") == 130
    assert "stopped after 2 of 4 students; the same command goes on" in capsys.readouterr().out
    assert not (out / "grades.csv").exists()
    seen = []
    monkeypatch.setattr(classroom, "grade_chapter", lambda *a: seen.append(1) or real(*a))
    assert run(course, place, out, "--jobs", "1", "--seed", "1") == 0
    assert len(seen) == 2
    assert len(json.loads(read(out / "grades.json"))["students"]) == 4


def test_an_error_in_the_grader_stops_nobody_else(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place, out = tmp_path / "class", tmp_path / "out"
    for name in "ab":
        write(place / name / TENSORS, document(1, "student"))
    real = classroom.grade_chapter

    def fails_on_a(notebook: object, *rest: object) -> object:
        if notebook.path.parent.name == "a":  # type: ignore[attr-defined]
            raise ZeroDivisionError("planted")
        return real(notebook, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(classroom, "grade_chapter", fails_on_a)
    assert run(course, place, out) == 1
    captured = capsys.readouterr()
    assert "ZeroDivisionError: planted" in captured.err
    assert "a: not graded, because of an error in the grader" in captured.out
    assert [s["student"] for s in json.loads(read(out / "grades.json"))["students"]] == ["b"]


# --- input that is none -------------------------------------------------------------------------------------------


def error_of(capsys: pytest.CaptureFixture[str]) -> str:
    captured = capsys.readouterr().err
    assert captured.startswith("error: ")
    assert captured.count("\n") == 1
    return captured


def test_unusable_submissions(course: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert run(course, tmp_path / "none", out) == 2
    assert "there is no" in error_of(capsys)
    (tmp_path / "empty" / "ann").mkdir(parents=True)
    assert run(course, tmp_path / "empty", out) == 2
    assert "expected a folder for each student, or files like name_01_tensors.ipynb" in error_of(capsys)
    write(tmp_path / "odd" / "ann" / "homework.ipynb", {**document(1), "metadata": {}})
    assert run(course, tmp_path / "odd", out) == 2
    assert "homework.ipynb belongs to no chapter" in error_of(capsys)
    assert run(tmp_path, tmp_path / "odd", out) == 2
    assert "python -m autograder release" in error_of(capsys)
    assert not out.exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--jobs", "0"], "--jobs 0: at least 1"),
        (["--time-limit", "0"], "--time-limit 0: seconds"),
        (["--time-limit", "nan"], "--time-limit nan"),
        (["--memory-limit", "10"], "--memory-limit 10: megabytes, 256 to"),
        (["--seed", "-1"], "--seed -1: a whole number"),
        (["--seed", str(2**60)], "a whole number"),
    ],
)
def test_options_out_of_range(
    options: list[str], words: str, course: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "class" / "ann" / TENSORS, document(1))
    assert run(course, tmp_path / "class", tmp_path / "out", *options) == 2
    assert words in error_of(capsys)


def test_where_nothing_can_be_written(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "class" / "ann" / TENSORS, document(1, "student"))
    blocked = write(tmp_path / "file", "no folder") / "out"
    monkeypatch.setattr(cli, "grade_student", None)  # it must be found out before any work
    assert run(course, tmp_path / "class", blocked) == 2
    assert "cannot write" in error_of(capsys)
    monkeypatch.undo()

    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    out = tmp_path / "out"
    assert run(course, tmp_path / "class", out, "--seed", "1") == 0
    capsys.readouterr()
    kept = read(out / "students" / "ann.json")
    monkeypatch.setattr(cli, "_try_writing", lambda path: None)
    monkeypatch.setattr(os, "fsync", full)
    assert run(course, tmp_path / "class", out, "--seed", "2") == 2
    assert "No space left on device" in error_of(capsys)
    assert read(out / "students" / "ann.json") == kept


# --- names and tables ---------------------------------------------------------------------------------------------


def student(name: str) -> StudentResult:
    return StudentResult(name, (), (), {})


def test_file_names_are_safe_and_differ() -> None:
    names = ["ann", "Ann B", "Ann_B", "../../etc/passwd", "a" * 300, "日本", "\udcff", "...", "con|x", "ANN", "Ann"]
    files = [student(name).file for name in names]
    assert len({file.lower() for file in files}) == len(files)
    assert files[0] == "ann"
    assert files[5] == "日本"
    for file in files:
        assert len(file) <= 70
        assert not set(file) & set("/\\:|.<>\0 ")
        file.encode("utf-8")


def test_names_are_printable() -> None:
    assert printable("Zoé \x1b[31m\n\udcff") == "Zoé \ufffd[31m\ufffd\ufffd"


def test_results_go_to_the_folder_of_settings(tmp_path: Path) -> None:
    settings = Settings(tmp_path, tmp_path / "out", Limits())
    assert settings.student_file("ann", ".json") == tmp_path / "out" / "students" / "ann.json"


def test_statistics_of_nobody() -> None:
    assert exercise_statistics([], []) == []
    assert class_csv([], []).startswith("\ufeffstudent,points")
    with pytest.raises(CourseError):
        find_submissions(Path("/nonexistent"), Path("/nonexistent"))
