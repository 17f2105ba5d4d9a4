"""Cases of chapter 7: broken kernels to be mended. No fault in any order, right values, and counters where they say it.

What is broken often gives right values by luck, so where the bug is a fault, ``clean`` is the core of the exercise.
"""

from __future__ import annotations

import numpy as np

from autograder.cases.case import Array
from autograder.cases.inputs import double, floats, poisoned
from autograder.cases.kernel_case import (
    KernelCase,
    KernelExercise,
    Launch,
    at_least,
    at_most,
    blocks_for,
    budget,
    clean,
    result,
)

FIND_THE_FAULT = {"clean": 0.8, "values": 0.2}
FIND_THE_COST = {"cost": 0.7, "clean": 0.3}


def moving_average_cases(rng: np.random.Generator) -> list[KernelCase]:
    """A ragged end, and one element: its own neighbour on both sides."""

    def launch(n: int) -> Launch:
        x = floats(rng, n)
        wide = double(x)
        expected = np.array([wide[max(i - 1, 0) : i + 2].mean() for i in range(n)])
        return Launch((blocks_for(n, 128),), (128,), {"x": x, "out": poisoned(n), "n": n}, {"out": expected})

    n = 128 + int(rng.integers(3, 120))
    return [
        clean(
            f"{n} elements, no fault in any order",
            launch(n),
            "The message names thread and element: which of the three lines let it go there?",
        ),
        clean(
            "a full last block",
            launch(256),
            "The last element has no right neighbour, and the grid no thread to spare.",
        ),
        result("one element", launch(1), "first and last are both 0 then."),
    ]


def row_maxima_cases(rng: np.random.Generator) -> list[KernelCase]:
    """Rows longer and shorter than the block."""

    def launch(rows: int, cols: int) -> Launch:
        x = floats(rng, rows, cols) - 5
        return Launch((rows,), (128,), {"x": x, "out": poisoned(rows), "cols": cols}, {"out": double(x).max(axis=1)})

    return [
        clean(
            "no fault in any order",
            launch(3, int(rng.integers(200, 300))),
            "Which thread writes what this one reads? What makes sure that it has done so already?",
        ),
        result(
            "rows shorter than the block",
            launch(2, int(rng.integers(5, 60))),
            "The values were right all along: change no more than you must.",
        ),
    ]


def reverse_blocks_cases(rng: np.random.Generator) -> list[KernelCase]:
    """A last block that is not full, and one that is."""

    def launch(n: int) -> Launch:
        x = floats(rng, n)
        expected = np.concatenate([double(x[first : first + 64])[::-1] for first in range(0, n, 64)])
        return Launch((blocks_for(n, 64),), (64,), {"x": x, "out": poisoned(n), "n": n}, {"out": expected})

    return [
        clean(
            "a last block that is not full",
            launch(128 + int(rng.integers(3, 60))),
            "A barrier is for all threads of the"
            " block: keep those without an element from the memory, not from the barrier.",
        ),
        result("whole blocks", launch(128), "The full blocks were right: they must stay so."),
    ]


def transpose_cases(rng: np.random.Generator) -> list[KernelCase]:
    """Ragged, and the banks on whole tiles."""

    def launch(rows: int, cols: int) -> Launch:
        x = floats(rng, rows, cols)
        args: dict[str, Array | int | float] = {"x": x, "out": poisoned(cols, rows), "rows": rows, "cols": cols}
        return Launch((blocks_for(cols, 32), blocks_for(rows, 32)), (32, 32), args, {"out": double(x).T.copy()})

    costs = [
        at_most("shared_conflicts", 0, "32 lanes read a column of the tile: they need 32 different banks."),
        at_least("shared_load_requests", 1, "The tile is what makes both sides of the copy coalesced."),
        at_most("global_sectors_per_request", 4, "Rows are read as rows and written as rows."),
    ]
    ragged = launch(int(rng.integers(33, 60)), int(rng.integers(65, 90)))
    return [
        budget("banks, 64 x 64", launch(64, 64), costs, "Look at the picture: in which bank does each row of the tile"
               " begin?", part="cost"),
        clean("ragged, no fault in any order", ragged, "Nothing else should change."),
    ]


def scale_rows_cases(rng: np.random.Generator) -> list[KernelCase]:
    """The launch covers both ways round; only one of them reads neighbours."""

    def launch(rows: int, cols: int) -> Launch:
        x, factor = floats(rng, rows, cols), floats(rng, rows)
        args: dict[str, Array | int | float] = {
            "x": x,
            "factor": factor,
            "out": poisoned(rows, cols),
            "rows": rows,
            "cols": cols,
        }
        most = max(rows, cols)
        return Launch((blocks_for(most, 32), blocks_for(most, 8)), (32, 8), args,
                      {"out": double(x) * double(factor)[:, None]})

    costs = [
        at_most("global_load_sectors_per_request", 4, "4 sectors of x, 1 of factor."),
        at_most("global_store_sectors_per_request", 4, "32 neighbours are 4 sectors."),
    ]
    return [
        budget(
            "memory of [64, 64]",
            launch(64, 64),
            costs,
            "Lanes of a warp differ in threadIdx.x. Which of row and column should follow it?",
            part="cost",
        ),
        clean(
            "ragged, no fault in any order",
            launch(int(rng.integers(33, 60)), int(rng.integers(65, 90))),
            "Both axes are still guarded.",
        ),
    ]


def weight_gradient_cases(rng: np.random.Generator) -> list[KernelCase]:
    """Values and layout with in and out different; then faults; then the traffic that tiles save."""

    def launch(batch: int, inputs: int, outputs: int) -> Launch:
        x, grad = floats(rng, batch, inputs), floats(rng, batch, outputs)
        args: dict[str, Array | int | float] = {
            "x": x,
            "grad_output": grad,
            "grad_weight": poisoned(inputs, outputs),
            "batch": batch,
            "in": inputs,
            "out": outputs,
        }
        return Launch((blocks_for(outputs, 16), blocks_for(inputs, 16)), (16, 16), args,
                      {"grad_weight": double(x).T @ double(grad)})

    costs = [
        at_most("global_load_requests", 576, "Two loads a thread in each of 4 steps, 8 warps, 9 blocks: 576."),
        at_most("shared_conflicts", 0, "A warp reads two words of one tile and 16 neighbours of the other."),
        at_most("global_load_sectors_per_request", 4, "Two rows of 16 floats are 4 sectors."),
    ]
    return [
        result(
            "values, whole tiles", launch(32, 32, 48), "[in, out] is declared: element (i, o) stands at i * out + o."
        ),
        clean(
            "ragged, no fault in any order",
            launch(int(rng.integers(17, 30)), int(rng.integers(17, 30)), int(rng.integers(33, 47))),
            "Threads past an edge still help to load the tiles; they store zeros there and write nothing at the end.",
        ),
        budget(
            "memory of 64 x 48 x 48",
            launch(64, 48, 48),
            costs,
            "Each element of a tile is loaded once by one thread and used by 16.",
        ),
    ]


EXERCISES = (
    KernelExercise("kernels/exercises/moving_average.cu::moving_average", moving_average_cases, FIND_THE_FAULT),
    KernelExercise("kernels/exercises/row_maxima.cu::row_maxima", row_maxima_cases, FIND_THE_FAULT),
    KernelExercise("kernels/exercises/reverse_blocks.cu::reverse_blocks", reverse_blocks_cases, FIND_THE_FAULT),
    KernelExercise("kernels/exercises/scale_rows.cu::scale_rows", scale_rows_cases, FIND_THE_COST),
    KernelExercise("kernels/exercises/transpose.cu::transpose", transpose_cases, FIND_THE_COST),
    KernelExercise("kernels/exercises/weight_gradient.cu::weight_gradient", weight_gradient_cases,
                   {"values": 0.4, "clean": 0.2, "cost": 0.4}),
)
