"""Which requests of a report are meant; and what there is, where there is no such one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from kernels.emulator.counters import Access
from kernels.emulator.launch import Report
from kernels.pictures.lanes import spans
from kernels.pictures.picture import PictureError

ELEMENTS = (1, 2, 4, 8, 16)


@dataclass(frozen=True)
class Request:
    """An access with its number among the chosen ones of its warp, from 1, and how many these are."""

    access: Access
    number: int
    of: int


def choose(report: Report, array: str | None, line: int | None, warp: int | None, block: int) -> list[Request]:
    """The requests, warp after warp, each warp's in their order.

    Raises:
        PictureError: no trace, or none of these in it.
    """
    found = _keep(_trace(report), "block", block, lambda access: access.block, "in the trace")
    touching = f"that touches {array or 'memory'}"
    if array is not None:
        found = _keep(found, "array", array, lambda access: access.array, f"in block {block}")
    if line is not None:
        found = _keep(found, "line", line, lambda access: access.line, f"{touching} in block {block}")
        touching += f" in line {line},"
    if warp is not None:
        found = _keep(found, "warp", warp, lambda access: access.warp, f"{touching} in block {block}")
    chosen = []
    for one in sorted({access.warp for access in found}):
        own = [access for access in found if access.warp == one]
        chosen += [Request(access, position, len(own)) for position, access in enumerate(own, 1)]
    return chosen


def _trace(report: Report) -> Sequence[Access]:
    if not isinstance(report, Report):
        raise PictureError(f"a picture is drawn from the report of kernel.inspect(..., trace=True), "
                           f"not from {type(report).__name__}")
    if report.trace:
        return report.trace
    if report.faults:
        raise PictureError(f"the report has no trace, the launch went wrong; mend it first: {report.faults[0].message}")
    if report.counters.lines:
        raise PictureError("the report has no trace; call inspect(..., trace=True)")
    raise PictureError("the report has no trace; call inspect(..., trace=True) on a launch that touches memory")


def _keep(accesses: Iterable[Access], what: str, wanted: str | int, get: Callable[[Access], str | int],
          where: str) -> list[Access]:
    kept = [access for access in accesses if get(access) == wanted]
    if kept:
        return kept
    there = dict.fromkeys(get(access) for access in accesses)
    texts = [name for name in there if isinstance(name, str)]
    listed = ", ".join(texts) if texts else spans(sorted(number for number in there if isinstance(number, int)))
    are = f"is {what}" if len(there) == 1 else f"are {what}s"
    raise PictureError(f"there is no {what} {wanted!r} {where}; there {are} {listed}")


def element_bytes(report: Report, array: str, element: int | None) -> int:
    """Bytes of one element: as told, or those of the smallest access to the array, at most 4.

    Raises:
        PictureError: no size that an element can have.
    """
    if element is None:
        return min(4, *(access.size for access in report.trace if access.array == array))
    if element not in ELEMENTS:
        raise PictureError(f"element is the number of bytes of one element, {spans(ELEMENTS)}, not {element!r}")
    return element
