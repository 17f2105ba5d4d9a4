"""The vocabulary of a graded kernel: a launch, what it must leave behind, and what it may cost.

How to add an exercise: a worked example
----------------------------------------

1. Write the kernel in ``kernels/NAME.cu`` or ``kernels/exercises/NAME.cu``, one exercise a file, and mark what the
   student writes. The file stays right as it is: it compiles, and passes its own cases. ``kernels/scale_rows.cu``::

       // out [rows, columns] = x [rows, columns], each row times its own factor [rows]; one thread an element.
       extern "C" __global__ void scale_rows(const float *x, const float *factor, float *out, int rows, int columns) {
         // BEGIN SOLUTION
         const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
         if (row < rows && column < columns) out[row * columns + column] = factor[row] * x[row * columns + column];
         // END SOLUTION
       }

   The student finds ``// YOUR CODE HERE (about 2 lines)`` between the braces.

   For *find the bug* the student gets a whole kernel that is broken. Mark each wrong place in the same way, and below
   ``// GIVEN INSTEAD`` write, as comments, what the student finds there: the release takes the ``//`` off. With nothing
   below that mark, the student's text lacks the lines altogether, and nothing says that they are missing.
   ``kernels/block_sums.cu``::

       // out [blocks]: each block of 64 threads adds up its 64 elements of x [n], with __syncthreads(); between steps.
       extern "C" __global__ void block_sums(const float *x, float *out, int n) {
         __shared__ float part[64];
         const int lane = threadIdx.x, i = blockIdx.x * 64 + lane;
         // BEGIN SOLUTION
         part[lane] = i < n ? x[i] : 0.0f;
         // GIVEN INSTEAD
         // part[lane] = i <= n ? x[i] : 0.0f;
         // END SOLUTION
         for (int half = 32; half > 0; half /= 2) {
           // BEGIN SOLUTION
           __syncthreads();
           // GIVEN INSTEAD
           // END SOLUTION
           if (lane < half) part[lane] += part[lane + half];
         }
         if (lane == 0) out[blockIdx.x] = part[0];
       }

   No line of a solution of 16 characters or more may stand anywhere in a student's notebook, unless the exercise's own
   cell shows it. A line that every kernel has stays outside of the marks, or is named in the file's comment, as
   ``__syncthreads();`` is above.

2. Name it in the chapter as any exercise, ``{exercise} kernels/scale_rows.cu::scale_rows``. The release makes the
   student's cell, ``scale_rows_source = r'''...'''``, and the one below it, ``check(scale_rows_source)``. Line
   numbers in messages are those of the cell.

3. Enter cases in the chapter's module, ``autograder/cases/chNN.py``::

       import numpy as np

       from autograder.cases.inputs import double, floats, poisoned
       from autograder.cases.kernel_case import (
           KernelCase, KernelExercise, Launch, at_least, at_most, blocks_for, budget, clean, result,
       )


       def scale_rows_cases(rng: np.random.Generator) -> list[KernelCase]:
           def launch(rows: int, columns: int) -> Launch:
               x, factor = floats(rng, rows, columns), floats(rng, rows)
               return Launch(
                   grid=(blocks_for(columns, 32), blocks_for(rows, 4)),
                   block=(32, 4),
                   args={"x": x, "factor": factor, "out": poisoned(rows, columns), "rows": rows, "columns": columns},
                   expected={"out": double(x) * double(factor)[:, None]},
               )

           whole = launch(4 * int(rng.integers(3, 6)), 64)
           ragged, counted = launch(int(rng.integers(5, 8)), int(rng.integers(33, 63))), launch(8, 64)
           costs = [
               at_most("global_load_sectors_per_request", 4, "32 lanes read 32 neighbours: 128 bytes, or 4 sectors."),
               at_most("global_sectors", 144, "64 sectors of x, 64 of out, and 1 of factor for each of 16 warps."),
           ]
           return [
               result("values, in whole blocks", whole, "Which row and which column are this thread's?"),
               clean("ragged, no fault in any order", ragged, "More threads than elements: which must do nothing?"),
               budget("memory of [8, 64]", counted, costs, "Neighbours in a warp should read neighbours in memory."),
           ]


       def block_sums_cases(rng: np.random.Generator) -> list[KernelCase]:
           n = 128 + int(rng.integers(3, 61))
           x, blocks = floats(rng, n), blocks_for(n, 64)
           padded = np.zeros(64 * blocks)
           padded[:n] = x
           sums = padded.reshape(blocks, 64).sum(axis=1)
           launch = Launch((blocks,), (64,), {"x": x, "out": poisoned(blocks), "n": n}, {"out": sums})
           tile = [at_least("shared_load_requests", 1), at_most("shared_conflicts", 0)]
           return [
               clean("no fault in any order", launch, "Who may still be writing what this thread reads?"),
               result("values", launch, "The arithmetic was right: change no more than you must."),
               budget("shared memory", launch, tile, "The sums are formed in shared memory, as before.", part="values"),
           ]


       EXERCISES = (
           KernelExercise(
               "kernels/scale_rows.cu::scale_rows", scale_rows_cases, {"values": 0.5, "clean": 0.2, "cost": 0.3}
           ),
           KernelExercise("kernels/block_sums.cu::block_sums", block_sums_cases, {"clean": 0.8, "values": 0.2}),
       )

   A chapter's ``EXERCISES`` may hold functions (``ExerciseCases``) too. Parts are named by you and add up to 1. A part
   counts when all its cases pass, and the first part is the core, without which nothing else counts. For *find the bug*
   make ``clean`` the core: what is broken often gives the right values by luck. To pay for two counters apart, make
   two cases with a part each: ``budget(..., part="loads")``, ``budget(..., part="banks")``.

   Every case asks for the right contents of every array: those in ``expected``, and all others as they went in. So a
   kernel that does nothing, or that knows the size of the case that counts, gains nothing. ``clean`` asks besides that
   no fault be reported in several scheduling orders, ``budget`` that counters stay within bounds. Most faults end a
   launch and so fail every case that makes it (out of bounds, a barrier that some threads miss); behind a race it goes
   on. So ``result`` above has no thread too many: its points do not hang on the guard. Names that a text must not use
   come last: ``KernelExercise(..., parts, ("atomicAdd",))``.

4. Take launches of rows, columns and depth all different, and ragged ones: sizes that no block divides, a grid larger
   than the data. A counted launch may be fixed, as the book's example is. Take budgets from the reference's own
   counters, ``kernels.load("scale_rows.cu", target="emulator")["scale_rows"].inspect(grid, block, args).counters``
   (``.table()`` shows them by line), with some slack where compilers may keep in a register what others load twice.
   Conflicts, or branches at which lanes part, that should not be there have no slack: ``at_most(..., 0)``.

What can be bounded is in :data:`COUNTERS`. Counters are whole numbers, or ratios of them, that do not depend on the
machine, so they are the same in ``check`` and in ``grade``. A ``template`` kernel cannot be an exercise: grading would
have to choose its instance, so write the size as a ``constexpr int`` in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from autograder.cases.case import Array
from autograder.cases.compare import array_differs
from autograder.cases.inputs import FLOAT32_RTOL
from solutions.errors import CourseError

Argument = Array | int | float

COUNTERS = {
    "global_load_requests": "load instructions to global memory, a warp each",
    "global_load_sectors": "sectors of 32 bytes loaded from global memory",
    "global_load_sectors_per_request": "sectors of 32 bytes for one load of a warp from global memory, on average",
    "global_store_requests": "store instructions to global memory, a warp each",
    "global_store_sectors": "sectors of 32 bytes stored to global memory",
    "global_store_sectors_per_request": "sectors of 32 bytes for one store of a warp to global memory, on average",
    "global_sectors": "sectors of 32 bytes loaded from and stored to global memory",
    "global_sectors_per_request": "sectors of 32 bytes for one load or store of a warp, on average",
    "atomic_requests": "atomic instructions on global and shared memory, a warp each",
    "shared_load_requests": "load instructions from shared memory, a warp each",
    "shared_load_passes": "passes over the banks of shared memory to load",
    "shared_load_conflicts": "passes to load that bank conflicts add",
    "shared_store_requests": "store instructions to shared memory, a warp each",
    "shared_store_passes": "passes over the banks of shared memory to store",
    "shared_store_conflicts": "passes to store that bank conflicts add",
    "shared_conflicts": "passes to load and to store that bank conflicts add",
    "barriers": "barriers passed, summed over warps",
    "divergent_branches": "branches at which lanes of a warp part",
}
"""What can be bounded, in words."""

ORDERS = (0, 1, 5)
"""Scheduling orders that a clean kernel is run in: first to last, last to first, and a mixed one."""

KERNEL_PARTS = {"values": 0.6, "clean": 0.4}
"""Shares of an exercise without a budget."""


@dataclass(frozen=True, eq=False)
class Launch:
    """One launch by the grader, and what it must leave in the arrays.

    Attributes:
        grid, block: blocks and threads, up to three numbers each.
        args: in the order of the kernel's parameters, with a name for messages: C-contiguous arrays and numbers.
            Outputs go in poisoned (:func:`autograder.cases.inputs.poisoned`).
        expected: name → contents after the launch, worked out in float64; all other arrays must come back as they were.
        shared: bytes of dynamic shared memory.
        rtol: bound on ‖got − expected‖ / ‖expected‖; whole numbers must be equal, and NaN never equals anything.

    Raises:
        CourseError: something is expected of an argument that is no array or has another shape, or nothing is
            expected that the arrays do not hold before the launch.
    """

    grid: tuple[int, ...]
    block: tuple[int, ...]
    args: Mapping[str, Argument]
    expected: Mapping[str, Array]
    shared: int = 0
    rtol: float = FLOAT32_RTOL

    def __post_init__(self) -> None:
        for name, wanted in self.expected.items():
            before = self.args.get(name)
            if not isinstance(before, np.ndarray) or before.shape != wanted.shape:
                raise CourseError(f"a launch expects {name} of shape {list(wanted.shape)}, which is not what goes in")
        if all(self.wrong(name, self.args[name]) is None for name in self.expected):
            raise CourseError(f"a launch expects {', '.join(self.expected) or 'nothing'} as it goes in: poison outputs")

    def wrong(self, name: str, after: object) -> str | None:
        """The first difference between what array ``name`` holds and what it must, or None."""
        before = self.args[name]
        assert isinstance(before, np.ndarray)
        return array_differs(self.expected[name], after, self.rtol, before.dtype.name)


@dataclass(frozen=True)
class Budget:
    """Bounds of one counter; ``why`` says in a sentence what the figure comes from."""

    counter: str
    at_most: float | None = None
    at_least: float | None = None
    why: str = ""

    def __post_init__(self) -> None:
        if self.counter not in COUNTERS:
            raise CourseError(f"there is no counter {self.counter!r}; there are: {', '.join(COUNTERS)}")


def at_most(counter: str, bound: float, why: str = "") -> Budget:
    """``counter`` is to be ``bound`` or less."""
    return Budget(counter, at_most=bound, why=why)


def at_least(counter: str, bound: float, why: str = "") -> Budget:
    """``counter`` is to be ``bound`` or more: ``at_least("shared_load_requests", 1)`` asks for a tile to be used."""
    return Budget(counter, at_least=bound, why=why)


@dataclass(frozen=True)
class KernelCase:
    """One case; made by :func:`result`, :func:`clean` or :func:`budget`.

    Attributes:
        title: what is tried, for people.
        launch: the launch, with what it must leave behind.
        orders: scheduling orders it is run in; with more than one, no fault may be reported in any.
        budgets: bounds of its counters.
        part: the part of the exercise's points that it belongs to.
        advice: one sentence shown when it fails: what kind of mistake it usually is.
    """

    title: str
    launch: Launch
    orders: tuple[int, ...] = (0,)
    budgets: tuple[Budget, ...] = ()
    part: str = "values"
    advice: str = ""


def result(title: str, launch: Launch, advice: str, part: str = "values") -> KernelCase:
    """Right values; faults that did not spoil them are left to a clean case."""
    return KernelCase(title, launch, part=part, advice=advice)


def clean(title: str, launch: Launch, advice: str, part: str = "clean", orders: tuple[int, ...] = ORDERS) -> KernelCase:
    """Right values and no fault, in each of the scheduling ``orders``."""
    return KernelCase(title, launch, orders, part=part, advice=advice)


def budget(title: str, launch: Launch, budgets: Sequence[Budget], advice: str, part: str = "cost") -> KernelCase:
    """Right values, within the budgets."""
    return KernelCase(title, launch, budgets=tuple(budgets), part=part, advice=advice)


def blocks_for(elements: int, block: int) -> int:
    """How many blocks of ``block`` threads cover ``elements``: rounded up."""
    return -(-elements // block)


@dataclass(frozen=True)
class KernelExercise:
    """All cases of one kernel.

    Attributes:
        exercise: where the reference stands, ``"kernels/matmul.cu::matmul_tiled"``; the book names the same.
        build: makes the cases from a random generator; at least one must be clean.
        parts: part name → share of the points; the first is the core.
        forbidden: names that the text must not use, e.g. ``("atomicAdd",)``.
    """

    exercise: str
    build: Callable[[np.random.Generator], Sequence[KernelCase]]
    parts: dict[str, float] = field(default_factory=lambda: dict(KERNEL_PARTS))
    forbidden: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The kernel's bare name, ``"matmul_tiled"``."""
        return self.exercise.rpartition("::")[2]

    @property
    def bound_name(self) -> str:
        """The name that the student's cell gives to the text, ``"matmul_tiled_source"``."""
        return f"{self.name}_source"
