"""What grading finds out, as plain data: to JSON and back."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from autograder.grade.scoring import total

STATUSES = {
    "full": "full marks",
    "part": "some of the points",
    "wrong": "not right yet",
    "not attempted": "not attempted",
    "missing": "not in the notebook",
    "broken": "its cell does not run",
    "forbidden": "uses what the exercise forbids",
    "timed out": "took too long",
    "crashed": "ended the process",
    "bad reply": "no usable result",
}
"""Every status of an exercise, in words."""


@dataclass(frozen=True)
class CaseResult:
    """One case; ``message`` and ``advice`` are empty when it passed."""

    title: str
    part: str
    passed: bool
    message: str
    advice: str


@dataclass(frozen=True)
class PartResult:
    """One part of an exercise: how many of its cases passed, and its points."""

    part: str
    points: float
    max_points: float
    passed: int
    cases: int


@dataclass(frozen=True)
class ExerciseResult:
    """One exercise; ``message`` says in a line or two how it went, ``advice`` what usually helps."""

    exercise: str
    title: str
    points: float
    max_points: float
    status: str
    message: str
    advice: str = ""
    parts: tuple[PartResult, ...] = ()
    cases: tuple[CaseResult, ...] = ()


@dataclass(frozen=True)
class NotebookResult:
    """One notebook.

    Attributes:
        chapter: its number; 0 if that could not be told.
        file: name of the file; empty if none was handed in.
        seed: what the inputs were made from; with it the same inputs come again.
        exercises: in the book's order.
        problems: what the student should know beside the points, a line each.
        sandbox: which walls stood around the student's code, in words.
    """

    chapter: int
    file: str
    seed: int
    exercises: tuple[ExerciseResult, ...]
    problems: tuple[str, ...]
    sandbox: str

    @property
    def points(self) -> float:
        """All its exercises together."""
        return total([exercise.points for exercise in self.exercises])

    @property
    def max_points(self) -> float:
        """What full marks would be."""
        return total([exercise.max_points for exercise in self.exercises])

    def to_json(self) -> dict[str, Any]:
        """Plain dictionaries and lists, with the sums."""
        return {"points": self.points, "max_points": self.max_points, **asdict(self)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> NotebookResult:
        """The way back.

        Raises:
            KeyError, TypeError: ``data`` is not what ``to_json`` writes.
        """
        fields = {key: data[key] for key in ("chapter", "file", "seed", "sandbox")}
        exercises = tuple(_exercise_from_json(exercise) for exercise in data["exercises"])
        return cls(**fields, exercises=exercises, problems=tuple(data["problems"]))


def _exercise_from_json(data: dict[str, Any]) -> ExerciseResult:
    parts = tuple(PartResult(**part) for part in data["parts"])
    return ExerciseResult(**{**data, "parts": parts, "cases": tuple(CaseResult(**case) for case in data["cases"])})
