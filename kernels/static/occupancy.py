"""How many blocks of a kernel fit on a multiprocessor at once, and what keeps more from fitting."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from kernels.errors import LaunchError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CARDS_FILE = Path(__file__).with_name("cards.toml")


@dataclass(frozen=True)
class Architecture:
    """Limits of one multiprocessor; the comment of ``cards.toml`` explains each."""

    wave: int
    warps: int
    blocks: int
    registers: int
    register_unit: int
    registers_block: int
    parts: int
    shared: int
    shared_unit: int
    shared_block: int
    reserved: int


@dataclass(frozen=True)
class Occupancy:
    """What fits.

    Attributes:
        blocks, warps: resident on one multiprocessor.
        fraction: of the warps that it can hold.
        limit: ``warps``, ``blocks``, ``registers`` or ``shared memory``: what keeps one more block out.
    """

    blocks: int
    warps: int
    fraction: float
    limit: str


@cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = tomllib.loads(CARDS_FILE.read_text(encoding="utf-8"))
    return data


def cards() -> dict[str, str]:
    """The course's cards: name → architecture."""
    return dict(_data()["cards"])


@cache
def architectures() -> dict[str, Architecture]:
    """All architectures by name, ``sm_61`` or ``gfx803``."""
    names = [field.name for field in fields(Architecture)]
    return {
        name: Architecture(**{field: int(row[field]) for field in names})
        for name, row in _data()["architectures"].items()
    }


def find_architecture(name: str) -> Architecture:
    """The limits of an architecture.

    Raises:
        LaunchError: the course does not know it.
    """
    if name not in architectures():
        raise LaunchError(f"no architecture {name!r}; the course knows {', '.join(architectures())}")
    return architectures()[name]


def occupancy(arch: str, *, registers: int, shared: int, threads: int) -> Occupancy:
    """Resident blocks of a kernel.

    Args:
        arch: such as ``sm_61``.
        registers: a thread, as the compiler reports them (vector registers on AMD).
        shared: bytes a block, static and dynamic.
        threads: a block.

    Raises:
        LaunchError: an unknown architecture, or no thread at all.
    """
    of = find_architecture(arch)
    if threads < 1:
        raise LaunchError(f"a block has 1 thread or more, not {threads}")
    warps = -(-threads // of.wave)
    fits = {
        "warps": of.warps // warps,
        "blocks": of.blocks,
        "registers": _by_registers(of, registers, warps),
        "shared memory": _by_shared(of, shared),
    }
    blocks = min(fits.values())
    limit = next(name for name, count in fits.items() if count == blocks)
    return Occupancy(blocks, blocks * warps, blocks * warps / of.warps, limit)


def _by_registers(of: Architecture, registers: int, warps: int) -> int:
    """Each part of the multiprocessor gives whole warps registers from its own file."""
    if registers == 0:
        return of.blocks
    warp = -(-registers * of.wave // of.register_unit) * of.register_unit
    if warp * warps > of.registers_block:
        return 0
    return of.registers // of.parts // warp * of.parts // warps


def _by_shared(of: Architecture, shared: int) -> int:
    if shared > of.shared_block:
        return 0
    block = -(-(shared + of.reserved) // of.shared_unit) * of.shared_unit
    return of.shared // block if block else of.blocks


def blocks_per_multiprocessor(row: dict[str, Any]) -> int:
    """For a row that a driver was asked about: block size, registers, static and dynamic shared memory on an sm_90."""
    shared = row["static_shared"] + row["dynamic_shared"]
    return occupancy("sm_90", registers=row["registers"], shared=shared, threads=row["block_threads"]).blocks
