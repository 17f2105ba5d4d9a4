"""Ask CuPy what is there and how fast a copy to it is; prints one line of JSON.

A process of its own (``python -m autograder.contract.probe``), because a broken driver may crash or hang whoever asks.
It imports nothing of the course.
"""

from __future__ import annotations

import json
import statistics
import time
from typing import Any

NOT_INSTALLED = "not installed"
COPY_BYTES = 64 * 1024 * 1024
"""One copy: long enough (5 ms at 12 GB/s) that the start, some 10 µs, does not count."""
WARM_UP_S = 0.25
"""Copies before the clock starts: an idle link sleeps at PCIe 1.0 speed and needs about this long to wake."""
COPIES = 20


def probe() -> dict[str, Any]:
    """What CuPy says: ``error``, or ``cupy``, ``toolkit`` and ``devices``. Any failure becomes words."""
    try:
        import cupy
    except ModuleNotFoundError as error:
        return {"error": NOT_INSTALLED if error.name == "cupy" else f"cannot be imported: {_words(error)}"}
    except Exception as error:
        return {"error": f"cannot be imported: {_words(error)}"}
    found: dict[str, Any] = {"cupy": str(cupy.__version__), "toolkit": None, "devices": []}
    try:
        count = int(cupy.cuda.runtime.getDeviceCount())
    except Exception as error:
        return found | {"error": f"finds no device: {_words(error)}"}
    found["toolkit"] = _toolkit(cupy)
    found["devices"] = [_device(cupy, index) for index in range(count)]
    return found


def _device(cupy: Any, index: int) -> dict[str, Any]:
    """Name, bus, memory in bytes, copy bandwidth in bytes a second; ``error`` where the device does not answer."""
    device: dict[str, Any] = {}
    try:
        name = cupy.cuda.runtime.getDeviceProperties(index)["name"]
        device["name"] = name.decode(errors="replace") if isinstance(name, bytes) else str(name)
        device["bus"] = str(cupy.cuda.runtime.deviceGetPCIBusId(index))
        with cupy.cuda.Device(index):
            free, total = cupy.cuda.runtime.memGetInfo()
            device |= {"memory_free": int(free), "memory_total": int(total)}
            device["copy_bytes_per_s"] = _copy_speed(cupy)
    except Exception as error:
        device["error"] = _words(error)
    return device


def _copy_speed(cupy: Any) -> float:
    """Median speed of page-locked copies to the device, timed by events on the device's own clock."""
    host = cupy.cuda.alloc_pinned_memory(COPY_BYTES)
    target = cupy.cuda.alloc(COPY_BYTES)
    stream = cupy.cuda.Stream(non_blocking=True)
    start, stop = cupy.cuda.Event(), cupy.cuda.Event()

    def seconds() -> float:
        start.record(stream)
        target.copy_from_host_async(host.ptr, COPY_BYTES, stream)
        stop.record(stream)
        stop.synchronize()
        return float(cupy.cuda.get_elapsed_time(start, stop)) / 1000  # events count milliseconds

    awake = time.monotonic() + WARM_UP_S
    while time.monotonic() < awake:
        seconds()
    return COPY_BYTES / statistics.median(seconds() for _ in range(COPIES))


def _toolkit(cupy: Any) -> str | None:
    """Version of the compiler that builds kernels here, e.g. ``"11.7"``; None where it is missing."""
    try:
        return ".".join(str(part) for part in cupy.cuda.nvrtc.getVersion())
    except Exception:
        return None


def _words(error: BaseException) -> str:
    """The first line of an error; CuPy's advice on installation runs over a screen."""
    lines = [line.strip(" =") for line in str(error).splitlines()]
    return next((line for line in lines if line), type(error).__name__)


if __name__ == "__main__":
    print(json.dumps(probe()))
