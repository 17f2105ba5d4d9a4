"""The verdict on one call: what came back against what was expected, in words that a student understands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.cases.case import Case
from autograder.grade.wire import Foreign

Numbers = npt.NDArray[Any]
EXACT_KINDS = "biu"
KINDS = {"b": "booleans", "i": "whole numbers", "u": "whole numbers", "f": "floating-point numbers", "c": "complex"}


@dataclass(frozen=True)
class Raised:
    """An exception that left the student's function.

    Attributes:
        kinds: names of its class and of the classes above it.
        text: what it says, ``"IndexError: list index out of range"``.
        where: cell and line, if known: ``"cell 12, line 3"``.
        unfilled: the name that ``raise NotImplementedError("name")`` gave; ``""`` for any other exception.
    """

    kinds: tuple[str, ...]
    text: str
    where: str = ""
    unfilled: str = ""


@dataclass(frozen=True)
class Outcome:
    """What a call left behind: a returned value and the arguments after the call, or an exception."""

    returned: Any = None
    arguments: tuple[Any, ...] = ()
    raised: Raised | None = None


def judge(case: Case, outcome: Outcome) -> str | None:
    """None if the call did what the case asks; otherwise what is wrong, in a line or two."""
    raised = outcome.raised
    if case.raises is not None:
        if raised is None:
            return f"this input must be refused: expected {case.raises}, but the call returned"
        if case.raises in raised.kinds:
            return None
        return f"expected {case.raises}, but it raised {_told(raised)}"
    if raised is not None:
        if raised.unfilled:
            return f"it needs {raised.unfilled}, which is not filled in yet"
        return f"it raised {_told(raised)}"
    return compare(case, outcome.returned, [outcome.arguments[position] for position in case.read_back])


def _told(raised: Raised) -> str:
    return f"{raised.text} ({raised.where})" if raised.where else raised.text


def compare(case: Case, got: Any, got_args: Sequence[Any]) -> str | None:
    """Compare a returned value, and the arguments named in ``case.read_back``, with what the case expects.

    Values must be plain: built-in types, NumPy numbers, and arrays made by the grader from raw bytes.

    Returns:
        None if all is right; otherwise the first difference, in a line or two.
    """
    message = _differs(case.expected, got, case)
    if message is not None:
        if got is None:
            return f"returned None, expected {_wanted(case.expected)}: is there a return at the end?"
        return message
    for position, expected, after in zip(case.read_back, case.expected_args, got_args, strict=True):
        before = case.args[position]
        message = _array_differs(expected, after, case, dtype=getattr(before, "dtype", expected.dtype).name)
        if message is not None and _same_bytes(before, expected):
            return f"it changed an input: argument {position + 1} must come back as it went in ({message})"
        if message is not None and _same_bytes(before, after):
            return f"argument {position + 1} came back unchanged: it is to be changed in place"
        if message is not None:
            return f"argument {position + 1} after the call: {message}"
    return None


def _differs(expected: Any, got: Any, case: Case) -> str | None:
    if isinstance(got, Foreign):
        return f"returned {got.kind}, expected {_wanted(expected)}"
    if isinstance(expected, (tuple, list)):
        return _sequence_differs(expected, got, case)
    if isinstance(expected, np.ndarray):
        return _array_differs(expected, got, case, case.dtype)
    if isinstance(got, np.ndarray) and got.ndim == 0:
        got = got[()]
    if expected is None:
        return None if got is None else f"returned {_described(got)}: this function changes its arguments, no more"
    if isinstance(expected, (bool, str)):
        same = isinstance(got, (type(expected), np.bool_) if isinstance(expected, bool) else type(expected))
        return None if same and got == expected else f"got {_shown(got)}, expected {_shown(expected)}"
    return _number_differs(expected, got, case)


def _sequence_differs(expected: Sequence[Any], got: Any, case: Case) -> str | None:
    if not isinstance(got, list if isinstance(expected, list) else (tuple, list)):
        return f"got {_described(got)}, expected {_wanted(expected)}"
    if len(got) != len(expected):
        return f"got {len(got)} elements, expected {len(expected)}: {_shown(got)} instead of {_shown(expected)}"
    for position, (wanted, item) in enumerate(zip(expected, got, strict=True)):
        message = _differs(wanted, item, case)
        if message is not None:
            plain = all(isinstance(value, (int, float)) for value in expected)
            whole = f" ({_shown(got)} instead of {_shown(expected)})" if plain else ""
            return f"element {position} of the {type(expected).__name__}: {message}{whole}"
    return None


def _number_differs(expected: float, got: Any, case: Case) -> str | None:
    """Numbers: a whole number must be one, and equal; others may be off by ``rtol``. True is not 1."""
    exact = isinstance(expected, int)
    if not isinstance(got, (int, np.integer) if exact else (int, float, np.integer, np.floating)) or isinstance(
        got, (bool, np.bool_)
    ):
        return f"got {_described(got)}, expected {_wanted(expected)}"
    if exact:
        return None if int(got) == expected else f"got {_shown(got)}, expected {_shown(expected)}"
    value = float(got)
    if value == expected or (case.nan_equal and math.isnan(value) and math.isnan(expected)):
        return None
    error = abs(value - expected) / abs(expected) if expected else abs(value)
    if math.isfinite(value) and math.isfinite(expected) and error <= case.rtol:
        return None
    size = f" (relative error {error:.2g})" if math.isfinite(error) else ""
    return f"got {_shown(value)}, expected {_shown(expected)}{size}"


def _array_differs(expected: Numbers, got: Any, case: Case, dtype: str | None) -> str | None:
    if isinstance(got, np.generic) and expected.ndim == 0:
        got = np.asarray(got)  # arithmetic on arrays without axes gives NumPy numbers
    if not isinstance(got, np.ndarray):
        return f"got {_described(got)}, expected {_wanted(expected)}"
    if got.shape != expected.shape:
        return f"wrong shape: got {list(got.shape)}, expected {list(expected.shape)}"
    if dtype is not None and got.dtype.name != dtype:
        return f"wrong dtype: got {got.dtype.name}, expected {dtype}"
    if KINDS[got.dtype.kind] != KINDS[expected.dtype.kind]:
        return f"wrong dtype: got {got.dtype.name}, expected {KINDS[expected.dtype.kind]} ({expected.dtype.name})"
    if expected.dtype.kind in EXACT_KINDS:
        wrong = np.not_equal(got, expected)
        return _first_wrong(wrong, got, expected, "") if wrong.any() else None
    with np.errstate(all="ignore"):  # a signalling NaN is quietened; the largest float minus its opposite is infinite
        return _floats_differ(expected.astype(np.float64), got.astype(np.float64), case)


def array_differs(expected: Numbers, got: Any, rtol: float, dtype: str) -> str | None:
    """None if ``got`` is an array like ``expected``, of dtype ``dtype``; otherwise the first difference in words."""
    return _array_differs(expected, got, Case("", (), rtol=rtol), dtype)


def _floats_differ(expected: Numbers, got: Numbers, case: Case) -> str | None:
    """‖got − expected‖ ≤ rtol · ‖expected‖ over what is finite; infinities in their places; NaN never, or likewise."""
    settled = np.equal(got, expected)
    if case.nan_equal:
        settled |= np.isnan(got) & np.isnan(expected)
    odd = ~settled & ~(np.isfinite(got) & np.isfinite(expected))
    if odd.any():
        return _first_wrong(odd, got, expected, "")
    finite = np.isfinite(expected)
    difference = np.where(settled, 0.0, np.where(finite, got, 0.0) - np.where(finite, expected, 0.0))
    distance, size = _norm(difference), _norm(np.where(finite, expected, 0.0))
    bound = case.rtol * (size or 1.0)
    if distance <= bound:
        return None
    wrong = np.abs(difference) > bound / math.sqrt(difference.size)  # at least one is: else the norm were in bounds
    return _first_wrong(wrong, got, expected, f"relative error {distance / (size or 1.0):.2g}")


def _norm(values: Numbers) -> float:
    """Euclidean norm that neither overflows nor loses small numbers."""
    largest = float(np.max(np.abs(values), initial=0.0))
    return largest * math.sqrt(float(np.sum((values / largest) ** 2))) if 0.0 < largest < math.inf else largest


def _first_wrong(wrong: Numbers, got: Numbers, expected: Numbers, error: str) -> str:
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    value, wanted = got[index].item(), expected[index].item()
    at = f"at {list(index)}: " if index else ""
    what = f"NaN {at.rstrip(': ')}, expected" if np.isnan(value) else f"wrong {at}got {_shown(value)}, expected"
    share = f"{int(wrong.sum())} of {wrong.size} elements are wrong" if wrong.size > 1 else ""
    notes = "; ".join(note for note in (share, error) if note)
    return f"{what} {_shown(wanted)}" + (f" ({notes})" if notes else "")


def _same_bytes(a: Any, b: Any) -> bool:
    """Whether two arrays hold the same values, NaN included; dtypes may differ."""
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray) or a.shape != b.shape:
        return False
    return bool(np.array_equal(a, b, equal_nan=a.dtype.kind == b.dtype.kind == "f"))


def _wanted(expected: Any) -> str:
    """What kind of thing is expected; the reference's float64 is not asked of anybody, so dtypes are left out."""
    if isinstance(expected, np.ndarray):
        return f"an array of shape {list(expected.shape)}"
    if isinstance(expected, (tuple, list)):
        return _described(expected)
    return f"{'the whole number ' if type(expected) is int else ''}{_shown(expected)}"


def _described(value: Any) -> str:
    """What kind of thing a value is: ``"an array of shape [3, 4]"``, ``"a tuple of 3"``, ``"2.0, a float"``."""
    if isinstance(value, Foreign):
        return value.kind
    if isinstance(value, np.ndarray):
        return f"an array of shape {list(value.shape)} and dtype {value.dtype.name}"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{_shown(value)}, {'an' if name[0] in 'aeiou' else 'a'} {name}"


def _shown(value: Any) -> str:
    """A value as a student would write it, shortened."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Foreign):
        return value.kind
    if isinstance(value, float):
        return f"{value:.7g}" if not value.is_integer() or abs(value) > 1e15 else f"{value:.1f}"
    if isinstance(value, (tuple, list)):
        inner = ", ".join(_shown(item) for item in value[:8]) + (", …" if len(value) > 8 else "")
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if len(value) == 1 else ''})"
    if isinstance(value, np.ndarray):
        return _described(value)
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:60]}… ({len(text)} characters)"
