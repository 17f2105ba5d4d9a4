"""The runtime as ctypes sees it: the structures of runtime/emulator.h, and one launch.

Nothing but the standard library is imported here: the worker process starts in the time that Python itself needs.
"""

from __future__ import annotations

import ctypes as c
from pathlib import Path
from typing import Any, ClassVar

MAX_FAULTS = 2000
_VARIABLE = 1 << 20
_ADDRESS = (1 << 47) - 1


class Uint3(c.Structure):
    """``uint3``."""

    _fields_: ClassVar = [("x", c.c_uint), ("y", c.c_uint), ("z", c.c_uint)]


class FaultRecord(c.Structure):
    """``Fault``."""

    _fields_: ClassVar = [
        ("kind", c.c_int),
        ("line", c.c_int),
        ("other_line", c.c_int),
        ("array", c.c_int),
        ("offset", c.c_int64),
        ("size", c.c_int),
        ("is_write", c.c_int),
        ("detail", c.c_int),
        ("extra", c.c_int),
        ("thread", Uint3),
        ("block", Uint3),
        ("other_thread", c.c_int),
        ("other_block", c.c_int),
        ("count", c.c_uint64),
    ]


COUNTS = (
    "requests",
    "lanes",
    "sectors",
    "shared_requests",
    "shared_lanes",
    "passes",
    "ideal",
    "warps",
    "threads",
    "divergent",
)


class SiteCounts(c.Structure):
    """``SiteCounts``."""

    _fields_: ClassVar = [(name, c.c_uint64) for name in COUNTS]


class TraceRecord(c.Structure):
    """``TraceRecord``."""

    _fields_: ClassVar = [("block", c.c_uint32), ("warp", c.c_uint32), ("site", c.c_uint32), ("mask", c.c_uint32),
                ("address", c.c_uint64 * 32)]


class ArrayArgument(c.Structure):
    """``ArrayArgument``."""

    _fields_: ClassVar = [("address", c.c_size_t), ("bytes", c.c_uint64), ("constant", c.c_int), ("floating", c.c_int)]


class LaunchRequest(c.Structure):
    """``LaunchRequest``."""

    _fields_: ClassVar = [
        ("thread", c.c_void_p),
        ("whole", c.c_void_p),
        ("arguments", c.POINTER(c.c_void_p)),
        ("grid", Uint3),
        ("block", Uint3),
        ("dynamic_bytes", c.c_uint64),
        ("arrays", c.POINTER(ArrayArgument)),
        ("array_count", c.c_int),
        ("checked", c.c_int),
        ("order", c.c_int),
        ("workers", c.c_int),
        ("nan", c.c_int),
        ("trace_limit", c.c_int),
        ("sync", c.c_int),
        ("step_limit", c.c_uint64),
    ]


class Parameter(c.Structure):
    """``EmuParameter``."""

    _fields_: ClassVar = [
        ("kind", c.c_char),
        ("constant", c.c_char),
        ("floating", c.c_char),
        ("pad", c.c_char),
        ("size", c.c_int),
    ]


class KernelEntry(c.Structure):
    """``EmuKernel``."""

    _fields_: ClassVar = [
        ("name", c.c_char_p),
        ("thread", c.c_void_p),
        ("whole", c.c_void_p),
        ("parameters", c.POINTER(Parameter)),
        ("count", c.c_int),
        ("sync", c.c_int),
    ]


class Runtime:
    """The loaded runtime and the kernel files loaded with it."""

    def __init__(self, library: str) -> None:
        self.library = c.CDLL(library, mode=c.RTLD_GLOBAL)
        self.library.emu_load.restype = c.c_void_p
        self.library.emu_symbol.restype = c.c_void_p
        self.library.emu_symbol.argtypes = [c.c_void_p, c.c_char_p]
        self.library.emu_printed.restype = c.c_void_p
        self.library.emu_trap_text.restype = c.c_char_p
        self._modules: dict[str, NativeModule] = {}

    def module(self, path: str) -> NativeModule:
        """Load a compiled kernel file; the second time it is there already."""
        if path not in self._modules:
            self._modules[path] = NativeModule(self, path)
        return self._modules[path]


class NativeModule:
    """A kernel file in memory."""

    def __init__(self, runtime: Runtime, path: str) -> None:
        message = c.create_string_buffer(500)
        self._library = runtime.library
        self.handle = c.c_void_p(self._library.emu_load(str(Path(path)).encode(), message, 500))
        if not self.handle:
            raise OSError(message.value.decode(errors="replace"))
        self.kernels: dict[str, KernelEntry] = {}
        table, number = self._library.emu_symbol(self.handle, b"emu_kernels"), 0
        while (entry := KernelEntry.from_address(table + number * c.sizeof(KernelEntry))).name:
            self.kernels[entry.name.decode()] = entry
            number += 1
        shared = c.c_int.from_address(self._library.emu_symbol(self.handle, b"emu_shared_count")).value
        table = self._library.emu_symbol(self.handle, b"emu_shared_arrays")
        rows = (c.c_uint64 * (2 * shared)).from_address(table) if shared else ()
        self.shared = [(rows[2 * i], rows[2 * i + 1]) for i in range(shared)]
        variables = c.c_int.from_address(self._library.emu_symbol(self.handle, b"emu_variable_count")).value
        table = self._library.emu_symbol(self.handle, b"emu_variables")
        rows = (c.c_uint64 * (3 * variables)).from_address(table) if variables else ()
        self.variables = [(rows[3 * i], rows[3 * i + 1]) for i in range(variables)]

    def parameters(self, kernel: str) -> list[tuple[str, int, bool, bool]]:
        """(kind, size, constant, floating) of each parameter, as the compiler sees it."""
        entry = self.kernels[kernel]
        found = [entry.parameters[i] for i in range(entry.count)]
        return [(p.kind.decode(), p.size, p.constant != b"\0", p.floating != b"\0") for p in found]

    def launch(self, job: dict[str, Any], base: int) -> dict[str, Any]:
        """Run one launch and gather what it left.

        Args:
            job: as :meth:`kernels.emulator.launch.EmulatorModule.job` makes it; arrays are offsets from ``base``.
            base: the address of the memory with the arrays.

        Returns:
            faults, counts, totals, trace, printed: lists of numbers and text only, ready for JSON.
        """
        entry = self.kernels[job["kernel"]]
        values = _arguments(job["values"], base)
        pointers = (c.c_void_p * max(1, len(values)))(*[c.cast(c.byref(value), c.c_void_p) for value in values])
        arrays = (ArrayArgument * max(1, len(job["arrays"])))(
            *[
                ArrayArgument(base + offset, size, constant, floating)
                for offset, size, constant, floating in job["arrays"]
            ]
        )
        request = LaunchRequest(
            thread=entry.thread,
            whole=entry.whole,
            arguments=pointers,
            grid=Uint3(*job["grid"]),
            block=Uint3(*job["block"]),
            dynamic_bytes=job["shared"],
            arrays=arrays,
            array_count=len(job["arrays"]),
            checked=job["checked"],
            order=job["order"],
            workers=job["workers"],
            nan=job["nan"],
            trace_limit=job["trace"],
            sync=0,
            step_limit=job["steps"],
        )
        count = self._library.emu_launch(self.handle, c.byref(request))
        answer: dict[str, Any] = {"faults": self._faults(count) if count else []}
        if answer["faults"]:
            answer["trap"] = self._library.emu_trap_text().decode(errors="replace")
        if job["checked"]:
            answer |= self._counts(job["sites"]) | {"trace": self._trace(job["trace"], job["arrays"], base)}
        length = c.c_int()
        text = self._library.emu_printed(c.byref(length))
        answer["printed"] = c.string_at(text, length.value).decode(errors="replace") if length.value else ""
        return answer

    def _faults(self, count: int) -> list[list[int]]:
        records = (FaultRecord * min(count, MAX_FAULTS))()
        found = self._library.emu_faults(records, len(records))
        return [
            [
                r.kind,
                r.line,
                r.other_line,
                r.array,
                r.offset,
                r.size,
                r.is_write,
                r.detail,
                r.extra,
                r.thread.x,
                r.thread.y,
                r.thread.z,
                r.block.x,
                r.block.y,
                r.block.z,
                r.other_thread,
                r.other_block,
                r.count,
            ]
            for r in records[:found]
        ]

    def _counts(self, sites: int) -> dict[str, Any]:
        counts, totals = (SiteCounts * max(1, sites))(), (c.c_uint64 * 4)()
        self._library.emu_counts(counts, totals)
        rows = [[number, *(getattr(row, name) for name in COUNTS)] for number, row in enumerate(counts[:sites])]
        return {"counts": [row for row in rows if any(row[1:])], "totals": list(totals)}

    def _trace(self, limit: int, arrays: list[list[int]], base: int) -> list[list[Any]]:
        if not limit:
            return []
        records = c.POINTER(TraceRecord)()
        count = self._library.emu_trace(c.byref(records))
        rows: list[list[Any]] = []
        for r in records[: min(count, limit)]:
            lanes = [(lane, r.address[lane]) for lane in range(32) if r.mask >> lane & 1]
            array, start = self._array_at(lanes[0][1], arrays, base)
            rows.append([r.block, r.warp, r.site, array, [(lane, (a & _ADDRESS) - start) for lane, a in lanes]])
        return rows + ([[]] if count > limit else [])  # an empty row says that some are missing

    def _array_at(self, address: int, arrays: list[list[int]], base: int) -> tuple[int, int]:
        """(number, start) of the array that holds a traced address: -2 - i for the shared array i, _VARIABLE + i for a
        variable."""
        if address & ~_ADDRESS:
            offset = address & _ADDRESS
            inside = [(i, start) for i, (start, _) in enumerate(self.shared) if start <= offset]
            number, start = max(inside, key=lambda pair: pair[1])
            return -2 - number, start
        places = [(i, base + offset, size) for i, (offset, size, _, _) in enumerate(arrays)]
        places += [(_VARIABLE + i, start, size) for i, (start, size) in enumerate(self.variables)]
        return next((number, start) for number, start, size in places if start <= address < start + size)


def _arguments(values: list[list[Any]], base: int) -> list[Any]:
    """Each value as ctypes memory: pointers from offsets, scalars by size, structs as they are."""
    integers = {
        1: (c.c_int8, c.c_uint8),
        2: (c.c_int16, c.c_uint16),
        4: (c.c_int32, c.c_uint32),
        8: (c.c_int64, c.c_uint64),
    }
    made: list[Any] = []
    for kind, size, value in values:
        if kind == "p":
            made.append(c.c_void_p(None if value is None else base + value))
        elif kind == "f":
            made.append((c.c_float if size == 4 else c.c_double)(value))
        elif kind == "s":
            made.append(c.create_string_buffer(bytes.fromhex(value), size))
        else:
            made.append(integers[size][kind == "u"](value))
    return made
