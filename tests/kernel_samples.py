"""A chapter of kernels to check and grade: right texts, skeletons as the release makes them, and planted mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.cases import registry
from autograder.cases.inputs import double, floats, poisoned, ragged_sizes
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
from autograder.grade.grading import grade_notebook
from autograder.grade.results import ExerciseResult
from autograder.grade.sandbox import Limits
from autograder.kernels import text as kernel_text
from autograder.release.exercise import load_exercise
from tests.grade_samples import by_name, code, write

CHAPTER, STEM, POINTS = 90, "90_kernels", 10

VECTOR_ADD = """\
// out [n] = a [n] + b [n]; one thread an element.
extern "C" __global__ void sample_add(const float *a, const float *b, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BEGIN SOLUTION
  if (i < n) out[i] = a[i] + b[i];
  // END SOLUTION
}
"""

TRANSPOSE = """\
// out [columns, rows] = a [rows, columns] transposed, through a tile, so that loads and stores both walk along rows.
// A block is 32 by 8 threads: each thread moves 4 elements, 8 rows apart.
#define TILE 32
extern "C" __global__ void sample_transpose(const float *a, float *out, int rows, int columns) {
  // BEGIN SOLUTION
  __shared__ float tile[TILE][TILE + 1];
  const int x = threadIdx.x;
  for (int y = threadIdx.y; y < TILE; y += 8) {
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    if (row < rows && column < columns) tile[y][x] = a[row * columns + column];
  }
  __syncthreads();
  for (int y = threadIdx.y; y < TILE; y += 8) {
    const int row = blockIdx.x * TILE + y, column = blockIdx.y * TILE + x;
    if (row < columns && column < rows) out[row * rows + column] = tile[x][y];
  }
  // END SOLUTION
}
"""

MATMUL = """\
// out [m, n] = a [m, k] b [k, n]; tiles of 8 by 8.
#define SIDE 8
extern "C" __global__ void sample_matmul(const float *a, const float *b, float *out, int m, int k, int n) {
  __shared__ float left[SIDE][SIDE], right[SIDE][SIDE];
  const int row = blockIdx.y * SIDE + threadIdx.y, column = blockIdx.x * SIDE + threadIdx.x;
  float sum = 0.0f;
  for (int start = 0; start < k; start += SIDE) {
    const int x = start + threadIdx.x, y = start + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row < m && x < k ? a[row * k + x] : 0.0f;
    right[threadIdx.y][threadIdx.x] = y < k && column < n ? b[y * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < SIDE; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    // BEGIN SOLUTION
    __syncthreads();
    // GIVEN INSTEAD
    // END SOLUTION
  }
  // BEGIN SOLUTION
  if (row < m && column < n) out[row * n + column] = sum;
  // GIVEN INSTEAD
  // if (row < m || column < n) out[row * n + column] = sum;
  // END SOLUTION
}
"""

TEXTS = {"sample_add": VECTOR_ADD, "sample_transpose": TRANSPOSE, "sample_matmul": MATMUL}


def add_cases(rng: np.random.Generator) -> list[KernelCase]:
    n = 32 * int(rng.integers(3, 6)) + int(rng.integers(1, 31))

    def launch(n: int) -> Launch:
        a, b = floats(rng, n), floats(rng, n)
        args = {"a": a, "b": b, "out": poisoned(n), "n": n}
        return Launch((blocks_for(n, 32),), (32,), args, {"out": double(a) + double(b)})

    ragged, whole, counted = launch(n), launch(32 * int(rng.integers(5, 9))), launch(128)
    few = at_most("global_load_sectors", 32, "128 elements of two arrays are 1,024 bytes, or 32 sectors.")
    return [
        result("whole blocks", whole, "One thread, one element: which one is this thread's?"),
        clean(f"{n} elements, no fault in any order", ragged, "The last block has more threads than elements."),
        budget("each element loaded once", counted, [few], "Does each thread load two numbers, and no more?"),
    ]


def transpose_cases(rng: np.random.Generator) -> list[KernelCase]:
    def launch(rows: int, columns: int) -> Launch:
        a = floats(rng, rows, columns)
        args = {"a": a, "out": poisoned(columns, rows), "rows": rows, "columns": columns}
        return Launch((blocks_for(columns, 32), blocks_for(rows, 32)), (32, 8), args, {"out": double(a).T})

    rows, columns = ragged_sizes(rng, 2)
    ragged, counted = launch(32 + rows, 64 + columns), launch(64, 96)
    memory = [at_most("global_sectors_per_request", 4, "A warp along a row moves 128 bytes: 4 sectors.")]
    banks = [
        at_least("shared_load_requests", 1, "The tile is what turns rows into columns."),
        at_most("shared_conflicts", 0, "One more column shifts each row of the tile by a bank."),
    ]
    return [
        result(f"[{32 + rows}, {64 + columns}]", ragged, "Rows and columns of the block change places, too."),
        clean("no fault in any order", ragged, "Between filling the tile and reading it, all threads must meet."),
        budget("sectors of [64, 96]", counted, memory, "Loads and stores both walk along rows.", part="memory"),
        budget("banks of [64, 96]", counted, banks, "Which banks do the lanes of a warp read?", part="banks"),
    ]


def matmul_cases(rng: np.random.Generator) -> list[KernelCase]:
    m, k, n = ragged_sizes(rng, 3)
    k += 16
    a, b = floats(rng, m, k), floats(rng, k, n)
    args = {"a": a, "b": b, "out": poisoned(m, n), "m": m, "k": k, "n": n}
    launch = Launch((blocks_for(n, 8), blocks_for(m, 8)), (8, 8), args, {"out": double(a) @ double(b)})
    return [
        clean("no fault in any order", launch, "Who may still be reading the tile when it is filled again?"),
        result("values", launch, "Only the missing order between threads was wrong, not the arithmetic."),
    ]


EXERCISES = (
    KernelExercise("kernels/sample_add.cu::sample_add", add_cases, {"values": 0.5, "clean": 0.2, "cost": 0.3}),
    KernelExercise(
        "kernels/sample_transpose.cu::sample_transpose",
        transpose_cases,
        {"values": 0.4, "clean": 0.2, "memory": 0.2, "banks": 0.2},
    ),
    KernelExercise(
        "kernels/sample_matmul.cu::sample_matmul", matmul_cases, {"clean": 0.8, "values": 0.2}, ("atomicAdd",)
    ),
)
BY_NAME = {exercise.name: exercise for exercise in EXERCISES}




@contextmanager
def registered(
    root: Path, exercises: Sequence[KernelExercise] = EXERCISES, texts: Mapping[str, str] = TEXTS
) -> Iterator[Path]:
    """A course below ``root`` whose one chapter, 90, has these exercises: for the time of the block the registry knows
    no others, so that names may be those of the real course.
    """
    for name, text in texts.items():
        write(root / "kernels" / f"{name}.cu", text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "chapters", lambda: (CHAPTER,))
        patch.setattr(registry, "for_chapter", lambda n: tuple(exercises))
        patch.setattr(kernel_text, "COURSE_ROOT", root)
        registry._by_exercise.cache_clear()
        write(root / "chapters" / f"{STEM}.ipynb", document(root, exercises, "student"))
        yield root
    registry._by_exercise.cache_clear()


def given(root: Path, exercise: KernelExercise, edition: str) -> str:
    """The text that the cell of an edition binds: it begins with a line break, so that lines are those of the cell."""
    cut = load_exercise(root, exercise.exercise)
    names: dict[str, str] = {}
    exec(cut.student if edition == "student" else cut.reference, names)
    return names[exercise.bound_name]


def cell(exercise: KernelExercise, text: str) -> str:
    """The cell of an answer."""
    return f"{exercise.bound_name} = r'''{text}'''"


def document(
    root: Path, exercises: Sequence[KernelExercise], edition: str, cells: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """A notebook of the chapter; ``cells`` replace those of an edition, by the kernel's name."""
    found = [{"cell_type": "markdown", "metadata": {}, "source": "# 90. Kernels"}, code("import numpy as np")]
    for exercise in exercises:
        source = (cells or {}).get(exercise.name) or cell(exercise, given(root, exercise, edition))
        found.append(code(source, {"role": "exercise", "exercise": exercise.exercise, "points": POINTS}))
        found.append(code(f"check({exercise.bound_name})", {"role": "check", "exercise": exercise.exercise}))
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"course": {"chapter": STEM}}, "cells": found}


def grade(
    root: Path,
    texts: Mapping[str, str],
    cells: Mapping[str, str] | None = None,
    exercises: Sequence[KernelExercise] = EXERCISES,
    limits: Limits | None = None,
    seed: int | None = None,
) -> dict[str, ExerciseResult]:
    """Grade a submission in which ``texts``, and whole ``cells``, replace the reference's, by the kernel's name."""
    named = {exercise.name: exercise for exercise in exercises}
    answers = {**{name: cell(named[name], text) for name, text in texts.items()}, **(cells or {})}
    path = write(root / "submitted" / f"{STEM}.ipynb", document(root, exercises, "reference", answers))
    return by_name(grade_notebook(path, seed=seed, limits=limits, root=root))
