"""Launches of a student's kernel, compiled and run in a process of their own, behind the walls of student code.

How far the figures can be believed. Arrays come back as raw bytes and are compared here, so values are as safe as those
of a Python exercise: right bytes have to be worked out by somebody. Faults and counters are made by the emulator in the
process that runs the kernel. A kernel that could run code of its own choice there could forge them. To do so it would
have to get past three things: the reading of its text (``kernel_lint``: no calls but to its own functions and CUDA's),
the emulator's checks (every access to arrays and shared memory is looked at before it is made), and the compiler's own
(an index that leaves a local array is not looked at by either). Someone who writes over a return address through a
local array can claim 0 faults and 0 loads; the values must still be right, and the text is there to be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from autograder.cases.kernel_case import KernelCase, Launch
from autograder.cases.kernel_compare import Run
from autograder.grade import wire
from autograder.grade.kernel_report import launch_request, read_run
from autograder.grade.kernel_runner import CACHE, ROOT_FILE
from autograder.grade.released import COURSE_ROOT
from autograder.grade.sandbox import MEBIBYTE, EndedError, Limits, StudentProcess
from autograder.grade.session import plain_text
from autograder.grade.tree import KERNEL_RUNNER_FILES, RUNNER, runner_files

LAUNCH_CALLS = 4
"""A launch may take as long as four calls: the first one compiles, 0.5 s alone and 5 s on a busy machine."""

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
        text: the student's kernel, which ``kernel_lint`` has let through.
        kernel: its name.
        limits: what a notebook's code may use.
        seconds: what is left of the notebook's time.
    """

    def __init__(self, text: str, kernel: str, limits: Limits, seconds: float) -> None:
        self._text, self._kernel = text, kernel
        self._limits = replace(
            limits,
            call_seconds=LAUNCH_CALLS * limits.call_seconds,
            notebook_seconds=seconds,
            memory_bytes=max(limits.memory_bytes, MEMORY_BYTES),
            compiles=True,
        )
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

    def runs(self, case: KernelCase) -> list[Run]:
        """The launches of a case, one for each of its scheduling orders; cases that share a launch share its runs.

        Raises:
            UncompiledError: the text does not compile.
            EndedError: the process has ended, or had to be.
        """
        return [self._run(case.launch, order) for order in case.orders]

    def _run(self, launch: Launch, order: int) -> Run:
        if (launch, order) not in self._runs:
            self._runs[launch, order] = self._ask(launch, order)
        return self._runs[launch, order]

    def _ask(self, launch: Launch, order: int) -> Run:
        if self._process is None:
            self._process = StudentProcess(kernel_tree(), self._limits, program="kernel_runner")
        header, chunks = launch_request(self._text, self._kernel, launch, order)
        try:
            seconds = min(self._limits.call_seconds, self._limits.notebook_seconds)
            reply, payload = self._process.request(header, chunks, seconds)
            if "refused" not in reply:
                return read_run(reply, payload, launch)
        except wire.WireError as error:
            self._stop()
            raise EndedError("bad reply", f"the reply cannot be read: {error}") from error
        except EndedError:
            self._stop()
            raise
        if reply.get("stage") == "compile":
            raise UncompiledError(plain_text(reply["refused"]))
        return Run({}, refused=plain_text(reply["refused"]))
