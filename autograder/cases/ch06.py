"""Cases of chapter 6: the first kernels. Results in float64, several scheduling orders, and counters."""

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

VALUES_AND_CLEAN = {"values": 0.7, "clean": 0.3}
WITH_COST = {"values": 0.5, "clean": 0.2, "cost": 0.3}


def pixels_to_floats_cases(rng: np.random.Generator) -> list[KernelCase]:
    """Whole blocks; a ragged end; a single element."""

    def launch(n: int) -> Launch:
        x = rng.integers(0, 256, n).astype(np.uint8)
        return Launch((blocks_for(n, 256),), (256,), {"x": x, "out": poisoned(n), "n": n}, {"out": x / 255.0})

    return [
        result("512 pixels, two whole blocks", launch(512), "Which element is thread t of block b responsible for?"),
        clean(
            "a ragged end",
            launch(256 + int(rng.integers(3, 250))),
            "256 threads a block, and fewer elements in the last one: what must the threads past the end not do?",
        ),
        clean("one pixel", launch(1), "The guard must compare with n, not with a size of the grid."),
    ]


def subtract_mean_cases(rng: np.random.Generator) -> list[KernelCase]:
    """Whole blocks, ragged in both axes, and what the memory has to do."""

    def launch(rows: int, cols: int) -> Launch:
        x, mean = floats(rng, rows, cols), floats(rng, cols)
        args: dict[str, Array | int | float] = {
            "x": x,
            "mean": mean,
            "out": poisoned(rows, cols),
            "rows": rows,
            "cols": cols,
        }
        return Launch((blocks_for(cols, 32), blocks_for(rows, 8)), (32, 8), args, {"out": double(x) - double(mean)})

    costs = [
        at_most("global_load_sectors_per_request", 4, "32 lanes read 32 neighbours: 128 bytes, or 4 sectors."),
        at_most("global_store_sectors_per_request", 4, "32 lanes write 32 neighbours."),
    ]
    ragged = launch(int(rng.integers(9, 15)), int(rng.integers(33, 63)))
    return [
        result("values, in whole blocks", launch(8 * int(rng.integers(2, 4)), 64), "x counts columns, y counts rows."),
        clean("ragged in both axes, no fault in any order", ragged, "There are threads past the last row and past the"
              " last column: the guard needs both."),
        budget("memory of [16, 64]", launch(16, 64), costs, "Lanes of a warp differ in threadIdx.x: let that be the"
               " column, so that they read neighbours."),
    ]


def clip_cases(rng: np.random.Generator) -> list[KernelCase]:
    """A grid that is too small, one that is too large, and one thread for everything."""

    def launch(n: int, grid: int, block: int) -> Launch:
        x, limit = floats(rng, n), 0.5 + float(rng.random())
        limit = float(np.float32(limit))
        return Launch((grid,), (block,), {"x": x, "limit": limit, "n": n}, {"x": np.clip(double(x), -limit, limit)})

    return [
        result(
            "1000 elements for 2 x 64 threads",
            launch(1000, 2, 64),
            "One thread has several elements: how far apart are they?",
        ),
        result("one thread for 50 elements", launch(50, 1, 1), "The step is the number of threads of the whole grid."),
        clean(
            "more threads than elements",
            launch(70, 3, 96),
            "A thread whose first element lies past the end does nothing.",
        ),
        clean(
            "ragged, several rounds",
            launch(int(rng.integers(700, 900)), 3, 64),
            "Every element belongs to exactly one thread.",
        ),
    ]


def block_sums_cases(rng: np.random.Generator) -> list[KernelCase]:
    """Whole blocks, a ragged end, and that the work is done in shared memory."""

    def launch(n: int) -> Launch:
        x, blocks = floats(rng, n), blocks_for(n, 256)
        padded = np.zeros(256 * blocks)
        padded[:n] = x
        args: dict[str, Array | int | float] = {"x": x, "out": poisoned(blocks), "n": n}
        return Launch((blocks,), (256,), args, {"out": padded.reshape(blocks, 256).sum(axis=1)})

    costs = [
        at_most("global_load_requests", 16, "8 warps in each of 2 blocks load their 32 elements once."),
        at_least("shared_load_requests", 8, "The halves are added in shared memory."),
        at_most("shared_conflicts", 0, "Neighbouring lanes use neighbouring words: no bank is asked twice."),
    ]
    return [
        result("two whole blocks", launch(512), "After the last step the sum is in part[0]."),
        clean(
            "a ragged end, no fault in any order",
            launch(256 + int(rng.integers(3, 250))),
            "Two threads meet in part[]:"
            " between writing and reading by another thread stands a barrier, and all threads must reach it.",
        ),
        budget("memory of 512 elements", launch(512), costs, "Read x once, then work in part[]."),
    ]


EXERCISES = (
    KernelExercise("kernels/exercises/pixels_to_floats.cu::pixels_to_floats", pixels_to_floats_cases, VALUES_AND_CLEAN),
    KernelExercise("kernels/exercises/subtract_mean.cu::subtract_mean", subtract_mean_cases, WITH_COST),
    KernelExercise("kernels/exercises/clip.cu::clip", clip_cases, VALUES_AND_CLEAN),
    KernelExercise("kernels/exercises/block_sums.cu::block_sums", block_sums_cases, WITH_COST, ("atomicAdd",)),
)
