"""How many passes over the banks does one warp's access to shared memory take? Asked of a card, pattern by pattern.

Each launch is one warp with one access of 4, 8 or 16 bytes a lane, at addresses that a pattern gives. The committed
answers (``banks`` in ``benchmarks/results/gpu_truth.json``) are what the emulator's model of the banks is held against.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

WORDS = 4096
"""Of shared memory: 16 KB."""
SIZES = (4, 8, 16)
LANES = 32
ALL = 0xFFFFFFFF
SEED = 7

Shape = tuple[str, np.ndarray[Any, Any], int]
"""(name, element of each lane, mask)."""

_TYPES = {4: "float", 8: "float2", 16: "float4"}
_SUM = {4: "v", 8: "v.x + v.y", 16: "v.x + v.y + v.z + v.w"}
_MAKE = {4: "1.0f", 8: "make_float2(1.0f, 2.0f)", 16: "make_float4(1.0f, 2.0f, 3.0f, 4.0f)"}


@dataclass(frozen=True)
class Pattern:
    """One access: ``index`` has the element (of ``size`` bytes) of each lane, ``mask`` the lanes that take part."""

    name: str
    op: str
    size: int
    index: tuple[int, ...]
    mask: int = ALL

    @property
    def kernel(self) -> str:
        """Its kernel's name."""
        return f"banks_{self.op}{self.size}"


def source() -> str:
    """A kernel for each operation and size. Beside the access itself every access is free of conflicts."""
    parts = []
    for size in SIZES:
        kind = _TYPES[size]
        parts.append(f"""
extern "C" __global__ void banks_load{size}(const int* index, unsigned mask, float* out) {{
    __shared__ __align__(16) float s[{WORDS}];
    for (int i = threadIdx.x; i < {WORDS}; i += 32) s[i] = i;
    __syncwarp();
    if (mask >> threadIdx.x & 1) {{
        {kind} v = reinterpret_cast<{kind}*>(s)[index[threadIdx.x]];
        out[threadIdx.x] = {_SUM[size]};
    }}
}}
extern "C" __global__ void banks_store{size}(const int* index, unsigned mask, float* out) {{
    __shared__ __align__(16) float s[{WORDS}];
    if (mask >> threadIdx.x & 1) reinterpret_cast<{kind}*>(s)[index[threadIdx.x]] = {_MAKE[size]};
    __syncwarp();
    out[threadIdx.x] = s[index[0] * {size // 4}];
}}""")
    return "\n".join(parts)


def patterns() -> Iterator[Pattern]:
    """Strides, random elements of small and large ranges, permutations, lanes that agree, and part of the lanes."""
    rng = np.random.default_rng(SEED)
    for size in SIZES:
        for op in ("load", "store"):
            for name, index, mask in (*_plain(WORDS * 4 // size, rng), *_alike(rng)):
                yield Pattern(name, op, size, tuple(int(i) for i in index), mask)


def _plain(room: int, rng: np.random.Generator) -> Iterator[Shape]:
    for stride in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 18, 20, 24, 31, 32, 33):
        yield f"stride {stride}", np.arange(LANES) * stride % room, ALL
    for reach in (2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256):
        for turn in range(3):
            yield f"random below {reach}, {turn}", rng.integers(0, reach, LANES), ALL
    for turn in range(4):
        yield f"permutation, {turn}", rng.permutation(LANES), ALL
        yield f"some lanes, {turn}", rng.integers(0, 64, LANES), int(rng.integers(1, 2**32))


def _alike(rng: np.random.Generator) -> Iterator[Shape]:
    """Wide loads are served in fewer groups when neighbours agree: which neighbours, and must all agree?"""
    lanes = np.arange(LANES)
    for turn in range(3):
        for apart in (1, 2, 4, 8, 16):
            yield f"lanes {apart} apart agree, {turn}", rng.integers(0, 64, LANES)[lanes & ~apart], ALL
        pairs = rng.integers(0, 64, LANES)[lanes & ~1]
        yield f"pairs agree, some lanes, {turn}", pairs, int(rng.integers(1, 2**32))
        yield f"pairs agree, one lane off, {turn}", pairs, ALL & ~(1 << int(rng.integers(0, 32)))
        yield f"pairs agree, even lanes, {turn}", pairs, 0x55555555
        for name, first, last in (("low", 0, 16), ("high", 16, 32), ("low quarter", 0, 8), ("last quarter", 24, 32)):
            here = (lanes >= first) & (lanes < last)
            yield f"{name} pairs agree, {turn}", np.where(here, pairs, pairs ^ lanes % 2), ALL
        odd = pairs.copy()
        odd[int(rng.integers(0, LANES))] ^= 1
        yield f"all pairs but one agree, {turn}", odd, ALL


def launch_all(listing: Path) -> None:
    """Launch every pattern once, for ``ncu`` to watch, and list them."""
    import cupy

    module = cupy.RawModule(code=source(), options=("-std=c++17",))
    listed = []
    for pattern in patterns():
        index = cupy.empty(LANES, np.int32)
        index.set(np.array(pattern.index, np.int32))
        out = cupy.empty(LANES, np.float32)
        module.get_function(pattern.kernel)((1,), (LANES,), (index, np.uint32(pattern.mask), out))
        cupy.cuda.runtime.deviceSynchronize()
        listed.append({**asdict(pattern), "kernel": pattern.kernel, "grid": [1, 1, 1], "block": [LANES, 1, 1]})
    listing.write_text(json.dumps(listed), encoding="utf-8")
    print(f"{len(listed)} launches")
