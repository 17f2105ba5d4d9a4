"""Kernels with one planted mistake each, and kernels that only look wrong: what the emulator's check is held against.

Each kernel is a file of ``planted_kernels/`` whose kernel has the file's name. Comments in the text say what is to be
found, so that a line can move without anything else changing:

    // FAULT: kind array ...   the mistake, and the arrays that may be named (none: no array is named)
    // OR                      another line where the same fault may be seen, such as the other party of a race
    // ALSO: kind              what may follow from the mistake at this line, beside it, in some orders

A file without a FAULT is right: nothing may be reported, in any order, and the results are those of ``reference``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from kernels.emulator.faults import KINDS, Fault
from kernels.emulator.launch import STEP_LIMIT, Report
from kernels.module import Module

FOLDER = Path(__file__).parent / "planted_kernels"
SEED = 20240611
UNNAMED = ("time-out", "stack-overflow", "crash", "trap", "printf-limit", "barrier-divergence", "warp-divergence")
"""Kinds that are about no array."""
_MARK = re.compile(r"// (FAULT|ALSO): ([a-z-]+)((?: \w+)*)|// (OR)\b")

Arrays = dict[str, Any]
Inputs = Callable[[np.random.Generator], Arrays]
Reference = Callable[[Arrays], Arrays]


@dataclass(frozen=True)
class Expected:
    """What the comments of a text promise: lines from 1."""

    kind: str
    arrays: tuple[str, ...]
    lines: frozenset[int]
    also: frozenset[tuple[str, int]]


@dataclass(frozen=True)
class Planted:
    """A planted kernel and how to launch it.

    Attributes:
        name: of the file and of the kernel.
        inputs: arguments by the kernel's parameter names, in their order, from a seeded generator.
        reference: right results, by the names of the arrays, of a kernel that is right; from fresh inputs.
        shared: bytes of dynamic shared memory.
        nan: whether to look for NaN.
        step_limit: basic blocks a thread may run.
        unordered: results whose elements may come in any order.
    """

    name: str
    grid: Any
    block: Any
    inputs: Inputs
    reference: Reference | None = None
    shared: int = 0
    nan: bool = False
    step_limit: int = STEP_LIMIT
    unordered: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """The file."""
        return FOLDER / f"{self.name}.cu"

    @cached_property
    def expected(self) -> Expected | None:
        """What must be found; None: nothing.

        Raises:
            ValueError: the comments name no kind of fault, or more than one.
        """
        return read_marks(self.path.read_text(encoding="utf-8"))

    def fresh(self) -> Arrays:
        """New arguments, the same each time."""
        return self.inputs(np.random.default_rng(SEED))

    def inspect(self, module: Module, order: int) -> tuple[Report, Arrays]:
        """One checked launch: its report, and the arguments as the kernel left them."""
        arguments = self.fresh()
        report = module[self.name].inspect(self.grid, self.block, list(arguments.values()), self.shared, order=order,
                                           nan=self.nan, step_limit=self.step_limit)
        return report, arguments


def read_marks(text: str) -> Expected | None:
    """The FAULT, OR and ALSO comments of a text.

    Raises:
        ValueError: an unknown kind, two kinds, or marks without a FAULT.
    """
    kinds: set[str] = set()
    arrays: list[str] = []
    lines: set[int] = set()
    also: set[tuple[str, int]] = set()
    for number, line in enumerate(text.splitlines(), 1):
        for what, kind, names, other in _MARK.findall(line):
            if not other and kind not in KINDS[1:]:
                raise ValueError(f"line {number}: {kind} is no kind of fault")
            if what == "ALSO":
                also.add((kind, number))
                continue
            lines.add(number)
            if what == "FAULT":
                kinds.add(kind)
                arrays += names.split()
    if len(kinds) > 1 or ((lines or also) and not kinds):
        raise ValueError(f"one FAULT a text, not {sorted(kinds)}")
    return Expected(kinds.pop(), tuple(arrays), frozenset(lines), frozenset(also)) if kinds else None


def problems(case: Planted, faults: Sequence[Fault], arguments: Arrays) -> list[str]:
    """How a report differs from what the case promises: a sentence each; empty if it does not."""
    expected = case.expected
    if expected is None:
        return [f"reported, though the kernel is right: {fault.message}" for fault in faults]
    found, other = [], []
    for fault in faults:
        if fault.kind == expected.kind and fault.line in expected.lines:
            found.append(fault)
        elif (fault.kind, fault.line) not in expected.also:
            other.append(f"reported beside the mistake: {fault.kind}: {fault.message}")
    if not found:
        other.append(f"no {expected.kind} at the lines {sorted(expected.lines)}")
    for fault in found:
        other += [f"{wrong}: {fault.message}" for wrong in _wrong_details(case, expected, fault, arguments)]
    return other


def _wrong_details(case: Planted, expected: Expected, fault: Fault, arguments: Arrays) -> list[str]:
    """What the fault or its message says wrongly, or leaves out: line, kernel, thread, block, array, element."""
    wrong = []
    if not fault.message.startswith(f"line {fault.line}: {case.name}: ") or "\n" in fault.message:
        wrong.append("the message is not one line that begins with line and kernel")
    if expected.kind != "printf-limit":
        wrong += _wrong_place(case, expected, fault)
    if expected.kind in UNNAMED or not expected.arrays:
        return wrong + ([f"{fault.array} is named"] if fault.array else [])
    if fault.array not in expected.arrays:
        wrong.append(f"{fault.array} is named, not {' or '.join(expected.arrays)}")
    elif not re.search(rf"\b{fault.array}\b", fault.message.partition(f"{case.name}: ")[2]):
        wrong.append(f"the message does not name {fault.array}")
    if expected.kind == "global-out-of-bounds" and fault.array in arguments and fault.element is not None:
        size = arguments[fault.array].size
        vectors = 3 if "float4" in case.path.read_text(encoding="utf-8") else 0
        if 0 <= fault.element < size - vectors:
            wrong.append(f"element {fault.element} is inside of {fault.array}")
    if expected.kind.endswith("-race") and fault.other_line not in expected.lines:
        wrong.append(f"line {fault.other_line} is named as the other party")
    return wrong


def _wrong_place(case: Planted, expected: Expected, fault: Fault) -> list[str]:
    wrong = []
    for what, place, extent in (("thread", fault.thread, case.block), ("block", fault.block, case.grid)):
        size = (*(extent if isinstance(extent, tuple) else (extent,)), 1, 1)[:3]
        if place is None or not all(0 <= p < e for p, e in zip(place, size, strict=True)):
            wrong.append(f"{what} {place} is not of the launch")
        elif what == "thread" and expected.kind == "barrier-divergence":
            continue  # said of so many threads, not of one
        elif f"{what} ({place[0]}, {place[1]}, {place[2]})" not in fault.message:
            wrong.append(f"the message does not name {what} {place}")
    return wrong


# ---- inputs --------------------------------------------------------------------------------------------------------
def f(rng: np.random.Generator, *shape: int) -> np.ndarray[Any, Any]:
    """Normal numbers in single precision."""
    return rng.standard_normal(shape).astype(np.float32)


def whole(rng: np.random.Generator, below: int, *shape: int) -> np.ndarray[Any, Any]:
    """Whole numbers from 0, 32 bits."""
    return rng.integers(0, below, shape).astype(np.int32)


def z(*shape: int) -> np.ndarray[Any, Any]:
    """Zeros in single precision."""
    return np.zeros(shape, np.float32)


def zi(*shape: int) -> np.ndarray[Any, Any]:
    """Zeros of 32 bits."""
    return np.zeros(shape, np.int32)


def masked_scores(rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Scores [3, 40]; the middle row is masked as a whole, the last in part."""
    x = f(rng, 3, 40)
    x[1], x[2, 7:] = -np.inf, -np.inf
    return x


def close_numbers(rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """[2, 10240]: a row of 256 with one 255, as in the report, and a harmless row."""
    x = f(rng, 2, 10240)
    x[0] = 256.0
    x[0, -1] = 255.0
    return x


def changed(array: np.ndarray[Any, Any], place: Any, value: Any) -> np.ndarray[Any, Any]:
    """The array itself, with one place set."""
    array[place] = value
    return array
