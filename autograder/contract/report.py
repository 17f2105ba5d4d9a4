"""The verdict on a trained network, for people and for programs; ``train.py`` and ``test_accuracy.py`` print it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from autograder.contract.cards import Card, load_card
from autograder.contract.clauses import Clause, names_of
from autograder.contract.intervals import LEVEL, Interval, normal_half_width, wilson_interval
from autograder.contract.sla import accuracy_row, verdict

SCHEMA = "accuracy/1"


@dataclass(frozen=True)
class AccuracyReport:
    """A replay of the test set, judged."""

    correct: int
    total: int
    seconds: float | None
    card: Card | None

    @property
    def accuracy(self) -> float:
        """The part that is right, 0 to 1."""
        return self.correct / self.total

    @cached_property
    def interval(self) -> Interval:
        """Wilson's interval at 95 %."""
        return wilson_interval(self.correct, self.total)

    @cached_property
    def clauses(self) -> list[Clause]:
        """The clauses of the training row."""
        return verdict(self.accuracy, self.seconds, self.card)

    @property
    def passed(self) -> bool:
        """Whether no clause failed; one that could not be verified does not fail, and does not pass either."""
        return not names_of(self.clauses, "fail")

    def lines(self) -> list[str]:
        """What a person reads."""
        half, (low, high) = normal_half_width(self.correct, self.total), self.interval
        return [
            f"test accuracy {100 * self.accuracy:.2f} % ± {100 * half:.2f} % "
            f"({self.correct:,} of {self.total:,} correct)",
            f"95 % interval {100 * low:.2f} … {100 * high:.2f} % (Wilson): the chance in which digits were tested, "
            "not the “thermal drift” of the article's ± 0.07 %",
            *(line for clause in self.clauses for line in clause.lines()),
            self._verdict(),
        ]

    def _verdict(self) -> str:
        open_clauses = names_of(self.clauses, "unverified")
        rest = f"; unverified: {open_clauses}" if open_clauses else ""
        if not self.passed:
            return f"verdict ✗: {names_of(self.clauses, 'fail')} not reached{rest}"
        close = self.interval.low < accuracy_row(self.card)[1].fraction
        reach = " (the bound lies inside the interval: a close call)" if close else ""
        return f"verdict ✓: {names_of(self.clauses, 'pass')} reached{reach}{rest}"

    def to_json(self) -> dict[str, Any]:
        """What a program reads; the keys are part of the published schema."""
        return {
            "schema": SCHEMA,
            "correct": self.correct,
            "total": self.total,
            "accuracy": self.accuracy,
            "interval": {"level": LEVEL, "method": "wilson", "low": self.interval.low, "high": self.interval.high},
            "half_width": normal_half_width(self.correct, self.total),
            "seconds": self.seconds,
            "card": self.card.name if self.card else None,
            "clauses": [clause.to_json() for clause in self.clauses],
            "passed": self.passed,
        }


def accuracy_report(correct: int, total: int, seconds: float | None, card_name: str | None) -> AccuracyReport:
    """Judge ``correct`` of ``total`` test images.

    Args:
        correct: images whose label has the highest logit.
        total: images replayed.
        seconds: of training; see :func:`autograder.contract.sla.verdict`.
        card_name: the card to judge, or None for the strictest row.

    Raises:
        CourseError: no card of that name.
        ValueError: not ``0 <= correct <= total`` with ``total`` above 0.
    """
    wilson_interval(correct, total)  # refuses counts that are none
    return AccuracyReport(correct, total, seconds, load_card(card_name) if card_name is not None else None)
