"""The compiler of this machine, and its options for each of the emulator's builds.

g++ and clang++ are taken where they are; else the ``ziglang`` wheel from PyPI, which holds a clang. Kernels are
compiled to assembly, annotated, and linked with the runtime.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from solutions.errors import CourseError

MISSING = ("no C++ compiler for the kernel emulator; install one (Debian, Ubuntu, WSL 2: apt install g++) or, with pip "
           "alone: pip install ziglang")
HERE = Path(__file__).parent


def _words(options: str) -> list[str]:
    return options.split()


_COMMON = _words("""-std=c++17 -fPIC -g1 -fno-exceptions -fno-asynchronous-unwind-tables -fvisibility=hidden -fwrapv -w
    -fno-delete-null-pointer-checks -fno-strict-aliasing -fno-optimize-sibling-calls -ffp-contract=fast
    -fno-math-errno""")
# Device functions are inlined as nvcc inlines them: one place in the source is one place in the machine code. And
# products and sums are fused wherever nvcc fuses them; gcc tuned for AMD's CPUs would leave sums in loops unfused.
_GCC = _words("""-fno-extern-tls-init -fno-reorder-blocks-and-partition -fmax-errors=20 --param avoid-fma-max-bits=0
    --param max-inline-insns-auto=100000 --param max-inline-insns-single=100000 --param large-function-growth=100000
    --param inline-unit-growth=100000 --param large-stack-frame-growth=100000""")
_CLANG = _words("-fno-finite-loops -ferror-limit=20 -mllvm -inline-threshold=100000")
# One access in the source is one call of a hook: nothing is merged, doubled, split, vectorised or made a memset.
_GCC_CHECKED = _words("""-O1 -fexpensive-optimizations -fsanitize=thread -fsanitize-coverage=trace-pc
    -fno-tree-vectorize -fno-tree-sra -fno-tree-loop-distribute-patterns -finline-functions -finline-small-functions
    -fno-thread-jumps -fno-tree-dominator-opts --param tsan-instrument-func-entry-exit=0""")
_CLANG_CHECKED = _words("""-O2 -fsanitize=thread -fsanitize-coverage=trace-pc -fno-vectorize -fno-slp-vectorize
    -fno-unroll-loops -fno-builtin-memset -fno-builtin-memcpy -mllvm -tsan-instrument-func-entry-exit=0
    -mllvm -tsan-instrument-read-before-write=1 -mllvm -sanitizer-coverage-prune-blocks=0
    -mllvm -instcombine-code-sinking=0""")
_FAST = ["-O3"]


@dataclass(frozen=True)
class Toolchain:
    """One compiler: the command in front of every option, its family and its version text."""

    command: tuple[str, ...]
    family: str
    version: str

    def compile_options(self, build: str) -> list[str]:
        """Options from a kernel's text to assembly. ``build`` is ``checked``, ``fibers`` or ``loop``."""
        clang = self.family != "gcc"
        options = [*_COMMON, *(_CLANG if clang else _GCC)]
        options += self._plain_options() if build == "checked" else native_options()
        if build == "checked":
            options += _CLANG_CHECKED if clang else _GCC_CHECKED
        else:
            options += _FAST
        if self.family == "zig":
            options += ["-fno-sanitize=undefined", "-fno-stack-protector"]
        return [*options, f"-DEMU_{build.upper()}", f"-I{HERE / 'include'}", "-include", "cuda_on_cpu.h"]

    def link_command(self, objects: list[str], output: str, libraries: list[str]) -> list[str]:
        """Assemble and link a shared library that needs the C library only."""
        system = ["-nostdlib"] if self.family == "zig" else ["-lm"]  # zig would build a C++ library first: 84 s
        return [*self.command[:-1], self._plain(), "-shared", "-o", output, *objects, *libraries, "-Wl,-z,now", *system]

    def runtime_command(self, output: str) -> list[str]:
        """Compile the runtime itself."""
        sources = sorted(str(path) for path in (HERE / "runtime").glob("*.cpp"))
        plain = ["-nostdlib"] if self.family == "zig" else ["-lpthread", "-ldl"]
        return [
            *self.command[:-1],
            self._plain(),
            "-x",
            "c++",
            "-std=c++17",
            "-O2",
            "-fPIC",
            "-shared",
            "-fno-exceptions",
            "-fno-rtti",
            "-fwrapv",
            "-fvisibility=hidden",
            "-fno-threadsafe-statics",
            "-ftls-model=initial-exec",
            "-fno-strict-aliasing",
            *native_options(),
            *(["-fno-sanitize=undefined"] if self.family == "zig" else []),
            "-Wl,-z,now",
            "-o",
            output,
            *sources,
            *plain,
        ]

    def _plain_options(self) -> list[str]:
        """For counters that are the same on every machine: no more of the CPU than its fused multiply-add."""
        if platform.machine() == "aarch64":
            return []
        fused = has_fused_multiply_add()
        if self.family == "zig":  # names CPUs in its own way
            return ["-mcpu=x86_64+fma" if fused else "-mcpu=x86_64"]
        return ["-mtune=generic", *(["-mfma"] if fused else [])]

    def _plain(self) -> str:
        return {"g++": "gcc", "clang++": "clang", "c++": "cc"}.get(self.command[-1], self.command[-1])


@functools.cache
def find() -> Toolchain:
    """The compiler to use.

    Raises:
        CourseError: there is none, or this system has none that the emulator knows.
    """
    if sys.platform != "linux":
        raise CourseError(f"the kernel emulator runs on Linux and in WSL 2, not on {sys.platform}; use target=\"cuda\"")
    if platform.machine() not in ("x86_64", "aarch64"):
        raise CourseError(f'the kernel emulator knows x86_64 and aarch64, not {platform.machine()}; use target="cuda"')
    for name, family in (("g++", "gcc"), ("clang++", "clang")):
        if (path := shutil.which(name)) and (version := _version([path])):
            return Toolchain((name,), family, version)
    if importlib.util.find_spec("ziglang") is not None:
        command = (sys.executable, "-m", "ziglang", "c++")
        if version := _version(list(command)):
            return Toolchain(command, "zig", version)
    raise CourseError(MISSING)


def _version(command: list[str]) -> str:
    try:
        answer = subprocess.run([*command, "--version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout.splitlines()[0] if answer.returncode == 0 and answer.stdout else ""


def native_options() -> list[str]:
    """Use what this CPU has. Cached objects are kept apart by :func:`cpu_key`."""
    return ["-mcpu=native"] if platform.machine() == "aarch64" else ["-march=native"]


@functools.cache
def cpu_key() -> str:
    """Tells apart CPUs of different abilities: a cache folder may be shared by several machines."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = platform.processor()
    flags = next((line for line in text.splitlines() if line.startswith(("flags", "Features"))), "")
    return hashlib.sha256((platform.machine() + flags).encode()).hexdigest()[:12]


@functools.cache
def has_fused_multiply_add() -> bool:
    """Whether this CPU, and so the checked build, fuses a multiplication and an addition as a GPU does."""
    if platform.machine() == "aarch64":
        return True
    try:
        return " fma " in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


@functools.cache
def source_key() -> str:
    """A hash of the runtime, the headers and this package's passes: a new version never meets old objects."""
    digest = hashlib.sha256()
    for path in sorted([*HERE.glob("include/*"), *HERE.glob("runtime/*"), HERE / "annotate.py", HERE / "toolchain.py"]):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def worker_count() -> int:
    """Workers for one launch: the CPUs that this process may use, 16 at most."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(16, count))
