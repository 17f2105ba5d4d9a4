"""Where a launch runs: in a process of its own, which may crash or hang, or, for trusted kernels, in this one."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import mmap
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, Protocol

from kernels.emulator import worker
from kernels.emulator.build import runtime
from kernels.emulator.native import Runtime
from solutions.errors import CourseError

GRACE_SECONDS = 3.0
"""From telling a launch that its time is up until its process is ended."""


class Machine(Protocol):
    """Runs compiled kernel files on arrays in a memory that the caller can see.

    Its memory holds the arrays of one launch: whoever launches takes ``lock``.
    """

    lock: threading.RLock

    def memory(self, size: int) -> memoryview:
        """At least ``size`` bytes; what was there before may be gone."""

    def parameters(self, library: Path) -> dict[str, list[tuple[str, int, bool, bool]]]:
        """Each kernel's parameters."""

    def run(self, library: Path, job: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Run one launch; an answer with ``lost`` says that the process died or had to be ended."""


class OwnProcess:
    """Launches in this process: no copy to another one, and no protection from the kernel."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._runtime = Runtime(str(runtime()))
        self._memory: mmap.mmap | None = None
        self._base = 0

    def memory(self, size: int) -> memoryview:
        """Memory of this process, 4096-byte aligned."""
        if self._memory is None or len(self._memory) < size:
            self._memory = mmap.mmap(-1, _room_for(size))
            self._base = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        return memoryview(self._memory)

    def parameters(self, library: Path) -> dict[str, list[tuple[str, int, bool, bool]]]:
        """See :class:`Machine`."""
        module = self._runtime.module(str(library))
        return {name: module.parameters(name) for name in module.kernels}

    def run(self, library: Path, job: dict[str, Any], seconds: float) -> dict[str, Any]:
        """See :class:`Machine`; ``seconds`` cannot be kept here, the checked mode's limit of steps can."""
        return self._runtime.module(str(library)).launch(job, self._base)


class ChildProcess:
    """Launches in a child that is started when first needed and again when it was lost."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None
        self._memory: mmap.mmap | None = None
        self._descriptor = -1
        self._told = False
        self.lock = threading.RLock()
        self._owner = os.getpid()
        atexit.register(self.close)

    def start(self) -> None:
        """Start the child; while a kernel compiles it comes up beside it."""
        if self._owner != os.getpid():  # after a fork: the parent's child is not ours to talk to
            self._child, self._channel, self._memory, self._descriptor = None, None, None, -1
            self._owner = os.getpid()
        if self._child is not None and self._child.poll() is None:
            return
        self._drop()
        ours, theirs = socket.socketpair()
        try:
            self._child = subprocess.Popen(
                [sys.executable, "-I", "-S", worker.__file__, str(theirs.fileno())], pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except OSError as error:
            raise CourseError(f"cannot start the process that runs kernels: {error.strerror}") from error
        finally:
            theirs.close()
        self._channel, self._told = ours, False

    def memory(self, size: int) -> memoryview:
        """Memory that the child maps too."""
        if self._owner != os.getpid():
            self.start()
        if self._memory is None or len(self._memory) < size:
            if self._descriptor >= 0:
                os.close(self._descriptor)
            self._descriptor = _shared_file(_room_for(size))
            self._memory, self._told = mmap.mmap(self._descriptor, 0), False
        return memoryview(self._memory)

    def parameters(self, library: Path) -> dict[str, list[tuple[str, int, bool, bool]]]:
        """See :class:`Machine`."""
        answer = self._ask({"what": "parameters", "library": str(library)}, 60.0)
        if "parameters" not in answer:
            raise CourseError(
                f"the process that runs kernels could not load {library.name}: "
                f"{answer.get('error', 'it ended')}; delete the cache folder {library.parent} and try again"
            )
        return {name: [tuple(p) for p in found] for name, found in answer["parameters"].items()}

    def run(self, library: Path, job: dict[str, Any], seconds: float) -> dict[str, Any]:
        """See :class:`Machine`."""
        return self._ask({"what": "launch", "library": str(library), "job": job}, seconds)

    def _ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        with self.lock:
            self.start()
            assert self._channel is not None
            told = () if self._told or self._descriptor < 0 else (self._descriptor,)
            try:
                worker.send(self._channel, {"runtime": str(runtime()), **request}, told)
                self._told = self._told or bool(told)
                answer = self._wait(seconds)
            except KeyboardInterrupt:
                self._drop()
                raise
            except OSError:
                answer = None
            if answer is None:
                status = self._end()
                return {"faults": [], "lost": status}
            return answer

    def _wait(self, seconds: float) -> dict[str, Any] | None:
        assert self._channel is not None
        assert self._child is not None
        ready, _, _ = select.select([self._channel], [], [], seconds)
        if not ready:
            self._child.send_signal(signal.SIGUSR2)  # the runtime notes the line and stops
            ready, _, _ = select.select([self._channel], [], [], GRACE_SECONDS)
            if not ready:
                self._child.kill()
                return None
        answer, _ = worker.receive(self._channel)
        return answer

    def _end(self) -> int:
        assert self._child is not None
        try:
            status = self._child.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
            status = self._child.wait()
        self._drop()
        return status

    def restart(self) -> None:
        """After a crash the child's memory may be damaged: the next launch gets a new one."""
        self._drop()

    def _drop(self) -> None:
        if self._channel is not None:
            self._channel.close()
        if self._child is not None:
            if self._child.poll() is None:
                self._child.kill()
            self._child.wait()
        self._child, self._channel, self._told = None, None, False

    def close(self) -> None:
        """End the child."""
        if self._owner == os.getpid():
            with contextlib.suppress(OSError):
                self._drop()


def _room_for(size: int) -> int:
    return max(1 << 20, -(-size * 5 // 4) // 65536 * 65536 + 65536)


def _shared_file(size: int) -> int:
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("kernel-arrays")
    else:
        with tempfile.TemporaryFile() as handle:
            descriptor = os.dup(handle.fileno())
    try:
        os.ftruncate(descriptor, size)
    except OSError as error:
        os.close(descriptor)
        raise CourseError(f"cannot get {size / 1e6:.0f} MB for the kernel's arrays: {error.strerror}") from error
    return descriptor


_machines: dict[bool, Machine] = {}


def machine(isolate: bool) -> Machine:
    """The machine that all modules of this process share."""
    if isolate not in _machines:
        _machines[isolate] = ChildProcess() if isolate else OwnProcess()
    return _machines[isolate]
