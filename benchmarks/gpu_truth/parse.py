"""Readers of what NVIDIA's tools print: Nsight Compute's raw CSV and compute-sanitizer's log.

Both formats are described in the tools' manuals (Nsight Compute CLI, "Output pages" and ``--csv``; Compute Sanitizer,
"Error summary"). No device and no tool is needed to read them.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from solutions.errors import CourseError

_COUNTING = ("l1tex__", "smsp__", "memory_")
"""Prefixes of metrics that count; the table holds times too, which change from run to run."""
SHOWN_DETAILS = 6
"""So many lines of a tool's complaints are kept; the first ones say what is wrong, the rest repeats it."""

_ERRORS = re.compile(r"^=+ ERROR SUMMARY: (\d+) errors?")
_HAZARDS = re.compile(r"^=+ RACECHECK SUMMARY: (\d+) hazards? displayed \((\d+) errors?, (\d+) warnings?\)")
_COMPLAINT = re.compile(
    r"^=+ (Error|Warning|Invalid|Uninitialized|Barrier error|Race reported|Potential|Program hit|Internal|"
    r"Target application|Fatal|Unable|Device not|Unused|Divergent)"
)


@dataclass(frozen=True)
class Profiled:
    """One launch as ``ncu`` saw it; ``metrics`` has None where the tool printed ``n/a``."""

    position: int
    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    metrics: dict[str, float | int | None]


@dataclass(frozen=True)
class Verdict:
    """What compute-sanitizer found: ``errors`` is None when its log ends without a summary."""

    errors: int | None
    warnings: int
    details: tuple[str, ...] = field(default=())

    @property
    def clean(self) -> bool:
        """Whether the tool ran to its end and found nothing, not even a warning."""
        return self.errors == 0 and self.warnings == 0


def read_ncu_csv(text: str) -> tuple[Profiled, ...]:
    """The launches in the output of ``ncu --csv --page raw``, in launch order.

    The tool's own lines (``==PROF==``) and the program's output may stand before and after the table. The table is a
    header, a row of units, and a row a launch, every field quoted, thousands separated by commas.

    Raises:
        CourseError: there is no table, it has no launch, or a row does not fit its header.
    """
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID",')), None)
    if start is None:
        said = next((line for line in lines if line.startswith("==ERROR==")), "it printed no table")
        raise CourseError(f"ncu gave no counters: {said}; run ncu by hand on the same command to see more")
    rows = list(csv.reader(line for line in lines[start:] if line.startswith('"')))
    header, launches = rows[0], rows[1:]
    if launches and not launches[0][0]:  # the units: no launch has an empty ID
        launches = launches[1:]
    if not launches:
        raise CourseError("ncu's table has no launch; check the --kernel-name filter and that the program launched one")
    return tuple(_profiled(header, row) for row in launches)


def _profiled(header: list[str], row: list[str]) -> Profiled:
    if len(row) != len(header):
        raise CourseError(f"ncu's table has {len(header)} columns, but launch {row[0]} has {len(row)} fields; "
                          "the file is cut short, run ncu again")
    cells = dict(zip(header, row, strict=True))
    return Profiled(
        position=int(cells["ID"]),
        kernel=cells["Kernel Name"].split("(")[0].strip(),
        grid=_triple(cells["Grid Size"]),
        block=_triple(cells["Block Size"]),
        metrics={name: number(cells[name]) for name in header if name.startswith(_COUNTING)},
    )


def _triple(cell: str) -> tuple[int, int, int]:
    x, y, z = (int(number) for number in re.findall(r"\d+", cell))
    return x, y, z


def number(cell: str) -> float | int | None:
    """``"1,204,224"`` as 1204224, ``"1.50"`` as 1.5, an empty cell or ``n/a`` as None.

    Raises:
        CourseError: the cell is none of these.
    """
    plain = cell.strip().replace(",", "")
    if plain.lower() in ("", "n/a", "nan", "(nan)", "no data"):
        return None
    plain = plain.split()[0]  # a per-line metric may carry its instances behind the total
    try:
        value = float(plain)
    except ValueError:
        raise CourseError(f"ncu's table holds {cell!r} where a number was expected; was another locale set?") from None
    return int(value) if value.is_integer() else value


def available_metrics(text: str, wanted: Iterable[str]) -> tuple[str, ...]:
    """Those of ``wanted`` whose base name stands in the output of ``ncu --query-metrics``, in their order.

    The listing has a base name a line (``l1tex__t_requests_pipe_lsu_mem_global_op_ld``); ``wanted`` carries the
    roll-up too (``….sum``). Metrics of the source page (``memory_…``) are always there and never listed.
    """
    known = {line.split()[0] for line in text.splitlines() if line[:1].isalpha() and "__" in line.split()[0]}
    return tuple(name for name in wanted if name.split(".")[0] in known or (known and name.startswith("memory_")))


def read_sanitizer(text: str) -> Verdict:
    """The summary of one compute-sanitizer log, whichever of the four tools wrote it."""
    errors: int | None = None
    warnings = 0
    details: list[str] = []
    for line in text.splitlines():
        if plain := _ERRORS.match(line):
            errors = (errors or 0) + int(plain[1])
        elif hazards := _HAZARDS.match(line):
            errors = (errors or 0) + int(hazards[2])
            warnings += int(hazards[3])
        elif _COMPLAINT.match(line) and len(details) < SHOWN_DETAILS:
            details.append(line.lstrip("= ").rstrip())
    return Verdict(errors, warnings, tuple(details))
