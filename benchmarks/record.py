"""Where measured figures are kept: small JSON files with the date, the machine and the command."""

from __future__ import annotations

import datetime
import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from solutions.atomic import atomic_write

RESULTS = Path(__file__).parent / "results"


def processor() -> str:
    """The processor's name as the system tells it, with the number of cores that this process may use."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
        name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), name)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{name}, {cores} cores"


def save_result(name: str, command: str, figures: Mapping[str, object]) -> Path:
    """Write ``results/NAME.json`` with ``figures`` and what is needed to judge them; returns the path."""
    record = {
        "command": command,
        "date": datetime.date.today().isoformat(),
        "machine": processor(),
        "numpy": np.__version__,
        "python": platform.python_version(),
        **figures,
    }
    path = RESULTS / f"{name}.json"
    with atomic_write(path, "w") as handle:
        json.dump(record, handle, indent=1, ensure_ascii=False)
        handle.write("\n")
    return path
