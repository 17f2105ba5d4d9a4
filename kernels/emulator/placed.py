"""Where the arrays of a launch lie in the machine's memory.

Arrays are copied into memory that the worker process maps too, each at a multiple of 256 bytes as cudaMalloc places
them, with 64 KB of nothing between: an index that runs out of an array does not run into the next one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kernels.arguments import Launch
from kernels.errors import LaunchError

GAP = 64 << 10
ALIGNMENT = 256
Kind = tuple[str, int, bool, bool]
"""A parameter as the runtime describes it: kind, bytes, const, floating."""


class Placed:
    """The arrays of a launch and where they lie in the machine's memory."""

    def __init__(self, launch: Launch, kinds: Sequence[Kind]) -> None:
        self.values: list[list[Any]] = []
        self.arrays: list[tuple[int, int, int, int]] = []
        self._copies: dict[int, tuple[np.ndarray[Any, Any], bool]] = {}
        self._offsets: dict[tuple[int, int], int] = {}
        self.size = GAP
        for value, (kind, size, constant, floating) in zip(launch.values, kinds, strict=True):
            if kind != "p":
                self.values.append([kind, size, _scalar(kind, size, value)])
            elif value is None:
                self.values.append(["p", size, None])
            else:
                offset = self._place(value, constant)
                self.values.append(["p", size, offset])
                self.arrays.append((offset, value.nbytes, int(constant), int(floating)))

    def _place(self, array: np.ndarray[Any, Any], constant: bool) -> int:
        key = (array.ctypes.data, array.nbytes)
        if key not in self._offsets:
            start, end = key[0], key[0] + key[1]
            if any(start < o + n and o < end for o, n in self._offsets):
                raise LaunchError("two array arguments overlap in part; pass copies, or the same array twice")
            self._offsets[key] = self.size
            self.size += -(-array.nbytes // ALIGNMENT) * ALIGNMENT + GAP
        offset = self._offsets[key]
        if offset in self._copies:
            constant = constant and self._copies[offset][1]
        self._copies[offset] = (array, constant)
        return offset

    def copy_in(self, memory: memoryview) -> None:
        """Arrays into the machine's memory."""
        for offset, (array, _) in self._copies.items():
            if array.nbytes:
                np.frombuffer(memory, np.uint8, array.nbytes, offset)[:] = array.reshape(-1).view(np.uint8)

    def copy_out(self, memory: memoryview) -> None:
        """What the kernel may have written back into the caller's arrays."""
        for offset, (array, constant) in self._copies.items():
            if array.nbytes and not constant:
                array.reshape(-1).view(np.uint8)[:] = np.frombuffer(memory, np.uint8, array.nbytes, offset)


def _scalar(kind: str, size: int, value: Any) -> Any:
    if kind == "s":
        return bytes(value.tobytes() if hasattr(value, "tobytes") else value)[:size].hex()
    return float(value) if kind == "f" else int(value)
