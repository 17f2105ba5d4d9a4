"""From passed cases to points: a part counts as a whole, and later parts count only on top of the first, the core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def part_points(shares: Mapping[str, float], passed: Mapping[str, bool], max_points: float) -> dict[str, float]:
    """Points of each part.

    Args:
        shares: part → share of the points; the first part is the core.
        passed: part → whether all its cases passed.
        max_points: what the exercise is worth.
    """
    core = next(iter(shares))
    return {
        part: round(share * max_points, 2) if passed[part] and passed[core] else 0.0 for part, share in shares.items()
    }


def total(points: Sequence[float]) -> float:
    """A sum without the crumbs of binary fractions."""
    return round(sum(points), 2)


def shown(points: float) -> str:
    """``"4"``, ``"2.5"``."""
    return f"{points:.10g}"
