"""Lanes of a warp: who owns which cell, in which colour, under which name.

A colour stands for a quarter of the warp. Two hues that every kind of colour blindness leaves apart, each light and
dark; and each cell has its lane's number, so that no colour is needed to read a picture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from string import ascii_lowercase

from kernels.emulator.counters import Access
from kernels.pictures.sheet import BLUE, DARK_BLUE, DARK_ORANGE, INK, ORANGE, PAPER

QUARTERS = (BLUE, DARK_BLUE, ORANGE, DARK_ORANGE)
MIXED = "#4b5563"
Lanes = tuple[int, ...]


def owners(access: Access, unit: int) -> dict[int, Lanes]:
    """The lanes that touch each unit of ``unit`` bytes, by the unit's number in the array."""
    found: dict[int, list[int]] = {}
    for lane, offset in sorted(access.lanes):
        for place in range(offset // unit, (offset + access.size - 1) // unit + 1):
            found.setdefault(place, []).append(lane)
    return {place: tuple(found[place]) for place in sorted(found)}


def letters(owned: Mapping[int, Lanes], room: int) -> dict[Lanes, str]:
    """A letter for each group of more than ``room`` lanes that share a cell: their numbers do not fit into it."""
    shared = [lanes for lanes in dict.fromkeys(owned.values()) if len(lanes) > room]
    return {lanes: _letters(position) for position, lanes in enumerate(shared)}


def _letters(position: int) -> str:
    more, last = divmod(position, len(ascii_lowercase))
    return (ascii_lowercase[more - 1] if more else "") + ascii_lowercase[last]


def key(named: Mapping[Lanes, str]) -> list[str]:
    """What each letter stands for: ``a = 0–15``."""
    return [f"{name} = {'all 32' if len(lanes) == 32 else spans(lanes)}" for lanes, name in named.items()]


def spoken(lanes: Sequence[int]) -> str:
    """``lane 3``, ``lanes 0–15``, ``all 32 lanes``."""
    if len(lanes) == 32:
        return "all 32 lanes"
    return f"lane{'s' if len(lanes) > 1 else ''} {spans(lanes)}"


def spans(numbers: Sequence[int]) -> str:
    """Rising numbers, runs of them in short: ``0–3, 8``; with a step, ``0, 2 … 30``."""
    steps = {after - before for before, after in pairwise(numbers)}
    if len(numbers) > 3 and len(steps) == 1 and steps != {1}:
        return f"{numbers[0]:,}, {numbers[1]:,} … {numbers[-1]:,}"
    parts: list[list[int]] = []
    for one in numbers:
        if parts and one == parts[-1][-1] + 1:
            parts[-1].append(one)
        else:
            parts.append([one])
    return ", ".join(
        f"{run[0]:,}" if len(run) == 1 else f"{run[0]:,}{', ' if len(run) == 2 else '–'}{run[-1]:,}" for run in parts
    )


def colors(lanes: Lanes) -> tuple[str, str]:
    """(fill, ink) of a cell of these lanes."""
    quarters = {lane // 8 for lane in lanes}
    fill = QUARTERS[quarters.pop()] if len(quarters) == 1 else MIXED
    return fill, INK if fill in (BLUE, ORANGE) else PAPER
