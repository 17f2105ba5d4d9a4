"""A process of its own for student code, with limits, and a conversation with it that believes nothing.

Two levels, found out by trying:

- ``namespaces`` (Linux with ``unshare``): own process, network, IPC and user namespaces. No network; when the first
  process ends, everything that it ever started ends with it.
- ``limits`` (macOS, or where unprivileged namespaces are refused): the same limits without the walls. A process that
  leaves its group outlives the grading until its CPU limit, and the network is there.

In both: a cleared environment, a temporary working folder, nothing on the import path but a blanked copy of the
course, output thrown away, and limits on memory, CPU time, file size, open files, processes and the clock. Neither
hides the file system: student code runs as the user who grades and may read what that user may read. Use an account
without secrets, and not root's: the limit on processes, which stops fork bombs, does not hold for root.
"""

from __future__ import annotations

import contextlib
import functools
import os
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.grade import wire
from autograder.grade.tree import RUNNER, write_tree
from solutions.errors import CourseError

MEBIBYTE = 2**20
START_SECONDS = 30.0
"""A start takes 0.2 s; the limit only ends one that hangs."""

UNSHARE = ("--user", "--net", "--ipc", "--pid", "--fork", "--kill-child")
BOOTSTRAP = (
    "import sys; sys.path.insert(0, sys.argv[1]); sys.dont_write_bytecode = True; "
    f"from importlib import import_module; import_module('{RUNNER}.' + sys.argv[3]).main(int(sys.argv[2]))"
)


@dataclass(frozen=True)
class Limits:
    """What student code may use.

    Attributes:
        call_seconds: clock time of one call, or of running one cell.
        notebook_seconds: clock time of all calls and cells of a notebook together.
        memory_bytes: address space of each process; Python and NumPy take about 150 MB of it.
        reply_bytes: arrays sent back by one call, together.
        compiles: the process starts a compiler (and runs no Python of the student's): files may be larger, and without
            namespaces, where the system counts all of the user's processes, their number has no limit.
    """

    call_seconds: float = 5.0
    notebook_seconds: float = 60.0
    memory_bytes: int = 1024 * MEBIBYTE
    reply_bytes: int = 32 * MEBIBYTE
    compiles: bool = False

    def for_process(self) -> dict[str, int]:
        """The limits that the system enforces, by their names in ``resource``."""
        limits = {
            "AS": self.memory_bytes,
            "CPU": int(self.notebook_seconds) + 5,
            "FSIZE": 256 * MEBIBYTE if self.compiles else MEBIBYTE,
            "NOFILE": 64,
            "CORE": 0,
        }
        if level() == "namespaces" or not self.compiles:
            limits["NPROC"] = 64 if level() == "namespaces" else 0  # counted per namespace, or over all the user's
        return limits


class EndedError(Exception):
    """The student's process is gone, or had to be ended.

    Attributes:
        status: ``"timed out"``, ``"crashed"`` or ``"bad reply"``.
    """

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


@functools.cache
def level() -> str:
    """``"namespaces"`` or ``"limits"``: which walls this machine can put up, found out by trying once.

    Raises:
        CourseError: the system has no resource limits (Windows).
    """
    if os.name != "posix":
        raise CourseError(
            "grading runs student code under limits on memory and processes, which Windows does not have; "
            "run the same command inside WSL 2 (`check` in the notebook works everywhere)"
        )
    unshare, true = shutil.which("unshare"), shutil.which("true")
    if unshare and true:
        attempt = subprocess.run([unshare, *UNSHARE, true], capture_output=True, timeout=30, check=False)
        if attempt.returncode == 0:
            return "namespaces"
    return "limits"


def level_in_words() -> str:
    """The level for a report, with what it does not cover."""
    if level() == "namespaces":
        words = "own processes, no network, limits on memory and time; files of the grading user can be read"
    else:
        words = "limits on memory and time only; the network and files of the grading user can be reached"
    return words + ("; as root, the number of processes has no limit" if os.geteuid() == 0 else "")


class StudentProcess:
    """A running student process; close it when done (it is a context manager)."""

    def __init__(
        self, tree: Mapping[str, bytes], limits: Limits, guard: Sequence[str] = (), program: str = "runner"
    ) -> None:
        """Start ``program`` with ``tree`` as its import path, and the functions in ``guard`` ready to be switched off.

        Raises:
            EndedError: it did not come up.
        """
        self.limits = limits
        self.folder = Path(tempfile.mkdtemp(prefix="course-grade-"))
        self._inner: int | None = None
        write_tree(tree, self.folder / "tree")
        (self.folder / "work").mkdir()
        ours, theirs = socket.socketpair()
        try:
            self._process = self._start(theirs, program)
        except OSError as error:
            ours.close()
            shutil.rmtree(self.folder, ignore_errors=True)
            raise CourseError(f"cannot start a process for student code: {error.strerror}") from error
        finally:
            theirs.close()
        self._socket = ours
        try:
            self._greet(guard)
        except BaseException:
            self.close()
            raise

    def _start(self, theirs: socket.socket, program: str) -> subprocess.Popen[bytes]:
        arguments = [str(self.folder / "tree"), str(theirs.fileno()), program]
        python = [sys.executable, "-I", "-X", "utf8", "-c", BOOTSTRAP, *arguments]
        walls = ["unshare", *UNSHARE, "--"] if level() == "namespaces" else []
        work = str(self.folder / "work")
        environment = {
            **{"PATH": os.defpath, "LANG": "C.UTF-8", "HOME": work, "TMPDIR": work},
            **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
        }
        return subprocess.Popen(
            [*walls, *python],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # thrown away: a flood of output costs no marks and no disk
            stderr=subprocess.DEVNULL,
            cwd=work,
            env=environment,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )

    def _greet(self, guard: Sequence[str]) -> None:
        settings = {
            "limits": self.limits.for_process(),
            "guard": list(guard),
            "reply_limit": self.limits.reply_bytes,
        }
        self.request(settings, [], START_SECONDS)
        if level() == "namespaces":  # the first process inside, before it has run any student code
            children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
            with contextlib.suppress(OSError, ValueError, IndexError):
                self._inner = os.pidfd_open(int(children.read_text().split()[0]))

    def request(self, header: dict[str, Any], chunks: list[bytes], seconds: float) -> tuple[dict[str, Any], bytes]:
        """Send a request and return header and payload of its reply; the process is of no more use after an error.

        Raises:
            EndedError: no reply in ``seconds``, an unreadable one, or none because the process is gone.
        """
        deadline = time.monotonic() + seconds
        ticket = secrets.token_hex(8)
        try:
            if select.select([self._socket], [], [], 0)[0] and self._socket.recv(1, socket.MSG_PEEK):
                raise EndedError("bad reply", "the code wrote to the grader's channel")
            self._socket.settimeout(seconds)
            self._socket.sendall(wire.frame({**header, "id": ticket}, chunks))
            sizes = wire.read_lengths(self._exactly(wire.LENGTHS.size, deadline), self.limits.reply_bytes)
            reply = wire.read_header(self._exactly(sizes[0], deadline))
            payload = self._exactly(sizes[1], deadline)
        except TimeoutError:
            raise EndedError("timed out", f"no result after {seconds:.0f} s: does a loop never end?") from None
        except wire.WireError as error:
            raise EndedError("bad reply", f"the reply cannot be read: {error}") from error
        except OSError:
            raise EndedError("crashed", self._last_words()) from None
        if reply.get("id") != ticket:
            raise EndedError("bad reply", "the code wrote to the grader's channel")
        return reply, payload

    def _exactly(self, count: int, deadline: float) -> bytes:
        parts = []
        while count:
            self._socket.settimeout(max(0.001, deadline - time.monotonic()))
            part = self._socket.recv(min(count, MEBIBYTE))
            if not part:
                raise ConnectionResetError
            parts.append(part)
            count -= len(part)
            if count and time.monotonic() > deadline:
                raise TimeoutError
        return b"".join(parts)

    def _last_words(self) -> str:
        """How the process ended, in words."""
        try:
            status = self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            return "the process closed its channel to the grader"
        number = -status if status < 0 else status - 128
        with contextlib.suppress(ValueError):
            name = signal.Signals(number).name
            memory = " (out of memory?)" if name == "SIGKILL" else ""
            return f"the process was ended by {name}{memory}"
        return f"the process ended with exit status {status}: a notebook must not end its own process"

    def close(self) -> None:
        """End the process and all that it started, and remove its folder."""
        if self._inner is not None:
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(self._inner, signal.SIGKILL)
            os.close(self._inner)
            self._inner = None
        if self._process.returncode is None or level() == "limits":
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._socket.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=5.0)
        _remove(self.folder)

    def __enter__(self) -> StudentProcess:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _remove(folder: Path) -> None:
    """Remove a folder that student code may have made hard to remove."""
    for path, folders, _ in os.walk(folder):
        for name in folders:
            with contextlib.suppress(OSError):
                if not os.path.islink(os.path.join(path, name)):
                    os.chmod(os.path.join(path, name), 0o700)
    shutil.rmtree(folder, ignore_errors=True)
