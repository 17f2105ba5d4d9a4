"""What touches the device, in a process of its own: ``python -m benchmarks.gpu_truth.child WHAT``.

``card``, ``results`` and ``occupancy`` answer with JSON on the last line. ``launch-once``, ``launch-twice FILE`` and
``launch-banks FILE`` only launch, for a tool that watches; ``planted TOOL`` launches a kernel with the fault that the
tool must find.
CuPy's memory pool is off: each array is an allocation of its own, so that a tool sees a step past its end.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from benchmarks.gpu_truth import banks
from benchmarks.gpu_truth.plan import Fresh, Planned, module_on, planned
from solutions.command_line import BAD_INPUT, run
from solutions.errors import CourseError

BLOCKS = (32, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
"""Threads a block that the driver is asked about, beside the launch's own."""

PLANTED = {
    "memcheck": """extern "C" __global__ void planted(float* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) data[i] = 1.0f;  // one past the end
}""",
    "racecheck": """extern "C" __global__ void planted(float* data, int n) {
    __shared__ float tile[64];
    tile[threadIdx.x] = data[threadIdx.x % n];
    data[threadIdx.x % n] = tile[63 - threadIdx.x];  // no barrier between the warps
}""",
    "initcheck": """extern "C" __global__ void planted(float* data, int n) {
    if (threadIdx.x < n) data[threadIdx.x] += 1.0f;  // the launch gives memory that nothing wrote
}""",
    "synccheck": """extern "C" __global__ void planted(float* data, int n) {
    if (threadIdx.x % 32 >= 16) __syncwarp(0x0000ffffu);  // a mask that leaves its own lanes out
    data[threadIdx.x % n] = threadIdx.x;
}""",
}
"""For each tool of compute-sanitizer a kernel with a fault that it must find: 64 threads, n = 40."""


def to_device(values: Sequence[Any]) -> tuple[Any, ...]:
    """Arrays by a plain copy from the host (which runs no kernel), numbers as they are."""
    moved = []
    for value in values:
        if not isinstance(value, np.ndarray):
            moved.append(value)
            continue
        array = cupy.empty(value.shape, value.dtype)
        array.set(value)
        moved.append(array)
    return tuple(moved)


def launch(plan: Planned, fresh: Fresh) -> tuple[Any, ...]:
    """Launch once through the public interface, wait, and return the arguments as the device left them."""
    kernel = module_on("cuda", plan.file)[plan.kernel]
    values = to_device(fresh.args)
    kernel(plan.grid, plan.block, values, plan.shared)
    cupy.cuda.runtime.deviceSynchronize()
    return values


def card() -> dict[str, Any]:
    """The device's name and limits, and the versions of the stack."""
    properties = cupy.cuda.runtime.getDeviceProperties(0)
    return {
        "name": properties["name"].decode(),
        "compute_capability": f"{properties['major']}.{properties['minor']}",
        "multiprocessors": properties["multiProcessorCount"],
        "shared_per_multiprocessor": properties["sharedMemPerMultiprocessor"],
        "registers_per_multiprocessor": properties["regsPerMultiprocessor"],
        "driver_api": cupy.cuda.runtime.driverGetVersion(),
        "runtime": cupy.cuda.runtime.runtimeGetVersion(),
        "nvrtc": list(cupy.cuda.nvrtc.getVersion()),
        "cupy": cupy.__version__,
        "numpy": np.__version__,
        "python": sys.version.split()[0],
    }


def results() -> list[dict[str, Any]]:
    """Every output of every launch against its float64 reference."""
    rows = []
    for plan in planned():
        fresh = plan.fresh()
        row: dict[str, Any] = {"kernel": plan.kernel, "size": plan.size, "array": "-", "error": None}
        try:
            values = launch(plan, fresh)
        except CourseError as error:
            rows.append({**row, "passed": False, "detail": str(error)})
            continue
        for index, judge in fresh.outputs.items():
            rows.append({**row, **judge(values[index].get())})
    return rows


def occupancy() -> list[dict[str, Any]]:
    """Resident blocks a multiprocessor by the driver, for the launch's own block and for the usual block sizes."""
    rows, seen = [], set()
    for plan in planned():
        function = plan.cuda_function()
        own = plan.block[0] * plan.block[1] * plan.block[2]
        for threads in (own, *BLOCKS):
            if (plan.kernel, threads, plan.shared) in seen or threads > function.max_threads_per_block:
                continue
            seen.add((plan.kernel, threads, plan.shared))
            active = cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(
                function.kernel.ptr, threads, plan.shared)
            rows.append({
                "kernel": plan.kernel, "block_threads": threads, "own_block": threads == own, "active_blocks": active,
                "registers": function.num_regs, "static_shared": function.shared_size_bytes,
                "dynamic_shared": plan.shared, "local_bytes": function.local_size_bytes,
            })
    return rows


def launch_all(times: int, listing: Path | None) -> None:
    """Launch everything, ``times`` times each in a row, and say in ``listing`` what was launched, in order."""
    launched = []
    for plan in planned():
        fresh = plan.fresh()
        for _ in range(times):
            launch(plan, fresh)
            launched.append(plan.to_json(fresh))
    if listing is not None:
        listing.write_text(json.dumps(launched), encoding="utf-8")
    print(f"{len(launched)} launches")


def launch_planted(tool: str) -> None:
    """Launch the kernel whose fault ``tool`` must find."""
    kernel = cupy.RawKernel(PLANTED[tool], "planted")
    data = cupy.empty(40, np.float32)
    if tool != "initcheck":
        data.set(np.ones(40, np.float32))
    kernel((1,), (64,), (data, np.int32(40)))
    cupy.cuda.runtime.deviceSynchronize()


def main(arguments: Sequence[str]) -> int:
    """Do the one thing that is asked."""
    cupy.cuda.set_allocator(None)
    what, *rest = arguments
    answers: dict[str, Callable[[], Any]] = {"card": card, "results": results, "occupancy": occupancy}
    if what in answers:
        print(json.dumps(answers[what]()))
    elif what == "launch-once":
        launch_all(1, None)
    elif what == "launch-twice":
        launch_all(2, Path(rest[0]))
    elif what == "launch-banks":
        banks.launch_all(Path(rest[0]))
    elif what == "planted":
        launch_planted(rest[0])
    else:
        print(f"error: {what} is not something that this child does", file=sys.stderr)
        return BAD_INPUT
    return 0


if __name__ == "__main__":
    sys.exit(run(main, sys.argv[1:]))
