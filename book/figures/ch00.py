"""Pictures of the landing page and the contract page: one training step by chapter, the largest batch, the interval."""

from __future__ import annotations

from book.figures.canvas import BLUE, GREEN, GREY, INK, MUTED, ORANGE, PINK, STRONG, Canvas


def one_step() -> str:
    """The network forward on the left, backward on the right; the fill of a box says which chapter builds it."""
    sheet = Canvas(540, 500, "One training step, and which chapter builds which part of it")
    left, right, width, height, pitch, top = 20, 296, 224, 38, 58, 48
    sheet.text(left + width / 2, 24, "forward ↓", bold=True)
    sheet.text(right + width / 2, 24, "backward ↑", bold=True)

    def put(row: int, x: float, parts: list[tuple[float, str, str]]) -> None:
        """Boxes side by side: (share of the width, words, fill)."""
        for share, words, fill in parts:
            sheet.box(x, top + row * pitch, share * width, height, fill)
            sheet.text(x + share * width / 2, top + row * pitch + height / 2, words)
            x += share * width

    put(0, left, [(1, "image: 784 numbers", GREY)])
    put(0, right, [(1, "weights ← weights − step", PINK)])
    for row, sizes in ((1, "784 → 256"), (3, "256 → 128"), (5, "128 → 10")):
        put(row, left, [(0.72, f"x · W   {sizes}", BLUE), (0.28, "+ b", GREEN)])
        put(row, right, [(1, "dL/dW, dL/db" if row == 1 else "dL/dW, dL/db, dL/dx", GREEN)])
    for row in (2, 4):
        put(row, left, [(1, "ReLU", ORANGE)])
        put(row, right, [(1, "mask of the ReLU", ORANGE)])
    sheet.box(left, top + 6 * pitch, right + width - left, height, ORANGE)
    sheet.text((left + right + width) / 2, top + 6 * pitch + height / 2, "softmax, cross-entropy: how wrong?")
    for row in range(6):
        above, below = top + row * pitch + height + 2, top + (row + 1) * pitch - 2
        sheet.arrow(left + width / 2, above, left + width / 2, below)
        sheet.arrow(right + width / 2, below, right + width / 2, above)
    x = 20.0
    for name, fill, room in (("1 tensors", GREY, 104), ("2 product", BLUE, 106), ("3 linear layer", GREEN, 128),
                             ("4 loss", ORANGE, 80), ("5 loop", PINK, 80)):
        sheet.box(x, 466, 16, 16, fill)
        sheet.text(x + 22, 475, name, size=14, anchor="start")
        x += room
    return sheet.svg()


def largest_batch() -> str:
    """Batch sizes as whole warps on a line: 32, 64, 96 allowed; from 128 on the bandwidth law forbids."""
    sheet = Canvas(540, 250, "Which batch sizes the contract allows on a GTX 1060")
    left, warp, y = 26, 82, 92
    sheet.text(left, 26, "samples in a batch, counted in warps of 32", anchor="start", bold=True)
    for number in range(6):
        allowed = number < 3
        gap = number == 3
        sheet.box(left + number * warp, y, warp, 46, GREEN if allowed else GREY if gap else PINK)
        words = "32" if number < 4 else "too many"
        sheet.text(left + (number + 0.5) * warp, y + 23, words, size=14 if number < 4 else 13,
                   color=INK if number < 4 else STRONG[PINK])
    for position, total in enumerate((0, 32, 64, 96, 128)):
        sheet.text(left + position * warp, y + 64, str(total), mono=True, bold=total == 96)
    sheet.arrow(left + 3 * warp, 54, left + 3 * warp, y - 3, color=STRONG[GREEN])
    sheet.text(left + 3 * warp - 10, 62, "96", anchor="end", bold=True, color=STRONG[GREEN])
    sheet.arrow(left + 4 * warp, 54, left + 4 * warp, y - 3, color=STRONG[PINK])
    sheet.text(left + 4 * warp + 10, 62, "bandwidth law", anchor="start", color=STRONG[PINK])
    sheet.text(left, 190, "The law says: below 128. 128 itself is not below.", anchor="start")
    sheet.text(left, 214, "The last whole warp that ends below it ends at 96.", anchor="start")
    sheet.text(left, 236, "The memory law would allow far more; the smaller bound counts.", anchor="start", size=14,
               color=MUTED)
    return sheet.svg()


def interval() -> str:
    """What ten thousand pictures can tell: 98.23 % with the half width of its interval, beside the one published."""
    sheet = Canvas(540, 230, "The 95 percent interval of 98.23 percent on 10,000 pictures")
    left, scale, low = 40, 460, 97.8

    def at(percent: float) -> float:
        return left + (percent - low) * scale

    for row, (half, fill, words) in enumerate(
        [(0.26, BLUE, "10,000 pictures: 98.23 % ± 0.26 %"), (0.07, PINK, "as published: ± 0.07 %")]
    ):
        y = 50 + row * 70
        sheet.text(at(98.23), y - 22, words, color=STRONG[fill], bold=True)
        sheet.box(at(98.23 - half), y - 6, 2 * half * scale, 20, fill)
        sheet.line(at(98.23), y - 10, at(98.23), y + 18, INK, 2.5)
    sheet.line(left, 168, left + scale, 168, INK)
    for tenth in range(0, 11, 2):
        x = left + tenth * scale / 10
        sheet.line(x, 163, x, 173, INK)
        sheet.text(x, 188, f"{low + tenth / 10:.1f}", size=14)
    sheet.text(left + scale / 2, 212, "test accuracy (%)", size=14, color=MUTED)
    return sheet.svg()


def figures() -> dict[str, str]:
    """File name → SVG text."""
    return {
        "00-one-step.svg": one_step(),
        "00-largest-batch.svg": largest_batch(),
        "00-interval.svg": interval(),
    }
