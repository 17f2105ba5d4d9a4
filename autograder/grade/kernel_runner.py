"""The program in the process that compiles and launches a student's kernel: sends back raw bytes, and judges nothing.

It gets a text that the grader has read through, arrays and a launch. It has no expected values, cases or budgets.

The student's process loads this file by itself: standard library, NumPy, and the course's ``kernels``, from where the
course is. What is compiled stays in the process's own folder, where the runtime lies ready.
"""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from . import wire
from .runner import Connection, limit_resources

ROOT_FILE, CACHE = "root.txt", "cache"
FAULT_LIMIT = 100


def launch(request: dict[str, Any], payload: bytes, reply_limit: int) -> tuple[dict[str, Any], list[bytes]]:
    """Compile (the text's first launch does) and launch; header and chunks of the reply."""
    from kernels import load
    from solutions.errors import CourseError

    given = [wire.unpack(node, payload) for node in request["arguments"]]
    stage = "compile"
    try:
        kernel = load(request["text"], target="emulator", mode="checked")[request["kernel"]]
        stage = "launch"
        grid, block = tuple(request["grid"]), tuple(request["block"])
        report = kernel.inspect(grid, block, given, shared=request["shared"], order=request["order"])
    except CourseError as error:
        return {"refused": str(error), "stage": stage}, []
    packer = wire.Packer(limit=reply_limit)
    return {
        "arguments": [packer.pack(a if isinstance(a, np.ndarray) else None) for a in given],
        "faults": [asdict(fault) for fault in report.faults[:FAULT_LIMIT]],
        "counters": asdict(report.counters),
    }, packer.chunks


def main(descriptor: int) -> None:
    """Serve requests until the grader hangs up."""
    connection = Connection(descriptor)
    settings, _ = connection.receive()
    limit_resources(settings["limits"])
    here = Path(__file__).parent
    sys.path.append((here / ROOT_FILE).read_text(encoding="utf-8"))
    os.environ["COURSE_CACHE"] = str(here / CACHE)
    connection.send({"id": settings["id"], "numpy": np.__version__}, [])
    while True:
        request, payload = connection.receive()
        header, chunks = launch(request, payload, settings["reply_limit"])
        connection.send({**header, "id": request["id"]}, chunks)
