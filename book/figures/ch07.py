"""The pictures of chapter 7: the record behind a word, a barrier that one thread misses, banks."""

from __future__ import annotations

from book.figures.canvas import BLUE, GREEN, GREY, MUTED, ORANGE, PAPER, PINK, Canvas

EDGE = "#9aa5b1"


def figures() -> dict[str, str]:
    """File name → SVG."""
    return {"07-who-touched.svg": who_touched(), "07-barrier.svg": barrier(), "07-banks.svg": banks()}


def who_touched() -> str:
    canvas = Canvas(560, 260, "The record behind a word of shared memory")
    writers = (35, 36, 37, 38)
    for cell, writer in enumerate(writers):
        x = 20 + cell * 100
        hit = cell == 2
        canvas.box(x, 30, 92, 40, ORANGE if hit else PAPER, EDGE)
        canvas.text(x + 46, 50, f"word {cell}")
        canvas.box(x, 84, 92, 66, GREY, EDGE)
        canvas.text(x + 46, 104, f"by thread {writer}", size=13)
        canvas.text(x + 46, 130, "0 barriers", size=13)
    canvas.text(430, 50, "shared memory", size=14, anchor="start", color=MUTED)
    canvas.text(430, 117, "its record", size=14, anchor="start", color=MUTED)
    canvas.box(180, 196, 172, 44, BLUE, EDGE)
    canvas.text(266, 218, "thread 5, 0 barriers", size=14)
    canvas.arrow(266, 192, 266, 154)
    canvas.text(366, 218, "wants word 2: a race", size=15, anchor="start", bold=True)
    return canvas.svg()


def barrier() -> str:
    canvas = Canvas(560, 250, "Three threads wait for one that has left")
    for thread in range(4):
        x = 70 + thread * 100
        canvas.text(x, 22, f"thread {thread}", size=14, bold=True)
        if thread < 3:
            canvas.arrow(x, 40, x, 156)
            canvas.text(x, 206, "waits", size=14, color=MUTED)
        else:
            canvas.arrow(x, 40, x, 84)
            canvas.box(x - 44, 90, 88, 36, PINK, EDGE)
            canvas.text(x, 108, "return")
    canvas.line(30, 166, 420, 166, "#b7410e", 4)
    canvas.text(436, 166, "barrier", size=15, anchor="start", bold=True)
    return canvas.svg()


def banks() -> str:
    canvas = Canvas(560, 270, "A column in one bank, and in four")
    for side, (title, length) in enumerate((("rows of 4: 4 passes", 4), ("rows of 5: 1 pass", 5))):
        left = 24 + side * 280
        canvas.text(left, 22, title, size=15, anchor="start", bold=True)
        for bank in range(4):
            canvas.text(left + 28 + bank * 56, 50, f"bank {bank}", size=13, color=MUTED)
        for word in range(20):
            row, column = divmod(word, length)
            if row > 3:
                continue
            x, y = left + word % 4 * 56, 66 + word // 4 * 36
            canvas.box(x, y, 56, 36, GREEN if column == 0 else PAPER, EDGE)
            canvas.text(x + 28, y + 18, f"{row},{column}", size=13, color="#1f2933" if column < 4 else MUTED)
    canvas.text(24, 260, "green: column 0 of each row", size=14, anchor="start", color=MUTED)
    return canvas.svg()
