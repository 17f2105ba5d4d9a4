"""The program in the process that compiles and launches a student's kernel: sends back raw bytes, and judges nothing.

It gets a text that the grader has read through, arrays and a launch. It has no expected values, cases or budgets.

The student's process loads this file by itself: standard library, NumPy, and the course's ``kernels``, from where the
course is. What is compiled stays in the process's own folder, where the runtime lies ready.
"""

from __future__ import annotations

import contextlib
import os
import resource
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import wire
from .runner import Connection, limit_resources

if TYPE_CHECKING:
    from kernels.module import Kernel

ROOT_FILE, CACHE = "root.txt", "cache"
FAULT_LIMIT = 100
COMPILER_BYTES = 1536 * 2**20
"""Address space of a compiler; g++ takes 0.2 GB for the course's longest file."""


def compiled(text: str, name: str) -> Kernel:
    """The kernel ``name`` of a text, with less memory for the compiler than for the launches after it.

    Raises:
        CourseError: it does not compile.
    """
    from kernels import load
    from kernels.emulator.machine import ChildProcess, machine

    launcher = machine(isolate=True)
    if isinstance(launcher, ChildProcess):
        launcher.start()  # now: what is started later has the compiler's limit
    with _less_memory(COMPILER_BYTES):
        return load(text, target="emulator", mode="checked")[name]


@contextlib.contextmanager
def _less_memory(size: int) -> Iterator[None]:
    before, most = resource.getrlimit(resource.RLIMIT_AS)
    with contextlib.suppress(ValueError, OSError):  # macOS refuses
        resource.setrlimit(resource.RLIMIT_AS, (size, most))
    try:
        yield
    finally:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (before, most))


def launched(kernel: Kernel, request: dict[str, Any], payload: bytes, limit: int) -> tuple[dict[str, Any], list[bytes]]:
    """Launch; header and chunks of the reply, the arrays at most ``limit`` bytes.

    Raises:
        CourseError: the launch is refused.
    """
    given = [wire.unpack(node, payload) for node in request["arguments"]]
    grid, block = tuple(request["grid"]), tuple(request["block"])
    report = kernel.inspect(grid, block, given, shared=request["shared"], order=request["order"])
    packer = wire.Packer(limit=limit)
    return {
        "arguments": [packer.pack(a if isinstance(a, np.ndarray) else None) for a in given],
        "faults": [asdict(fault) for fault in report.faults[:FAULT_LIMIT]],
        "counters": asdict(report.counters),
    }, packer.chunks


def main(descriptor: int) -> None:
    """Serve requests until the grader hangs up: one ``compile``, then launches."""
    connection = Connection(descriptor)
    settings, _ = connection.receive()
    limit_resources(settings["limits"])
    here = Path(__file__).parent
    sys.path.append((here / ROOT_FILE).read_text(encoding="utf-8"))
    os.environ["COURSE_CACHE"] = str(here / CACHE)
    connection.send({"id": settings["id"], "numpy": np.__version__}, [])
    from solutions.errors import CourseError

    kernel: Any = None
    while True:
        request, payload = connection.receive()
        header: dict[str, Any] = {}
        chunks: list[bytes] = []
        try:
            if request["op"] == "compile":
                kernel = compiled(request["text"], request["kernel"])
            else:
                header, chunks = launched(kernel, request, payload, settings["reply_limit"])
        except CourseError as error:
            header = {"refused": str(error)}
        connection.send({**header, "id": request["id"]}, chunks)
