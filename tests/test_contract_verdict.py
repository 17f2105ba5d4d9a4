"""The training clause and the report on it: exact at the bound, and never a ✓ for what was not measured."""

from __future__ import annotations

import json

import pytest

from autograder.contract.cards import load_card
from autograder.contract.report import accuracy_report
from autograder.contract.sla import duration_text, verdict
from solutions.errors import CourseError


@pytest.mark.parametrize(
    ("card", "bound"),
    [
        (None, 9841),
        ("GTX 1060 6GB", 9823),
        ("RTX 2060 6GB", 9841),
        ("RX 5700 XT 8GB", 9817),
        ("GTX 1060 Mobile", 9841),  # no row of its own: the strictest
        ("NVIDIA H200", 9841),
    ],
)
def test_accuracy_is_exact_at_the_bound(card: str | None, bound: int) -> None:
    passed = [accuracy_report(correct, 10_000, None, card).passed for correct in range(bound - 2, bound + 3)]
    assert passed == [False, False, True, True, True]


def test_without_a_card_the_strictest_row_judges_and_time_is_never_passed() -> None:
    for seconds in (None, 0.0, 1e9):
        accuracy, time = verdict(0.9841, seconds, None)
        assert (accuracy.status, time.status) == ("pass", "unverified")
        assert "strictest row, RTX 2060 6GB" in accuracy.required
        assert "unverified: no card of the contract" in time.found


@pytest.mark.parametrize(("seconds", "status"), [(6720.0, "pass"), (6720.1, "fail"), (1.0, "pass")])
def test_time_on_the_card_is_exact_at_the_bound(seconds: float, status: str) -> None:
    time = verdict(0.99, seconds, load_card("GTX 1060 6GB"))[1]
    assert (time.status, time.required) == (status, "≤ 1 h 52 m (GTX 1060 6GB)")


def test_a_card_without_a_timed_training_stays_unverified() -> None:
    assert verdict(0.99, None, load_card("GTX 1060 6GB"))[1].status == "unverified"
    time = verdict(0.99, 10.0, load_card("NVIDIA H200"))[1]
    assert time.status == "unverified"
    assert "no row for the NVIDIA H200" in time.found


def test_lines_say_accuracy_interval_and_verdict() -> None:
    lines = accuracy_report(9874, 10_000, 312.0, None).lines()
    assert lines[0] == "test accuracy 98.74 % ± 0.22 % (9,874 of 10,000 correct)"
    assert lines[1].startswith("95 % interval 98.50 … 98.94 % (Wilson)")
    assert "thermal drift" in lines[1]
    assert lines[2] == "✓ accuracy: required ≥ 98.41 % (the strictest row, RTX 2060 6GB); found 98.74 %"
    assert lines[3].startswith("– training time")
    assert "5 m 12 s on this machine" in lines[3]
    assert lines[-1] == "verdict ✓: accuracy reached; unverified: training time"


def test_a_close_call_is_told() -> None:
    assert "close call" in accuracy_report(9845, 10_000, None, None).lines()[-1]
    assert "close call" not in accuracy_report(9880, 10_000, None, None).lines()[-1]


def test_a_failure_names_its_clauses() -> None:
    report = accuracy_report(9822, 10_000, 7000.0, "GTX 1060 6GB")
    assert not report.passed
    assert report.lines()[-1] == "verdict ✗: accuracy, training time not reached"
    slow = accuracy_report(9900, 10_000, 7000.0, "GTX 1060 6GB")
    assert slow.lines()[-1] == "verdict ✗: training time not reached"


def test_json_holds_numbers_and_verdict() -> None:
    told = json.loads(json.dumps(accuracy_report(9874, 10_000, 312.0, None).to_json()))
    assert set(told) == {
        "schema", "correct", "total", "accuracy", "interval", "half_width", "seconds", "card", "clauses", "passed",
    }  # fmt: skip
    assert (told["schema"], told["correct"], told["total"], told["accuracy"]) == ("accuracy/1", 9874, 10_000, 0.9874)
    assert (told["card"], told["seconds"], told["passed"]) == (None, 312.0, True)
    assert [clause["status"] for clause in told["clauses"]] == ["pass", "unverified"]
    assert told["interval"]["low"] < told["accuracy"] < told["interval"]["high"]


def test_unusable_questions() -> None:
    with pytest.raises(CourseError, match="no card 'GTX 9999'"):
        accuracy_report(1, 2, None, "GTX 9999")
    with pytest.raises(ValueError, match="not a count"):
        accuracy_report(3, 2, None, None)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.0 s"), (9.4, "9.4 s"), (59.6, "1 m 0 s"), (312.4, "5 m 12 s"), (3599.6, "1 h 0 m"), (6720, "1 h 52 m")],
)
def test_durations_in_words(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text
