"""The pictures of chapter 4: bits of floats, their order as integers, the gradient of the loss, and passes fused."""

from __future__ import annotations

import struct

from book.figures.canvas import BLUE, GREEN, GREY, INK, MUTED, ORANGE, PINK, Canvas


def figures() -> dict[str, str]:
    """File name → SVG."""
    return {
        "04-float-bits.svg": float_bits(),
        "04-unsigned-order.svg": unsigned_order(),
        "04-softmax-minus-onehot.svg": softmax_minus_onehot(),
        "04-passes.svg": passes(),
    }


def float_bits() -> str:
    canvas = Canvas(536, 336, "The bits of four float32 values")
    size, left = 16, 12
    for words, x in (("sign", 12), ("exponent, 8", 60), ("fraction, 23 bits", 290)):
        canvas.text(x, 24, words, size=15, color=MUTED, anchor="start")
    for row, value in enumerate((1.0, -2.5, 0.0, float("nan"))):
        bits = f"{struct.unpack('>I', struct.pack('>f', value))[0]:032b}"
        top = 68 + row * 68
        name = {"0.0": "+0", "nan": "a NaN", "-2.5": "−2.5"}.get(str(value), str(value))
        canvas.text(left, top - 14, name, anchor="start", size=16, bold=True)
        for place, bit in enumerate(bits):
            fill = PINK if place == 0 else ORANGE if place < 9 else BLUE
            canvas.box(left + place * size, top, size, 32, fill)
            canvas.text(left + (place + 0.5) * size, top + 17, bit, size=15, mono=True)
    return canvas.svg()


def unsigned_order() -> str:
    canvas = Canvas(520, 222, "All float32 patterns in the order of their unsigned values")
    top, height = 78, 52
    parts = [(16, 14, ORANGE, ""), (30, 182, GREEN, "positive, up to ∞"), (212, 48, PINK, "NaN")]
    parts += [(260, 14, ORANGE, ""), (274, 182, GREY, "negative, to −∞"), (456, 48, PINK, "NaN")]
    for x, width, fill, words in parts:
        canvas.box(x, top, width, height, fill)
        canvas.text(x + width / 2, top + height / 2, words, size=16)
    for x, words in ((23, "+0"), (267, "−0")):
        canvas.text(x, 58, words, size=16)
    canvas.text(16, 24, "x > 0: the green stretch, and nothing else", size=16, anchor="start", bold=True)
    canvas.text(30, 148, "0x00000001", size=15, anchor="start", mono=True)
    canvas.text(212, 172, "0x7F800000", size=15, anchor="end", mono=True)
    canvas.text(260, 148, "0x80000000", size=15, anchor="start", mono=True, color=MUTED)
    canvas.text(504, 172, "0xFFFFFFFF", size=15, anchor="end", mono=True, color=MUTED)
    canvas.text(260, 206, "not to scale: the two zeros are single patterns", size=15, color=MUTED)
    return canvas.svg()


def softmax_minus_onehot() -> str:
    canvas = Canvas(540, 432, "Softmax minus one-hot")
    rows = [
        ("softmax", (0.1, 0.6, 0.2, 0.1), 102, BLUE),
        ("one-hot", (0.0, 0.0, 1.0, 0.0), 218, GREEN),
        ("difference", (0.1, 0.6, -0.8, 0.1), 322, PINK),
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
        canvas.text(177 + c * 94, 414, f"class {c}", size=14, color=MUTED)
    canvas.text(112, 66, "what it said", anchor="end", size=14, color=MUTED)
    canvas.text(112, 182, "what is right", anchor="end", size=14, color=MUTED)
    canvas.text(112, 286, "the gradient", anchor="end", size=14, color=MUTED)
    return canvas.svg()


def passes() -> str:
    canvas = Canvas(540, 352, "Passes over memory, in three steps and fused")
    width, left = 82, 24
    rows = [
        ("softmax", 74, 0, ["logits", "p"], "rw"),
        ("loss, and its slope by p", 144, 2, ["dL/dp"], "w"),
        ("softmax backward", 214, 3, ["p", "dL/dp", "dL/dz"], "rrw"),
        ("all in one", 300, 0, ["logits", "dL/dz"], "rw"),
    ]
    for name, top, first, arrays, ways in rows:
        canvas.text(left + first * width, top - 16, name, anchor="start", size=15, bold=True)
        for place, (array, way) in enumerate(zip(arrays, ways, strict=True)):
            x = left + (first + place) * width
            canvas.box(x, top, width - 4, 34, BLUE if way == "r" else ORANGE)
            canvas.text(x + (width - 4) / 2, top + 17, array, size=15)
    canvas.box(300, 14, 18, 18, BLUE)
    canvas.text(326, 23, "read", anchor="start", size=15)
    canvas.box(400, 14, 18, 18, ORANGE)
    canvas.text(426, 23, "written", anchor="start", size=15)
    canvas.line(20, 264, 520, 264)
    canvas.text(516, 90, "three steps: 6 passes", anchor="end", size=16)
    canvas.text(516, 317, "one step: 2 passes", anchor="end", size=16)
    return canvas.svg()
