"""What the checked mode finds, told in one line each: where, who, which array, which element."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

KINDS = (
    "",
    "global-out-of-bounds",
    "shared-out-of-bounds",
    "shared-race",
    "global-race",
    "uninitialised-shared",
    "barrier-divergence",
    "warp-divergence",
    "const-write",
    "misaligned",
    "time-out",
    "nan",
    "stack-overflow",
    "crash",
    "printf-limit",
    "trap",
)
"""By the runtime's FaultKind."""
VARIABLE = 1 << 20
"""The array number of variable 0."""
_SOME_EXITED, _LANE_NOT_IN_MASK, _ABSENT_LANE = 1, 1, 2
_SIGNALS = {
    4: "an illegal instruction",
    7: "a bus error",
    8: "an integer division by zero",
    11: "an access to unmapped memory",
}

Triple = tuple[int, int, int]


@dataclass(frozen=True)
class Fault:
    """One fault of a launch.

    Attributes:
        kind: one of KINDS.
        line: of the source text, from 1.
        message: one line, complete in itself.
        kernel: the kernel launched.
        thread, block: who was caught; None where nobody in particular.
        array: the parameter's or the ``__shared__`` array's name.
        element: its element; below 0 or past the end if out of bounds.
        other_line, other_thread, other_block: the other party of a race, the other barrier.
        count: how often this kind was seen at this line.
    """

    kind: str
    line: int
    message: str
    kernel: str
    thread: Triple | None = None
    block: Triple | None = None
    array: str | None = None
    element: int | None = None
    other_line: int | None = None
    other_thread: Triple | None = None
    other_block: Triple | None = None
    count: int = 1


@dataclass(frozen=True)
class Surroundings:
    """What numbers in a fault's record stand for."""

    kernel: str
    grid: Triple
    block: Triple
    arrays: Sequence[tuple[str, int, int]]
    """(name, bytes, bytes an element) of each pointer argument."""
    shared: Sequence[tuple[str, int]]
    """(name, bytes) of each shared array."""
    variables: Sequence[tuple[str, int]] = ()
    """(name, bytes) of each ``__device__`` and ``__constant__`` variable."""
    trap: str = ""


def describe(record: Sequence[int], around: Surroundings) -> Fault:
    """Turn a record of the runtime into a fault with a message."""
    return _Story(record, around).fault()


class _Story:
    def __init__(self, record: Sequence[int], around: Surroundings) -> None:
        (code, self.line, self.other_line, self.array, self.offset, self.size, write, self.detail, self.extra,
         *position, self.other_thread, self.other_block, self.count) = record
        self.kind = KINDS[code]
        self.around = around
        self.thread: Triple = (position[0], position[1], position[2])
        self.block: Triple = (position[3], position[4], position[5])
        self.verb = "writes" if write else "reads"
        self.name, self.bytes, self.unit = self._array()

    def _array(self) -> tuple[str | None, int, int]:
        if self.array >= VARIABLE:
            name, size = self.around.variables[self.array - VARIABLE]
            return name, size, self.size or 4
        if self.array >= 0:
            name, size, unit = self.around.arrays[self.array]
            return name, size, unit
        if self.array <= -2:
            name, size = self.around.shared[-2 - self.array]
            return name, size, self.size or 4
        return None, 0, 1

    def fault(self) -> Fault:
        """The record as a Fault."""
        what = getattr(self, "_" + self.kind.replace("-", "_"))()
        where = f"line {self.line}: " if self.line else ""
        times = f" ({self.count:,} times)" if self.count > 1 else ""
        known = self.name is not None
        race = self.kind in ("shared-race", "global-race")
        return Fault(
            kind=self.kind,
            line=self.line,
            message=f"{where}{self.around.kernel}: {what}{times}",
            kernel=self.around.kernel,
            thread=self.thread,
            block=self.block,
            array=self.name,
            element=self.offset // self.unit if known else None,
            other_line=self.other_line or None,
            other_thread=_triple(self.other_thread, self.around.block) if self.other_thread >= 0 else None,
            other_block=_triple(self.other_block, self.around.grid) if race and self.other_block >= 0 else None,
            count=self.count,
        )

    @property
    def _who(self) -> str:
        return f"thread {_text(self.thread)} of block {_text(self.block)}"

    @property
    def _element(self) -> str:
        return f"{self.name}[{self.offset // self.unit}]"

    def _global_out_of_bounds(self) -> str:
        if self.name is None:
            return f"{self._who} {self.verb} {self.size} bytes at address {self.offset:#x}, far from every array"
        held = f"{self.name} has {self.bytes // self.unit} elements"
        return f"{self._who} {self.verb} {self._element}, but {held} (out of bounds)"

    def _shared_out_of_bounds(self) -> str:
        if self.name is None:
            return f"{self._who} {self.verb} shared memory outside of every __shared__ array"
        return (f"{self._who} {self.verb} {self.size} bytes at byte {self.offset} of __shared__ {self.name}, "
                f"which has {self.bytes} bytes (out of bounds)")

    def _race(self) -> str:
        other = f"thread {_text(_triple(self.other_thread, self.around.block))}"
        if self.kind == "global-race" and self.other_block >= 0:
            other += f" of block {_text(_triple(self.other_block, self.around.grid))}"
        return (f"race on {self._element}: {self._who} {self.verb} it here, {other} uses it in line {self.other_line}, "
                "and nothing orders the two")

    _shared_race = _race
    _global_race = _race

    def _uninitialised_shared(self) -> str:
        return (
            f"{self._who} reads byte {self.offset} of __shared__ {self.name}, which no thread of the block has written"
        )

    def _barrier_divergence(self) -> str:
        other = _text(_triple(self.other_thread, self.around.block))
        if self.detail == _SOME_EXITED:
            return (
                f"__syncthreads() is reached by {self.offset} threads of block {_text(self.block)}, {self.extra} have "
                f"returned without it, thread {other} for one"
            )
        if self.other_line == self.line:
            return f"{self._who} waits at this __syncthreads(), thread {other} at the same one in another call"
        return f"{self._who} waits at this __syncthreads(), thread {other} at the one in line {self.other_line}"

    def _warp_divergence(self) -> str:
        if self.detail == _LANE_NOT_IN_MASK:
            return f"{self._who} calls a warp operation whose mask {self.offset:#010x} leaves its own lane out"
        if self.detail == _ABSENT_LANE:
            return f"{self._who} reads a value from lane {self.offset}, which takes no part in the shuffle"
        missing = f"lane {self.extra} never comes" if self.extra >= 0 else "its lanes wait for different operations"
        other = (
            f"; threads of the block wait at the __syncthreads() in line {self.other_line}" if self.other_line else ""
        )
        return f"{self._who} waits in a warp operation with mask {self.offset:#010x}, but {missing}{other}"

    def _const_write(self) -> str:
        return f"{self._who} writes {self._element}, but {self.name} is const"

    def _misaligned(self) -> str:
        return (f"{self._who} {self.verb} {self.size} bytes at byte {self.offset} of {self.name}: "
                f"the address must be a multiple of {self.size}")

    def _time_out(self) -> str:
        return f"{self._who} was still running here when its time was up; an endless loop?"

    def _nan(self) -> str:
        return f"{self._who} writes NaN to {self._element}"

    def _stack_overflow(self) -> str:
        return f"{self._who} has used up its stack; a function that calls itself without end?"

    def _crash(self) -> str:
        return f"{self._who} crashed: {_SIGNALS.get(self.detail, f'signal {self.detail}')}"

    def _printf_limit(self) -> str:
        return f"printf has printed {self.offset >> 20} MB, as much as a GPU keeps; the rest is lost"

    def _trap(self) -> str:
        return f"{self._who} stopped the launch: {self.around.trap}"


def _triple(linear: int, extent: Triple) -> Triple:
    return linear % extent[0], linear // extent[0] % extent[1], linear // extent[0] // extent[1]


def _text(triple: Triple) -> str:
    return f"({triple[0]}, {triple[1]}, {triple[2]})"
