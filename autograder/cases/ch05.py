"""Cases of chapter 5: learning rate, moved pictures, minibatches, the count of bytes (optimisers: steps.py)."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from autograder.cases.case import Case, ExerciseCases, Value
from autograder.cases.inputs import CORE_AND_EDGES, left_alone, ragged_sizes
from autograder.cases.steps import adam_step_cases, sgd_momentum_step_cases
from solutions.arrays import ByteArray


def warmup_linear_cases(rng: np.random.Generator) -> list[Case]:
    """The climb and the way down; then the first, the topmost and the last step, and no warm-up at all."""
    warmup = int(rng.integers(7, 20))
    total = warmup + int(rng.integers(30, 60))
    peak = float(rng.uniform(1e-3, 0.3))
    up, down = int(rng.integers(1, warmup - 1)), int(rng.integers(warmup + 5, total - 5))

    def case(step: int, advice: str, part: str = "values", warmup_steps: int = warmup) -> Case:
        if step < warmup_steps:
            expected = np.interp(step + 1, [0, warmup_steps], [0.0, peak])
        else:
            expected = np.interp(step, [warmup_steps, total], [peak, 0.0])
        title = f"step {step} of {total}, {warmup_steps} to warm up"
        return Case(title, (step, total, warmup_steps, peak), float(expected), rtol=1e-9, part=part, advice=advice)

    climb = "On the way up each step adds peak / warmup_steps, the first step too."
    fall = "On the way down, count the steps that are left, out of those that remain after the warm-up."
    return [
        case(up, climb),
        case(down, fall),
        case(down + 3, fall),
        case(0, "The first step must move something: the climb starts at one step's worth, not at 0.", "edges"),
        case(warmup - 1, "The last step of the climb is at the peak itself.", "edges"),
        case(
            warmup, "The first step after the climb is still at the peak: nothing is left of the way down yet.", "edges"
        ),
        case(total - 1, "The last step still learns: its rate is small, but not 0.", "edges"),
        case(0, "Without warm-up the first step is at the peak: mind the division by 0.", "edges", warmup_steps=0),
        case(down, "Without warm-up the line runs from the first step to the last.", "edges", warmup_steps=0),
    ]


Shifts = npt.NDArray[np.integer]


def _moved(images: ByteArray, dy: Shifts, dx: Shifts) -> ByteArray:
    """Each image cut out of a frame of zeros, one image at a time."""
    _, height, width = images.shape
    out = []
    for image, down, right in zip(images, dy.tolist(), dx.tolist(), strict=True):
        framed = np.pad(image, ((height, height), (width, width)))
        top, left = height - max(-height, min(height, down)), width - max(-width, min(width, right))
        out.append(framed[top : top + height, left : left + width])
    return np.stack(out)


def shift_images_cases(rng: np.random.Generator) -> list[Case]:
    """Framed pictures, which lose nothing, then full ones; then one axis, no shift, far out, one picture, dtypes."""
    n, height, width = ragged_sizes(rng, 3)
    images = rng.integers(1, 256, (n, height, width)).astype(np.uint8)  # no zeros: what comes from outside shows
    framed = np.pad(images, ((0, 0), (3, 3), (3, 3)))
    digits = rng.integers(1, 256, (n, 28, 28)).astype(np.uint8)
    dy = rng.permutation(np.resize([1, -2, 0, 2, -1], n).astype(np.int64))
    dx, zeros = np.roll(dy, 1), np.zeros_like(dy)  # dx differs from dy in almost every picture

    def case(title: str, pictures: ByteArray, down: Shifts, right: Shifts, advice: str, part: str = "edges") -> Case:
        return Case(title, (pictures, down, right), _moved(pictures, down, right), part=part, advice=advice)

    own = (
        "Each picture has its own dy and dx: dy moves it down the rows, dx right along the columns, minus up and left."
    )
    outside = (
        "What leaves on one side must not come in on the other, and no edge is drawn out: 0 comes in from outside."
    )
    still = "A shift of 0 gives the same pictures: a slice that ends at -0 is empty."
    far = np.resize([height + 2, -height - 3, 1, 5 * height, height], n), np.resize([0, 2, -width, width + 1, 1], n)
    bytes_advice = "Small integers overflow at 127: offsets into a picture need a wider type."
    small = (3 * dy).astype(np.int8), (3 * dx).astype(np.int8)
    full = case(f"{n} full pictures of {height} by {width}", images, dy, dx, outside, "values")
    return [
        case(f"{n} framed pictures of {height + 6} by {width + 6}", framed, dy, dx, own, "values"),
        full,
        case(f"{n} pictures of 28 by 28", digits, dx, dy, outside, "values"),
        case("all down, up or not at all", images, dy, zeros, "dy moves along the height, and down is positive."),
        case("all right, left or not at all", images, zeros, dx, "dx moves along the width, and right is positive."),
        case("no shift", images, zeros, zeros, still),
        case("far out of the picture", images, *far, "Moved by its whole size or more, a picture is all 0."),
        case("one picture", images[:1], 1 + dy[:1] ** 2, -1 - dx[:1] ** 2, "One picture is still [1, height, width]."),
        case("shifts as int8", digits, *small, bytes_advice),
        replace(
            full, title="dtype of the pictures", dtype="uint8", part="edges", advice="Pixels stay uint8, one byte each."
        ),
        left_alone(full, (0, 1, 2), "Every epoch reads the same data set: make new pictures, and leave the old."),
    ]


def batch_slices_cases(rng: np.random.Generator) -> list[Case]:
    """A ragged last batch and an even division; then one batch, less than one, batches of one, no samples."""
    size, count = (int(value) for value in rng.choice((3, 5, 6, 7, 9, 11), 2, replace=False))
    rest = int(rng.integers(1, size))

    def case(n: int, batch_size: int, advice: str, part: str = "edges") -> Case:
        cuts = [*range(0, n, batch_size), n]
        expected: list[Value] = list(itertools.pairwise(cuts))
        return Case(f"{n} samples in batches of {batch_size}", (n, batch_size), expected, part=part, advice=advice)

    return [
        case(
            count * size,
            size,
            "Each pair is (start, stop), with stop not included, and no batch is empty.",
            "values",
        ),
        case(
            count * size + rest, size, "The last batch takes what is left and stops at n: no sample is lost.", "values"
        ),
        case(size, size, "As many samples as a batch holds are one batch."),
        case(rest, size, "Fewer samples than a batch holds are one small batch."),
        case(count, 1, "A batch of one sample goes from start to start + 1."),
        case(0, size, "No samples, no batches: an empty list."),
    ]


def training_bytes_cases(rng: np.random.Generator) -> list[Case]:
    """MNIST's network and a ragged one with each optimiser; then a single layer and a deep network."""
    a, b, c, d = ragged_sizes(rng, 4)

    def case(sizes: tuple[int, ...], batch: int, optimizer: str, advice: str, part: str = "edges") -> Case:
        numbers = sum(math.prod(pair) for pair in itertools.pairwise(sizes)) + sum(sizes[1:])
        moments = ("sgd", "momentum", "adam").index(optimizer)
        expected = (4 * numbers, 4 * numbers, 4 * numbers * moments, 4 * batch * sum(sizes))
        title = f"{'-'.join(map(str, sizes))}, batch {batch}, {optimizer}"
        return Case(title, (sizes, batch, optimizer), expected, part=part, advice=advice)

    mnist = (784, 256, 128, 10)
    count = "Four bytes for every weight, every bias of an output, and every unit of every layer for every sample."
    state = "SGD remembers nothing, momentum one number a parameter, Adam two."
    return [
        case(mnist, 96 + a, "adam", count, "values"),
        case((a, b, c), d, "momentum", state, "values"),
        case((b, d, a, c), 100 + b, "sgd", state, "values"),
        case((a, d), 3, "adam", "Two sizes are one layer."),
        case((c, a, b, c, d, a), 1, "momentum", "The number of layers comes from the list."),
        case((4096, 65_536, 4096), 65_536, "adam", "Bytes run to billions: keep to whole numbers of any size."),
    ]


EXERCISES = [
    ExerciseCases("solutions/optimizer.py::sgd_momentum_step", sgd_momentum_step_cases, CORE_AND_EDGES),
    ExerciseCases("solutions/optimizer.py::adam_step", adam_step_cases, CORE_AND_EDGES),
    ExerciseCases("solutions/schedule.py::warmup_linear", warmup_linear_cases, CORE_AND_EDGES),
    ExerciseCases("solutions/augment.py::shift_images", shift_images_cases, CORE_AND_EDGES),
    ExerciseCases("solutions/batches.py::batch_slices", batch_slices_cases, CORE_AND_EDGES),
    ExerciseCases("solutions/memory_plan.py::training_bytes", training_bytes_cases, CORE_AND_EDGES),
]
