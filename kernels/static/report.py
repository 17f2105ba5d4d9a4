"""The report of ``python -m kernels report``: a row for each kernel on each architecture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from kernels.errors import CompileError, LaunchError, ToolMissing
from kernels.source import Source
from kernels.static.compilers import resources
from kernels.static.occupancy import Occupancy, cards, find_architecture, occupancy
from kernels.static.resources import Resources

SCHEMA = 1
DEFAULT_THREADS = 256
Blocks = Mapping[str, tuple[int, int]]
"""Kernel → (threads a block, bytes of dynamic shared memory)."""


@dataclass(frozen=True)
class Row:
    """One kernel on one architecture."""

    file: str
    arch: str
    threads: int
    resources: Resources
    occupancy: Occupancy


@dataclass(frozen=True)
class Gap:
    """A file that could not be reported for an architecture, and why."""

    file: str
    arch: str
    why: str


def architectures_of(card: str | None, arch: str | None) -> tuple[str, ...]:
    """What to report: one card's architecture, one by name, or all, each once.

    Raises:
        LaunchError: no such card or architecture; the message lists them.
    """
    known = cards()
    if card is not None:
        named = [name for name in known if name.lower() == card.lower()]
        if not named:
            raise LaunchError(f"no card {card!r}; the course knows {', '.join(known)}")
        return (known[named[0]],)
    if arch is not None:
        find_architecture(arch)
        return (arch,)
    return tuple(dict.fromkeys(known.values()))


def collect(
    sources: Iterable[Source], archs: Sequence[str], blocks: Blocks, threads: int
) -> tuple[list[Row], list[Gap]]:
    """Ask every compiler about every file.

    Args:
        blocks: launches that are known; other kernels are taken with ``threads`` a block and no dynamic shared memory.
    """
    rows: list[Row] = []
    gaps: list[Gap] = []
    for source in sources:
        for arch in archs:
            try:
                found = resources(source, arch)
            except (ToolMissing, CompileError) as error:
                gaps.append(Gap(source.name, arch, str(error)))
                continue
            for one in found:
                count, dynamic = blocks.get(one.kernel, (threads, 0))
                fits = occupancy(arch, registers=one.registers, shared=one.shared + dynamic, threads=count)
                rows.append(Row(source.name, arch, count, one, fits))
    return rows, gaps


def table(rows: Sequence[Row], gaps: Sequence[Gap]) -> str:
    """At most 120 columns: by kernel, with the cards of each architecture below."""
    lines = [f"{'kernel':24} {'arch':8} {'threads':>7} {'registers':>9} {'shared B':>8} {'spill B':>7} {'local B':>7} "
             f"{'blocks':>6} {'occupancy':>9}  limited by"]
    for row in sorted(rows, key=lambda row: (row.file, row.resources.kernel)):
        of = row.resources
        lines.append(f"{of.kernel:24} {row.arch:8} {row.threads:7} {of.registers:9} {of.shared:8,} {of.spill_stores:7} "
                     f"{of.local:7} {row.occupancy.blocks:6} {row.occupancy.fraction:9.0%}  {row.occupancy.limit}")
    merged: dict[tuple[str, str], list[str]] = {}
    for gap in gaps:
        merged.setdefault((gap.arch, gap.why), []).append(gap.file)
    lines += [f"not reported: {arch}, {', '.join(files)}: {why}" for (arch, why), files in merged.items()]
    shown = {row.arch for row in rows} | {gap.arch for gap in gaps}
    for arch in sorted(shown):
        named = [card for card, its in cards().items() if its == arch]
        lines.append(f"{arch}: {', '.join(named) or 'none of the cards of the course'}")
    return "\n".join(lines)


def to_json(rows: Sequence[Row], gaps: Sequence[Gap]) -> dict[str, Any]:
    """Everything, with the version of this form."""
    return {
        "schema": SCHEMA,
        "cards": cards(),
        "rows": [asdict(row) for row in rows],
        "gaps": [asdict(gap) for gap in gaps],
    }
