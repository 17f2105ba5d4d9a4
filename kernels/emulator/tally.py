"""From the runtime's sites to counters by source line, and from its trace to accesses by array."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from kernels.emulator.annotate import ATOMIC, BASIC_BLOCK, READ, WRITE
from kernels.emulator.counters import Access, BranchCount, Counters, LineCount, passes_of, sectors_of
from kernels.emulator.native import COUNTS

_OPERATION = {READ: "load", WRITE: "store", ATOMIC: "atomic"}
SiteRow = tuple[int, int, int, int, int, int]


def tally(sites: Sequence[SiteRow], rows: Sequence[Sequence[int]], totals: Sequence[int], threads: int, *,
          fused: bool, scalar: bool) -> Counters:
    """Sum the sites of each line.

    Args:
        sites: (line, kind, size, branch_line, fused multiply-adds, other operations) by site.
        rows: (site, *COUNTS) of the sites that were reached.
        totals: blocks, warps, barriers, windows cut.
        threads: of the whole launch.
        fused: the compiler fused multiplications and additions, so that they can be counted.
        scalar: it did everything else one number at a time, so that it can be counted too.
    """
    sums: dict[tuple[int, str, str, int], list[int]] = defaultdict(lambda: [0] * 5)
    branches: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    multiply_adds = operations = 0
    for site, *values in rows:
        line, kind, size, branch_line, fma, flops = sites[site]
        row = dict(zip(COUNTS, values, strict=True))
        if kind == BASIC_BLOCK:
            multiply_adds += fma * row["threads"]
            operations += flops * row["threads"]
            if branch_line:
                branches[branch_line][0] += row["warps"]
                branches[branch_line][1] += row["divergent"]
            continue
        if kind not in _OPERATION:
            continue
        operation = _OPERATION[kind]
        if row["requests"]:
            _add(sums[line, operation, "global", size], row["requests"], row["lanes"], row["sectors"], 0, 0)
        if row["shared_requests"]:
            _add(
                sums[line, operation, "shared", size],
                row["shared_requests"],
                row["shared_lanes"],
                0,
                row["passes"],
                row["ideal"],
            )
    lines = tuple(LineCount(*key, *found) for key, found in sorted(sums.items()))
    return Counters(
        lines=lines,
        branches=tuple(BranchCount(line, *found) for line, found in sorted(branches.items())),
        threads=threads,
        warps=totals[1],
        blocks=totals[0],
        barriers=totals[2],
        fused_multiply_adds=multiply_adds if fused else None,
        flops=2 * multiply_adds + operations if fused and scalar else None,
    )


def _add(row: list[int], *values: int) -> None:
    for position, value in enumerate(values):
        row[position] += value


def accesses(
    trace: Sequence[Sequence[Any]], sites: Sequence[SiteRow], names: Mapping[int, str]
) -> tuple[Access, ...]:
    """Name the line and the array of each request of a trace.

    Args:
        trace: (block, warp, site, array, [(lane, byte offset)...]) in the order in which the warps ran.
        names: of the arrays by number: arguments from 0, shared arrays from -2 down, variables from VARIABLE up.
    """
    found = []
    for block, warp, site, array, lanes in trace:
        line, kind, size, *_ = sites[site]
        space = "global" if array >= 0 else "shared"
        pairs = tuple((lane, offset) for lane, offset in lanes)
        found.append(
            Access(
                block=block,
                warp=warp,
                line=line,
                op=_OPERATION[kind],
                space=space,
                array=names[array],
                size=size,
                lanes=pairs,
                sectors=sectors_of([offset for _, offset in pairs], size) if array >= 0 else 0,
                passes=passes_of(pairs, size, _OPERATION[kind])[0] if array < 0 else 0,
            )
        )
    return tuple(found)
