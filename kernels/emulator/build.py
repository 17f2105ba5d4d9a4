"""From a kernel's text to a shared library of this machine, once: results are kept by content."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from kernels.emulator import toolchain
from kernels.emulator.annotate import SOURCE_NAME, Annotated, SharedArray, Variable, annotate
from kernels.emulator.lanes import lanes
from kernels.emulator.unsupported import refuse_unsupported
from kernels.errors import CompileError
from solutions.errors import CourseError
from solutions.mnist import cache_folder

BUILDS = ("checked", "fibers", "loop")
COMPILE_SECONDS = 120
"""A text that keeps the compiler busy longer is refused: templates can be made to run for ever."""
_MESSAGE = re.compile(rf"^(?:.*/)?{re.escape(SOURCE_NAME)}:(\d+):(?:(\d+):)?\s*(?:fatal )?error:\s*(.*)$", re.MULTILINE)
_OTHER_MESSAGE = re.compile(r"error:\s*(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Built:
    """A compiled kernel file."""

    library: Path
    sites: list[tuple[int, int, int, int, int, int]]
    """(line, kind, size, branch_line, fused, flops) of each site, by number; empty in a fast build."""
    shared: list[SharedArray]
    variables: list[Variable]
    waits: list[bool]
    """For each kernel, in order: can it reach a barrier or a warp operation?"""


def runtime() -> Path:
    """The runtime library, compiled on first use (about 2 s with g++ 12)."""
    compiler = toolchain.find()
    target = _folder() / f"runtime-{_key('', compiler.runtime_command(''))}.so"
    if not target.exists():
        with _room() as room:
            output = Path(room) / "runtime.so"
            _run(compiler.runtime_command(str(output)), "the emulator's runtime does not compile")
            _keep(output, target)
    return target


def build(text: str, kernels: tuple[str, ...], mode: str) -> Built:
    """Compile a kernel file.

    Args:
        text: CUDA C++.
        kernels: names, or template instances such as ``mm<16>``, in the order of the table.
        mode: one of BUILDS.

    Raises:
        CompileError: with the text's own line.
        CourseError: there is no compiler, or the cache folder cannot be written.
    """
    refuse_unsupported(text)
    compiler = toolchain.find()
    options = compiler.compile_options(mode)
    extra = lanes(text, kernels, SOURCE_NAME) if mode == "loop" else ""
    key = _key("\0".join((text, *kernels, extra)), [*compiler.command, *options])
    library, notes = _folder() / f"{mode}-{key}.so", _folder() / f"{mode}-{key}.json"
    if not library.exists() or not notes.exists():
        with _room() as room:
            annotated = _compile(compiler, options, text, kernels, mode, Path(room), extra)
            _link(compiler, Path(room))
            _write_notes(annotated, mode, Path(room) / "notes.json")
            _keep(Path(room) / "notes.json", notes)
            _keep(Path(room) / "kernel.so", library)
    return _read_notes(library, notes)


def _compile(compiler: toolchain.Toolchain, options: list[str], text: str, kernels: tuple[str, ...], mode: str,
             room: Path, extra: str) -> Annotated:
    (room / SOURCE_NAME).write_text(text, encoding="utf-8")
    _assemble(compiler, options, kernels, room, extra)
    annotated = annotate(
        (room / "table.s").read_text(encoding="utf-8"), checked=mode == "checked", machine=platform.machine()
    )
    (room / "kernel.s").write_text(annotated.text, encoding="utf-8")
    return annotated


def _assemble(compiler: toolchain.Toolchain, options: list[str], kernels: tuple[str, ...], room: Path,
              extra: str) -> None:
    table = "".join(f'EMU_KERNEL("{name}", {name})\n' for name in kernels)
    (room / "table.cpp").write_text(
        f'#include "{SOURCE_NAME}"\n{extra}EMU_KERNELS_BEGIN\n{table}EMU_KERNELS_END\n', encoding="utf-8"
    )
    try:
        _run([*compiler.command, *options, "-S", "table.cpp", "-o", "table.s"], "the kernel does not compile", room)
    except CompileError:
        if not extra:
            raise
        _assemble(compiler, options, kernels, room, "")  # only the text's own errors are told


def _link(compiler: toolchain.Toolchain, room: Path) -> None:
    library = runtime()
    _run(compiler.link_command(["kernel.s"], "kernel.so", [str(library), f"-Wl,-rpath,{library.parent}"]),
         "the kernel does not link", room)


def _run(command: list[str], problem: str, room: Path | None = None) -> None:
    try:
        answer = subprocess.run(
            command,
            cwd=room,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=COMPILE_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
        )
    except subprocess.TimeoutExpired:
        raise CompileError(f"{problem}: the compiler was stopped after {COMPILE_SECONDS} s", None) from None
    except OSError as error:
        raise CourseError(f"cannot start {command[0]}: {error.strerror}; {toolchain.MISSING}") from error
    if answer.returncode == 0:
        return
    if match := _MESSAGE.search(answer.stderr):
        raise CompileError(match[3].strip(), int(match[1]))
    other = _OTHER_MESSAGE.search(answer.stderr)
    reason = (
        other[1]
        if other
        else (answer.stderr.strip().splitlines() or [f"{command[0]} ended with status {answer.returncode}"])[-1]
    )
    raise CompileError(f"{problem}: {reason.strip()}", None)


def _folder() -> Path:
    folder = cache_folder(os.environ, sys.platform, "kernels")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CourseError(
            f"cannot make the cache folder {folder}: {error.strerror}; set COURSE_CACHE to a folder"
        ) from error
    return folder


def _room() -> tempfile.TemporaryDirectory[str]:
    # In the cache folder: a rename is then within one file system, and two processes never share a room.
    try:
        return tempfile.TemporaryDirectory(dir=_folder(), prefix="building-", ignore_cleanup_errors=True)
    except OSError as error:
        raise CourseError(
            f"cannot write to the cache folder {_folder()}: {error.strerror}; set COURSE_CACHE to a folder"
        ) from error


def _keep(made: Path, target: Path) -> None:
    with made.open("rb+") as handle:
        os.fsync(handle.fileno())
    os.replace(made, target)


def _key(text: str, command: list[str]) -> str:
    compiler = toolchain.find()
    parts = (text, "\0".join(command), compiler.version, toolchain.cpu_key(), toolchain.source_key())
    return hashlib.sha256("\0\0".join(parts).encode()).hexdigest()[:24]


def _write_notes(annotated: Annotated, mode: str, path: Path) -> None:
    sites = (
        [(s.line, s.kind, s.size, s.branch_line, s.fused, s.flops) for s in annotated.sites]
        if mode == "checked"
        else []
    )
    notes = {
        "sites": sites,
        "shared": [asdict(array) for array in annotated.shared],
        "variables": [asdict(variable) for variable in annotated.variables],
        "waits": annotated.waits,
    }
    path.write_text(json.dumps(notes), encoding="utf-8")


def _read_notes(library: Path, path: Path) -> Built:
    notes = json.loads(path.read_text(encoding="utf-8"))
    return Built(
        library,
        [tuple(site) for site in notes["sites"]],
        [SharedArray(**array) for array in notes["shared"]],
        [Variable(**variable) for variable in notes["variables"]],
        notes["waits"],
    )


def clear() -> None:
    """Forget all compiled kernels."""
    shutil.rmtree(_folder(), ignore_errors=True)
