"""NVRTC in a process of its own: ``python -m kernels.static.nvrtc WHEEL ARCH``, text on stdin, PTX on stdout.

The library sets the locale of the process that it is loaded into; a program that calls it would suddenly read ASCII.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

from kernels.cuda import OPTIONS


def library(wheel: Path) -> ctypes.CDLL:
    """NVRTC of an unpacked wheel. Its table of built-ins is looked for by name, so it must be in memory already."""
    folder = wheel / ("bin" if sys.platform == "win32" else "lib")
    for builtins in folder.glob("*nvrtc-builtins*"):
        ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
    names = sorted(folder.glob("nvrtc64*.dll" if sys.platform == "win32" else "libnvrtc.so.11*"))
    if not names:
        raise FileNotFoundError(f"no NVRTC in {folder}: install requirements.txt again")
    return ctypes.CDLL(str(names[0]))


def compile_to_ptx(nvrtc: ctypes.CDLL, text: bytes, arch: str) -> tuple[bool, bytes]:
    """(whether it compiled, the PTX or the compiler's log)."""
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, b"kernel.cu", 0, None, None)
    options = [f"--gpu-architecture={arch.replace('sm', 'compute')}".encode(), *(option.encode() for option in OPTIONS)]
    failed = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    what = "ProgramLog" if failed else "PTX"
    size = ctypes.c_size_t()
    getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    room = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{what}")(program, room)
    return not failed, room.raw.rstrip(b"\0")


def main() -> int:
    """Compile stdin."""
    compiled, answer = compile_to_ptx(library(Path(sys.argv[1])), sys.stdin.buffer.read(), sys.argv[2])
    (sys.stdout if compiled else sys.stderr).buffer.write(answer)
    return not compiled


if __name__ == "__main__":
    sys.exit(main())
