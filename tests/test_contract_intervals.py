"""Intervals of a proportion, against published values and by their defining equation."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.contract.intervals import normal_half_width, wilson_interval

Z = 1.959963984540054
counts = st.integers(1, 100_000).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total)))


@pytest.mark.parametrize(
    ("correct", "total", "low", "high"),
    [
        # R. G. Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine 17 (1998),
        # table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_agrees_with_newcombes_table(correct: int, total: int, low: float, high: float) -> None:
    interval = wilson_interval(correct, total)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


def test_the_contracts_example() -> None:
    """98.23 % of 10,000 is ± 0.26 %, nearly four times the article's ± 0.07 %."""
    assert round(100 * normal_half_width(9823, 10_000), 2) == 0.26


@given(counts)
def test_wilsons_ends_solve_his_equation(count: tuple[int, int]) -> None:
    """(p - e)² = z² e (1 - e) / n for both ends e: where a true part e would make p just significant."""
    correct, total = count
    p = correct / total
    for end in wilson_interval(correct, total):
        assert (p - end) ** 2 == pytest.approx(Z * Z * end * (1 - end) / total, abs=1e-12)


@given(counts)
def test_wilson_holds_the_proportion_inside_0_and_1(count: tuple[int, int]) -> None:
    correct, total = count
    low, high = wilson_interval(correct, total)
    assert 0 <= low <= correct / total <= high <= 1
    assert low < high


@given(counts)
def test_counting_the_wrong_ones_mirrors_the_interval(count: tuple[int, int]) -> None:
    correct, total = count
    interval, mirrored = wilson_interval(correct, total), wilson_interval(total - correct, total)
    assert interval.low == pytest.approx(1 - mirrored.high, abs=1e-12)
    assert interval.high == pytest.approx(1 - mirrored.low, abs=1e-12)


@given(st.integers(2000, 8000))
def test_both_agree_in_the_middle_of_a_large_sample(correct: int) -> None:
    low, high = wilson_interval(correct, 10_000)
    assert (high - low) / 2 == pytest.approx(normal_half_width(correct, 10_000), rel=1e-3)


@given(counts)
def test_half_width_by_its_formula(count: tuple[int, int]) -> None:
    correct, total = count
    variance = correct * (total - correct) / total**3
    assert normal_half_width(correct, total) == pytest.approx(Z * math.sqrt(variance), rel=1e-9)


@pytest.mark.parametrize(("correct", "total"), [(1, 0), (-1, 10), (11, 10), (0, -5)])
def test_counts_that_are_none(correct: int, total: int) -> None:
    with pytest.raises(ValueError, match="not a count"):
        wilson_interval(correct, total)
    with pytest.raises(ValueError, match="not a count"):
        normal_half_width(correct, total)
