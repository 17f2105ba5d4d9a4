"""The demonstration class: what ``make grade-demo`` shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autograder.grade import demo
from benchmarks import grade_class
from solutions import command_line
from tests.grade_samples import write_course


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_course(tmp_path_factory.mktemp("course"), [1, 2])


@pytest.mark.slow
def test_every_kind_of_student_gets_what_the_work_earns(course: Path, tmp_path: Path) -> None:
    assert command_line.run(demo.main, [str(tmp_path), "--root", str(course)]) == 0
    grades = json.loads((tmp_path / "grades" / "grades.json").read_text(encoding="utf-8"))
    points = {student["student"]: student["points"] for student in grades["students"]}
    assert points == {
        **{"full-marks": 110.0, "half-filled": 50.0, "unfilled": 0.0, "not-json": 0.0, "print-flood": 50.0},
        **dict.fromkeys(("endless-loop", "ends-its-process", "memory-hog", "nan-answers", "syntax-error"), 40.0),
    }
    page = (tmp_path / "grades" / "index.html").read_text(encoding="utf-8")
    for words in ("took too long", "ended the process", "SyntaxError", "is not a notebook"):
        assert words in page


def test_without_built_notebooks_it_says_how_to_build_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.run(demo.main, [str(tmp_path / "out"), "--root", str(tmp_path)]) == 2
    assert "python -m autograder release" in capsys.readouterr().err


@pytest.mark.slow
def test_the_benchmark_grades_a_whole_class(course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grade_class, "STUDENTS", 2)
    kept = {}
    monkeypatch.setattr(grade_class, "save_result", lambda name, line, figures: kept.update(figures) or tmp_path)
    assert command_line.run(grade_class.main, ["--root", str(course)]) == 0
    assert (kept["students"], kept["notebooks"]) == (2, 4)
    assert 0 < kept["one_at_a_time_median_seconds"] <= kept["one_at_a_time_slowest_seconds"]
