"""The pictures of chapter 6: blocks over an array, sectors of a warp, a grid's stride, a sum in halves."""

from __future__ import annotations

from book.figures.canvas import BLUE, GREEN, GREY, MUTED, ORANGE, PAPER, PINK, Canvas

EDGE = "#9aa5b1"


def figures() -> dict[str, str]:
    """File name → SVG."""
    return {
        "06-blocks-over-array.svg": blocks_over_array(),
        "06-sectors.svg": sectors(),
        "06-grid-stride.svg": grid_stride(),
        "06-tree-sum.svg": tree_sum(),
    }


def blocks_over_array() -> str:
    canvas = Canvas(560, 220, "Three blocks of four threads over ten elements")
    for block in range(3):
        left = 20 + block * 176
        canvas.text(left + 84, 24, f"block {block}", bold=True)
        for thread in range(4):
            x, element = left + thread * 42, 4 * block + thread
            idle = element >= 10
            canvas.box(x, 44, 42, 36, GREY if idle else (BLUE, ORANGE, GREEN)[block], EDGE)
            canvas.text(x + 21, 62, str(thread), color=MUTED if idle else "#1f2933")
            if not idle:
                canvas.arrow(x + 21, 84, x + 21, 128)
                canvas.box(x, 132, 42, 36, PAPER, EDGE)
                canvas.text(x + 21, 150, str(element))
    canvas.text(20, 196, "above: threadIdx.x in each block; below: the element", size=14, anchor="start", color=MUTED)
    return canvas.svg()


def sectors() -> str:
    canvas = Canvas(560, 250, "Neighbours share a sector, distant numbers do not")
    for row, (title, stride) in enumerate((("eight lanes read neighbours: 1 sector", 1),
                                           ("eight lanes read every eighth number: 8 sectors", 8))):
        top = 24 + row * 116
        canvas.text(20, top, title, size=15, anchor="start", bold=True)
        for cell in range(64):
            x = 20 + cell * 8 + cell // 8 * 1
            hit = cell % stride == 0 and cell // stride < 8
            canvas.box(x, top + 22, 8, 34, BLUE if hit else PAPER, EDGE)
        for sector in range(8):
            touched = sector < 8 // (8 // stride) if stride == 8 else sector == 0
            x = 20 + sector * 65
            canvas.line(x + 1, top + 64, x + 63, top + 64, ORANGE if touched else EDGE, 4 if touched else 1.2)
    canvas.text(20, 240, "a line under eight cells: a sector of 32 bytes; thick if it travels", size=14, anchor="start",
                color=MUTED)
    return canvas.svg()


def grid_stride() -> str:
    canvas = Canvas(560, 190, "Six threads take fourteen elements in three rounds")
    colors = (BLUE, ORANGE, GREEN, PINK, GREY, PAPER)
    for cell in range(14):
        x = 14 + cell * 38
        canvas.box(x, 44, 38, 38, colors[cell % 6], EDGE)
        canvas.text(x + 19, 63, str(cell % 6))
        canvas.text(x + 19, 98, str(cell), size=13, color=MUTED)
    for first in (0, 6, 12):
        x = 14 + first * 38
        canvas.text(x + 2, 26, f"round {first // 6}", size=14, anchor="start", bold=True)
    canvas.text(14, 132, "in the cells: which of the 6 threads (2 blocks of 3)", size=14, anchor="start", color=MUTED)
    canvas.text(14, 156, "below: the element", size=14, anchor="start", color=MUTED)
    return canvas.svg()


def tree_sum() -> str:
    canvas = Canvas(560, 330, "A sum in halves")
    rows = [[3, 1, 7, 0, 4, 1, 6, 3], [7, 2, 13, 3], [20, 5], [25]]
    for step, values in enumerate(rows):
        top = 20 + step * 80
        for place, value in enumerate(values):
            x = 90 + place * 56
            canvas.box(x, top, 48, 38, BLUE if step else PAPER, EDGE)
            canvas.text(x + 24, top + 19, str(value))
        canvas.text(12, top + 19, f"step {step}" if step else "loaded", size=14, anchor="start", color=MUTED)
        if step + 1 < len(rows):
            half = len(values) // 2
            for place in range(half):
                canvas.arrow(90 + place * 56 + 24, top + 40, 90 + place * 56 + 24, top + 76)
                canvas.arrow(90 + (place + half) * 56 + 20, top + 40, 90 + place * 56 + 34, top + 76, dashed=True)
    return canvas.svg()
