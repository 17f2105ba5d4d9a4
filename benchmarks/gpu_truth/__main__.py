"""The emulator held against a machine: the same launches on both, counter by counter.

Three commands::

    python -m benchmarks.gpu_truth predict --out predict.json                  # anywhere: the emulator's counters
    python -m benchmarks.gpu_truth measure --out measure.json                  # on a machine with an NVIDIA card
    python -m benchmarks.gpu_truth compare predict.json measure.json           # both side by side

``measure`` needs CuPy, ``ncu`` and ``compute-sanitizer``. It also checks every result against float64, asks the driver
for the occupancy of every kernel, and runs the four tools of compute-sanitizer. ``compare`` ends with status 1 when a
count differs and no reason in ``reasons.py`` predicts the difference, or when anything else was not right.
"""

from __future__ import annotations

import datetime
import json
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.gpu_truth.compare import (
    DIFFERENT,
    EQUAL,
    EXPLAINED,
    MISSING,
    SCHEMA,
    check_file,
    compare,
    compare_banks,
    compare_occupancy,
    markdown,
)
from benchmarks.gpu_truth.measure import measure
from benchmarks.gpu_truth.plan import kernel_names, module_on, planned
from benchmarks.gpu_truth.reasons import COUNTERS, REASONS
from benchmarks.record import processor
from solutions.atomic import atomic_write
from solutions.command_line import FAILS, HOLDS, OneLineParser, run
from solutions.errors import CourseError

SIDES = ("threads", "warps", "blocks", "barriers", "flops")
"""Counters that a reason may be measured in; the machine has no counterpart."""


def predict() -> list[dict[str, Any]]:
    """Every planned launch under the emulator's check: its counters, and the faults it reports (there must be none)."""
    launches = []
    for plan in planned():
        fresh = plan.fresh()
        identity = plan.to_json(fresh)  # before the launch writes into the arrays
        report = module_on("emulator", plan.file)[plan.kernel].inspect(plan.grid, plan.block, fresh.args, plan.shared)
        names = (*(counter.name for counter in COUNTERS), *SIDES)
        launches.append({
            **identity,
            "counters": {**{name: getattr(report.counters, name) for name in names},
                         "global_store_lanes": report.counters.total("lanes", "store", "global")},
            "faults": [fault.message for fault in report.faults],
        })
        print(f"{plan.kernel} {plan.size}: {report.counters.global_load_requests:,} load requests", file=sys.stderr)
    return launches


def header(half: str, arguments: Sequence[str]) -> dict[str, Any]:
    """What is needed to judge a half: when, where and by which command it was made."""
    return {
        "schema": SCHEMA,
        "half": half,
        "command": " ".join(("python -m benchmarks.gpu_truth", *(Path(word).name for word in arguments))),
        "date": datetime.date.today().isoformat(),
        "machine": processor(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def save(path: Path, record: dict[str, Any]) -> None:
    """Write JSON with one line a row, so that a change of one count is one line of a diff."""
    parts = []
    for name, value in record.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            rows = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in value)
            parts.append(f" {json.dumps(name)}: [\n  {rows}\n ]")
        else:
            parts.append(f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}")
    with atomic_write(path, "w") as handle:
        handle.write("{\n" + ",\n".join(parts) + "\n}\n")


def load(path: Path, half: str) -> dict[str, Any]:
    """One half's file.

    Raises:
        CourseError: it cannot be read, or is not that half.
    """
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CourseError(f"cannot read {path}: {error}; make it with 'gpu_truth {half} --out {path}'") from None
    check_file(data, half, str(path))
    return data


def compare_files(predicted_path: Path, measured_path: Path, out: Path | None) -> int:
    """Print the table and what is wrong; status 1 when something is. With ``out`` the table is kept as JSON."""
    from kernels.static.occupancy import blocks_per_multiprocessor

    predicted, measured = load(predicted_path, "predict"), load(measured_path, "measure")
    table = compare(predicted, measured, REASONS)
    compare_banks(measured, table)
    compare_occupancy(measured, blocks_per_multiprocessor, table)
    print(markdown(table))
    for result in measured["results"]:
        print(f"result {result['kernel']} {result['size']} {result['array']}: {result['detail']}")
    for tool in measured["sanitizer"]:
        print(f"{tool['tool']}{' on a planted fault' if tool['planted'] else ''}: {tool['errors']} errors")
    for problem in table.problems:
        print(f"PROBLEM {problem}")
    counted = ", ".join(f"{table.count(verdict)} {verdict}" for verdict in (EQUAL, EXPLAINED, DIFFERENT, MISSING))
    print(f"{measured['card'].get('name', 'unknown card')}, {measured['date']}: {len(table.rows)} counts: {counted}; "
          f"{len(table.occupancy)} occupancies; {len(table.banks)} patterns of banks; {len(table.problems)} problems")
    if out is not None:
        origin = {side: {name: half[name] for name in ("command", "date", "machine", "python", "numpy")}
                  for side, half in (("predict", predicted), ("measure", measured))}
        kept = {name: measured[name] for name in ("card", "steps", "results", "sanitizer")}
        save(out, {"schema": SCHEMA, "half": "compare", **origin, **kept, **table.to_json()})
    return FAILS if table.problems else HOLDS


def command(arguments: Sequence[str]) -> int:
    """Entry of the command line; returns the exit status."""
    parser = OneLineParser(prog="python -m benchmarks.gpu_truth", description=(__doc__ or "").splitlines()[0])
    halves = parser.add_subparsers(dest="half", required=True, parser_class=OneLineParser)
    for half, text in (("predict", "the emulator's counters"), ("measure", "the machine's counters and checks")):
        halves.add_parser(half, help=text).add_argument("--out", type=Path, required=True, help="JSON file to write")
    side = halves.add_parser("compare", help="both halves side by side")
    side.add_argument("predicted", type=Path)
    side.add_argument("measured", type=Path)
    side.add_argument("--out", type=Path, help="also keep the table as JSON, e.g. benchmarks/results/gpu_truth.json")
    options = parser.parse_args(arguments)
    if options.half == "compare":
        return compare_files(options.predicted, options.measured, options.out)
    record = header(options.half, arguments)
    if options.half == "predict":
        save(options.out, {**record, "launches": predict()})
        return HOLDS
    save(options.out, measure(options.out, kernel_names(), record))
    return HOLDS if all(step["ok"] for step in record["steps"]) else FAILS


if __name__ == "__main__":
    sys.exit(run(command, sys.argv[1:]))
