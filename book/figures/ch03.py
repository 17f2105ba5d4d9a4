"""The pictures of chapter 3: a linear layer forward, one nudge, the sheets of a weight gradient, and the addresses."""

from __future__ import annotations

from book.figures.canvas import BLUE, GREEN, GREY, MUTED, ORANGE, PINK, Canvas


def figures() -> dict[str, str]:
    """File name → SVG."""
    return {
        "03-forward.svg": forward(),
        "03-one-nudge.svg": one_nudge(),
        "03-sheets.svg": sheets(),
        "03-addresses.svg": addresses(),
        "03-weight-both-ways.svg": weight_both_ways(),
    }


def forward() -> str:
    canvas = Canvas(590, 330, "A linear layer, forward")
    canvas.text(92, 40, "x, one picture", bold=True)
    canvas.cells(28, 128, ["x0", "x1", "x2"], BLUE, 44)
    canvas.text(188, 150, "·", size=22)
    canvas.text(258, 40, "W [3, 2]", bold=True)
    for row in range(3):
        canvas.cells(214, 84 + row * 44, [f"W{row}0", f"W{row}1"], [GREY, ORANGE], 44)
    canvas.text(328, 150, "+", size=20)
    canvas.text(388, 40, "b", bold=True)
    canvas.cells(346, 128, ["b0", "b1"], [GREY, GREEN], 44)
    canvas.text(452, 150, "=", size=20)
    canvas.text(514, 40, "y", bold=True)
    canvas.cells(472, 128, ["y0", "y1"], [GREY, PINK], 44)
    canvas.text(295, 262, "y1 = x0·W01 + x1·W11 + x2·W21 + b1", size=17, mono=True)
    canvas.text(295, 296, "the coloured column of W, met by the whole row of x", size=14, color=MUTED)
    return canvas.svg()


def one_nudge() -> str:
    canvas = Canvas(520, 270, "Two ways from one weight to the loss")
    canvas.box(24, 106, 76, 50, ORANGE)
    canvas.text(62, 131, "W10", mono=True)
    for top, row in ((36, 0), (176, 1)):
        canvas.box(226, top, 76, 50, PINK)
        canvas.text(264, top + 25, f"y{row}0", mono=True)
    canvas.box(426, 106, 70, 50, GREEN)
    canvas.text(461, 131, "L", mono=True)
    canvas.arrow(102, 120, 222, 66)
    canvas.arrow(102, 142, 222, 196)
    canvas.arrow(304, 66, 422, 120)
    canvas.arrow(304, 196, 422, 142)
    canvas.text(128, 78, "· x01", size=15, mono=True)
    canvas.text(128, 188, "· x11", size=15, mono=True)
    canvas.text(396, 78, "· g00", size=15, mono=True)
    canvas.text(396, 188, "· g10", size=15, mono=True)
    canvas.text(260, 252, "dL/dW10 = x01·g00 + x11·g10", size=16, mono=True)
    return canvas.svg()


def _sheet(canvas: Canvas, left: float, picture: int) -> None:
    canvas.text(left + 66, 26, f"picture {picture}", bold=True)
    canvas.cells(left + 44, 48, [f"g{picture}0", f"g{picture}1"], PINK, 44)
    canvas.cells(left, 98, [f"x{picture}{i}" for i in range(3)], BLUE, 44, vertical=True)
    for i in range(3):
        canvas.cells(left + 44, 98 + i * 44, ["x·g", "x·g"], GREY, 44)


def sheets() -> str:
    canvas = Canvas(540, 300, "A weight gradient as a sum of sheets")
    _sheet(canvas, 16, 0)
    canvas.text(172, 164, "+", size=22)
    _sheet(canvas, 192, 1)
    canvas.text(350, 164, "=", size=22)
    canvas.text(428, 26, "grad_weight", bold=True, mono=True)
    for i in range(3):
        canvas.cells(384, 98 + i * 44, [f"[{i},0]", f"[{i},1]"], ORANGE, 44)
    canvas.text(270, 254, "each sheet: a column of inputs times a row of gradients", size=15)
    canvas.text(270, 278, "in memory every sheet is added onto the same six cells", size=14, color=MUTED)
    return canvas.svg()


def _line_of_memory(canvas: Canvas, left: float, top: float, labels: list[str], fills: list[str]) -> None:
    """Cells side by side, with the offset of each above it."""
    canvas.cells(left, top, labels, fills, 48)
    for offset in range(len(labels)):
        canvas.text(left + offset * 48 + 24, top - 12, str(offset), size=14, color=MUTED)


def addresses() -> str:
    canvas = Canvas(540, 372, "The addresses that picture 1 reads and writes")
    canvas.text(20, 24, "picture 1 of the batch (n = 1)", anchor="start", bold=True)
    canvas.text(20, 52, "x, read at 3 4 5", anchor="start")
    _line_of_memory(canvas, 20, 86, ["x00", "x01", "x02", "x10", "x11", "x12"], [GREY] * 3 + [BLUE] * 3)
    canvas.text(332, 52, "g, read at 2 3", anchor="start")
    _line_of_memory(canvas, 332, 86, ["g00", "g01", "g10", "g11"], [GREY] * 2 + [PINK] * 2)
    canvas.arrow(236, 136, 137, 240)
    canvas.arrow(452, 136, 150, 241)
    canvas.text(360, 204, "x11 · g10", anchor="start", mono=True)
    canvas.text(20, 226, "grad_weight", anchor="start", mono=True)
    _line_of_memory(canvas, 20, 264, ["[0,0]", "[0,1]", "[1,0]", "[1,1]", "[2,0]", "[2,1]"], [ORANGE] * 6)
    canvas.text(330, 282, "all six are read,", anchor="start")
    canvas.text(330, 304, "added to, written back", anchor="start")
    canvas.text(20, 346, "x at 4, g at 2: added onto 1 · 2 + 0 = 2", anchor="start", size=16)
    return canvas.svg()


def weight_both_ways() -> str:
    canvas = Canvas(540, 306, "One weight matrix, walked in two directions")
    labels = ["W00", "W01", "W10", "W11", "W20", "W21"]
    canvas.text(20, 26, "forward: y0 reads column 0 of W", anchor="start", bold=True)
    _line_of_memory(canvas, 20, 66, labels, [BLUE if offset % 2 == 0 else GREY for offset in range(6)])
    for start in (44, 140):
        canvas.curve(start, 116, start + 94, 116, 34)
    canvas.text(330, 90, "0, 2, 4: stride 2", anchor="start")
    canvas.text(20, 168, "backward: grad_input for input 1 reads row 1 of W", anchor="start", bold=True)
    _line_of_memory(canvas, 20, 208, labels, [PINK if offset in (2, 3) else GREY for offset in range(6)])
    canvas.curve(140, 258, 186, 258, 26)
    canvas.text(330, 232, "2, 3: stride 1", anchor="start")
    canvas.text(270, 288, "the same six cells: nothing was copied to transpose W", size=14, color=MUTED)
    return canvas.svg()
