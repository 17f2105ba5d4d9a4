"""The pictures of chapter 1: a line of memory, and the ways of looking at it."""

from __future__ import annotations

from itertools import pairwise

from book.figures.canvas import BLUE, GREEN, GREY, MUTED, ORANGE, PAPER, Canvas

NUMBERS = ["10", "11", "12", "20", "21", "22"]
ROWS = [BLUE, BLUE, BLUE, ORANGE, ORANGE, ORANGE]
EDGE = "#9aa5b1"


def figures() -> dict[str, str]:
    """File name → SVG."""
    return {
        "01-shape-and-strides.svg": shape_and_strides(),
        "01-unravel.svg": unravelled(),
        "01-transpose.svg": transpose(),
        "01-views.svg": views(),
        "01-broadcast.svg": broadcast(),
        "01-add.svg": addition(),
        "01-cache-lines.svg": cache_lines(),
    }


def _line(canvas: Canvas, x: float, y: float, labels: list[str], fills: list[str], size: float = 48) -> None:
    """A line of memory with the offsets written below."""
    canvas.cells(x, y, labels, fills, size)
    for offset in range(len(labels)):
        canvas.text(x + (offset + 0.5) * size, y + size + 14, str(offset), size=13, color=MUTED)


def shape_and_strides() -> str:
    canvas = Canvas(480, 330, "A matrix and its line of memory")
    canvas.text(240, 24, "how you look at it: shape (2, 3)", bold=True)
    canvas.cells(168, 44, NUMBERS[:3], BLUE, 48)
    canvas.cells(168, 92, NUMBERS[3:], ORANGE, 48)
    canvas.text(240, 176, "what is there: one line, with offsets", bold=True)
    _line(canvas, 96, 238, NUMBERS, ROWS)
    canvas.curve(120, 236, 262, 236, -44)
    canvas.text(150, 202, "one row down: 3", size=14)
    canvas.curve(266, 236, 310, 236, -34)
    canvas.text(374, 202, "one to the right: 1", size=14)
    canvas.text(240, 316, "offset", size=13, color=MUTED)
    return canvas.svg()


def transpose() -> str:
    canvas = Canvas(480, 350, "Two matrices that share one line of memory")
    canvas.cells(40, 50, NUMBERS[:3], BLUE, 44)
    canvas.cells(40, 94, NUMBERS[3:], ORANGE, 44)
    canvas.text(106, 26, "a", bold=True, mono=True)
    canvas.text(106, 160, "shape (2, 3)", size=14)
    canvas.text(106, 180, "strides (3, 1)", size=14)
    for column, (left, right) in enumerate(zip(NUMBERS[:3], NUMBERS[3:], strict=True)):
        canvas.cells(330, 50 + column * 44, [left, right], [BLUE, ORANGE], 44)
    canvas.text(374, 26, "a.T", bold=True, mono=True)
    canvas.text(374, 202, "shape (3, 2)", size=14)
    canvas.text(374, 222, "strides (1, 3)", size=14)
    _line(canvas, 96, 272, NUMBERS, ROWS)
    canvas.arrow(110, 192, 150, 266)
    canvas.arrow(360, 234, 330, 266)
    return canvas.svg()


def broadcast() -> str:
    canvas = Canvas(520, 240, "A bias read as a matrix through a stride of zero")
    names = ["b0", "b1", "b2"]
    canvas.text(96, 30, "in memory", bold=True)
    canvas.cells(24, 94, names, GREEN, 48)
    canvas.text(96, 164, "3 numbers", size=14, color=MUTED)
    canvas.text(400, 30, "read as shape (3, 3)", bold=True)
    for row in range(3):
        top = 54 + row * 48
        for column, name in enumerate(names):
            canvas.box(328 + column * 48, top, 48, 48, PAPER, EDGE)
            canvas.text(352 + column * 48, top + 24, name, size=14, color=MUTED, mono=True)
        canvas.arrow(322, top + 24, 178, 118, dashed=True)
    canvas.text(400, 220, "strides (0, 1)", size=14)
    return canvas.svg()


def addition() -> str:
    canvas = Canvas(520, 350, "One element of a broadcast sum")
    rows = [
        (40, "a", NUMBERS, 4, "strides (3, 1): 1·3 + 1·1 = 4"),
        (150, "b", ["b0", "b1", "b2"], 1, "strides (0, 1): 1·0 + 1·1 = 1"),
        (262, "out", [""] * 6, 4, ""),
    ]
    for top, name, labels, picked, words in rows:
        fills = [ORANGE if offset == picked else GREY for offset in range(len(labels))]
        canvas.text(38, top + 22, name, bold=True, mono=True)
        canvas.cells(70, top, labels, fills, 44)
        canvas.text(70, top - 14, words, size=14, anchor="start")
    canvas.text(70, 326, "offset 4 is index (1, 1); there goes 21 + b1", size=14, anchor="start")
    canvas.arrow(268, 86, 268, 258)
    canvas.arrow(146, 196, 244, 260)
    return canvas.svg()


def unravelled() -> str:
    canvas = Canvas(520, 290, "From the offset 14 to the index 1, 0, 2")
    canvas.text(440, 30, "offset 14", bold=True)
    canvas.arrow(440, 44, 440, 66)
    steps = [(360, "last axis: 4", "14 = 3 · 4 + 2", "2"), (190, "middle axis: 3", "3 = 1 · 3 + 0", "0")]
    steps.append((20, "first axis: 2", "1 = 0 · 2 + 1", "1"))
    for left, axis, sum_, remainder in steps:
        canvas.box(left, 70, 140, 76, BLUE)
        canvas.text(left + 70, 92, axis, size=15)
        canvas.text(left + 70, 122, sum_, size=15, mono=True)
        canvas.arrow(left + 70, 150, left + 70, 192)
        canvas.cells(left + 46, 196, [remainder], ORANGE, 48)
    for left, quotient in ((360, "3"), (190, "1")):
        canvas.arrow(left - 2, 108, left - 28, 108)
        canvas.text(left - 15, 90, quotient, size=15, bold=True)
    canvas.text(260, 268, "the remainders, read from the left: index (1, 0, 2)", size=15)
    return canvas.svg()


def views() -> str:
    canvas = Canvas(480, 356, "Three walks over the same six cells")
    walks = [
        (0, "start 0, stride 1: the line itself", range(6)),
        (1, "start 5, stride -1: reversed", range(5, -1, -1)),
        (2, "start 0, stride 2: every second number", range(0, 6, 2)),
    ]
    for place, words, offsets in walks:
        top = 66 + place * 116
        canvas.text(96, top - 44, words, bold=True, anchor="start")
        canvas.cells(96, top, NUMBERS, [GREEN if offset in offsets else GREY for offset in range(6)], 48)
        for here, there in pairwise(offsets):
            canvas.curve(120 + here * 48, top - 3, 120 + there * 48, top - 3, -24 if abs(there - here) == 1 else -36)
    return canvas.svg()


def cache_lines() -> str:
    canvas = Canvas(560, 330, "Cache lines fetched by sixteen reads along a row and down a column")
    size, height = 15.0, 12.0
    for left, title, note in (
        (20, "along a row", "16 reads, 1 line fetched"),
        (300, "down a column", "16 reads, 16 lines fetched"),
    ):
        canvas.text(left + 8 * size, 26, title, bold=True)
        along = left == 20
        for line in range(16):
            for cell in range(16):
                used = line == 0 if along else cell == 0
                fill = ORANGE if used else PAPER if along else BLUE
                canvas.box(left + cell * size, 48 + line * height, size, height, fill, EDGE if fill == PAPER else None)
        canvas.text(left + 8 * size, 264, note, size=15)
    canvas.text(280, 292, "each row of cells is one cache line of 64 bytes", size=14, color=MUTED)
    canvas.text(280, 312, "orange: used; blue: fetched in vain", size=14, color=MUTED)
    return canvas.svg()
