"""What is compared, and why a count may differ: data, not code.

The emulator counts what the source says; ``ncu`` counts what the device compiler made of it. Where the compiler
merges or adds instructions the two differ, and a reason below says why. A reason is a claim with a number: it is
accepted only on launches whose difference has the size that the reason predicts, and a reason that fits no launch is
reported as stale.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Counter:
    """One counter of the emulator and the ``ncu`` metrics whose sum it is held against.

    ``core`` counters must be there on both sides; the others are compared where the machine has the metric.
    """

    name: str
    metrics: tuple[str, ...]
    core: bool


@dataclass(frozen=True)
class Reason:
    """``ncu`` minus emulator = a factor from ``low`` to ``high`` times the emulator's own counter ``base``.

    ``base`` may also be ``threads``, ``warps`` or ``blocks``. With ``low == high`` the claim is exact.
    """

    kernels: tuple[str, ...]
    counters: tuple[str, ...]
    base: str
    low: Fraction
    high: Fraction
    text: str


def exactly(kernels: tuple[str, ...], counters: tuple[str, ...], base: str, factor: str, text: str) -> Reason:
    """A reason whose difference is known to the last digit."""
    return Reason(kernels, counters, base, Fraction(factor), Fraction(factor), text)


COUNTERS = (
    Counter("global_load_requests", ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",), True),
    Counter("global_load_sectors", ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",), True),
    Counter("global_store_requests", ("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",), True),
    Counter("global_store_sectors", ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",), True),
    Counter(
        "atomic_requests",
        ("l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"),
        False,
    ),
    Counter("shared_load_requests", ("smsp__inst_executed_op_shared_ld.sum",), False),
    Counter("shared_load_passes", ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",), False),
    Counter("shared_load_conflicts", ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",), True),
    Counter("shared_store_requests", ("smsp__inst_executed_op_shared_st.sum",), False),
    Counter("shared_store_passes", ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",), False),
    Counter("shared_store_conflicts", ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",), True),
    Counter("fused_multiply_adds", ("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",), True),
)
"""The counters of the table, in its order."""

ALSO_RECORDED = (
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
    "smsp__inst_executed_op_global_red.sum",
    "smsp__inst_executed_op_global_atom.sum",
    "smsp__inst_executed_op_global_ld.sum",
    "smsp__inst_executed_op_global_st.sum",
)
"""Metrics kept in the measurement without a counterpart in the emulator: they help to explain a difference."""

PER_LINE = ("memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal")
"""Wavefronts that ``ncu`` works out from each instruction's addresses, without the noise of a hardware counter."""

REASONS: tuple[Reason, ...] = ()
