"""Which lanes touch which addresses: the requests of a traced launch, one below another."""

from __future__ import annotations

import operator
from collections.abc import Sequence

from kernels.emulator.counters import passes_of
from kernels.emulator.launch import Report
from kernels.pictures.banks import BankPanel
from kernels.pictures.choose import Request, choose, element_bytes
from kernels.pictures.grid import Grid
from kernels.pictures.lanes import QUARTERS, key
from kernels.pictures.memory import MemoryPanel
from kernels.pictures.picture import Picture, PictureError
from kernels.pictures.sheet import (
    BODY,
    DARK_PINK,
    GREY,
    HEAD,
    INK,
    LINE,
    MARGIN,
    MUTED,
    PINK,
    TITLE,
    WIDTH,
    Sheet,
    clean,
    number,
    shorten,
    width_of,
)

MAX_REQUESTS = 8
"""Requests in one picture."""
_TALL, _AROUND = 50, 4
"""Rows of cells after which no request is begun; what stands around a request counts as so many."""
Panel = MemoryPanel | BankPanel
_ROOM = WIDTH - 2 * MARGIN


def access_picture(report: Report, *, array: str | None = None, line: int | None = None, warp: int | None = None,
                   block: int = 0, shape: int | Sequence[int] | None = None, element: int | None = None,
                   title: str | None = None) -> Picture:
    """Draw who touches what: each request with the lanes in the elements they touch.

    Global memory is drawn as rows of elements with the sectors of 32 bytes that move; shared memory as words under
    their 32 banks, with the banks that have to turn again. The first requests are drawn, warp after warp, each warp's
    in their order; the picture says how many are left out.

    Args:
        report: of ``kernel.inspect(..., trace=True)``.
        array, line, warp: draw only requests to this array, of this source line (from 1), of this warp of the block.
        block: its number in the grid, counted x first.
        shape: of the array in elements, as in NumPy; rows of cells are then rows of the array.
        element: bytes of one element; else those of the smallest access to the array, at most 4.
        title: instead of a plain one.

    Raises:
        PictureError: no trace, no such request (the message lists what there is), or a shape that does not fit.
    """
    requests = choose(report, array, line, warp, block)
    arrays = list(dict.fromkeys(request.access.array for request in requests))
    if shape is not None and len(arrays) > 1:
        raise PictureError(f"a shape is that of one array; say which with array=, of {', '.join(arrays)}")
    fixed = _shape(shape)
    panels = _fitting([_panel(request, fixed, element_bytes(report, request.access.array, element))
                       for request in requests[:MAX_REQUESTS]])
    touched = f"elements of {arrays[0]}" if len(arrays) == 1 else "addresses"
    title = clean(str(title or "")) or f"Which lanes touch which {touched}"
    sheet = Sheet()
    sheet.paragraph(title, TITLE, bold=True)
    summary = _summary(requests, block)
    sheet.paragraph(summary, color=MUTED)
    _legend(sheet, panels)
    drawn = _draw(sheet, panels)
    left_out = _left_out(len(panels), len(requests))
    if left_out:
        sheet.y += 10
        sheet.paragraph(left_out, bold=True)
    return Picture(sheet.finish(title, " ".join([f"{summary}.", *drawn, left_out])))


def _shape(shape: int | Sequence[int] | None) -> tuple[int, ...] | None:
    if shape is None:
        return None
    try:
        axes = tuple(operator.index(axis) for axis in (shape if isinstance(shape, Sequence) else (shape,)))
    except TypeError:
        axes = ()
    if not axes or min(axes) < 1:
        raise PictureError(f"shape is one or more whole numbers from 1, such as (32, 33), not {shape!r}")
    return axes


def _panel(request: Request, shape: tuple[int, ...] | None, element: int) -> Panel:
    return (MemoryPanel if request.access.space == "global" else BankPanel)(request, shape, element)


def _fitting(panels: Sequence[Panel]) -> list[Panel]:
    """The first panels, at least one, as many as a picture has room for."""
    fitting: list[Panel] = []
    for panel in panels:
        if sum(before.rows + _AROUND for before in fitting) > _TALL:
            break
        fitting.append(panel)
    return fitting


def _draw(sheet: Sheet, panels: Sequence[Panel]) -> list[str]:
    """Draw the panels, one below another; a sentence for each."""
    labels = [label for panel in panels for label in panel.labels]
    sentences: list[str] = []
    said: dict[tuple[int | str, ...], int] = {}
    for panel in panels:
        sheet.y += 9
        sheet.path(f"M{MARGIN} {number(sheet.y)}h{_ROOM}", LINE)
        sheet.y += 5
        where, detail = _heading(sheet, panel)
        named = key(panel.draw(sheet, Grid.of(panel.columns, labels)))
        if named:
            sheet.y += 1
            warp, count = panel.request.access.warp, panel.request.number
            first = said.setdefault((warp, *named), count)
            sheet.items("lanes", [f"as in request {first}"] if first < count else named)
        after = f"; lanes {', '.join(named)}" if named else ""
        sentences.append(f"{where}, {panel.verdict[0]}; {detail}; from {panel.reach}{after}.")
    return sentences


def _heading(sheet: Sheet, panel: Panel) -> tuple[str, str]:
    """Line, operation and array; the count; and below whose request it is. (where, detail) in words."""
    access, (verdict, bad) = panel.request.access, panel.verdict
    what = f"line {access.line}: {access.op} {'to' if access.op == 'store' else 'of' if access.op == 'load' else 'on'} "
    beside = _ROOM - width_of(verdict, HEAD, bold=True) - 8
    fits = width_of(what + access.array, HEAD, bold=True) <= beside
    name = shorten(what + access.array, beside if fits else _ROOM, HEAD, bold=True)
    sheet.text(MARGIN, sheet.y + 8, name, HEAD, bold=True)
    if not fits:
        sheet.y += 16
    sheet.text(WIDTH - MARGIN, sheet.y + 8, verdict, HEAD, anchor="end", color=DARK_PINK if bad else INK, bold=True)
    sheet.y += 17
    count, of = panel.request.number, panel.request.of
    turn = f", request {count:,} of {of:,}" if of > 1 else ""
    lanes, size = len(access.lanes), access.size
    detail = f"{lanes} lane{'s' if lanes > 1 else ''} × {size} byte{'s' if size > 1 else ''}; {panel.detail}"
    sheet.paragraph(f"warp {access.warp}{turn}: {detail}", color=MUTED)
    sheet.y += 2
    return f"Warp {access.warp}{turn}, {what}{access.array}", detail


def _summary(requests: Sequence[Request], block: int) -> str:
    """What all chosen requests come to."""
    accesses = [request.access for request in requests]
    warps = len({access.warp for access in accesses})
    whose = f"warp {accesses[0].warp}" if warps == 1 else f"{warps} warps"
    parts = [f"{len(accesses):,} request{'s' if len(accesses) > 1 else ''}"]
    sectors = sum(access.sectors for access in accesses)
    if sectors:
        parts.append(f"{sectors:,} sector{'s' if sectors > 1 else ''}")
    shared = [access for access in accesses if access.space == "shared"]
    if shared:
        ideal = sum(passes_of(access.lanes, access.size, access.op)[1] for access in shared)
        passes = sum(access.passes for access in shared)
        conflicts = f"{ideal:,} without" if passes > ideal else "no"
        parts.append(f"{passes:,} pass{'es' if passes > 1 else ''} ({conflicts} conflicts)")
    return f"block {block}, {whose}: {', '.join(parts)}"


def _legend(sheet: Sheet, panels: Sequence[Panel]) -> None:
    """What colours and borders mean, where they occur."""
    sheet.y += 4
    for quarter, fill in enumerate(QUARTERS):
        x = MARGIN + quarter * _ROOM / 4
        sheet.box(x, sheet.y + 1, 10, 10, fill, LINE)
        sheet.text(x + 14, sheet.y + 6, f"lanes {quarter * 8}–{quarter * 8 + 7}", BODY)
    sheet.y += 15
    if any(isinstance(panel, MemoryPanel) for panel in panels):
        sheet.box(MARGIN + 0.75, sheet.y + 1.75, 9, 9, GREY, INK, thick=1.5, round_=0)
        sheet.paragraph("a sector of 32 bytes that moves; grey moves unused", x=MARGIN + 14)
        sheet.y += 1.5
    if any(isinstance(panel, BankPanel) for panel in panels):
        sheet.paragraph("Shared memory: a column is a bank, a row 32 words of 4 bytes.")
        sheet.y += 1.5
    if any(isinstance(panel, BankPanel) and panel.verdict[1] for panel in panels):
        sheet.box(MARGIN, sheet.y + 1, 10, 10, PINK)
        sheet.paragraph("a bank that must give several words, one a turn", x=MARGIN + 14)
        sheet.y += 1.5
    if any(isinstance(panel, BankPanel) and panel.rows_within for panel in panels):
        sheet.path(f"M{MARGIN + 5} {number(sheet.y + 1)}v10", MUTED, 1.2)
        sheet.paragraph("where a row of the array begins", x=MARGIN + 14)
        sheet.y += 1.5


def _left_out(drawn: int, there: int) -> str:
    if drawn == there:
        return ""
    first = f"the first {drawn}" if drawn > 1 else "the first"
    return (f"Drawn: {first} of {there:,} requests. The others are left out; "
            "array=, line= and warp= choose among them.")
