"""What can go wrong with a kernel, each told in one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from solutions.errors import CourseError

if TYPE_CHECKING:
    from kernels.emulator.faults import Fault
    from kernels.emulator.launch import Report


class CompileError(CourseError):
    """The text does not compile. ``line`` is the text's own, from 1; None where the compiler names none."""

    def __init__(self, message: str, line: int | None) -> None:
        super().__init__(message if line is None else f"line {line}: {message}")
        self.line = line


class LaunchError(CourseError):
    """The launch was refused before anything ran: a wrong argument, grid, block or amount of shared memory."""


class ToolMissing(CourseError):  # noqa: N818  it names what happened, as KeyError's kin do
    """A compiler or a device that this target needs is not there; the message says what to install."""


class KernelFault(CourseError):  # noqa: N818
    """The kernel did something wrong while it ran."""

    def __init__(self, faults: Sequence[Fault], report: Report | None = None) -> None:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        super().__init__(faults[0].message + more)
        self.faults, self.report = tuple(faults), report
