"""Fresh inputs for cases: sizes that differ from one another, values that differ from one another.

A wrong index hides behind equal sizes, equal values and powers of two; so none of the three is used here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from autograder.cases.case import Array, Case

FLOAT32_RTOL = 1e-5
"""Bound on ‖got − expected‖ / ‖expected‖ where float32 adds up k terms of random sign.

One rounding is at most u = 2⁻²⁴ = 6e-8 of the value; k of them in a row come to about u · sqrt(k / 2): 2e-7 at k = 13,
1e-6 at k = 600. The bound leaves a factor of ten to other orders of summation, and is still a hundred times below
float16's 5e-4 and below one wrong term among thousands.
"""

CORE_AND_EDGES = {"values": 0.8, "edges": 0.2}
"""Shares of an exercise's points: right on ordinary inputs, and right at the edges too (4 + 1, 8 + 2 or 12 + 3)."""

SIZES = (3, 5, 6, 7, 9, 10, 11, 13)


def ragged_sizes(rng: np.random.Generator, count: int) -> tuple[int, ...]:
    """``count`` different sizes, none of them 1 or a power of two."""
    return tuple(int(size) for size in rng.choice(SIZES, size=count, replace=False))


def floats(rng: np.random.Generator, *shape: int) -> npt.NDArray[np.float32]:
    """Normal float32 values; ``floats(rng)`` is a single number in an array without axes."""
    return np.asarray(rng.standard_normal(shape), dtype=np.float32)


def away_from_zero(rng: np.random.Generator, *shape: int) -> npt.NDArray[np.float32]:
    """float32 values of both signs, between 0.25 and 8 in size: no sign is in doubt."""
    size = rng.uniform(0.25, 8.0, shape)
    return np.asarray(np.where(rng.random(shape) < 0.5, size, -size), dtype=np.float32)


def poisoned(*shape: int) -> npt.NDArray[np.float32]:
    """A float32 buffer full of NaN: whatever is not written shows."""
    return np.full(shape, np.nan, dtype=np.float32)


def double(array: Array) -> npt.NDArray[np.float64]:
    """The same values in float64, in which expected results are worked out."""
    return array.astype(np.float64)


def left_alone(case: Case, positions: Sequence[int], advice: str) -> Case:
    """``case`` once more, now looking at its inputs: the arrays at ``positions`` must come back as they went in."""
    before = tuple(argument.copy() for p in positions if isinstance(argument := case.args[p], np.ndarray))
    return replace(
        case,
        title=f"inputs left alone, {case.title}",
        read_back=tuple(positions),
        expected_args=before,
        part="edges",
        advice=advice,
    )
