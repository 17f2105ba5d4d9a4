"""Kernels with one planted mistake each, and kernels that only look wrong: what the emulator's check is held against.

Each kernel is a file of ``planted_kernels/`` whose kernel has the file's name. Comments in the text say what is to be
found, so that a line can move without anything else changing:

    // FAULT: kind array ...   the mistake, and the arrays that may be named (none: no array is named)
    // OR                      another line where the same fault may be seen, such as the other party of a race
    // ALSO: kind              what may follow from the mistake at this line, beside it, in some orders

A file without a FAULT is right: nothing may be reported, in any order, and the results are those of ``reference``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from kernels.emulator.faults import KINDS, Fault
from kernels.emulator.launch import STEP_LIMIT, Report
from kernels.module import Module

FOLDER = Path(__file__).parent / "planted_kernels"
SEED = 20240611
UNNAMED = ("time-out", "stack-overflow", "crash", "trap", "printf-limit", "barrier-divergence", "warp-divergence")
"""Kinds that are about no array."""
_MARK = re.compile(r"// (FAULT|ALSO): ([a-z-]+)((?: \w+)*)|// (OR)\b")

Arrays = dict[str, Any]
Inputs = Callable[[np.random.Generator], Arrays]
Reference = Callable[[Arrays], Arrays]


@dataclass(frozen=True)
class Expected:
    """What the comments of a text promise: lines from 1."""

    kind: str
    arrays: tuple[str, ...]
    lines: frozenset[int]
    also: frozenset[tuple[str, int]]


@dataclass(frozen=True)
class Planted:
    """A planted kernel and how to launch it.

    Attributes:
        name: of the file and of the kernel.
        inputs: arguments by the kernel's parameter names, in their order, from a seeded generator.
        reference: right results, by the names of the arrays, of a kernel that is right; from fresh inputs.
        shared: bytes of dynamic shared memory.
        nan: whether to look for NaN.
        step_limit: basic blocks a thread may run.
    """

    name: str
    grid: Any
    block: Any
    inputs: Inputs
    reference: Reference | None = None
    shared: int = 0
    nan: bool = False
    step_limit: int = STEP_LIMIT
    tolerance: float = field(default=1e-5)

    @property
    def path(self) -> Path:
        """The file."""
        return FOLDER / f"{self.name}.cu"

    @cached_property
    def expected(self) -> Expected | None:
        """What must be found; None: nothing.

        Raises:
            ValueError: the comments name no kind of fault, or more than one.
        """
        return read_marks(self.path.read_text(encoding="utf-8"))

    def fresh(self) -> Arrays:
        """New arguments, the same each time."""
        return self.inputs(np.random.default_rng(SEED))

    def inspect(self, module: Module, order: int) -> tuple[Report, Arrays]:
        """One checked launch: its report, and the arguments as the kernel left them."""
        arguments = self.fresh()
        report = module[self.name].inspect(self.grid, self.block, list(arguments.values()), self.shared, order=order,
                                           nan=self.nan, step_limit=self.step_limit)
        return report, arguments


def read_marks(text: str) -> Expected | None:
    """The FAULT, OR and ALSO comments of a text.

    Raises:
        ValueError: an unknown kind, two kinds, or marks without a FAULT.
    """
    kinds: set[str] = set()
    arrays: list[str] = []
    lines: set[int] = set()
    also: set[tuple[str, int]] = set()
    for number, line in enumerate(text.splitlines(), 1):
        for what, kind, names, other in _MARK.findall(line):
            if not other and kind not in KINDS[1:]:
                raise ValueError(f"line {number}: {kind} is no kind of fault")
            if what == "ALSO":
                also.add((kind, number))
                continue
            lines.add(number)
            if what == "FAULT":
                kinds.add(kind)
                arrays += names.split()
    if len(kinds) > 1 or (lines or also) and not kinds:
        raise ValueError(f"one FAULT a text, not {sorted(kinds)}")
    return Expected(kinds.pop(), tuple(arrays), frozenset(lines), frozenset(also)) if kinds else None


def problems(case: Planted, faults: Sequence[Fault], arguments: Arrays) -> list[str]:
    """How a report differs from what the case promises: a sentence each; empty if it does not."""
    expected = case.expected
    if expected is None:
        return [f"reported, though the kernel is right: {fault.message}" for fault in faults]
    found, other = [], []
    for fault in faults:
        if fault.kind == expected.kind and fault.line in expected.lines:
            found.append(fault)
        elif (fault.kind, fault.line) not in expected.also:
            other.append(f"reported beside the mistake: {fault.kind}: {fault.message}")
    if not found:
        other.append(f"no {expected.kind} at the lines {sorted(expected.lines)}")
    for fault in found:
        other += [f"{wrong}: {fault.message}" for wrong in _wrong_details(case, expected, fault, arguments)]
    return other


def _wrong_details(case: Planted, expected: Expected, fault: Fault, arguments: Arrays) -> list[str]:
    """What the fault or its message says wrongly, or leaves out: line, kernel, thread, block, array, element."""
    wrong = []
    if not fault.message.startswith(f"line {fault.line}: {case.name}: ") or "\n" in fault.message:
        wrong.append("the message is not one line that begins with line and kernel")
    if expected.kind != "printf-limit":
        wrong += _wrong_place(case, expected, fault)
    if expected.kind in UNNAMED or not expected.arrays:
        return wrong + ([f"{fault.array} is named"] if fault.array else [])
    if fault.array not in expected.arrays:
        wrong.append(f"{fault.array} is named, not {' or '.join(expected.arrays)}")
    elif fault.array not in fault.message:
        wrong.append(f"the message does not name {fault.array}")
    if expected.kind == "global-out-of-bounds" and fault.array in arguments and fault.element is not None:
        size = arguments[fault.array].size
        vectors = 3 if "float4" in case.path.read_text(encoding="utf-8") else 0
        if 0 <= fault.element < size - vectors:
            wrong.append(f"element {fault.element} is inside of {fault.array}")
    if expected.kind.endswith("-race") and fault.other_line not in expected.lines:
        wrong.append(f"line {fault.other_line} is named as the other party")
    return wrong


def _wrong_place(case: Planted, expected: Expected, fault: Fault) -> list[str]:
    wrong = []
    for what, place, extent in (("thread", fault.thread, case.block), ("block", fault.block, case.grid)):
        size = (*(extent if isinstance(extent, tuple) else (extent,)), 1, 1)[:3]
        if place is None or not all(0 <= p < e for p, e in zip(place, size, strict=True)):
            wrong.append(f"{what} {place} is not of the launch")
        elif what == "thread" and expected.kind == "barrier-divergence":
            continue  # said of so many threads, not of one
        elif f"{what} ({place[0]}, {place[1]}, {place[2]})" not in fault.message:
            wrong.append(f"the message does not name {what} {place}")
    return wrong


# ---- inputs --------------------------------------------------------------------------------------------------------
def f(rng: np.random.Generator, *shape: int) -> np.ndarray[Any, Any]:
    """Normal numbers in single precision."""
    return rng.standard_normal(shape).astype(np.float32)


def whole(rng: np.random.Generator, below: int, *shape: int) -> np.ndarray[Any, Any]:
    """Whole numbers from 0, 32 bits."""
    return rng.integers(0, below, shape).astype(np.int32)


def z(*shape: int) -> np.ndarray[Any, Any]:
    """Zeros in single precision."""
    return np.zeros(shape, np.float32)


def zi(*shape: int) -> np.ndarray[Any, Any]:
    """Zeros of 32 bits."""
    return np.zeros(shape, np.int32)


def _masked(rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Scores [3, 40]; the middle row is masked as a whole, the last in part."""
    x = f(rng, 3, 40)
    x[1], x[2, 7:] = -np.inf, -np.inf
    return x


def _close(rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """[2, 10240]: a row of 256 with one 255, as in the report, and a harmless row."""
    x = f(rng, 2, 10240)
    x[0] = 256.0
    x[0, -1] = 255.0
    return x


def _with(array: np.ndarray[Any, Any], place: Any, value: Any) -> np.ndarray[Any, Any]:
    array[place] = value
    return array


# ---- mistakes ------------------------------------------------------------------------------------------------------
FAULTY = (
    Planted("bounds_missing", 4, 64, lambda r: {"alpha": 2.0, "x": f(r, 250), "y": f(r, 250), "n": 250}),
    Planted("difference_past_ends", 4, 64, lambda r: {"x": f(r, 250), "slope": z(250), "step": 0.1, "n": 250}),
    Planted("hashed_slot_overflow", 4, 64, lambda r: {
        "keys": r.integers(2**27, 2**31, 250).astype(np.int32), "values": f(r, 250), "table": z(97), "n": 250,
        "slots": 97}),
    Planted("column_sum_guard_of_matrix", 2, (32, 32), lambda r: {
        "x": f(r, 20, 40), "sums": z(40), "rows": 20, "columns": 40}),
    Planted("pooling_window_unclipped", (1, 1), (8, 8), lambda r: {
        "x": f(r, 7, 7), "out": z(4, 4), "side": 7, "half": 4}),
    Planted("vector_count_rounded_up", 4, 32, lambda r: {"x": f(r, 1002), "out": z(1002), "n": 1002}),
    Planted("pointer_moved_in_loop", 1, 4, lambda r: {"x": f(r, 8, 16), "peak": z(8), "planes": 8, "area": 16}),
    Planted("pointer_left_null", 2, 64, lambda r: {
        "kind": _with(whole(r, 2, 100), 77, 2), "a": f(r, 100), "b": f(r, 100), "out": z(100), "n": 100}),
    Planted("partials_of_absent_warps", 3, 256, lambda r: {"x": f(r, 700), "sums": z(3), "n": 700}),
    Planted("halo_on_one_side_only", 3, 64, lambda r: {"x": f(r, 170), "out": z(170), "n": 170}),
    Planted("bins_fewer_than_mask", 2, 64, lambda r: {
        "x": r.integers(0, 256, 500).astype(np.uint8), "counts": np.zeros(32, np.uint32), "n": 500}),
    Planted("dynamic_bytes_as_elements", 3, 64, lambda r: {"x": f(r, 170), "out": z(170), "n": 170}, shared=64),
    Planted("halo_left_of_zero", 3, 64, lambda r: {"x": f(r, 170), "bend": z(170), "n": 170}),
    Planted("tree_without_barrier", 3, 128, lambda r: {"x": f(r, 300), "sums": z(3), "n": 300}),
    Planted("row_scratch_overwritten", 2, 64, lambda r: {
        "a": f(r, 7, 90), "x": f(r, 90), "y": z(7), "rows": 7, "columns": 90}),
    Planted("softmax_scratch_reused", 3, 64, lambda r: {"x": f(r, 3, 100), "out": z(3, 100), "columns": 100}),
    Planted("partials_zeroed_late", 2, 128, lambda r: {"x": f(r, 230), "sums": z(2), "n": 230}),
    Planted("warp_tail_volatile", 3, 64, lambda r: {"x": f(r, 170), "sums": z(3), "n": 170}),
    Planted("scan_in_place", 2, 128, lambda r: {"x": f(r, 256), "out": z(256)}),
    Planted("tile_refilled_early", (2, 3), (16, 16), lambda r: {
        "a": f(r, 40, 50), "b": f(r, 50, 30), "c": z(40, 30), "m": 40, "k": 50, "n": 30}),
    Planted("ring_filled_too_far", 1, 64, lambda r: {"x": f(r, 6, 64), "out": z(64), "tiles": 6}),
    Planted("shared_bins_without_atomics", 2, 64, lambda r: {
        "x": whole(r, 10, 300), "counts": zi(10), "n": 300, "bins": 10}, shared=40),
    Planted("bins_zeroed_without_barrier", 2, 64, lambda r: {
        "x": whole(r, 10, 300), "counts": zi(10), "n": 300, "bins": 10}, shared=40),
    Planted("broadcast_to_itself", 2, 32, lambda r: {"x": f(r, 64), "out": z(64)}),
    Planted("total_read_without_barrier", 2, 128, lambda r: {"x": f(r, 256), "out": z(256)}),
    Planted("carved_arrays_overlap", 2, 64, lambda r: {
        "error": f(r, 96), "best": zi(2), "working": 48}, shared=4 * (48 + 48)),
    Planted("shuffle_taken_for_barrier", 2, 32, lambda r: {"x": f(r, 64), "out": z(64)}),
    Planted("scatter_add_plain", 3, 64, lambda r: {
        "winner": whole(r, 40, 180), "out_gradient": f(r, 180), "gradient": z(40), "regions": 180}),
    Planted("largest_compared_then_written", 2, 64, lambda r: {
        "feature": f(r, 300), "place": whole(r, 20, 300), "peak": z(20), "n": 300}),
    Planted("bias_gradient_of_all_blocks", 4, 48, lambda r: {
        "g": f(r, 50, 48), "bias_gradient": z(48), "rows": 50, "columns": 48}),
    Planted("stride_of_one_block", 4, 64, lambda r: {"x": f(r, 500), "scale": 0.5, "n": 500}),
    Planted("smoothed_in_place", 4, 64, lambda r: {"field": f(r, 250), "n": 250}),
    Planted("shifted_within_block", 2, 64, lambda r: {"queue": f(r, 128)}),
    Planted("last_block_without_fence", 4, 64, lambda r: {
        "x": f(r, 900), "partial": z(4), "done": np.zeros(1, np.uint32), "total": z(1), "n": 900}),
    Planted("counter_cleared_by_every_block", 4, 64, lambda r: {"x": f(r, 250), "kept": zi(1), "n": 250}),
    Planted("halo_of_last_block_missing", 3, 64, lambda r: {"x": f(r, 176), "out": z(170), "n": 170}),
    Planted("reduction_of_half_filled_tree", 3, 64, lambda r: {
        "a": f(r, 170), "b": f(r, 170), "dots": z(3), "n": 170}),
    Planted("bins_never_zeroed", 2, 64, lambda r: {
        "x": whole(r, 10, 300), "counts": zi(10), "n": 300, "bins": 10}, shared=40),
    Planted("partials_of_small_block", 2, 128, lambda r: {"x": f(r, 230), "sums": z(2), "n": 230}),
    Planted("early_return_before_barrier", 3, 64, lambda r: {"x": f(r, 170), "out": z(170), "n": 170}),
    Planted("barrier_for_even_threads", 1, 64, lambda r: {"x": f(r, 64), "out": z(64)}),
    Planted("barrier_in_uneven_loop", 1, 64, lambda r: {
        "start": np.concatenate([[0], np.cumsum(1 + np.arange(64) % 5)]).astype(np.int32), "x": f(r, 200),
        "longest": z(64), "rows": 64}),
    Planted("barrier_in_each_branch", 1, 128, lambda r: {"x": f(r, 128), "out": z(128)}),
    Planted("shuffle_in_half_a_warp", 1, 32, lambda r: {"x": f(r, 32), "out": z(32)}),
    Planted("mask_without_the_caller", 2, 32, lambda r: {"x": f(r, 64), "sums": z(4)}),
    Planted("lanes_that_were_never_launched", 1, 48, lambda r: {"x": f(r, 48), "total": z(1)}),
    Planted("shuffle_after_early_return", 3, 32, lambda r: {"x": f(r, 80), "peaks": z(3), "n": 80}),
    Planted("vote_in_uneven_loop", 1, 32, lambda r: {
        "x": np.exp2(np.arange(32) % 6 - 1).astype(np.float32), "steps": zi(32)}),
    Planted("input_centred_in_place", 1, 32, lambda r: {
        "x": f(r, 20, 12), "out": z(20, 12), "rows": 20, "columns": 12}),
    Planted("vector_store_to_the_source", 1, 64, lambda r: {"alpha": 0.5, "x": f(r, 240), "y": f(r, 240), "n": 240}),
    Planted("vector_load_of_odd_row", 4, 32, lambda r: {"x": f(r, 4, 30), "norm": z(4), "rows": 4, "columns": 30}),
    Planted("slice_from_odd_element", 1, 64, lambda r: {"x": f(r, 101), "out": z(100), "n": 101}),
    Planted("doubles_behind_odd_counts", 1, 64, lambda r: {
        "group": whole(r, 7, 100), "x": f(r, 100), "means": z(7), "n": 100, "groups": 7}, shared=4 * 7 + 8 * 7),
    Planted("lock_kept_on_early_return", 1, 64, lambda r: {
        "x": _with(f(r, 64), slice(20, 40), 9.0), "total": z(1), "lock": zi(1), "limit": 5.0}, step_limit=200_000),
    Planted("probing_a_full_table", 2, 64, lambda r: {
        "keys": (1 + r.permutation(100)).astype(np.int32), "table": zi(64), "n": 100, "slots": 64},
        step_limit=200_000),
    Planted("bisection_that_stands_still", 1, 64, lambda r: {
        "sorted": np.sort(f(r, 100)), "query": f(r, 64), "place": zi(64), "length": 100}, step_limit=200_000),
    Planted("grid_barrier_of_wrong_count", 2, 64, lambda r: {
        "x": f(r, 128), "sums": z(128), "arrived": np.zeros(1, np.uint32)}, step_limit=200_000),
    Planted("softmax_of_masked_row", 3, 32, lambda r: {"x": _masked(r), "out": z(3, 40), "columns": 40}, nan=True),
    Planted("variance_below_zero", 2, 32, lambda r: {"x": _close(r), "out": z(2, 10240), "columns": 10240}, nan=True),
    Planted("logarithm_of_zero_probability", 2, 64, lambda r: {
        "p": _with(np.abs(f(r, 100)), 30, 0.0), "t": _with(np.abs(f(r, 100)), 30, 0.0), "loss": z(100), "n": 100},
        nan=True),
    Planted("mean_of_empty_segment", 1, 32, lambda r: {
        "start": np.array([0, 3, 3, 9, 20], np.int32), "x": f(r, 20), "means": z(4), "segments": 4}, nan=True),
    Planted("recursion_on_equal_keys", 1, 32, lambda r: {
        "x": _with(f(r, 20, 16), 11, 1.5), "rows": 20, "length": 16}),
    Planted("recursion_round_a_cycle", 1, 64, lambda r: {
        "parent": _with(np.arange(-1, 59, dtype=np.int32), 30, 31), "depth": zi(60), "n": 60}),
    Planted("division_by_empty_group", 2, 64, lambda r: {
        "value": whole(r, 50, 100), "group": whole(r, 5, 100), "total": np.array([9, 4, 0, 3, 2], np.int32),
        "share": zi(100), "n": 100}),
    Planted("remainder_by_zero_buckets", 2, 32, lambda r: {
        "keys": r.integers(0, 2**32, 200).astype(np.uint32), "bucket": np.zeros(200, np.uint32), "n": 200,
        "buckets": 0}),
    Planted("print_in_every_thread", 64, 256, lambda r: {"x": f(r, 16000), "out": z(16000), "n": 16000}),
    Planted("label_out_of_range", 2, 64, lambda r: {
        "log_p": f(r, 100, 10), "label": _with(whole(r, 10, 100), 64, 10), "loss": z(100), "n": 100, "classes": 10}),
    Planted("list_longer_than_promised", 2, 64, lambda r: {
        "x": f(r, 128), "kept": zi(16), "count": zi(1), "n": 128, "capacity": 16}),
)


# ---- right, whatever they look like --------------------------------------------------------------------------------
def _double(a: Arrays, name: str) -> np.ndarray[Any, Any]:
    return np.asarray(a[name], np.float64)


def _by_block(a: Arrays, size: int) -> list[np.ndarray[Any, Any]]:
    x = _double(a, "x").ravel()
    return [x[start : start + size] for start in range(0, x.size, size)]


def _softmax(a: Arrays) -> Arrays:
    x = _double(a, "x")
    largest = np.where(np.isinf(top := x.max(1, keepdims=True)), 0.0, top)
    parts = np.exp(x - largest)
    sums = parts.sum(1, keepdims=True)
    return {"out": parts / np.where(sums == 0.0, 1.0, sums)}


def _sums(size: int) -> Reference:
    return lambda a: {"sums": [part.sum() for part in _by_block(a, size)]}


def _turned(size: int) -> Reference:
    return lambda a: {"out": np.concatenate([part[::-1] for part in _by_block(a, size)])}


def _rows_of_relu(a: Arrays) -> Arrays:
    return {"out": np.maximum(a["x"], 0.0)}


def _largest(a: Arrays) -> Arrays:
    peak = a["peak"].view(np.float32).copy()
    np.maximum.at(peak, a["place"], a["feature"])
    return {"peak": peak.view(np.int32)}


def _means(a: Arrays) -> Arrays:
    sums = np.bincount(a["group"], _double(a, "x"), a["groups"])
    return {"means": sums / np.maximum(np.bincount(a["group"], minlength=a["groups"]), 1)}


def _first_labels(a: Arrays) -> Arrays:
    kind = a["kind"]
    begins = np.concatenate([[True], kind[1:] != kind[:-1]])
    return {"labels": np.maximum.accumulate(np.where(begins, np.arange(kind.size), 0))}


def _queue(a: Arrays) -> Arrays:
    moved = np.roll(a["queue"].reshape(2, 64), -1, axis=1)
    moved[:, 0] += moved[:, -1]
    return {"queue": moved.ravel()}


def _one_array(r: np.random.Generator) -> Arrays:
    x = f(r, 100)
    return {"x": x, "out": x, "n": 100}


RIGHT = (
    Planted("right_tree_reduction", 3, 128, lambda r: {"x": f(r, 300), "sums": z(3), "n": 300}, _sums(128)),
    Planted("right_softmax_with_two_reductions", 3, 64, lambda r: {
        "x": f(r, 3, 100), "out": z(3, 100), "columns": 100}, _softmax),
    Planted("right_warp_tail_with_syncwarp", 3, 64, lambda r: {"x": f(r, 170), "sums": z(3), "n": 170}, _sums(64)),
    Planted("right_partials_of_warps", 2, 128, lambda r: {"x": f(r, 230), "sums": z(2), "n": 230}, _sums(128)),
    Planted("right_shared_histogram", 2, 64, lambda r: {
        "x": whole(r, 10, 300), "counts": zi(10), "n": 300, "bins": 10},
        lambda a: {"counts": np.bincount(a["x"], minlength=10)}, shared=40),
    Planted("right_tiled_product", (2, 3), (16, 16), lambda r: {
        "a": f(r, 40, 50), "b": f(r, 50, 30), "c": z(40, 30), "m": 40, "k": 50, "n": 30},
        lambda a: {"c": _double(a, "a") @ _double(a, "b")}),
    Planted("right_double_buffer", 1, 64, lambda r: {"x": f(r, 6, 64), "out": z(64), "tiles": 6},
            lambda a: {"out": _double(a, "x")[:, ::-1].sum(0)}),
    Planted("right_scan_between_two_buffers", 2, 128, lambda r: {"x": f(r, 256), "out": z(256)},
            lambda a: {"out": np.concatenate([part.cumsum() for part in _by_block(a, 128)])}),
    Planted("right_transposed_tile", (3, 2), (16, 16), lambda r: {
        "x": f(r, 20, 40), "out": z(40, 20), "rows": 20, "columns": 40}, lambda a: {"out": a["x"].T}),
    Planted("right_early_return_of_whole_warps", 2, 128, lambda r: {
        "x": f(r, 6, 70), "sums": z(6), "rows": 6, "columns": 70}, _sums(70)),
    Planted("right_barrier_in_uniform_branch", 4, 64, lambda r: {"x": f(r, 256), "out": z(256)},
            lambda a: {"out": np.concatenate([p[::-1] if i % 2 else p for i, p in enumerate(_by_block(a, 64))])}),
    Planted("right_loop_rounded_up", 2, 64, lambda r: {"x": f(r, 330), "out": z(330), "n": 330}, _turned(64)),
    Planted("right_grid_stride_in_place", 4, 64, lambda r: {"x": f(r, 500), "scale": 0.5, "n": 500},
            lambda a: {"x": a["x"] * 0.5}),
    Planted("right_scatter_add", 3, 64, lambda r: {
        "winner": whole(r, 40, 180) - 1, "out_gradient": f(r, 180), "gradient": z(40), "regions": 180},
        lambda a: {"gradient": np.bincount(a["winner"] + 1, _double(a, "out_gradient"), 41)[1:]}),
    Planted("right_largest_by_compare_and_swap", 2, 64, lambda r: {
        "feature": f(r, 300), "place": whole(r, 20, 300), "peak": zi(20), "n": 300}, _largest),
    Planted("right_last_block_with_fence", 4, 64, lambda r: {
        "x": f(r, 900), "partial": z(4), "done": np.zeros(1, np.uint32), "total": z(1), "n": 900},
        lambda a: {"total": [_double(a, "x").sum()], "done": [4]}),
    Planted("right_lock_with_fences", 4, 64, lambda r: {
        "x": f(r, 250), "best": _with(z(2), 0, -np.inf), "lock": zi(1), "n": 250},
        lambda a: {"best": [a["x"].max(), a["x"].argmax()], "lock": [0]}),
    Planted("right_halo_of_every_block", 3, 64, lambda r: {"x": f(r, 176), "out": z(170), "n": 170},
            lambda a: {"out": np.convolve(_double(a, "x"), np.ones(7), "valid")}),
    Planted("right_vectors_and_tail", 4, 32, lambda r: {"x": f(r, 1002), "out": z(1002), "n": 1002}, _rows_of_relu),
    Planted("right_mask_from_ballot", 3, 32, lambda r: {"x": f(r, 80), "peaks": z(3), "n": 80},
            lambda a: {"peaks": [part.max() for part in _by_block(a, 32)]}),
    Planted("right_eighths_of_a_warp", 2, 64, lambda r: {"x": 1 + np.abs(f(r, 128)), "out": z(128)},
            lambda a: {"out": np.concatenate([part / part.sum() for part in _by_block(a, 8)])}),
    Planted("right_half_warps_apart", 2, 32, lambda r: {"x": f(r, 64), "out": z(64)},
            lambda a: {"out": np.concatenate([part[::-1] * (1 - 2 * (i % 2)) for i, part in
                                              enumerate(_by_block(a, 16))])}),
    Planted("right_loop_until_nobody_changes", 1, 64, lambda r: {"kind": whole(r, 2, 64), "labels": zi(64)},
            _first_labels),
    Planted("right_shared_memory_carved", 1, 64, lambda r: {
        "group": whole(r, 7, 100), "x": f(r, 100), "means": z(7), "n": 100, "groups": 7}, _means,
        shared=4 * 7 + 8 * 7),
    Planted("right_shared_memory_of_two_types", 2, 64, lambda r: {"x": f(r, 128), "out": z(128)},
            lambda a: {"out": np.concatenate([part.argsort().argsort() for part in _by_block(a, 64)])}),
    Planted("right_bounded_recursion", 1, 32, lambda r: {
        "x": _with(f(r, 20, 16), 11, 1.5), "rows": 20, "length": 16}, lambda a: {"x": np.sort(a["x"], axis=1)}),
    Planted("right_softmax_of_masked_row", 3, 32, lambda r: {"x": _masked(r), "out": z(3, 40), "columns": 40},
            _softmax, nan=True),
    Planted("right_infinity_is_a_number", 2, 64, lambda r: {
        "x": _with(np.abs(f(r, 100)), 30, 0.0), "out": z(100), "n": 100},
        lambda a: {"out": np.log(a["x"], where=a["x"] > 0, out=np.full(100, -np.inf))}, nan=True),
    Planted("right_one_atomic_a_warp", 2, 64, lambda r: {"x": f(r, 120), "kept": z(120), "count": zi(1), "n": 120},
            lambda a: {"kept": np.sort(np.maximum(a["x"], 0.0)), "count": [(a["x"] > 0.0).sum()]}),
    Planted("right_in_and_out_are_one", 2, 64, _one_array, _rows_of_relu),
    Planted("right_bytes_side_by_side", 3, 50, lambda r: {
        "x": r.integers(0, 256, 141).astype(np.uint8), "out": np.zeros(141, np.uint8), "n": 141},
        lambda a: {"out": 255 - a["x"]}),
    Planted("right_own_byte_again", 2, 64, lambda r: {
        "x": r.integers(0, 256, 120).astype(np.uint8), "steps": np.zeros(120, np.uint8), "n": 120},
        lambda a: {"steps": np.floor(np.log2(np.maximum(a["x"], 1)))}),
    Planted("right_global_memory_behind_barrier", 2, 64, lambda r: {"queue": f(r, 128)}, _queue),
    Planted("right_shared_counter", 3, 64, lambda r: {"x": f(r, 3, 100), "above": zi(3), "per_block": 100},
            lambda a: {"above": (a["x"] > _double(a, "x").mean(1, keepdims=True)).sum(1)}),
    Planted("right_odd_block_size", 3, 50, lambda r: {"x": f(r, 150), "out": z(150)},
            lambda a: {"out": np.concatenate([part - part.max() for part in _by_block(a, 50)])}),
    Planted("right_few_lines_printed", 2, 64, lambda r: {"x": f(r, 100), "out": z(100), "n": 100},
            lambda a: {"out": a["x"] ** 2}),
)
