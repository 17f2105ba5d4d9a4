"""Launches of a student's kernel, compiled and run in a process of their own, behind the walls of student code.

How far the figures can be believed. Arrays come back as raw bytes and are compared here, so values are as safe as those
of a Python exercise: right bytes have to be worked out by somebody. Faults and counters are made by the emulator in the
process that runs the kernel. A kernel that could run code of its own choice there could forge them. To do so it would
have to get past three things: the reading of its text (``lint``: no calls but to its own functions and CUDA's),
the emulator's checks (every access to arrays and shared memory is looked at before it is made), and the compiler's own
(an index that leaves a local array is not looked at by either). Someone who writes over a return address through a
local array can claim 0 faults and 0 loads; the values must still be right, and the text is there to be read.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from autograder.cases.kernel_case import Launch
from autograder.cases.kernel_compare import Run
from autograder.grade import wire
from autograder.grade.kernel_runner import CACHE, ROOT_FILE
from autograder.grade.released import COURSE_ROOT
from autograder.grade.sandbox import MEBIBYTE, EndedError, Limits, StudentProcess
from autograder.grade.session import plain_text
from autograder.grade.tree import KERNEL_RUNNER_FILES, RUNNER, runner_files
from autograder.kernels.report import launch_request, read_run

COMPILE_CALLS, LAUNCH_CALLS = 3, 2
"""Compiling may take as long as three calls, 0.5 s alone and 5 s on a busy machine; a launch as long as two."""

MEMORY_BYTES = 4096 * MEBIBYTE
"""Address space of each process: a block of 1024 threads has 64 MB of stacks, for each of up to 16 workers."""


class UncompiledError(Exception):
    """The text does not compile; says why, with the line."""


@cache
def kernel_tree() -> Mapping[str, bytes]:
    """Files for a kernel's process: the runner, where the course is, and the emulator's runtime, compiled beforehand.

    Raises:
        CourseError: there is no compiler on this machine.
    """
    from kernels.emulator.build import runtime

    library = runtime()
    return {
        **runner_files(KERNEL_RUNNER_FILES),
        f"{RUNNER}/{ROOT_FILE}": str(COURSE_ROOT).encode(),
        f"{RUNNER}/{CACHE}/{library.parent.name}/{library.name}": library.read_bytes(),
    }


class KernelSession:
    """Launches of one text; the process starts with the first, and again after it has ended.

    Args:
        text: the student's kernel, which ``lint`` has let through.
        kernel: its name.
        limits: what a notebook's code may use.
        seconds: what is left of the notebook's time.
    """

    def __init__(self, text: str, kernel: str, limits: Limits, seconds: float) -> None:
        self._text, self._kernel = text, kernel
        self._limits = replace(
            limits,
            notebook_seconds=max(seconds, 1.0),
            memory_bytes=max(limits.memory_bytes, MEMORY_BYTES),
            compiles=True,
        )
        self._end = time.monotonic() + seconds
        self._process: StudentProcess | None = None
        self._runs: dict[tuple[Launch, int], Run] = {}

    def __enter__(self) -> KernelSession:
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop()

    def _stop(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None

    def run(self, launch: Launch, order: int) -> Run:
        """A launch in a scheduling order; cases that share it share the run.

        Raises:
            UncompiledError: the text does not compile.
            EndedError: the process has ended, or had to be.
        """
        if (launch, order) not in self._runs:
            self._start()
            reply, payload = self._request(*launch_request(launch, order), LAUNCH_CALLS)
            self._runs[launch, order] = self._read(reply, payload, launch)
        return self._runs[launch, order]

    def _read(self, reply: dict[str, Any], payload: bytes, launch: Launch) -> Run:
        if "refused" in reply:
            return Run({}, refused=plain_text(reply["refused"]))
        try:
            return read_run(reply, payload, launch)
        except wire.WireError as error:
            self._stop()
            raise EndedError("bad reply", f"the reply cannot be read: {error}") from error

    def _start(self) -> None:
        """Bring the process up, and compile in it."""
        if self._process is not None:
            return
        self._process = StudentProcess(kernel_tree(), self._limits, program="kernel_runner")
        try:
            reply, _ = self._request({"op": "compile", "text": self._text, "kernel": self._kernel}, [], COMPILE_CALLS)
        except EndedError as error:
            if time.monotonic() >= self._end:
                raise
            late = f"the compiler had not finished after {COMPILE_CALLS * self._limits.call_seconds:.0f} s"
            why = f"{late}: what does it have to unfold?" if error.status == "timed out" else str(error)
            raise UncompiledError(why) from error
        if "refused" in reply:
            raise UncompiledError(plain_text(reply["refused"]))

    def _request(self, header: dict[str, Any], chunks: list[bytes], calls: int) -> tuple[dict[str, Any], bytes]:
        """One request that may take as long as some calls, within the notebook's time."""
        assert self._process is not None
        left = self._end - time.monotonic()
        try:
            if left <= 0:
                raise EndedError("timed out", "not tried: the notebook had used up its time")
            return self._process.request(header, chunks, min(calls * self._limits.call_seconds, left))
        except EndedError:
            self._stop()
            raise
