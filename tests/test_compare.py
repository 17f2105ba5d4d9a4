"""The verdict on a call, and the words for it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.cases.case import Case
from autograder.cases.compare import Outcome, Raised, compare, judge
from autograder.grade.wire import Foreign

F32 = np.float32


def wrong(expected: Any, got: Any, **options: Any) -> str | None:
    return compare(Case("", (), expected, **options), got, [])


A = np.array([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    ("expected", "got", "options"),
    [
        (3, 3, {}), (3, np.int64(3), {}), (3, np.array(3), {}), (0.5, 0.5, {}), (2.0, 2, {}), (0.5, F32(0.5), {}),
        (1.0, 1.0 + 1e-9, {}), (0.0, 1e-9, {}), (math.inf, math.inf, {}), (math.nan, math.nan, {"nan_equal": True}),
        (True, True, {}), (False, np.bool_(False), {}), ("ijk", "ijk", {}), (None, None, {}),
        ((1, 2), (1, 2), {}), ((1, 2), [1, 2], {}), ([(0, 3)], [(0, 3)], {}), ([(0, 3)], [[0, 3]], {}), ((), (), {}),
        ((12, 4), (np.int64(12), np.int32(4)), {}),
        (A, A.astype(F32), {}), (A, A.astype(F32), {"dtype": "float32"}), (A, A * (1 + 1e-6), {}),
        (A.astype(np.int64), A.astype(np.uint8), {}), (A > 2, A > 2, {}), (np.array(2.0), F32(2.0), {}),
        (np.zeros((0, 3)), np.zeros((0, 3), F32), {}), (0 * A, 0 * A, {}), (0 * A, 1e-7 + 0 * A, {}),
        (np.array([np.inf, -np.inf, 1.0]), np.array([np.inf, -np.inf, 1.0]), {}),
        (np.array([np.nan, 1.0]), np.array([np.nan, 1.0]), {"nan_equal": True}),
        (np.array([1e300, 1e-300]), np.array([1e300, 1e-300]), {}),
    ],
)  # fmt: skip
def test_right(expected: Any, got: Any, options: dict[str, Any]) -> None:
    assert wrong(expected, got, **options) is None


@pytest.mark.parametrize(
    ("expected", "got", "options", "words"),
    [
        (3, 4, {}, "got 4, expected 3"),
        (3, 3.0, {}, "got 3.0, a float, expected the whole number 3"),
        (3, F32(3), {}, "a float32, expected the whole number 3"),
        (1, True, {}, "got True, a bool"),
        (1.0, True, {}, "got True, a bool"),
        (1.0, np.True_, {}, "got True"),
        (True, 1, {}, "got 1, expected True"),
        (3, "3", {}, "got '3', a str"),
        (3, None, {}, "returned None, expected the whole number 3: is there a return"),
        (A, None, {}, "returned None, expected an array of shape [2, 2]: is there a return"),
        (None, A, {}, "this function changes its arguments"),
        (1.0, 1.1, {}, "relative error 0.1"),
        (1.0, math.nan, {}, "got nan, expected 1.0"),
        (math.nan, math.nan, {}, "got nan, expected nan"),
        (math.inf, 1e308, {}, "expected inf"),
        (math.inf, -math.inf, {}, "got -inf"),
        (1.0, math.inf, {}, "got inf"),
        ("ijk", "ikj", {}, "got 'ikj', expected 'ijk'"),
        ((1, 2), (1, 2, 3), {}, "got 3 elements, expected 2: (1, 2, 3) instead of (1, 2)"),
        ((1, 2), (1, 3), {}, "element 1 of the tuple: got 3, expected 2 ((1, 3) instead of (1, 2))"),
        ((1, 2), (1.0, 2.0), {}, "element 0 of the tuple: got 1.0, a float"),
        ((1,), 1, {}, "got 1, an int, expected a tuple of 1"),
        ([1], (1,), {}, "got a tuple of 1, expected a list of 1"),
        ((1, 2), np.array([1, 2]), {}, "got an array of shape [2] and dtype int64, expected a tuple of 2"),
        (A, A.T, {}, "wrong at [0, 1]: got 3.0, expected 2.0 (2 of 4 elements are wrong; relative error 0.26)"),
        (A, A[0], {}, "wrong shape: got [2], expected [2, 2]"),
        (A, A.tolist(), {}, "got a list of 2, expected an array of shape [2, 2]"),
        (A, 2.0, {}, "got 2.0, a float, expected an array of shape [2, 2]"),
        (A, A, {"dtype": "float32"}, "wrong dtype: got float64, expected float32"),
        (A, A.astype(int), {}, "wrong dtype: got int64, expected floating-point numbers"),
        (A, A.astype(complex), {}, "wrong dtype: got complex128"),
        (A.astype(int), A, {}, "wrong dtype: got float64, expected whole numbers"),
        (A > 2, (A > 2).astype(int), {}, "expected booleans"),
        (A.astype(int), A.astype(int).T, {}, "wrong at [0, 1]: got 3, expected 2 (2 of 4 elements are wrong)"),
        (A, np.where(A == 3, np.nan, A), {}, "NaN at [1, 0], expected 3.0 (1 of 4 elements are wrong)"),
        (np.array([np.nan, 1.0]), np.array([np.nan, 1.0]), {}, "NaN at [0], expected nan"),
        (np.array([np.nan, 1.0]), np.array([2.0, 1.0]), {"nan_equal": True}, "wrong at [0]: got 2.0, expected nan"),
        (A, np.where(A == 3, np.inf, A), {}, "wrong at [1, 0]: got inf, expected 3.0"),
        (np.array([np.inf]), np.array([-np.inf]), {}, "got -inf, expected inf"),
        (np.array([np.finfo(float).max]), np.array([-np.finfo(float).max]), {}, "relative error inf"),
        (np.array(2.0), np.array(3.0), {}, "wrong got 3.0, expected 2.0 (relative error 0.5)"),
        (np.zeros((0, 3)), np.zeros((3, 0)), {}, "wrong shape"),
        (0 * A, 1e-3 + 0 * A, {}, "relative error 0.002"),
        (A, Foreign("an array of dtype object"), {}, "returned an array of dtype object, expected an array"),
        ((A, 1), (A, Foreign("a set")), {}, "element 1 of the tuple: returned a set"),
        ([1, 2], list(range(100)), {}, "[0, 1, 2, 3, 4, 5, 6, 7, …]"),
    ],
)  # fmt: skip
def test_wrong_and_why(expected: Any, got: Any, options: dict[str, Any], words: str) -> None:
    message = wrong(expected, got, **options)
    assert message is not None
    assert words in message
    assert len(message) < 300


def read_back(before: np.ndarray, expected: np.ndarray, after: np.ndarray) -> str | None:
    return compare(Case("", (1.0, before), read_back=(1,), expected_args=(expected,)), None, [after])


def test_arguments_after_the_call() -> None:
    a = A.astype(F32)
    assert read_back(np.full((2, 2), np.nan, F32), A, a) is None
    assert read_back(a, a, a) is None
    assert read_back(a, a, a + 1) == (
        "it changed an input: argument 2 must come back as it went in "
        "(wrong at [0, 0]: got 2.0, expected 1.0 (4 of 4 elements are wrong; relative error 0.37))"
    )
    assert read_back(a, 2 * A, a) == "argument 2 came back unchanged: it is to be changed in place"
    assert "argument 2 after the call: wrong at [0, 0]" in (read_back(a, 2 * A, 3 * a) or "")
    poison = np.full((2, 2), np.nan, F32)
    assert read_back(poison, A, poison) == "argument 2 came back unchanged: it is to be changed in place"
    assert "wrong dtype" in (read_back(a, A, A) or "")


def test_raising() -> None:
    value_error = Raised(("UnicodeError", "ValueError", "Exception"), "UnicodeError: bad", "cell 3, line 2")
    other = Raised(("IndexError", "LookupError", "Exception"), "IndexError: out", "cell 3, line 2")
    blank = Raised(("NotImplementedError",), "NotImplementedError: unravel", "cell 3, line 2", "unravel")
    refuse = Case("", (), raises="ValueError")
    assert judge(refuse, Outcome(raised=value_error)) is None
    assert judge(refuse, Outcome(raised=other)) == "expected ValueError, but it raised IndexError: out (cell 3, line 2)"
    assert "expected ValueError, but the call returned" in str(judge(refuse, Outcome(returned=3)))
    plain = Case("", (), 3)
    assert judge(plain, Outcome(returned=3)) is None
    assert judge(plain, Outcome(raised=other)) == "it raised IndexError: out (cell 3, line 2)"
    assert judge(plain, Outcome(raised=blank)) == "it needs unravel, which is not filled in yet"
    assert judge(Case("", (A,), None, (0,), (A,)), Outcome(None, (A + 1,))) is not None


VALUES = st.lists(st.floats(-1e6, 1e6, width=32).filter(lambda v: abs(v) > 1e-3), min_size=1, max_size=20)


@given(VALUES, st.data())
def test_one_wrong_element_is_found_where_it_is(values: list[float], data: st.DataObject) -> None:
    expected = np.array(values)
    got = expected.astype(F32)
    assert wrong(expected, got) is None
    place = data.draw(st.integers(0, len(values) - 1))
    got[place] += F32(np.linalg.norm(expected) * data.draw(st.sampled_from([1e-3, 1.0, -10.0])))
    message = wrong(expected, got)
    assert message is not None
    assert message.startswith(f"wrong at [{place}]")


@given(VALUES, st.data())
def test_nan_never_passes(values: list[float], data: st.DataObject) -> None:
    expected = np.array(values)
    got = expected.copy()
    place = data.draw(st.integers(0, len(values) - 1))
    got[place] = np.nan
    for nan_equal in (False, True):
        assert (wrong(expected, got, nan_equal=nan_equal) or "").startswith(f"NaN at [{place}]")
