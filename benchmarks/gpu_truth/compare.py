"""Hold the emulator's counters against the machine's: every row equal, explained, or a failure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.gpu_truth.reasons import COUNTERS, Reason, machine_count
from kernels.emulator.counters import passes_of
from solutions.errors import CourseError

SCHEMA = 1
"""Number of the files' layout; a file with another one is refused."""

EQUAL, EXPLAINED, DIFFERENT, MISSING = "equal", "explained", "DIFFERENT", "MISSING"

Json = Mapping[str, Any]
_STEADY = {name.lstrip("-") for counter in COUNTERS if counter.steady for name in counter.metrics}


@dataclass(frozen=True)
class Row:
    """One counter of one launch on both sides; ``reason`` is the accepted explanation's text."""

    kernel: str
    size: str
    counter: str
    emulator: int | None
    ncu: int | None
    verdict: str
    reason: str = ""


@dataclass
class Comparison:
    """The whole table, and in ``problems`` one line for each thing that must not be."""

    rows: list[Row] = field(default_factory=list)
    occupancy: list[dict[str, Any]] = field(default_factory=list)
    banks: list[dict[str, Any]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def count(self, verdict: str) -> int:
        """How many rows ended so."""
        return sum(row.verdict == verdict for row in self.rows)

    def to_json(self) -> dict[str, Any]:
        """The rows as plain dictionaries."""
        return {
            "summary": {
                "rows": len(self.rows),
                **{verdict.lower(): self.count(verdict) for verdict in (EQUAL, EXPLAINED, DIFFERENT, MISSING)},
                "problems": self.problems,
            },
            "rows": [asdict(row) for row in self.rows],
            "occupancy": self.occupancy,
            "banks": self.banks,
        }


def check_file(data: Json, half: str, name: str) -> None:
    """Refuse a file that is not the half it should be.

    Raises:
        CourseError: another layout, another half, or launches that lack what a launch must have.
    """
    if data.get("schema") != SCHEMA or data.get("half") != half:
        raise CourseError(f"{name} is not a file of 'gpu_truth {half}' with layout {SCHEMA}; make it again")
    for launch in data.get("launches", ()):
        lacking = {"kernel", "size", "grid", "block", "shared", "inputs", "counters"} - set(launch)
        if lacking:
            raise CourseError(f"{name}: a launch of {launch.get('kernel', '?')} lacks {', '.join(sorted(lacking))}; "
                              "make the file again")


def compare(predicted: Json, measured: Json, reasons: Sequence[Reason]) -> Comparison:
    """Every launch of either side, counter by counter, then what else the machine was asked.

    ``predicted`` and ``measured`` are the two files' contents; see :func:`check_file`.
    """
    table = Comparison()
    left, right = _by_launch(predicted, table), _by_launch(measured, table)
    used: set[tuple[Reason, str, str]] = set()
    for key in sorted(left.keys() | right.keys()):
        if key not in left or key not in right:
            side = "the machine" if key in left else "the emulator"
            table.problems.append(f"{_name(key)}: {side} has no such launch")
            continue
        if (apart := _same_launch(left[key], right[key])) is not None:
            table.problems.append(f"{_name(key)}: not the same launch, {apart} differ")
            continue
        _compare_launch(left[key], right[key], reasons, used, table)
    table.problems += [f"stale explanation, fits no launch: {kernel} {counter}: {reason.text}"
                       for reason in reasons for kernel in reason.kernels for counter in reason.counters
                       if not reason.sometimes and (reason, kernel, counter) not in used]
    table.problems += _machine_problems(measured)
    return table


def _by_launch(half: Json, table: Comparison) -> dict[tuple[str, str], Json]:
    launches: dict[tuple[str, str], Json] = {}
    for launch in half["launches"]:
        key = (launch["kernel"], launch["size"])
        if key in launches:
            table.problems.append(f"{_name(key)}: the {half['half']} file holds this launch twice")
        launches[key] = launch
        table.problems += [f"{_name(key)}: the emulator reports {fault}" for fault in launch.get("faults", ())]
        if changed := {name: values for name, values in launch.get("unsteady", {}).items() if name in _STEADY}:
            table.problems.append(f"{_name(key)}: ncu's counters changed between two runs: {changed}")
    return launches


def _name(key: tuple[str, str]) -> str:
    return f"{key[0]} {key[1]}"


def _same_launch(left: Json, right: Json) -> str | None:
    apart = [name for name in ("grid", "block", "shared", "inputs") if left[name] != right[name]]
    return ", ".join(apart) if apart else None


def _compare_launch(left: Json, right: Json, reasons: Sequence[Reason], used: set[tuple[Reason, str, str]],
                    table: Comparison) -> None:
    kernel, size = left["kernel"], left["size"]
    for counter in COUNTERS:
        emulator, machine = left["counters"].get(counter.name), machine_count(right["counters"], counter)
        verdict, why = EQUAL, ""
        if emulator is None or machine is None:
            verdict = MISSING
        elif emulator != machine:
            reason = next((r for r in reasons if fits(r, kernel, counter.name, left["counters"], machine)), None)
            verdict, why = (EXPLAINED, reason.text) if reason else (DIFFERENT, "")
            used |= {(reason, kernel, counter.name)} if reason else set()
        table.rows.append(Row(kernel, size, counter.name, emulator, machine, verdict, why))
        if verdict == DIFFERENT or (verdict == MISSING and counter.core):
            table.problems.append(f"{kernel} {size}: {counter.name}: emulator {shown(emulator)}, ncu {shown(machine)}")


def fits(reason: Reason, kernel: str, counter: str, emulator: Json, machine: int) -> bool:
    """Whether the reason is about this counter of this kernel and predicts the difference that was seen."""
    if kernel not in reason.kernels or counter not in reason.counters:
        return False
    base: int | None = emulator.get(reason.base)
    return base is not None and reason.low * base <= machine - emulator[counter] <= reason.high * base


def _machine_problems(measured: Json) -> list[str]:
    """What the machine's other steps found: failed steps, wrong results, complaints of the sanitizer."""
    problems = [f"step {step['name']} failed: {step['detail']}" for step in measured["steps"] if not step["ok"]]
    for result in measured["results"]:
        if not result["passed"]:
            problems.append(f"{result['kernel']} {result['size']}: {result['array']}: {result['detail']}")
    for run in measured["sanitizer"]:
        if run["planted"] and not run["errors"]:
            problems.append(f"compute-sanitizer {run['tool']} missed the planted fault, so its silence proves nothing")
        elif not run["planted"] and not run["clean"]:
            first = run["details"][0] if run["details"] else "no summary in its log"
            problems.append(f"compute-sanitizer {run['tool']}: {first}")
    return problems


def compare_occupancy(measured: Json, blocks_per_multiprocessor: Any, table: Comparison) -> None:
    """Add the occupancy rows: the calculation's resident blocks beside the driver's answer.

    ``blocks_per_multiprocessor(row)`` gives the calculated number for one row of ``measured["occupancy"]`` (block size,
    registers a thread, static and dynamic shared memory in bytes).
    """
    for row in measured["occupancy"]:
        calculated = blocks_per_multiprocessor(row)
        table.occupancy.append({**row, "calculated_blocks": calculated})
        if calculated != row["active_blocks"]:
            table.problems.append(f"occupancy of {row['kernel']} with {row['block_threads']} threads a block: "
                                  f"calculated {calculated} blocks, the driver says {row['active_blocks']}")


def compare_banks(measured: Json, table: Comparison) -> None:
    """Hold the model of the banks against every pattern's passes and conflicts."""
    for row in measured.get("banks", ()):
        table.banks.append(dict(row))
        lanes = [(lane, row["index"][lane] * row["size"]) for lane in range(32) if row["mask"] >> lane & 1]
        passes, ideal = passes_of(lanes, row["size"], row["op"])
        if (passes, passes - ideal) != (row["passes"], row["conflicts"]):
            table.problems.append(f"banks, {row['op']} of {row['size']} bytes, {row['name']}: model {passes} passes, "
                                  f"{passes - ideal} conflicts; ncu {row['passes']} and {row['conflicts']}")


def shown(value: int | None) -> str:
    """A count with thousands separators; a dash where there is none."""
    return "-" if value is None else f"{value:,}"


def markdown(table: Comparison) -> str:
    """The table for people: a line a counter; counters that are zero on both sides are left out and counted below."""
    lines = ["| kernel | size | counter | emulator | ncu | |", "|---|---|---|---:|---:|---|"]
    notes: list[str] = []
    zeros = 0
    for row in table.rows:
        if row.emulator == 0 and row.ncu == 0:
            zeros += 1
            continue
        if row.reason and row.reason not in notes:
            notes.append(row.reason)
        mark = f"{row.verdict} ({notes.index(row.reason) + 1})" if row.reason else row.verdict
        cells = (row.kernel, row.size, row.counter, shown(row.emulator), shown(row.ncu), mark)
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", *(f"({number}) {note}" for number, note in enumerate(notes, 1))]
    lines += [f"{zeros} rows are left out: zero on both sides."]
    return "\n".join(lines)
