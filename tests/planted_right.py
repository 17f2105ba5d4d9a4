"""Kernels that are right, whatever they look like: their launches, arguments and results, computed by NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.planted import Arrays, Planted, Reference, changed, f, masked_scores, whole, z, zi


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


def _both_branches(a: Arrays) -> Arrays:
    x = a["x"].reshape(2, 32)
    lane = np.arange(32)
    return {"out": np.where(lane < 16, x - x[:, lane ^ 1], x + x[:, lane ^ 2]).ravel()}


def _moved_particles(a: Arrays) -> Arrays:
    moved = a["particles"].reshape(2, 32, 24)[:, ::-1].reshape(64, 24).copy()
    moved[:, :3] += 0.5 * moved[:, 3:6]
    return {"out": moved}


def _sum_of_squares(a: Arrays) -> Arrays:
    return {"total": [(_double(a, "x") ** 2).sum()]}


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
        "x": f(r, 250), "best": changed(z(2), 0, -np.inf), "lock": zi(1), "n": 250},
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
        "x": changed(f(r, 20, 16), 11, 1.5), "rows": 20, "length": 16}, lambda a: {"x": np.sort(a["x"], axis=1)}),
    Planted("right_softmax_of_masked_row", 3, 32, lambda r: {"x": masked_scores(r), "out": z(3, 40), "columns": 40},
            _softmax, nan=True),
    Planted("right_infinity_is_a_number", 2, 64, lambda r: {
        "x": changed(np.abs(f(r, 100)), 30, 0.0), "out": z(100), "n": 100},
        lambda a: {"out": np.log(a["x"], where=a["x"] > 0, out=np.full(100, -np.inf))}, nan=True),
    Planted("right_one_atomic_a_warp", 2, 64, lambda r: {"x": f(r, 120), "kept": z(120), "count": zi(1), "n": 120},
            lambda a: {"kept": np.sort(np.maximum(a["x"], 0.0)), "count": [(a["x"] > 0.0).sum()]},
            unordered=("kept",)),
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
    Planted("right_shuffle_in_both_branches", 2, 32, lambda r: {"x": f(r, 64), "out": z(64)}, _both_branches),
    Planted("right_syncwarp_in_both_branches", 2, 32, lambda r: {"x": f(r, 64), "out": z(64)},
            lambda a: {"out": (a["x"].reshape(2, 2, 16) * [[1], [-1]]).reshape(2, 32)[:, ::-1].ravel()}),
    Planted("right_struct_copied", 2, 32, lambda r: {"particles": f(r, 64, 24), "out": z(64, 24), "time": 0.5},
            _moved_particles),
    Planted("right_local_array", 2, 64, lambda r: {"x": f(r, 104), "out": z(100), "n": 100},
            lambda a: {"out": np.median(np.lib.stride_tricks.sliding_window_view(a["x"], 5), axis=1)}),
    Planted("right_two_names_for_dynamic_memory", 2, 64, lambda r: {
        "a": whole(r, 9, 120), "b": f(r, 120), "sums": z(2), "n": 120},
        lambda a: {"sums": [(_double(a, "a") * a["b"])[:64].sum(), (_double(a, "a") * a["b"])[64:].sum()]},
        shared=4 * 64),
    Planted("right_block_of_three_dimensions", 2, (4, 4, 4), lambda r: {"x": f(r, 128), "sums": z(4)}, _sums(32)),
    Planted("right_smallest_with_its_place", 2, 64, lambda r: {
        "x": np.abs(f(r, 500)), "best": np.array([2**64 - 1], np.uint64), "n": 500},
        lambda a: {"best": (a["x"].min(keepdims=True).view(np.uint32).astype(np.uint64) << np.uint64(32)) +
                   np.uint64(a["x"].argmin())}),
    Planted("right_warp_exchange_in_global_memory", 2, 64, lambda r: {
        "x": f(r, 128), "scratch": z(128), "out": z(128)}, _turned(32)),
    Planted("right_word_by_memcpy", 1, 32, lambda r: {
        "records": r.integers(0, 256, 180).astype(np.uint8), "out": zi(20), "n": 20},
        lambda a: {"out": np.ascontiguousarray(a["records"].reshape(20, 9)[:, 5:]).view(np.int32).ravel()}),
    Planted("right_min_of_mixed_signs", 3, 64, lambda r: {"counts": zi(3), "n": 150},
            lambda a: {"counts": [64, 64, 22]}),
    Planted("right_variables_of_the_module", 2, 64, lambda r: {"x": f(r, 104), "out": z(100), "n": 100},
            lambda a: {"out": np.convolve(_double(a, "x"), [0.1, 0.2, 0.4, 0.2, 0.1], "valid")}),
    Planted("right_many_rounds_in_one_warp", 1, 32, lambda r: {"x": f(r, 32), "out": z(32), "rounds": 33_001},
            lambda a: {"out": np.roll(a["x"], -33_001)}),
    Planted("right_fence_behind_barrier", 4, 32, lambda r: {
        "x": f(r, 128), "partial": z(128), "done": np.zeros(1, np.uint32), "total": z(1)}, _sum_of_squares),
    Planted("right_last_thread_with_fence", 4, 32, lambda r: {
        "x": f(r, 128), "square": z(128), "done": np.zeros(1, np.uint32), "total": z(1)}, _sum_of_squares),
    Planted("right_lock_for_every_thread", 4, 64, lambda r: {
        "x": f(r, 250), "best": changed(z(2), 0, -np.inf), "lock": zi(1), "n": 250},
        lambda a: {"best": [a["x"].max(), a["x"].argmax()], "lock": [0]}),
)
