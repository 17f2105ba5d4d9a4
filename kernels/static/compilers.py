"""Asks the compilers: NVRTC 11.7 and ptxas for NVIDIA's older cards, nvcc for Hopper, hipcc for AMD's.

No GPU is needed. Answers are kept by content, as the emulator's objects are: a second report asks nobody.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from kernels.errors import CompileError, ToolMissing
from kernels.source import HERE, Source
from kernels.static.resources import Resources, read_ptxas, read_remarks
from solutions.mnist import cache_folder

SECONDS = 300
NVRTC_ARCHITECTURES = ("sm_53", "sm_61", "sm_75", "sm_87")
"""Those that CUDA 11.7 compiles for; Hopper came with 11.8."""
_NEED_WHEELS = "install requirements.txt: it has nvidia-cuda-nvrtc-cu11 and nvidia-cuda-nvcc-cu11"
_NEED_NVCC = "needs nvcc of CUDA 11.8 or newer on the PATH: https://developer.nvidia.com/cuda-downloads"
_NEED_HIPCC = "needs hipcc: apt install hipcc (Debian, Ubuntu)"


def resources(source: Source, arch: str) -> tuple[Resources, ...]:
    """Every kernel of a text on one architecture.

    Raises:
        ToolMissing: a compiler is not there; the message says what to install.
        CompileError: the text does not compile for it.
    """
    ask = _ask_hipcc if arch.startswith("gfx") else _ask_nvrtc if arch in NVRTC_ARCHITECTURES else _ask_nvcc
    reader = Path(__file__).with_name("resources.py").read_bytes() + Path(__file__).read_bytes()
    key = hashlib.sha256(repr((source.text, arch, reader, _tool(arch))).encode()).hexdigest()[:24]
    kept = cache_folder(os.environ, sys.platform, "kernels") / f"static-{arch}-{key}.json"
    if kept.exists():
        return tuple(Resources(**row) for row in json.loads(kept.read_text(encoding="utf-8")))
    found = ask(source, arch)
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=kept.parent, delete=False, encoding="utf-8") as handle:
        json.dump([asdict(row) for row in found], handle)
    os.replace(handle.name, kept)
    return found


def _tool(arch: str) -> str:
    """The path of what would compile: another tool, another answer."""
    if arch in NVRTC_ARCHITECTURES:
        return "11.7"
    return shutil.which("hipcc" if arch.startswith("gfx") else "nvcc") or ""


def _ask_nvrtc(source: Source, arch: str) -> tuple[Resources, ...]:
    ptx = _to_ptx(source, arch)
    with tempfile.TemporaryDirectory() as room:
        (Path(room) / "kernel.ptx").write_bytes(ptx)
        said = _run([str(_ptxas()), "-v", f"--gpu-name={arch}", "-o", "kernel.cubin", "kernel.ptx"], room, "ptxas")
    return read_ptxas(said)


def _ask_nvcc(source: Source, arch: str) -> tuple[Resources, ...]:
    if shutil.which("nvcc") is None:
        raise ToolMissing(_NEED_NVCC)
    with tempfile.TemporaryDirectory() as room:
        (Path(room) / "kernel.cu").write_text(source.text, encoding="utf-8")
        command = ["nvcc", "-std=c++17", f"-arch={arch}", "-cubin", "-Xptxas", "-v", "-o", "kernel.cubin", "kernel.cu"]
        return read_ptxas(_run(command, room, "nvcc"))


def _ask_hipcc(source: Source, arch: str) -> tuple[Resources, ...]:
    if shutil.which("hipcc") is None:
        raise ToolMissing(_NEED_HIPCC)
    with tempfile.TemporaryDirectory() as room:
        (Path(room) / "kernel.cu").write_text(source.text, encoding="utf-8")
        command = ["hipcc", f"--offload-arch={arch}", "-x", "hip", "-std=c++17", "-include", "hip/hip_runtime.h", "-c",
                   "--cuda-device-only", "-O3", "-Rpass-analysis=kernel-resource-usage", "-o", "kernel.o", "kernel.cu"]
        return read_remarks(_run(command, room, "hipcc"))


def _run(command: list[str], room: str, name: str) -> str:
    environment = {**os.environ, "LC_ALL": "C", "HIP_PLATFORM": "amd"}
    try:
        answer = subprocess.run(command, cwd=room, env=environment, capture_output=True, text=True, errors="replace",
                                timeout=SECONDS, check=False, stdin=subprocess.DEVNULL)
    except OSError as error:
        raise ToolMissing(f"cannot start {name}: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise CompileError(f"{name} was stopped after {SECONDS} s", None) from None
    said = answer.stdout + answer.stderr
    if answer.returncode:
        lines = [line for line in said.splitlines() if "error" in line or "fatal" in line] or said.splitlines() or ["-"]
        raise CompileError(f"{name}: {lines[0].strip()}", None)
    return said


def _wheel(package: str) -> Path:
    found = importlib.util.find_spec("nvidia")
    for folder in found.submodule_search_locations or () if found else ():
        if (Path(folder) / package).is_dir():
            return Path(folder) / package
    raise ToolMissing(f"the compiler of CUDA 11.7 is not there: {_NEED_WHEELS} (Linux and Windows, x86-64)")


def _ptxas() -> Path:
    return _wheel("cuda_nvcc") / "bin" / ("ptxas.exe" if sys.platform == "win32" else "ptxas")


def _to_ptx(source: Source, arch: str) -> bytes:
    from kernels.cuda import translate

    command = [sys.executable, "-m", "kernels.static.nvrtc", str(_wheel("cuda_nvrtc")), arch]
    answer = subprocess.run(command, cwd=HERE.parent, input=source.text.encode(), capture_output=True, timeout=SECONDS,
                            check=False)
    if answer.returncode:
        raise translate(RuntimeError(answer.stderr.decode(errors="replace")))
    return answer.stdout
