"""The pictures of chapter 4: bits of floats, their order as integers, and the gradient of the loss."""

from __future__ import annotations

import struct

from book.figures.canvas import BLUE, GREEN, GREY, INK, MUTED, ORANGE, PINK, Canvas


def figures() -> dict[str, str]:
    """File name → SVG."""
    return {
        "04-float-bits.svg": float_bits(),
        "04-unsigned-order.svg": unsigned_order(),
        "04-softmax-minus-onehot.svg": softmax_minus_onehot(),
    }


def float_bits() -> str:
    canvas = Canvas(740, 262, "The bits of four float32 values")
    size, left = 18, 140
    for title, first, count in (("sign", 0, 1), ("exponent, 8 bits", 1, 8), ("fraction, 23 bits", 9, 23)):
        canvas.text(left + (first + count / 2) * size, 24, title, size=14, color=MUTED)
    for row, value in enumerate((1.0, -2.5, 0.0, float("nan"))):
        bits = f"{struct.unpack('>I', struct.pack('>f', value))[0]:032b}"
        top = 44 + row * 52
        name = {"0.0": "+0", "nan": "a NaN", "-2.5": "−2.5"}.get(str(value), str(value))
        canvas.text(left - 18, top + 17, name, anchor="end", size=16)
        for place, bit in enumerate(bits):
            fill = PINK if place == 0 else ORANGE if place < 9 else BLUE
            canvas.box(left + place * size, top, size, 34, fill)
            canvas.text(left + (place + 0.5) * size, top + 17, bit, size=14, mono=True)
    return canvas.svg()


def unsigned_order() -> str:
    canvas = Canvas(640, 210, "All float32 patterns in the order of their unsigned values")
    top, height = 76, 50
    parts = [(20, 16, ORANGE, ""), (36, 232, GREEN, "positive, up to ∞"), (268, 52, PINK, "NaN")]
    parts += [(320, 16, ORANGE, ""), (336, 232, GREY, "negative, down to −∞"), (568, 52, PINK, "NaN")]
    for x, width, fill, words in parts:
        canvas.box(x, top, width, height, fill)
        canvas.text(x + width / 2, top + height / 2, words, size=15)
    for x, words, y in ((28, "+0", 52), (328, "−0", 52)):
        canvas.text(x, y, words, size=15)
    canvas.text(20, 148, "0x00000000", size=13, anchor="start", mono=True, color=MUTED)
    canvas.text(36, 168, "0x00000001", size=13, anchor="start", mono=True)
    canvas.text(268, 168, "0x7F800000", size=13, anchor="end", mono=True)
    canvas.text(320, 148, "0x80000000", size=13, anchor="start", mono=True, color=MUTED)
    canvas.text(620, 148, "0xFFFFFFFF", size=13, anchor="end", mono=True, color=MUTED)
    canvas.text(36, 24, "x > 0: the green stretch, and nothing else", size=15, anchor="start", bold=True)
    canvas.text(320, 196, "not to scale: the two zeros are single patterns", size=13, color=MUTED)
    return canvas.svg()


def softmax_minus_onehot() -> str:
    canvas = Canvas(540, 420, "Softmax minus one-hot")
    rows = [
        ("softmax", (0.1, 0.6, 0.2, 0.1), 118, BLUE),
        ("one-hot", (0.0, 0.0, 1.0, 0.0), 230, GREEN),
        ("difference", (0.1, 0.6, -0.8, 0.1), 300, PINK),
    ]
    for name, values, base, fill in rows:
        canvas.text(112, base - 14, name, anchor="end", size=15, bold=True)
        canvas.line(128, base, 520, base, INK)
        for c, value in enumerate(values):
            x, length = 150 + c * 94, abs(value) * 76
            if value:
                canvas.box(x, base - length if value > 0 else base, 54, length, fill)
            words = f"{value:g}".replace("-", "−")
            y = base + length + 14 if value < 0 else base - length - 12
            canvas.text(x + 27, y, words, size=14)
    for c in range(4):
        canvas.text(177 + c * 94, 404, f"class {c}", size=14, color=MUTED)
    canvas.text(60, 62, "what it said", size=13, color=MUTED)
    canvas.text(60, 174, "what is right", size=13, color=MUTED)
    canvas.text(60, 244, "the gradient", size=13, color=MUTED)
    return canvas.svg()
