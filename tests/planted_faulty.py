"""Every planted kernel with a mistake: its launch and its arguments. What is to be found says the kernel's own text."""

from __future__ import annotations

import numpy as np

from tests.planted import Planted, changed, close_numbers, f, masked_scores, whole, z, zi

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
        "kind": changed(whole(r, 2, 100), 77, 2), "a": f(r, 100), "b": f(r, 100), "out": z(100), "n": 100}),
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
        "x": changed(f(r, 64), slice(20, 40), 9.0), "total": z(1), "lock": zi(1), "limit": 5.0}, step_limit=200_000),
    Planted("probing_a_full_table", 2, 64, lambda r: {
        "keys": (1 + r.permutation(100)).astype(np.int32), "table": zi(64), "n": 100, "slots": 64},
        step_limit=200_000),
    Planted("bisection_that_stands_still", 1, 64, lambda r: {
        "sorted": np.sort(f(r, 100)), "query": f(r, 64), "place": zi(64), "length": 100}, step_limit=200_000),
    Planted("grid_barrier_of_wrong_count", 2, 64, lambda r: {
        "x": f(r, 128), "sums": z(128), "arrived": np.zeros(1, np.uint32)}, step_limit=200_000),
    Planted("softmax_of_masked_row", 3, 32, lambda r: {
        "x": masked_scores(r), "out": z(3, 40), "columns": 40}, nan=True),
    Planted("variance_below_zero", 2, 32, lambda r: {
        "x": close_numbers(r), "out": z(2, 10240), "columns": 10240}, nan=True),
    Planted("logarithm_of_zero_probability", 2, 64, lambda r: {
        "p": changed(np.abs(f(r, 100)), 30, 0.0), "t": changed(np.abs(f(r, 100)), 30, 0.0), "loss": z(100), "n": 100},
        nan=True),
    Planted("mean_of_empty_segment", 1, 32, lambda r: {
        "start": np.array([0, 3, 3, 9, 20], np.int32), "x": f(r, 20), "means": z(4), "segments": 4}, nan=True),
    Planted("recursion_on_equal_keys", 1, 32, lambda r: {
        "x": changed(f(r, 20, 16), 11, 1.5), "rows": 20, "length": 16}),
    Planted("recursion_round_a_cycle", 1, 64, lambda r: {
        "parent": changed(np.arange(-1, 59, dtype=np.int32), 30, 31), "depth": zi(60), "n": 60}),
    Planted("division_by_empty_group", 2, 64, lambda r: {
        "value": whole(r, 50, 100), "group": whole(r, 5, 100), "total": np.array([9, 4, 0, 3, 2], np.int32),
        "share": zi(100), "n": 100}),
    Planted("remainder_by_zero_buckets", 2, 32, lambda r: {
        "keys": r.integers(0, 2**32, 200).astype(np.uint32), "bucket": np.zeros(200, np.uint32), "n": 200,
        "buckets": 0}),
    Planted("print_in_every_thread", 64, 256, lambda r: {"x": f(r, 16000), "out": z(16000), "n": 16000}),
    Planted("label_out_of_range", 2, 64, lambda r: {
        "log_p": f(r, 100, 10), "label": changed(whole(r, 10, 100), 64, 10), "loss": z(100), "n": 100, "classes": 10}),
    Planted("list_longer_than_promised", 2, 64, lambda r: {
        "x": f(r, 128), "kept": zi(16), "count": zi(1), "n": 128, "capacity": 16}),
    Planted("half_synced_then_overwritten", 2, 32, lambda r: {"x": f(r, 64), "out": z(64)}),
    Planted("barrier_through_two_calls", 1, 128, lambda r: {"x": f(r, 128), "out": z(128)}),
    Planted("nan_added_atomically", 2, 64, lambda r: {
        "p": changed(np.abs(f(r, 100)), 30, 0.0), "t": changed(np.abs(f(r, 100)), 30, 0.0), "loss": z(1), "n": 100},
        nan=True),
    Planted("nan_in_a_vector", 1, 32, lambda r: {
        "x": changed(np.abs(f(r, 100)), 42, -1.0), "out": z(100), "n": 100}, nan=True),
    Planted("votes_that_never_agree", 1, 64, lambda r: {"state": whole(r, 2, 64), "length": 63}, step_limit=20_000),
    Planted("device_counter_without_atomics", 2, 64, lambda r: {
        "x": f(r, 100), "flags": zi(100), "limit": 0.5, "n": 100}),
    Planted("constant_filter_overrun", 2, 64, lambda r: {"x": f(r, 105), "out": z(100), "n": 100}),
    Planted("byte_ranges_overlap", 2, 64, lambda r: {"x": f(r, 100), "mask": np.zeros(100, np.uint8), "n": 100}),
    Planted("word_at_odd_byte", 1, 32, lambda r: {
        "records": r.integers(0, 256, 180).astype(np.uint8), "out": zi(20), "n": 20}),
    Planted("fence_of_one_thread", 4, 32, lambda r: {
        "x": f(r, 128), "partial": z(128), "done": np.zeros(1, np.uint32), "total": z(1)}),
    Planted("written_behind_the_fence", 4, 32, lambda r: {
        "x": f(r, 128), "partial": z(4), "done": np.zeros(1, np.uint32), "total": z(1)}),
    Planted("counted_before_the_fence", 4, 32, lambda r: {
        "x": f(r, 128), "partial": z(4), "done": np.zeros(1, np.uint32), "total": z(1)}),
    Planted("padded_rows_as_vectors", 2, (16, 16), lambda r: {"x": f(r, 32, 16), "out": z(32, 16)}),
    Planted("counter_read_too_soon", 3, 64, lambda r: {"x": f(r, 192), "above": zi(3)}),
    Planted("transposed_with_extents_swapped", (3, 2), (16, 16), lambda r: {
        "x": f(r, 20, 40), "out": z(40, 20), "rows": 20, "columns": 40}),
)
