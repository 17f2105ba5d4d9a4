"""The verdict on one kernel case, from what its launches left behind, in words that a student understands."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.cases.kernel_case import COUNTERS, Budget, KernelCase, KernelExercise, Launch

if TYPE_CHECKING:
    from kernels.emulator.counters import Counters
    from kernels.emulator.faults import Fault

LEFT_RUNNING = ("shared-race", "global-race", "uninitialised-shared", "nan", "printf-limit")
"""Faults behind which a launch goes on, so that its values can be right: they cost the clean cases alone. Any other
ends it, wherever its blocks are at that moment, and leaves nothing to compare."""

LINE = re.compile(r"line (\d+): ")
NOT_TRIED = "not tried after the case before"
OTHER_ORDER = "right when threads run first to last, wrong when they run in another order, as on a GPU they may:"

_LOAD, _STORE = ("load",), ("store",)
_SUMS = {
    "global_load_requests": ("global", _LOAD, "requests"),
    "global_load_sectors": ("global", _LOAD, "sectors"),
    "global_store_requests": ("global", _STORE, "requests"),
    "global_store_sectors": ("global", _STORE, "sectors"),
    "global_requests": ("global", _LOAD + _STORE, "requests"),
    "global_sectors": ("global", _LOAD + _STORE, "sectors"),
    "atomic_requests": ("", ("atomic",), "requests"),
    "shared_load_requests": ("shared", _LOAD, "requests"),
    "shared_load_passes": ("shared", _LOAD, "passes"),
    "shared_load_conflicts": ("shared", _LOAD, "conflicts"),
    "shared_store_requests": ("shared", _STORE, "requests"),
    "shared_store_passes": ("shared", _STORE, "passes"),
    "shared_store_conflicts": ("shared", _STORE, "conflicts"),
    "shared_conflicts": ("shared", _LOAD + _STORE, "conflicts"),
}
"""Counter → memory (either if empty), kinds of access, and the figure of a line: what adds up to it."""

PER_REQUEST = "_sectors_per_request"


@dataclass(frozen=True)
class Run:
    """What one launch left behind.

    Attributes:
        arrays: name of the argument → the array after the launch.
        faults: what the emulator reports, the first one first.
        counters: what the launch cost.
        refused: why nothing came back (an argument too few, a process that ended); empty if something did.
        ended: the process had to be ended, or ended itself.
    """

    arrays: Mapping[str, Any]
    faults: Sequence[Fault] = ()
    counters: Counters | None = None
    refused: str = ""
    ended: bool = False

    @property
    def hung(self) -> bool:
        """Whether the launch did not end by itself; another try would take as long."""
        return self.ended or any(fault.kind == "time-out" for fault in self.faults)


class Trial:
    """Cases tried on one text, in turn; what hangs is not tried again.

    Args:
        exercise: its parts, the core first.
        launch: runs a launch in a scheduling order.
        text: the student's kernel, to show lines of it.
    """

    def __init__(self, exercise: KernelExercise, launch: Callable[[Launch, int], Run], text: str) -> None:
        self._core = next(iter(exercise.parts))
        self._launch, self._text = launch, text
        self._lost: set[str] = set()

    def message(self, case: KernelCase) -> str | None:
        """What is wrong, in a few lines; None if nothing is.

        After a launch that hung, the rest of its part is lost anyway, and of the whole exercise if it was the core.
        """
        if self._lost & {self._core, case.part}:
            return NOT_TRIED

        def run(order: int) -> Run:
            done = self._launch(case.launch, order)
            if done.hung:
                self._lost.add(case.part)
            return done

        return verdict(case, run, self._text)


def verdict(case: KernelCase, run: Callable[[int], Run], text: str) -> str | None:
    """None if the launches did what the case asks; otherwise what is wrong, in a few lines.

    Args:
        case: the case.
        run: launches in a scheduling order; no more are run after one that went wrong.
        text: the student's kernel, to show lines of it.
    """
    source = text.split("\n")
    counters = None
    for order in case.orders:
        done = run(order)
        told = _run_differs(case, done, source)
        if told:
            return "\n".join([*([OTHER_ORDER] if order != case.orders[0] else []), *told])
        counters = counters or done.counters
    return next(filter(None, (_over(budget, counters, source) for budget in case.budgets)), None)


def _run_differs(case: KernelCase, run: Run, source: Sequence[str]) -> list[str]:
    """Faults and wrong values of one launch, a few lines; none if there are neither."""
    if run.refused:
        return [run.refused]
    ended = [fault for fault in run.faults if fault.kind not in LEFT_RUNNING]
    if ended:
        return told_fault(ended[0], source)
    values = _values_differ(case.launch, run)
    counted = run.faults if len(case.orders) > 1 or values else ()
    told = told_fault(counted[0], source) if counted else []
    kinds = len({(fault.kind, fault.line) for fault in counted})
    if kinds > 1:
        told.append(f"and {kinds - 1} more {'fault' if kinds == 2 else 'faults'} at other lines or of other kinds")
    return [*told, *([values] if values else [])]


def _values_differ(launch: Launch, run: Run) -> str | None:
    for name in launch.expected:
        message = launch.wrong(name, run.arrays.get(name))
        if message:
            return f"{name} after the launch: {message}"
    for name, before in launch.args.items():
        if isinstance(before, np.ndarray) and name not in launch.expected:
            after = run.arrays.get(name)
            if not isinstance(after, np.ndarray) or after.tobytes() != before.tobytes():
                return f"it changed {name}, which is only to be read"
    return None


def told_fault(fault: Fault, source: Sequence[str]) -> list[str]:
    """A fault: what and where, and the lines of the text that it names."""
    lines = dict.fromkeys(line for line in (fault.line, fault.other_line) if line)
    return [fault.message, *filter(None, (shown_line(line, source) for line in lines))]


def with_line(message: str, text: str) -> str:
    """A message that begins with ``line 7:``, and below it that line of the text; any other message as it is."""
    named = LINE.match(message)
    shown = shown_line(int(named[1]), text.split("\n")) if named else ""
    return f"{message}\n{shown}" if shown else message


def shown_line(line: int, source: Sequence[str]) -> str:
    """``"    12 | sum += a[i];"``, or nothing if there is no such line."""
    return f"{line:6} | {source[line - 1].strip()}" if 1 <= line <= len(source) else ""


def measured(counter: str, counters: Counters) -> float:
    """The value of a counter of :data:`autograder.cases.kernel_case.COUNTERS`; 0 where nothing was requested."""
    if counter.endswith(PER_REQUEST):
        kind = counter.removesuffix(PER_REQUEST)
        requests = measured(f"{kind}_requests", counters)
        return measured(f"{kind}_sectors", counters) / requests if requests else 0.0
    if counter in _SUMS:
        return sum(figure for figure, _ in _by_line(counter, counters))
    return float(getattr(counters, counter))


def _by_line(counter: str, counters: Counters) -> list[tuple[int, int]]:
    """(figure, line) of each line that adds to a counter."""
    if counter == "divergent_branches":
        return [(branch.divergent, branch.line) for branch in counters.branches]
    space, operations, figure = _SUMS.get(counter, ("", (), ""))
    return [
        (getattr(line, figure), line.line)
        for line in counters.lines
        if line.op in operations and space in ("", line.space)
    ]


def _over(budget: Budget, counters: Counters | None, source: Sequence[str]) -> str | None:
    """What a counter is and what it should be, and the line that costs most."""
    if counters is None:
        return "the launch was not counted"
    value = measured(budget.counter, counters)
    if budget.at_most is not None and value > budget.at_most:
        bound = f"at most {_figure(budget.at_most)}"
    elif budget.at_least is not None and value < budget.at_least:
        bound = f"at least {_figure(budget.at_least)}"
    else:
        return None
    told = f"{budget.counter} is {_figure(value)}, to be {bound} ({COUNTERS[budget.counter]})"
    lines = [told, *([budget.why] if budget.why else [])]
    if budget.at_most is not None and value > budget.at_most:
        lines += _costliest(budget.counter, counters, source)
    return "\n".join(lines)


def _costliest(counter: str, counters: Counters, source: Sequence[str]) -> list[str]:
    """The line that adds most to a counter, or has the worst ratio."""
    kind = counter.removesuffix(PER_REQUEST)
    if kind != counter:
        sectors, requests = _by_line(f"{kind}_sectors", counters), _by_line(f"{kind}_requests", counters)
        costs = [(s / r, line) for (s, line), (r, _) in zip(sectors, requests, strict=True) if r]
    else:
        costs = [(float(figure), line) for figure, line in _by_line(counter, counters)]
    most, line = max(costs, default=(0.0, 0))
    shown = shown_line(line, source)
    return [f"line {line} has most of it, {_figure(most)}:", shown] if most and shown else []


def _figure(value: float) -> str:
    """``"301,056"``, ``"4.5"``."""
    return f"{int(value):,}" if float(value).is_integer() else f"{value:,.2f}"
