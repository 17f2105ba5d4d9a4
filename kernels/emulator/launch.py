"""A kernel file on the emulator: launches on NumPy arrays, with a report of what every thread did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernels.arguments import Launch
from kernels.emulator import toolchain
from kernels.emulator.build import Built, build
from kernels.emulator.counters import Access, Counters
from kernels.emulator.faults import VARIABLE, Fault, Surroundings, describe
from kernels.emulator.machine import ChildProcess, machine
from kernels.emulator.placed import Placed
from kernels.emulator.tally import accesses, tally
from kernels.errors import KernelFault, LaunchError
from kernels.signature import Signature
from kernels.source import Source

SHARED_LIMIT = 48 * 1024
"""Shared memory of one block, static and dynamic, that every card of the course has."""
STEP_LIMIT = 20_000_000
"""Basic blocks that one thread may run in checked mode (about 0.2 s) before it counts as endless."""
TIME_LIMIT = 60.0
"""Seconds for one launch, in any mode."""
TRACE_LIMIT = 20_000


@dataclass(frozen=True)
class InspectOptions:
    """How to run a checked launch.

    Attributes:
        order: 0 runs blocks, warps and lanes in their order, 1 backwards, each higher number in another mixed order.
        nan: report a NaN written to a float array.
        trace: keep every request of a tiny launch.
        step_limit: basic blocks that one thread may run.
    """

    order: int = 0
    nan: bool = False
    trace: bool = False
    step_limit: int = STEP_LIMIT


@dataclass(frozen=True)
class Report:
    """What a checked launch did."""

    faults: tuple[Fault, ...]
    counters: Counters
    trace: tuple[Access, ...]
    printed: str


class EmulatorTarget:
    """The kernels of one text on this CPU, compiled when they are first needed.

    Args:
        source: the text.
        signatures: its kernels.
        mode: ``checked`` or ``fast``.
        isolate: run in a process of its own; ``False`` spares a copy for kernels that are trusted.
    """

    name = "emulator"
    array_type: type[Any] = np.ndarray

    def __init__(self, source: Source, signatures: Sequence[Signature], mode: str, *, isolate: bool = True) -> None:
        self._source, self._mode = source, mode
        self._names = tuple(signature.name for signature in signatures)
        self._signatures = {signature.name: signature for signature in signatures}
        self._machine = machine(isolate)
        if isinstance(self._machine, ChildProcess):
            self._machine.start()
        self._built: dict[str, Built] = {}
        self._parameters: dict[str, list[tuple[str, int, bool, bool]]] = {}
        self._build("checked" if mode == "checked" else self._first_fast_build())

    def _first_fast_build(self) -> str:
        waits = ("__syncthreads", "__syncwarp", "_sync", "__shared__", "cooperative_groups")
        return "fibers" if any(word in self._source.text for word in waits) else "loop"

    def _build(self, kind: str) -> Built:
        if kind not in self._built:
            self._built[kind] = build(self._source.text, self._names, kind)
            if not self._parameters:
                self._parameters = self._machine.parameters(self._built[kind].library)
        return self._built[kind]

    def _build_for(self, kernel: str, checked: bool) -> Built:
        """Fast, a kernel that never waits is a plain loop over its threads; only the compiler's calls can tell."""
        if checked:
            return self._build("checked")
        first = self._build(self._first_fast_build())
        return first if first.waits[self._names.index(kernel)] else self._build("loop")

    def launch(self, kernel: str, launch: Launch, stream: Any) -> None:
        """Run one launch; arrays are changed in place.

        Raises:
            KernelFault: something went wrong while it ran.
            LaunchError: more shared memory than a block can have; arrays that overlap; a stream.
        """
        if stream is not None:
            raise LaunchError(f"{kernel}: the emulator has no streams; leave stream away")
        faults, report = self._run(kernel, launch, self._mode == "checked", InspectOptions())
        if faults:
            raise KernelFault(faults, report)

    def inspect(self, kernel: str, launch: Launch, options: InspectOptions) -> Report:
        """Run one launch under check, whatever the mode, and report."""
        _, report = self._run(kernel, launch, True, options)
        assert report is not None
        return report

    def _run(
        self, kernel: str, launch: Launch, checked: bool, options: InspectOptions
    ) -> tuple[tuple[Fault, ...], Report | None]:
        built = self._build_for(kernel, checked)
        self._check_shared(kernel, built, launch)
        placed = Placed(launch, self._parameters[kernel])
        job = self._job(kernel, launch, placed, built, checked, options)
        with self._machine.lock:  # one launch at a time: from copying in to copying out the memory is this launch's
            view = self._machine.memory(placed.size)
            placed.copy_in(view)
            answer = self._machine.run(built.library, job, TIME_LIMIT)
            placed.copy_out(view)
        faults = self._faults(kernel, launch, built, answer)
        if isinstance(self._machine, ChildProcess) and any(
            f.kind in ("crash", "stack-overflow", "time-out") for f in faults
        ):
            self._machine.restart()
        return faults, self._report(kernel, launch, built, answer, faults) if checked else None

    def _check_shared(self, kernel: str, built: Built, launch: Launch) -> None:
        static = sum(array.size for array in built.shared if array.size and f"{len(kernel)}{kernel}" in array.symbol)
        if static + launch.shared > SHARED_LIMIT:
            raise LaunchError(
                f"{kernel}: {static:,} bytes of __shared__ arrays and {launch.shared:,} bytes of dynamic shared "
                f"memory are more than the {SHARED_LIMIT:,} bytes that a block can have"
            )

    def _job(self, kernel: str, launch: Launch, placed: Placed, built: Built, checked: bool,
             options: InspectOptions) -> dict[str, Any]:
        blocks = launch.grid[0] * launch.grid[1] * launch.grid[2]
        # One worker where the order of requests or of printed lines is looked at.
        alone = options.trace or "printf" in self._source.text or "__threadfence" in self._source.text
        return {"kernel": kernel, "grid": launch.grid, "block": launch.block, "shared": launch.shared,
                "values": placed.values, "arrays": placed.arrays, "checked": int(checked), "order": options.order,
                "workers": 1 if alone else min(toolchain.worker_count(), blocks), "nan": int(options.nan),
                "trace": TRACE_LIMIT if options.trace else 0, "steps": options.step_limit, "sites": len(built.sites)}

    def _faults(self, kernel: str, launch: Launch, built: Built, answer: dict[str, Any]) -> tuple[Fault, ...]:
        if "error" in answer:
            raise LaunchError(f"{kernel}: the emulator could not load the compiled kernel: {answer['error']}")
        if "lost" in answer:
            status = answer["lost"]
            why = f"signal {-status}" if status < 0 else f"status {status}"
            message = f"{kernel}: the process that ran the kernel ended ({why}); run it in checked mode to see the line"
            return (Fault("crash", 0, message, kernel),)
        signature = self._signatures[kernel]
        arrays = [
            (p.name, array.nbytes, size) for p, array, size in _pointers(signature, launch, self._parameters[kernel])
        ]
        shared = [(array.name, array.size or launch.shared) for array in built.shared]
        variables = [(variable.name, variable.size) for variable in built.variables]
        around = Surroundings(kernel, launch.grid, launch.block, arrays, shared, variables, answer.get("trap", ""))
        unique: dict[tuple[object, ...], Fault] = {}
        for record in answer["faults"]:
            fault = describe(record, around)
            unique.setdefault((fault.kind, fault.line, fault.array, fault.other_line), fault)
        return tuple(sorted(unique.values(), key=lambda fault: (fault.line, fault.kind)))

    def _report(
        self, kernel: str, launch: Launch, built: Built, answer: dict[str, Any], faults: tuple[Fault, ...]
    ) -> Report:
        threads = int(np.prod(launch.grid, dtype=np.int64)) * int(np.prod(launch.block, dtype=np.int64))
        counters = tally(built.sites, answer.get("counts", []), answer.get("totals", [0, 0, 0, 0]), threads,
                         fused=toolchain.has_fused_multiply_add(), scalar=toolchain.find().family == "gcc")
        pointers = [p.name for p, _, _ in _pointers(self._signatures[kernel], launch, self._parameters[kernel])]
        rows = answer.get("trace", [])
        if rows and not rows[-1]:
            raise LaunchError(f"{kernel}: more than {TRACE_LIMIT:,} requests to trace; trace a smaller launch")
        names = {
            **dict(enumerate(pointers)),
            **{-2 - number: array.name for number, array in enumerate(built.shared)},
            **{VARIABLE + number: variable.name for number, variable in enumerate(built.variables)},
        }
        trace = accesses(rows, built.sites, names)
        return Report(faults, counters, trace, answer.get("printed", ""))


def _pointers(
    signature: Signature, launch: Launch, kinds: Sequence[tuple[str, int, bool, bool]]
) -> list[tuple[Any, Any, int]]:
    """(parameter, array, bytes an element) of each pointer argument that is not null."""
    found = zip(signature.parameters, launch.values, kinds, strict=True)
    return [(parameter, value, kind[1]) for parameter, value, kind in found if kind[0] == "p" and value is not None]
