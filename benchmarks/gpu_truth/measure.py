"""The machine's half: results, occupancy, hardware counters and compute-sanitizer, each in processes of their own.

Whatever touches the device runs in a child (``benchmarks.gpu_truth.child``), so a kernel that crashes ends one step and
not the measurement. Every step's failure is recorded and the rest goes on; the file is written after every step, so a
measurement that is stopped keeps what it had.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.gpu_truth.parse import Profiled, available_metrics, read_ncu_csv, read_sanitizer
from benchmarks.gpu_truth.reasons import ALSO_RECORDED, COUNTERS, machine_count, metrics_of
from solutions.errors import CourseError

TOTAL_SECONDS = 540
"""The whole measurement; a step gets what is left of it at most."""
PROFILER_SECONDS = 260
CHILD_SECONDS = 120
SANITIZER_SECONDS = 170
SANITIZERS_AT_ONCE = 4
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
LOG_BYTES = 4_000_000
FOUND_SOMETHING = 86
"""Exit status that compute-sanitizer is asked for when it finds an error; no program of ours ends with it."""

Record = dict[str, Any]


@dataclass
class Measurement:
    """What is known so far; ``path`` is the JSON file, logs are written beside it."""

    path: Path
    names: Sequence[str]
    record: Record
    started: float = field(default_factory=time.monotonic)

    def left(self, at_most: float) -> float:
        """Seconds that a step may take."""
        return max(5.0, min(at_most, TOTAL_SECONDS - (time.monotonic() - self.started)))

    def log(self, name: str, text: str) -> None:
        """Keep the end of a tool's output beside the JSON file."""
        (self.path.parent / f"{self.path.stem}_{name}").write_text(text[-LOG_BYTES:], encoding="utf-8")

    def step(self, name: str, work: Callable[[Measurement], str]) -> None:
        """Run one step; a failure is recorded and goes no further. Writes the file in either case."""
        begun = time.monotonic()
        try:
            ok, detail = True, work(self)
        except (CourseError, OSError, subprocess.SubprocessError, ValueError, KeyError) as error:
            ok, detail = False, f"{type(error).__name__}: {error}".splitlines()[0][:400]
        seconds = round(time.monotonic() - begun, 1)
        self.record["steps"].append({"name": name, "ok": ok, "seconds": seconds, "detail": detail})
        print(f"{'ok  ' if ok else 'FAIL'} {name} ({seconds} s): {detail}", flush=True)
        self.path.write_text(json.dumps(self.record), encoding="utf-8")


def measure(path: Path, names: Sequence[str], record: Record) -> Record:
    """Run every step and fill ``record``; see the module's text. ``names`` are the kernels' names."""
    path.parent.mkdir(parents=True, exist_ok=True)
    record |= {"card": {}, "launches": [], "banks": [], "results": [], "occupancy": [], "sanitizer": [], "steps": []}
    work = Measurement(path, names, record)
    work.step("card", card)
    work.step("results", results)
    work.step("occupancy", occupancy)
    work.step("ncu", counters)
    work.step("banks", bank_passes)
    work.step("compute-sanitizer", sanitizers)
    return record


def child(*words: str) -> list[str]:
    """The command line of a child that touches the device."""
    return [sys.executable, "-m", "benchmarks.gpu_truth.child", *words]


def output(command: Sequence[str], seconds: float) -> tuple[int, str]:
    """Exit status and all output of a command; a locale without thousands separators is set.

    Raises:
        CourseError: the program is not there or takes too long (it and its children are killed then).
    """
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "PYTHONUNBUFFERED": "1"}
    with tempfile.TemporaryFile() as said:
        try:
            process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, env=environment,
                                       start_new_session=True)  # a profiler's child must die with it
        except FileNotFoundError:
            raise CourseError(f"{command[0]} is not on the PATH; add the CUDA toolkit's bin folder") from None
        try:
            status: int | None = process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            status = None
        said.seek(0)
        text = said.read().decode(errors="replace")
    if status is None:
        lines = text.strip().splitlines()
        raise CourseError(f"{command[0]} took over {seconds:.0f} s; its last line: {lines[-1] if lines else '-'}")
    return status, text


def answer(work: Measurement, what: str) -> Any:
    """The JSON that a child writes on its last line."""
    status, text = output(child(what), work.left(CHILD_SECONDS))
    lines = text.strip().splitlines()
    work.log(f"{what}.log", text)
    if status or not lines:
        raise CourseError(f"the child '{what}' ended with status {status}: {lines[-1] if lines else 'no output'}")
    return json.loads(lines[-1])


def card(work: Measurement) -> str:
    """Names and versions of the card and of every tool."""
    found: Record = answer(work, "card")
    for name, command in {
        "nvidia_smi": ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"],
        "nvcc": ["nvcc", "--version"],
        "ncu": ["ncu", "--version"],
        "compute_sanitizer": ["compute-sanitizer", "--version"],
    }.items():
        try:
            found[name] = output(command, work.left(20))[1].strip().splitlines()[-1]
        except (CourseError, IndexError) as error:
            found[name] = f"not known: {error}"
    work.record["card"] = found
    return f"{found['name']}, driver API {found['driver_api']}, CuPy {found['cupy']}"


def results(work: Measurement) -> str:
    """Every kernel's outputs against float64."""
    work.record["results"] = answer(work, "results")
    wrong = [f"{row['kernel']} {row['size']}" for row in work.record["results"] if not row["passed"]]
    if wrong:
        raise CourseError(f"{len(wrong)} outputs are wrong: {', '.join(wrong[:4])}")
    return f"{len(work.record['results'])} outputs right"


def occupancy(work: Measurement) -> str:
    """Registers, memory and resident blocks by the driver's own calculation."""
    work.record["occupancy"] = answer(work, "occupancy")
    return f"{len(work.record['occupancy'])} block sizes asked"


def counters(work: Measurement) -> str:
    """Nsight Compute over one child that launches everything twice."""
    listing = work.path.parent / f"{work.path.stem}_launches.json"
    core, wanted = metrics_of(counter for counter in COUNTERS if counter.core), metrics_of(COUNTERS)
    known = available_metrics(output(["ncu", "--query-metrics"], work.left(60))[1], (*wanted, *ALSO_RECORDED)) or wanted
    problem = "no attempt"
    for metrics in (known, core):
        status, text = output(profiler(metrics, work.names, listing), work.left(PROFILER_SECONDS))
        work.log("ncu.csv", text)
        try:
            work.record["launches"] = matched(json.loads(listing.read_text(encoding="utf-8")), read_ncu_csv(text))
        except (CourseError, OSError) as error:
            problem = f"status {status}: {error}"
            continue
        return f"{len(work.record['launches'])} launches, {len(metrics)} metrics, status {status}"
    raise CourseError(problem)


def bank_passes(work: Measurement) -> str:
    """Passes over the banks of shared memory, pattern by pattern; see ``banks.py``."""
    listing = work.path.parent / f"{work.path.stem}_patterns.json"
    metrics = metrics_of(counter for counter in COUNTERS if "shared" in counter.name)
    status, text = output(profiler(metrics, ("banks_.*",), listing, "launch-banks"), work.left(PROFILER_SECONDS))
    launched, seen = json.loads(listing.read_text(encoding="utf-8")), read_ncu_csv(text)
    if len(launched) != len(seen) or any(a["kernel"] != b.kernel for a, b in zip(launched, seen, strict=True)):
        raise CourseError(f"the child launched {len(launched)} patterns, ncu saw {len(seen)}, or others")
    for pattern, profiled in zip(launched, seen, strict=True):
        counts = {counter.name: machine_count(profiled.metrics, counter) for counter in COUNTERS}
        op = pattern["op"]
        work.record["banks"].append({
            **{name: pattern[name] for name in ("name", "op", "size", "index", "mask")},
            "passes": counts[f"shared_{op}_passes"], "conflicts": counts[f"shared_{op}_conflicts"],
            "requests": counts[f"shared_{op}_requests"], "excess": counts["shared_conflicts"]})
    return f"{len(seen)} patterns, status {status}"


def profiler(metrics: Sequence[str], names: Sequence[str], listing: Path, what: str = "launch-twice") -> list[str]:
    """The ``ncu`` command: counters only, clocks left alone, only the course's kernels."""
    return [
        "ncu", "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--replay-mode", "kernel",
        "--target-processes", "application-only", "--kernel-name", f"regex:^({'|'.join(names)})$",
        "--metrics", ",".join(metrics), *child(what, str(listing)),
    ]


def matched(launched: Sequence[Record], profiled: Sequence[Profiled]) -> list[Record]:
    """Each launch of the child with its counters; the second launch of the same says whether they are repeatable.

    Raises:
        CourseError: the two lists are not the same launches in the same order.
    """
    if len(launched) != len(profiled):
        raise CourseError(f"the child launched {len(launched)} kernels, ncu saw {len(profiled)}")
    merged: dict[tuple[str, str], Record] = {}
    for launch, seen in zip(launched, profiled, strict=True):
        if (launch["kernel"], tuple(launch["grid"]), tuple(launch["block"])) != (seen.kernel, seen.grid, seen.block):
            raise CourseError(f"launch {seen.position} is {launch['kernel']}{launch['grid']} to the child, "
                              f"{seen.kernel}{list(seen.grid)} to ncu")
        key = (launch["kernel"], launch["size"])
        if key not in merged:
            merged[key] = {**launch, "counters": seen.metrics, "repeatable": True, "unsteady": {}}
            continue
        first = merged[key]
        unsteady = {name: [first["counters"][name], value] for name, value in seen.metrics.items()
                    if value != first["counters"][name]}
        first |= {"repeatable": not unsteady, "unsteady": unsteady}
    return list(merged.values())


def sanitizers(work: Measurement) -> str:
    """Every tool on every kernel, and every tool on a fault that it must find."""
    runs = [(tool, planted) for planted in (False, True) for tool in TOOLS]
    seconds = work.left(SANITIZER_SECONDS)
    with ThreadPoolExecutor(SANITIZERS_AT_ONCE) as pool:
        done = list(pool.map(lambda run: sanitizer(run[0], run[1], seconds / 2), runs))
    work.log("sanitizer.log", "\n".join(text for _, text in done))
    work.record["sanitizer"] = [row for row, _ in done]
    bad = [row["tool"] + (" (planted)" if row["planted"] else "") for row, _ in done if not row["as_it_must_be"]]
    if bad:
        raise CourseError(f"not as it must be: {', '.join(bad)}")
    return f"{len(TOOLS)} tools clean, {len(TOOLS)} planted faults found"


def sanitizer(tool: str, planted: bool, seconds: float) -> tuple[Record, str]:
    """One run of one tool. A clean run ends with status 0 and a summary of nothing found.

    CuPy asks the driver for symbols that it may not have; such API errors are CuPy's own business, hence the switch.
    """
    words = ("planted", tool) if planted else ("launch-once",)
    command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", str(FOUND_SOMETHING),
               "--report-api-errors", "no", *child(*words)]
    status: int | None = None
    try:
        status, text = output(command, seconds)
    except CourseError as error:
        text = str(error)
    verdict = read_sanitizer(text)
    clean = verdict.clean and status == 0
    last = (text.strip().splitlines() or [""])[-1]
    row = {"tool": tool, "planted": planted, "status": status, "errors": verdict.errors, "warnings": verdict.warnings,
           "clean": clean, "as_it_must_be": bool(verdict.errors) if planted else clean,
           "details": list(verdict.details) or ([] if clean else [last])}
    return row, f"##### {tool}{' planted' if planted else ''}: {' '.join(command)}\n{text}"
