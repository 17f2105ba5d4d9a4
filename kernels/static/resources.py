"""What a compiler says of one kernel, and the readers of what ``ptxas -v`` and clang's remarks print."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ENTRY = re.compile(r"Compiling entry function '([^']+)' for '([^']+)'")
_STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+)(?:\+\d+)? bytes smem")
_REMARK = re.compile(r"remark:\s+(?P<key>[A-Za-z ]+?)(?: \[[^\]]*\])?: (?P<value>\S+) \[-Rpass-analysis")


@dataclass(frozen=True)
class Resources:
    """One kernel on one architecture.

    Attributes:
        registers: a thread (vector registers on AMD).
        shared: static shared memory, bytes a block.
        spill_stores, spill_loads: bytes a thread; on AMD the registers that did not fit, as 4 bytes each.
        local: stack frame or scratch memory, bytes a thread.
        scalar_registers: a wave, on AMD; else None.
        waves: a SIMD, by AMD's compiler; else None.
    """

    kernel: str
    registers: int
    shared: int
    spill_stores: int
    spill_loads: int
    local: int
    scalar_registers: int | None = None
    waves: int | None = None


def read_ptxas(text: str) -> tuple[Resources, ...]:
    """The kernels in the output of ``ptxas -v``, in its order.

    Raises:
        ValueError: a kernel without its figures: the output is cut short or of another form.
    """
    found = []
    parts = re.split(r"(?=ptxas info\s*: Compiling entry function)", text)
    for part in parts[1:]:
        entry, stack, used, shared = _ENTRY.search(part), _STACK.search(part), _USED.search(part), _SHARED.search(part)
        if not entry or not stack or not used:
            raise ValueError(f"ptxas said nothing about registers: {part.strip().splitlines()[0]}")
        local, stores, loads = (int(number) for number in stack.groups())
        found.append(Resources(entry[1], int(used[1]), int(shared[1]) if shared else 0, stores, loads, local))
    return tuple(found)


def read_remarks(text: str) -> tuple[Resources, ...]:
    """The kernels in clang's ``-Rpass-analysis=kernel-resource-usage`` remarks, in their order.

    Raises:
        ValueError: a kernel without its figures.
    """
    kernels: list[dict[str, str]] = []
    for match in _REMARK.finditer(text):
        if match["key"] == "Function Name":
            kernels.append({})
        if kernels:
            kernels[-1][match["key"]] = match["value"]
    found = []
    for row in kernels:
        try:
            spilled = 4 * int(row["VGPRs Spill"])
            found.append(
                Resources(row["Function Name"], int(row["VGPRs"]), int(row["LDS Size"]), spilled, spilled,
                          int(row["ScratchSize"]), int(row["SGPRs"]), int(row["Occupancy"]))
            )
        except KeyError as error:
            raise ValueError(f"the compiler said nothing about {error} of {row['Function Name']}") from None
    return tuple(found)
