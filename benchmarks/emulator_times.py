"""How long the emulator takes: ``python -m benchmarks.emulator_times``. Medians and minima of repeated launches.

A product of 96 x 784 by 784 x 256, naive and tiled, checked and fast; the overhead of a launch of one thread; the
first use of a kernel text that nobody has compiled, with the runtime there and without.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import kernels
from benchmarks.record import save_result
from kernels.catalog import find

GOALS = {
    "checked matmul_naive": 250.0,
    "checked matmul_tiled": 400.0,
    "fast matmul_naive": 5.0,
    "fast matmul_tiled": 30.0,
    "launch overhead": 50.0,
    "first use": 1500.0,
}
"""Milliseconds on two cores."""
SIZE = (96, 256, 784)
_FIRST = """import time, sys, numpy as np
begun = time.perf_counter()
import kernels
x = np.zeros(64, np.float32)
text = f'extern "C" __global__ void f(float* x) {{ x[threadIdx.x] = {sys.argv[1]}; }}'
kernels.load(text, target="emulator")["f"](1, 64, (x,))
print(time.perf_counter() - begun)
"""


def milliseconds(work: Callable[[], Any], repeats: int) -> tuple[float, float]:
    """(median, minimum) of some calls, after one that warms up."""
    work()
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        work()
        times.append((time.perf_counter() - begun) * 1e3)
    return float(np.median(times)), min(times)


def first_use(cache: Path, number: int) -> float:
    """Milliseconds from ``import kernels`` to the result of a kernel never compiled before, in its own process."""
    environment = {**os.environ, "COURSE_CACHE": str(cache)}
    answer = subprocess.run(
        [sys.executable, "-c", _FIRST, f"{number}"], env=environment, capture_output=True, text=True, check=True
    )
    return float(answer.stdout) * 1e3


def measure() -> dict[str, tuple[float, float]]:
    """Each figure as (median, minimum)."""
    found: dict[str, tuple[float, float]] = {}
    args, _ = find("matmul_naive").make(SIZE, np.random.default_rng(0))
    for mode, repeats in (("checked", 9), ("fast", 40)):
        module = kernels.load("matmul.cu", target="emulator", mode=mode)
        for name in ("matmul_naive", "matmul_tiled"):
            grid, block, _ = find(name).launch(SIZE)
            kernel = module[name]
            found[f"{mode} {name}"] = milliseconds(lambda k=kernel, g=grid, b=block: k(g, b, args), repeats)
    one, add = np.ones(1, np.float32), kernels.load("elementwise.cu", target="emulator", mode="fast").add
    found["launch overhead"] = milliseconds(lambda: add(1, 32, (one, one, one.copy(), 1)), 300)
    with tempfile.TemporaryDirectory() as folder:
        found["first use, runtime not compiled yet"] = (first_use(Path(folder), 0),) * 2
        again = [first_use(Path(folder), number) for number in range(1, 6)]
        found["first use"] = (float(np.median(again)), min(again))
    return found


def main() -> None:
    """Measure, print, and keep the figures."""
    found = measure()
    for name, (median, least) in found.items():
        goal = f"   goal {GOALS[name]:g}" if name in GOALS else ""
        print(f"{name:38} median {median:9.2f} ms   minimum {least:9.2f} ms{goal}")
    figures = {name: {"median": round(m, 3), "minimum": round(least, 3)} for name, (m, least) in found.items()}
    save_result("emulator_times", "python -m benchmarks.emulator_times", {"milliseconds": figures, "goals": GOALS})


if __name__ == "__main__":
    main()
