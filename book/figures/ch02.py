"""The pictures of chapter 2: rows and columns in memory, loop orders, sheets and blocks."""

from __future__ import annotations

from book.figures.canvas import BLUE, GREEN, GREY, MUTED, ORANGE, PAPER, PINK, Canvas

EDGE = "#9aa5b1"


def figures() -> dict[str, str]:
    """File name → SVG."""
    return {
        "02-row-meets-column.svg": row_meets_column(),
        "02-loop-orders.svg": loop_orders(),
        "02-line-changes.svg": line_changes(),
        "02-rank-one.svg": rank_one(),
        "02-blocks.svg": blocks(),
        "02-register-tile.svg": register_tile(),
    }


def _grid(
    canvas: Canvas, x: float, y: float, rows: int, columns: int, size: float, fill: dict[tuple[int, int], str]
) -> None:
    """A grid of cells; those in ``fill`` are coloured."""
    for i in range(rows):
        for j in range(columns):
            color = fill.get((i, j))
            canvas.box(x + j * size, y + i * size, size, size, color or PAPER, None if color else EDGE)


def row_meets_column() -> str:
    canvas = Canvas(560, 330, "A row of a meets a column of b")
    size = 32
    _grid(canvas, 40, 66, 2, 3, size, {(1, p): BLUE for p in range(3)})
    _grid(canvas, 214, 50, 3, 4, size, {(p, 2): ORANGE for p in range(3)})
    _grid(canvas, 400, 66, 2, 4, size, {(1, 2): PINK})
    canvas.text(88, 26, "a [2, 3]", bold=True)
    canvas.text(278, 26, "b [3, 4]", bold=True)
    canvas.text(464, 26, "out [2, 4]", bold=True)
    canvas.text(176, 98, "·", size=24)
    canvas.text(372, 98, "=", size=20)
    canvas.text(24, 178, "a in memory: three side by side", size=14, anchor="start", color=MUTED)
    for offset in range(6):
        canvas.box(24 + offset * 40, 194, 40, 34, BLUE if offset >= 3 else PAPER, None if offset >= 3 else EDGE)
        canvas.text(44 + offset * 40, 211, str(offset), size=13, color=MUTED)
    canvas.text(24, 254, "b in memory: four cells from one to the next", size=14, anchor="start", color=MUTED)
    for offset in range(12):
        hit = offset % 4 == 2
        canvas.box(24 + offset * 40, 270, 40, 34, ORANGE if hit else PAPER, None if hit else EDGE)
        canvas.text(44 + offset * 40, 287, str(offset), size=13, color=MUTED)
    return canvas.svg()


def _order(canvas: Canvas, left: float, title: str, moves: tuple[str, str, str], verdict: str) -> None:
    """Three small matrices with the way of the inner loop: ``row``, ``column`` or ``stay``."""
    canvas.text(left + 130, 28, title, bold=True, size=16)
    size = 24
    for place, (name, move) in enumerate(zip(("a", "b", "out"), moves, strict=True)):
        x, y = left + place * 92, 70
        _grid(canvas, x, y, 3, 3, size, {})
        canvas.text(x + 36, 54, name, mono=True, bold=True)
        if move == "row":
            canvas.arrow(x + 6, y + 12, x + 68, y + 12, color="#1d6fd1")
        elif move == "column":
            canvas.arrow(x + 12, y + 6, x + 12, y + 68, color="#c26a00")
        else:
            canvas.box(x, y, size, size, GREEN)
        words = {"row": "along", "column": "jumps", "stay": "stays"}[move]
        canvas.text(x + 36, y + 90, words, size=14)
    canvas.text(left + 130, 196, verdict, size=14, color=MUTED)


def loop_orders() -> str:
    canvas = Canvas(620, 220, "Where the inner loop goes in two orders")
    _order(canvas, 24, "order i, j, k", ("row", "column", "stay"), "inner loop over the summed axis")
    _order(canvas, 334, "order i, k, j", ("stay", "row", "row"), "inner loop over j")
    return canvas.svg()


def line_changes() -> str:
    canvas = Canvas(600, 316, "Two walks over twelve numbers in lines of four")
    size = 42
    for top, title, steps, verdict in (
        (62, "0, 1, 2, 3, 4, 5", {0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: 6}, "6 steps, 2 lines entered"),
        (202, "0, 4, 8, 1, 5, 9", {0: 1, 4: 2, 8: 3, 1: 4, 5: 5, 9: 6}, "6 steps, 6 lines entered"),
    ):
        canvas.text(30, top - 30, f"offsets {title}", bold=True, anchor="start")
        canvas.text(570, top - 30, verdict, size=15, anchor="end")
        lines = [sorted(steps, key=lambda offset: steps[offset])[place] // 4 for place in range(6)]
        for offset in range(12):
            left = 30 + offset * size + (offset // 4) * 18
            step = steps.get(offset)
            entered = step is not None and (step == 1 or lines[step - 1] != lines[step - 2])
            fill = ORANGE if entered else BLUE if step else PAPER
            canvas.box(left, top, size, size, fill, None if step else EDGE)
            canvas.text(left + size / 2, top + size + 15, str(offset), size=13, color=MUTED)
            if step:
                canvas.text(left + size / 2, top + size / 2, f"{step}.", size=15, bold=True)
    words = "orange: the walk enters another line; blue: it stays in the line it was in"
    canvas.text(300, 294, words, size=14, color=MUTED)
    return canvas.svg()


def rank_one() -> str:
    canvas = Canvas(600, 250, "A product as a stack of rank-one sheets")
    size = 34
    canvas.text(47, 34, "a[:, p]", mono=True)
    _grid(canvas, 30, 76, 2, 1, size, {(0, 0): BLUE, (1, 0): BLUE})
    canvas.text(88, 110, "×", size=20)
    canvas.text(178, 34, "b[p]", mono=True)
    _grid(canvas, 110, 93, 1, 4, size, {(0, j): ORANGE for j in range(4)})
    canvas.text(274, 110, "=", size=20)
    for sheet, fill in ((2, GREY), (1, GREY), (0, PINK)):
        _grid(canvas, 310 + sheet * 22, 92 - sheet * 20, 2, 4, size, {(i, j): fill for i in range(2) for j in range(4)})
    canvas.text(400, 26, "one sheet for each p", size=15)
    canvas.text(532, 110, "added up", size=14, color=MUTED)
    canvas.text(532, 130, "in out", size=14, color=MUTED)
    canvas.text(300, 206, "every number of the column meets every number of the row", size=15)
    canvas.text(300, 230, "both are stretched by a stride of 0", size=14, color=MUTED)
    return canvas.svg()


def blocks() -> str:
    canvas = Canvas(560, 300, "Blocks of out, one at a time in the cache")
    canvas.text(110, 28, "out [784, 256], 800 KB", bold=True)
    for block in range(3):
        fill = ORANGE if block == 0 else GREY
        canvas.box(50, 52 + block * 72, 120, 66, fill)
        words = ("block 0: now", "block 1: waits", "block 2: waits")[block]
        canvas.text(110, 85 + block * 72, words, size=14)
    canvas.arrow(176, 84, 296, 100)
    canvas.box(300, 52, 236, 150, BLUE)
    canvas.text(418, 74, "L2 cache", bold=True)
    canvas.box(322, 96, 88, 66, ORANGE)
    canvas.text(366, 129, "block", size=14)
    canvas.box(428, 96, 88, 66, PINK)
    canvas.text(472, 129, "its sheet", size=14)
    canvas.text(418, 184, "all k sheets are added here", size=14)
    canvas.text(418, 236, "written back once, when it is finished", size=14, color=MUTED)
    return canvas.svg()


def register_tile() -> str:
    canvas = Canvas(600, 290, "Where the sums live: in the cache, or in registers")
    for left, title, note in (
        (20, "rank-1 in NumPy", "4 passes over the cache for each p"),
        (316, "a library", "one visit, for all p together"),
    ):
        canvas.text(left + 132, 26, title, bold=True)
        canvas.box(left, 50, 264, 66, GREY)
        canvas.text(left + 254, 64, "registers", size=14, anchor="end", color=MUTED)
        canvas.box(left, 166, 264, 80, BLUE)
        canvas.text(left + 254, 180, "cache", size=14, anchor="end", color=MUTED)
        canvas.text(left + 132, 268, note, size=15)
    canvas.box(44, 196, 96, 40, ORANGE)
    canvas.text(92, 216, "out", mono=True)
    canvas.box(158, 196, 96, 40, PINK)
    canvas.text(206, 216, "sheet", mono=True)
    for x, down in ((74, False), (110, True), (188, True), (224, False)):
        start, end = (94, 192) if down else (192, 94)
        canvas.arrow(x, start, x, end)
    canvas.box(330, 62, 150, 44, ORANGE)
    canvas.text(405, 84, "a tile of out", size=14)
    for x, name, fill in ((330, "a", PAPER), (412, "b", PAPER), (494, "out", ORANGE)):
        canvas.box(x, 196, 70, 40, fill, None if fill == ORANGE else EDGE)
        canvas.text(x + 35, 216, name, mono=True)
    canvas.arrow(365, 192, 365, 110)
    canvas.arrow(447, 192, 447, 110)
    canvas.arrow(474, 110, 522, 192, dashed=True)
    canvas.text(520, 140, "once", size=14, anchor="start")
    return canvas.svg()
