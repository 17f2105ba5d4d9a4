"""Pictures of chapter 5: minibatches, shifts, the bytes and passes of a step, random streams, safe saving."""

from __future__ import annotations

from itertools import pairwise

from book.figures.canvas import BLUE, GREEN, GREY, INK, MUTED, ORANGE, PINK, STRONG, Canvas

NETWORK = (784, 256, 128, 10)
BATCH = 96
FLOAT32_BYTES = 4
PARAMETERS = sum(a * b + b for a, b in pairwise(NETWORK))


def epoch_in_batches() -> str:
    """A shuffled order cut into slices; the first slice gathers its images from where they lie."""
    sheet = Canvas(520, 330, "A shuffled order of ten samples, cut into batches of four, four and two")
    order = [7, 2, 9, 0, 4, 1, 8, 3, 6, 5]
    left, size = 40, 44
    fills = [BLUE] * 4 + [ORANGE] * 4 + [GREEN] * 2
    sheet.text(left, 24, "order: shuffled anew each epoch", anchor="start", bold=True)
    sheet.cells(left, 42, [str(number) for number in order], fills, size)
    for start, stop, fill in ((0, 4, BLUE), (4, 8, ORANGE), (8, 10, GREEN)):
        x1, x2 = left + start * size + 4, left + stop * size - 4
        sheet.line(x1, 97, x2, 97, STRONG[fill], 3)
        sheet.text((x1 + x2) / 2, 114, f"({start}, {stop})", mono=True, color=STRONG[fill], bold=True)
    held = {number: fill for number, fill in zip(order, fills, strict=True) if fill == BLUE}
    for position, number in enumerate(order[:4]):
        x = left + position * size + size / 2
        sheet.arrow(x, 128, left + number * size + size / 2, 218, color=STRONG[BLUE])
    sheet.cells(left, 222, [str(number) for number in range(10)], [held.get(n, GREY) for n in range(10)], size)
    sheet.text(left, 284, "the images, where they lie in memory: never moved", anchor="start")
    sheet.text(left, 310, "batch_slices(10, 4) gives the three pairs", anchor="start", color=MUTED)
    return sheet.svg()


def shift_by_index() -> str:
    """A 4 × 4 image moved down by one and left by one; each cell of the result names the offset it was taken from."""
    sheet = Canvas(520, 310, "A 4 by 4 image moved down and left by one pixel, cell by cell")
    size, top, left, right = 44, 62, 26, 318
    sheet.text(left + 2 * size, 26, "images[i]: offsets", bold=True)
    sheet.text(right + 2 * size, 26, "moved[i], dy = 1, dx = −1", bold=True)
    for y in range(4):
        for x in range(4):
            source_y, source_x = y - 1, x + 1
            inside = source_y >= 0 and source_x < 4
            used = y <= 2 and x >= 1
            sheet.cells(left + x * size, top + y * size, [str(4 * y + x)], BLUE if used else GREY, size)
            label = str(4 * source_y + source_x) if inside else "·"
            sheet.cells(right + x * size, top + y * size, [label], BLUE if inside else PINK, size)
    # From the cell at offset 1 over the top of the image to where it lands, row 1, column 0.
    sheet.curve(left + 1.5 * size, top + 8, right + 4, top + 1.5 * size, -76)
    sheet.text(left, 264, "moved[1, 0] is read at offset (1 − 1) · 4 + (0 + 1) = 1", anchor="start")
    sheet.text(left, 288, "·  would be read from outside the image: stays 0", anchor="start", color=STRONG[PINK])
    return sheet.svg()


def who_owns_the_bytes() -> str:
    """One bar an owner, to scale; every parameter-sized bar is cut where w0, w1 and w2 begin."""
    sheet = Canvas(560, 336, "Bytes held by one training step with Adam at batch 96")
    one = PARAMETERS * FLOAT32_BYTES
    activations = BATCH * sum(NETWORK) * FLOAT32_BYTES
    left, full = 142, 292
    first, second = (784 * 256 + 256) / PARAMETERS, (256 * 128 + 128) / PARAMETERS
    rows = [("parameters", one, BLUE), ("gradients", one, ORANGE), ("Adam’s m", one, GREEN), ("Adam’s v", one, GREEN),
            ("activations", activations, PINK)]
    for row, (name, amount, fill) in enumerate(rows):
        y = 20 + row * 50
        sheet.text(left - 12, y + 17, name, anchor="end")
        sheet.box(left, y, full * amount / one, 34, fill)
        sheet.text(left + full * amount / one + 10, y + 17, f"{amount:,}", anchor="start", mono=True)
        if amount == one:
            sheet.line(left + full * first, y, left + full * first, y + 34, STRONG[fill])
            sheet.line(left + full * (first + second), y, left + full * (first + second), y + 34, STRONG[fill])
            sheet.text(left + full * first / 2, y + 17, "layer 0", size=14)
            sheet.text(left + full * (first + second / 2), y + 17, "1", size=14)
        else:
            sheet.text(left + full * amount / one / 2, y + 17, "96 samples", size=14)
    sheet.line(left, 276, left + full + 104, 276)
    sheet.text(left - 12, 296, "together", anchor="end", bold=True)
    sheet.text(left + full + 10, 296, f"{4 * one + activations:,}", anchor="start", mono=True, bold=True)
    sheet.text(left, 320, "bytes; layer 2 is too thin to see (5,160)", anchor="start", size=14, color=MUTED)
    return sheet.svg()


def life_of_a_step() -> str:
    """Who is alive when: activations are born forward and die backward, gradients are born backward."""
    sheet = Canvas(620, 448, "Which arrays are alive in each part of a training step")
    left, step, top, height = 156, 56, 62, 30
    for column, name in enumerate(["0", "1", "2", "loss", "2", "1", "0", ""]):
        sheet.text(left + (column + 0.5) * step, 46, name, size=14, mono=True)
    for start, stop, name in ((0, 3, "forward"), (4, 7, "backward"), (7, 8, "update")):
        sheet.text(left + (start + stop) / 2 * step, 22, name, bold=True)
    rows = [
        ("parameters", 0, 8, BLUE), ("m and v", 0, 8, GREEN), ("x  [96, 784]", 0, 7, PINK),
        ("a1  [96, 256]", 0, 6, PINK), ("a2  [96, 128]", 1, 5, PINK), ("logits  [96, 10]", 2, 4, PINK),
        ("dL/dlogits", 3, 5, GREY), ("dL/da2", 4, 6, GREY), ("dL/da1", 5, 7, GREY),
        ("grad of layer 2", 4, 8, ORANGE), ("grad of layer 1", 5, 8, ORANGE), ("grad of layer 0", 6, 8, ORANGE),
    ]
    for column in range(9):
        sheet.line(left + column * step, 62, left + column * step, top + len(rows) * height + 4)
    for row, (name, start, stop, fill) in enumerate(rows):
        y = top + row * height + 5
        sheet.text(left - 10, y + 10, name, anchor="end", size=14)
        sheet.box(left + start * step + 2, y, (stop - start) * step - 4, 20, fill)
    sheet.text(left, 438, "time →", anchor="start", size=14, color=MUTED)
    return sheet.svg()


def adam_passes() -> str:
    """Fourteen NumPy operations, and which arrays each one reads (R) and writes (W): 33 passes in all."""
    sheet = Canvas(540, 480, "Adam as fourteen NumPy operations: which arrays each reads and writes")
    operations = [
        ("m *= beta1", {2: "RW"}), ("t = (1 − beta1) * grad", {1: "R", 4: "W"}), ("m += t", {2: "RW", 4: "R"}),
        ("v *= beta2", {3: "RW"}), ("t = (1 − beta2) * grad", {1: "R", 4: "W"}), ("t = t * grad", {1: "R", 4: "RW"}),
        ("v += t", {3: "RW", 4: "R"}), ("m_hat = m / …", {2: "R", 4: "W"}), ("v_hat = v / …", {3: "R", 4: "W"}),
        ("s = sqrt(v_hat)", {4: "RW"}), ("s = s + eps", {4: "RW"}), ("u = lr * m_hat", {4: "RW"}),
        ("u = u / s", {4: "RRW"}), ("param -= u", {0: "RW", 4: "R"}),
    ]
    fills = [BLUE, ORANGE, GREEN, GREEN, GREY]
    left, width, height, top = 218, 60, 26, 44
    for column, name in enumerate(["param", "grad", "m", "v", "scratch"]):
        sheet.text(left + (column + 0.5) * width, 24, name, bold=True)
    for row, (words, touched) in enumerate(operations):
        y = top + row * height
        sheet.text(left - 12, y + height / 2, words, anchor="end", size=14, mono=True)
        for column, marks in touched.items():
            sheet.box(left + column * width + 2, y + 2, width - 4, height - 4, fills[column])
            sheet.text(left + (column + 0.5) * width, y + height / 2, " ".join(marks), size=14, mono=True)
    passes = sum(len(marks) for _, touched in operations for marks in touched.values())
    moved = passes * PARAMETERS * FLOAT32_BYTES / 1e6
    least = 7 * PARAMETERS * FLOAT32_BYTES / 1e6
    sheet.text(20, 432, f"{passes} passes over 940,584 bytes: {moved:.0f} MB a step", anchor="start", bold=True)
    sheet.text(20, 458, f"needed: read 4 arrays, write 3 of them, once: {least:.1f} MB", anchor="start", color=MUTED)
    return sheet.svg()


def random_streams() -> str:
    """One long stream against one short stream for each (seed, number)."""
    sheet = Canvas(540, 336, "One long random stream, and separate streams with a key each")
    sheet.text(20, 24, "one stream: epoch 3 starts where epoch 2 happened to end", anchor="start", bold=True)
    for position, (name, fill, width) in enumerate(
        [("weights", GREY, 100), ("epoch 1", BLUE, 130), ("epoch 2", ORANGE, 130), ("epoch 3", GREEN, 130)]
    ):
        x = 20 + sum([100, 130, 130][:position])
        sheet.box(x, 42, width, 34, fill)
        sheet.text(x + width / 2, 59, name)
    sheet.arrow(20, 94, 510, 94, color=MUTED)
    sheet.text(20, 114, "to know epoch 3, draw all that comes before", anchor="start", size=14, color=MUTED)
    sheet.text(20, 156, "a stream for each key: epoch 3 needs nothing else", anchor="start", bold=True)
    rows = [("(seed, 0)", "weights", GREY), ("(seed, 1)", "epoch 1", BLUE), ("(seed, 2)", "epoch 2", ORANGE),
            ("(seed, 3)", "epoch 3", GREEN)]
    for row, (key, name, fill) in enumerate(rows):
        y = 174 + row * 39
        sheet.text(20, y + 16, key, anchor="start", mono=True)
        sheet.arrow(112, y + 16, 146, y + 16)
        sheet.box(150, y, 130, 32, fill)
        sheet.text(215, y + 16, name)
        sheet.text(296, y + 16, "order, dy, dx" if row else "w0, w1, w2", anchor="start", color=MUTED)
    return sheet.svg()


def safe_saving() -> str:
    """Write beside, fsync, rename, fsync the folder: what the disk holds after each, and what a power cut leaves."""
    sheet = Canvas(560, 352, "Saving a checkpoint in four moves, and what a power cut after each one leaves")
    sheet.text(20, 24, "move", anchor="start", bold=True)
    sheet.text(176, 24, "in the folder", anchor="start", bold=True)
    sheet.text(466, 24, "a power cut leaves", bold=True)
    rows = [
        ("1  write beside", "old", "new, in part", "old"),
        ("2  fsync the file", "old", "new, on the disk", "old"),
        ("3  rename", "new", "", "old or new, whole"),
        ("4  fsync the folder", "new", "", "new"),
    ]
    for row, (move, named, part, left_over) in enumerate(rows):
        y = 44 + row * 76
        sheet.text(20, y + 26, move, anchor="start")
        sheet.box(176, y, 190, 26, BLUE if named == "old" else GREEN)
        sheet.text(271, y + 13, f"checkpoint.npz: {named}", size=14)
        if part:
            sheet.box(176, y + 30, 190, 26, PINK if row == 0 else GREEN)
            sheet.text(271, y + 43, f".part: {part}", size=14)
        sheet.text(466, y + 26, left_over, color=INK, bold=True)
        if row < len(rows) - 1:
            sheet.line(20, y + 66, 540, y + 66)
    return sheet.svg()


def figures() -> dict[str, str]:
    """File name → SVG text."""
    return {
        "05-epoch-in-batches.svg": epoch_in_batches(),
        "05-shift-by-index.svg": shift_by_index(),
        "05-who-owns-the-bytes.svg": who_owns_the_bytes(),
        "05-life-of-a-step.svg": life_of_a_step(),
        "05-adam-passes.svg": adam_passes(),
        "05-random-streams.svg": random_streams(),
        "05-safe-saving.svg": safe_saving(),
    }
