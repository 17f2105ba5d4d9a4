"""How far a count on a sample may be from the truth: 95 % intervals of a proportion."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

LEVEL = 0.95


class Interval(NamedTuple):
    """``low`` and ``high``, fractions from 0 to 1."""

    low: float
    high: float


def wilson_interval(correct: int, total: int) -> Interval:
    """Wilson's score interval for ``correct`` of ``total`` at 95 %: good for every count, 0 and all included.

    Source:
        E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927), 209–212.

    Raises:
        ValueError: not ``0 <= correct <= total`` with ``total`` above 0.
    """
    p, z = _proportion(correct, total), _quantile()
    scale = 1 + z * z / total
    center = (p + z * z / (2 * total)) / scale
    half = z / scale * math.sqrt(p * (1 - p) / total + z * z / (4 * total * total))
    # Rounding must not push the ends past what is certain: none right leaves 0 possible, all right leaves 1.
    low = 0.0 if correct == 0 else max(0.0, center - half)
    high = 1.0 if correct == total else min(1.0, center + half)
    return Interval(low, high)


def normal_half_width(correct: int, total: int) -> float:
    """The ± of the textbook: z · √(p (1 − p) / n) at 95 %. Good for large counts away from 0 and all.

    Raises:
        ValueError: not ``0 <= correct <= total`` with ``total`` above 0.
    """
    p = _proportion(correct, total)
    return _quantile() * math.sqrt(p * (1 - p) / total)


def _quantile() -> float:
    """How many standard deviations hold 95 % of a normal distribution: 1.96."""
    return NormalDist().inv_cdf((1 + LEVEL) / 2)


def _proportion(correct: int, total: int) -> float:
    if total <= 0 or not 0 <= correct <= total:
        raise ValueError(f"{correct} of {total} is not a count of a sample")
    return correct / total
