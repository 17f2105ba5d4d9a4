"""What the emulator does not do, found before anything is compiled: a clear word with the text's own line.

Most of it NVRTC does not do either: kernels are compiled there on a GPU, so a text that only a host compiler can
compile would mislead.
"""

from __future__ import annotations

import re

from kernels.emulator.toolchain import HERE
from kernels.errors import CompileError
from kernels.signature import plain, without_comments

_STANDARD = (
    "NVRTC, which compiles kernels on a GPU, has no {name}: leave the line out; printf, assert and the functions "
    "of math.h are built in"
)
_HEADERS = {"cooperative_groups.h": "the CPU emulator has no cooperative groups; use __syncthreads() and __syncwarp()",
            "cuda_fp16.h": "the CPU emulator has no half precision; use float",
            "cuda_bf16.h": "the CPU emulator has no bfloat16; use float",
            "mma.h": "the CPU emulator has no tensor cores"}
_WORDS = (
    (r"\b(?:asm|__asm__|__asm)\b", "inline PTX runs on NVIDIA cards only; write it in CUDA C++"),
    (r"<<<", "a kernel is launched from Python: kernel(grid, block, args); there is no host code in a kernel file"),
    (r"\b__activemask\b", "the CPU emulator has no __activemask(): pass the mask of the lanes along"),
    (
        r"\b(?:cudaMalloc|cudaMemcpy|cudaFree|cudaDeviceSynchronize|cudaGetLastError|cudaLaunchKernel)\w*\b",
        "{name} is host code; a kernel file holds device code only",
    ),
    (r"\b(?:__half2?|half2|__nv_bfloat16)\b", "the CPU emulator has no half precision; use float"),
    (
        r"\b(?:tex1D|tex2D|tex3D|tex1Dfetch|cudaTextureObject_t|surf2Dread)\b",
        "the CPU emulator has no textures; read the array",
    ),
    (r"\b__managed__\b", "the CPU emulator has no managed variables; pass an array"),
    (
        r"\b(?:__nanosleep|__pipeline_\w+|__reduce_\w+_sync|__shfl|__shfl_(?:up|down|xor)|__any|__all|__ballot)\b(?=\s*\()",
        "the CPU emulator has no {name}; shuffles and votes are those with _sync and a mask",
    ),
)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]*)[>"]', re.MULTILINE)


def refuse_unsupported(text: str) -> None:
    """Look for what cannot work.

    Raises:
        CompileError: the first such line, and what to do.
    """
    bare = without_comments(text)
    found = [(_line(bare, match.start()), _header(match[1])) for match in _INCLUDE.finditer(bare)]
    code = plain(text)
    for pattern, message in _WORDS:
        found += [(_line(code, match.start()), message.format(name=match[0])) for match in re.finditer(pattern, code)]
    for line, message in sorted((line, message) for line, message in found if message):
        raise CompileError(message, line)


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _header(name: str) -> str:
    if name in _HEADERS:
        return _HEADERS[name]
    if "/" not in name and (HERE / "include" / name).is_file():
        return ""
    return _STANDARD.format(name=f"<{name}>")
