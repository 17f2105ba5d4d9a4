"""What is compared, and why a count may differ: data, not code.

The emulator counts what the source says; ``ncu`` counts what the device compiler made of it. Where the compiler
merges or adds instructions the two differ, and a reason below says why. A reason is a claim with a number: it is
accepted only on launches whose difference has the size that the reason predicts, and a reason that fits no launch is
reported as stale.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Counter:
    """One counter of the emulator and the ``ncu`` metrics whose sum it is held against.

    A metric with a minus sign is subtracted. ``core`` counters must be there on both sides; the others are compared
    where the machine has the metric. Counters that are not ``steady`` may change between two runs of one launch.
    """

    name: str
    metrics: tuple[str, ...]
    core: bool
    steady: bool = True


def metrics_of(counters: Iterable[Counter]) -> tuple[str, ...]:
    """The metrics to ask for, each once."""
    return tuple(dict.fromkeys(name.lstrip("-") for counter in counters for name in counter.metrics))


def machine_count(metrics: Mapping[str, Any], counter: Counter) -> int | None:
    """The sum of the counter's metrics, or None where the machine gave none or only a part of them."""
    values = [(-1 if name.startswith("-") else 1, metrics.get(name.lstrip("-"))) for name in counter.metrics]
    return None if any(value is None for _, value in values) else sum(sign * value for sign, value in values)


@dataclass(frozen=True)
class Reason:
    """``ncu`` minus emulator = a factor from ``low`` to ``high`` times the emulator's own counter ``base``.

    ``base`` may also be ``threads``, ``warps``, ``blocks`` or ``global_store_lanes``. With ``low == high`` the claim is
    exact. ``sometimes``: the difference comes and goes, so that no launch has to show it.
    """

    kernels: tuple[str, ...]
    counters: tuple[str, ...]
    base: str
    low: Fraction
    high: Fraction
    text: str
    sometimes: bool = False


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
    Counter("shared_load_passes", ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",), False, False),
    Counter("shared_conflicts", ("memory_l1_wavefronts_shared", "-memory_l1_wavefronts_shared_ideal"), True),
    Counter("shared_load_conflicts", ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",), True, False),
    Counter("shared_store_requests", ("smsp__inst_executed_op_shared_st.sum",), False),
    Counter("shared_store_passes", ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",), False, False),
    Counter("shared_store_conflicts", ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",), True, False),
    Counter("fused_multiply_adds", ("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",), True),
)
"""The counters of the table, in its order.

``shared_conflicts`` is what ``ncu`` works out from the addresses of each instruction. The two hardware counters below
also count passes that the banks lose to data that arrives from global memory: on large launches they change from run
to run (653 and 585 for one launch of matmul_tiled, where the addresses give 0).
"""

ALSO_RECORDED = (
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
    "smsp__inst_executed_op_global_red.sum",
    "smsp__inst_executed_op_global_atom.sum",
    "smsp__inst_executed_op_global_ld.sum",
    "smsp__inst_executed_op_global_st.sum",
)
"""Metrics kept in the measurement without a counterpart in the emulator: they help to explain a difference."""

_FUSED, _LANES = ("fused_multiply_adds",), "global_store_lanes"
_MERGED = "the device compiler reads neighbours in a row of the tile with one wide load, and keeps what it has read"
_EXPANDED = (
    "the device has no instruction for exp, log, a rounded division or a rounded square root: the compiler makes "
    "them of fused multiply-adds"
)
_LOADS, _PASSES = ("shared_load_requests",), ("shared_load_passes",)
_NOISE = (
    "the hardware counter also counts passes lost to data that arrives from global memory; it changes from run to "
    "run, and ncu's own count from the addresses (shared_conflicts) is the emulator's"
)
_TILED = ("matmul_tiled", "matmul_register_1d", "matmul_register_2d", "matmul_float4", "matmul_double_buffered",
          "linear_backward")

REASONS: tuple[Reason, ...] = (
    exactly(("matmul_tiled",), _LOADS, "shared_load_requests", "-3/8", _MERGED),
    exactly(("matmul_tiled",), _PASSES, "shared_load_passes", "-1/4", _MERGED),
    exactly(("matmul_register_1d",), _LOADS, "shared_load_requests", "-2/3", _MERGED),
    exactly(("matmul_register_1d",), _PASSES, "shared_load_passes", "-4/9", _MERGED),
    exactly(("matmul_register_2d", "matmul_double_buffered"), _LOADS, "shared_load_requests", "-23/64", _MERGED),
    exactly(("matmul_register_2d", "matmul_double_buffered"), _PASSES, "shared_load_passes", "-7/32", _MERGED),
    Reason(
        ("linear_backward",),
        (*_LOADS, *_PASSES),
        "shared_load_requests",
        Fraction(-1, 32),
        Fraction(0),
        "the device compiler reads an element once for the weights and the bias, the source reads it twice",
    ),
    exactly(("cross_entropy_backward",), _FUSED, _LANES, "5", _EXPANDED),
    exactly(("cross_entropy_loss",), _FUSED, _LANES, "16", _EXPANDED),
    exactly(("softmax_thread_per_row", "softmax_warp_per_row"), _FUSED, _LANES, "14", _EXPANDED),
    Reason(
        ("softmax_cross_entropy",),
        _FUSED,
        _LANES,
        Fraction(10),
        Fraction(139),
        _EXPANDED + ": 10 an element and 139 a row",
    ),
    Reason(
        ("adam",),
        _FUSED,
        _LANES,
        Fraction(2),
        Fraction(7, 3),
        _EXPANDED + ": 7 an element, fewer where the square root takes its short way",
    ),
    Reason(
        ("l2_ball_forward", "l2_ball_backward"),
        _FUSED,
        "threads",
        Fraction(0),
        Fraction(20),
        _EXPANDED + ", in the rows that lie outside of the ball",
    ),
    Reason(
        _TILED,
        ("shared_load_conflicts", "shared_load_passes"),
        "shared_load_requests",
        Fraction(0),
        Fraction(1, 100),
        _NOISE,
        sometimes=True,
    ),
    Reason(
        _TILED,
        ("shared_store_conflicts", "shared_store_passes"),
        "shared_store_requests",
        Fraction(0),
        Fraction(1, 10),
        _NOISE,
        sometimes=True,
    ),
)
