"""A launch and what it left behind, on their way between the grader and the process that runs a student's kernel.

What comes back is believed in nothing: arrays are compared by the grader, and figures must at least be figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.cases.kernel_case import Launch
from autograder.cases.kernel_compare import Run
from autograder.grade import wire
from autograder.grade.session import plain_text

if TYPE_CHECKING:
    from kernels.emulator.counters import Counters
    from kernels.emulator.faults import Fault

LIST_LIMIT = 2000
"""Faults, lines and branches in one report; the emulator gives at most a hundred faults."""

FIGURE_LIMIT = 2**62


def launch_request(launch: Launch, order: int) -> tuple[dict[str, Any], list[bytes]]:
    """Header and chunks that ask for one launch."""
    packer = wire.Packer()
    header = {
        "op": "launch",
        "grid": list(launch.grid),
        "block": list(launch.block),
        "shared": launch.shared,
        "order": order,
        "arguments": [packer.pack(argument) for argument in launch.args.values()],
    }
    return header, packer.chunks


def read_run(reply: dict[str, Any], payload: bytes, launch: Launch) -> Run:
    """What a reply says.

    Raises:
        WireError: it is not what the runner sends.
    """
    nodes = reply.get("arguments")
    if not isinstance(nodes, list) or len(nodes) != len(launch.args):
        raise wire.WireError("arguments are missing")
    names = [name for name, value in launch.args.items() if isinstance(value, np.ndarray)]
    after = dict(zip(launch.args, nodes, strict=True))
    arrays = {name: wire.unpack(after[name], payload) for name in names}
    return Run(arrays, [_fault(item) for item in _list(reply.get("faults"))], _counters(reply.get("counters")))


def _list(value: object) -> list[Any]:
    if not isinstance(value, list) or len(value) > LIST_LIMIT:
        raise wire.WireError("a report is missing or too long")
    return value


def _fault(item: Any) -> Fault:
    from kernels.emulator.faults import Fault

    known = _known(item, Fault)
    for name in ("thread", "block", "other_thread", "other_block"):
        known[name] = None if known[name] is None else tuple(_figure(value) for value in _list(known[name]))
    for name in ("kind", "message", "kernel", "array"):
        known[name] = None if known[name] is None else plain_text(known[name])
    for name in ("line", "element", "other_line", "count"):
        known[name] = None if known[name] is None else _figure(known[name])
    return Fault(**known)


def _counters(item: Any) -> Counters:
    from kernels.emulator.counters import BranchCount, Counters, LineCount

    known = _known(item, Counters)
    lines = tuple(_count(line, LineCount) for line in _list(known.pop("lines")))
    branches = tuple(_count(branch, BranchCount) for branch in _list(known.pop("branches")))
    figures: dict[str, Any] = {name: None if value is None else _figure(value) for name, value in known.items()}
    return Counters(lines=lines, branches=branches, **figures)


def _count(item: Any, kind: Any) -> Any:
    known = _known(item, kind)
    return kind(**{name: plain_text(v) if name in ("op", "space") else _figure(v) for name, v in known.items()})


def _known(item: Any, kind: Any) -> dict[str, Any]:
    """A dictionary with exactly the fields of a dataclass."""
    names: Sequence[str] = [field.name for field in fields(kind) if field.init]
    if not isinstance(item, dict) or set(item) != set(names):
        raise wire.WireError(f"a {kind.__name__} is not described")
    return dict(item)


def _figure(value: object) -> int:
    if type(value) is not int or not -FIGURE_LIMIT < value < FIGURE_LIMIT:
        raise wire.WireError("a figure is no whole number")
    return value
