"""The vocabulary of a graded kernel: a launch, what it must leave behind, and what it may cost.

How to add an exercise
----------------------

1. Write the kernel in ``kernels/NAME.cu``, one exercise a file, and mark what the student writes::

       extern "C" __global__ void bias(const float *x, const float *b, float *out, int rows, int columns) {
         // BEGIN SOLUTION
         ...
         // END SOLUTION
       }

   For *find the bug* the student gets a broken line in place of the right one: below ``// GIVEN INSTEAD`` it stands as
   a comment, so that the file itself stays right. The release takes the ``//`` off and says nothing of a blank. With
   nothing below the mark, the student's text lacks the line altogether (a barrier left out)::

         // BEGIN SOLUTION
         if (i < n) out[i] = x[i];
         // GIVEN INSTEAD
         // if (i <= n) out[i] = x[i];
         // END SOLUTION

2. Name it in the chapter as any exercise, ``{exercise} kernels/bias.cu::bias``. The release makes the student's cell,
   ``bias_source = r'''…'''``, and ``check(bias_source)``.

3. Enter cases in the chapter's module (``EXERCISES`` of ``autograder/cases/chNN.py``)::

       def bias_cases(rng: np.random.Generator) -> list[KernelCase]:
           rows, columns = ragged_sizes(rng, 2)
           x, b = floats(rng, rows, columns), floats(rng, columns)
           launch = Launch(
               grid=(blocks_for(columns, 8), blocks_for(rows, 4)),
               block=(8, 4),
               args={"x": x, "b": b, "out": poisoned(rows, columns), "rows": rows, "columns": columns},
               expected={"out": double(x) + double(b)},
           )
           few = (at_most("global_load_sectors", 40, "The lanes of a warp walk along a row."),)
           return [
               result(f"[{rows}, {columns}]", launch, "Which element is this thread's?"),
               clean("no fault in any order", launch, "More threads than elements: who must do nothing?"),
               budget("loads", launch, few, "Neighbours in a warp should read neighbours in memory."),
           ]

       EXERCISES = [KernelExercise("kernels/bias.cu::bias", bias_cases, {"values": 0.5, "clean": 0.2, "cost": 0.3})]

   Every case asks for the right contents of every array: those in ``expected``, and all others as they went in. So a
   kernel that does nothing, or that knows the size of the case that counts, gains nothing. ``clean`` asks besides that
   no fault be reported in several scheduling orders, ``budget`` that counters stay within bounds.

   The first part is the core, without which nothing else counts. For *find the bug* make it ``clean``: what is broken
   often gives the right values by luck, ``{"clean": 0.8, "values": 0.2}``.

4. Take launches that are ragged: sizes that no block divides, a grid larger than the data, rows, columns and depth all
   different. A counted launch may be fixed, as the book's example is. Take budgets from the reference's own counters
   (``python -m kernels counters``) with some slack: compilers may load twice what another keeps, so 1 extra load in 4
   is no mistake. A conflict or a divergent branch that should not be there has no slack: ``at_most(…, 0)``.

Counters are whole numbers that do not depend on the machine, so they are the same in ``check`` and in ``grade``.
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
    "global_store_requests": "store instructions to global memory, a warp each",
    "global_store_sectors": "sectors of 32 bytes stored to global memory",
    "sectors_per_request": "sectors a request, loads and stores of global memory together",
    "atomic_requests": "atomic instructions, a warp each",
    "shared_load_requests": "load instructions from shared memory, a warp each",
    "shared_load_passes": "passes over the banks of shared memory to load",
    "shared_load_conflicts": "passes to load that bank conflicts add",
    "shared_store_requests": "store instructions to shared memory, a warp each",
    "shared_store_passes": "passes over the banks of shared memory to store",
    "shared_store_conflicts": "passes to store that bank conflicts add",
    "barriers": "barriers passed, summed over warps",
    "divergent_branches": "branches at which lanes of a warp part",
}
"""What can be bounded: names of ``kernels``' counters, in words."""

ORDERS = 4
"""Scheduling orders that a clean kernel is run in: first to last, last to first, and two shuffled ones."""

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
    orders: int = 1
    budgets: tuple[Budget, ...] = ()
    part: str = "values"
    advice: str = ""


def result(title: str, launch: Launch, advice: str, part: str = "values") -> KernelCase:
    """Right values; faults that did not spoil them are left to a clean case."""
    return KernelCase(title, launch, part=part, advice=advice)


def clean(title: str, launch: Launch, advice: str, part: str = "clean", orders: int = ORDERS) -> KernelCase:
    """Right values and no fault, in each of ``orders`` scheduling orders."""
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
