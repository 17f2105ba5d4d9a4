"""Every kernel of the course against float64, at every size of the catalog, checked and fast, in eight orders."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import kernels
from kernels.catalog import CATALOG, TOLERANCE, Entry, Size, find, relative_error
from kernels.emulator.launch import Report
from kernels.signature import signatures
from kernels.source import HERE, read

ENTRIES = pytest.mark.parametrize("entry", CATALOG, ids=lambda entry: entry.name)
RAGGED = 1
"""Position in ``sizes`` of the one that is ragged and small."""


def run(entry: Entry, size: Size, mode: str, seed: int) -> float:
    """The largest relative error of the outputs of one launch."""
    module = kernels.load(entry.file, target="emulator", mode=mode)
    args, references = entry.make(size, np.random.default_rng([seed, *size]))
    grid, block, shared = entry.launch(size)
    module[entry.name](grid, block, args, shared)
    named = {p.name: value for p, value in zip(module[entry.name].parameters, args, strict=True)}
    errors = [relative_error(named[name], wanted) for name, wanted in references.items()]
    return float("nan") if np.isnan(errors).any() else max(errors)


def inspect(entry: Entry, size: Size, order: int = 0) -> Report:
    kernel = kernels.load(entry.file, target="emulator")[entry.name]
    args, _ = entry.make(size, np.random.default_rng([order, *size]))
    grid, block, shared = entry.launch(size)
    return kernel.inspect(grid, block, args, shared, order=order)


@ENTRIES
@pytest.mark.parametrize("mode", ["checked", "fast"])
def test_results(entry: Entry, mode: str) -> None:
    for size in entry.sizes:
        assert run(entry, size, mode, seed=int.from_bytes(np.random.default_rng().bytes(3), "big")) <= TOLERANCE, size


@ENTRIES
def test_no_fault_in_eight_orders(entry: Entry) -> None:
    for order in range(8):
        assert inspect(entry, entry.sizes[RAGGED], order).faults == (), order


@ENTRIES
def test_counters_do_not_depend_on_the_order(entry: Entry) -> None:
    natural, mixed = (inspect(entry, entry.sizes[RAGGED], order).counters for order in (0, 5))
    args = ("requests", "sectors", "passes", "ideal_passes")
    if entry.name.startswith(("softmax", "cross", "l2")):  # inputs change with the order; these branch on them
        args = ("requests",)
    assert [natural.total(what) for what in args] == [mixed.total(what) for what in args]


@ENTRIES
def test_no_kernel_reads_or_writes_less_than_the_least(entry: Entry) -> None:
    size = entry.sizes[RAGGED]
    counters = inspect(entry, size).counters
    moved = sum(row.bytes for row in counters.lines if row.space == "global")
    if entry.name != "cross_entropy_loss":
        assert moved >= entry.bytes_moved(size)
    assert entry.flops(size) >= 0


@ENTRIES
def test_poisoned_outputs_fail(entry: Entry) -> None:
    args, references = entry.make(entry.sizes[RAGGED], np.random.default_rng(0))
    module = kernels.load(entry.file, target="emulator")
    named = {p.name: value for p, value in zip(module[entry.name].parameters, args, strict=True)}
    assert not any(relative_error(named[name], wanted) <= TOLERANCE for name, wanted in references.items())


def test_the_catalog_names_every_kernel_once() -> None:
    listed = sorted((entry.file, entry.name) for entry in CATALOG)
    written = sorted((path.name, s.name) for path in HERE.glob("*.cu") for s in signatures(read(path)))
    assert listed == written


@pytest.mark.parametrize("path", sorted(HERE.glob("*.cu")), ids=lambda path: path.name)
def test_a_file_begins_with_its_ladder(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    head = text[: text.index("*/")]
    assert text.startswith("/*")
    for entry in CATALOG:
        if entry.file == path.name:
            assert re.search(rf"\b{entry.name}\b", head), f"{entry.name} is not in the first comment"
    assert "float32" in head
    assert "grid" in head.lower()
    assert "bytes" in head.lower()


def test_relative_error_lets_no_nan_pass() -> None:
    reference = np.ones(3)
    assert relative_error(np.ones(3, np.float32), reference) == 0
    assert not relative_error(np.array([1, np.nan, 1], np.float32), reference) <= TOLERANCE
    assert relative_error(np.full(2, 3, np.float32), np.zeros(2)) > 1


def test_relu_at_the_edges() -> None:
    """Both zeros, the smallest numbers, infinities and NaN: forward keeps NaN, backward stops there."""
    tiny = np.float32(1e-45)
    x = np.array([0.0, -0.0, tiny, -tiny, np.inf, -np.inf, np.nan, -np.nan, 1, -1], np.float32)
    g, y = np.arange(1, 11, dtype=np.float32), np.empty(10, np.float32)
    module = kernels.load("relu.cu", target="emulator")
    module.relu_forward(1, 256, (x, y, 10))
    np.testing.assert_array_equal(y, np.array([0, 0, tiny, 0, np.inf, 0, np.nan, np.nan, 1, 0], np.float32))
    for name in ("relu_backward", "relu_backward_sign_bit"):
        out = np.full(10, np.nan, np.float32)
        module[name](1, 256, (g, x, out, 10))
        np.testing.assert_array_equal(out, np.where([0, 0, 1, 0, 1, 0, 0, 0, 1, 0], g, 0))


def test_softmax_does_not_overflow() -> None:
    logits = np.array([[1e4, 0, -1e4], [-3e38, 3e38, 0]], np.float32)
    p = np.full((2, 3), np.nan, np.float32)
    module = kernels.load("softmax_cross_entropy.cu", target="emulator")
    for name in ("softmax_thread_per_row", "softmax_warp_per_row"):
        p[:] = np.nan
        module[name](1, 128, (logits, p, 2, 3))
        np.testing.assert_array_equal(p, [[1, 0, 0], [0, 1, 0]])


def test_find() -> None:
    assert find("adam").file == "optimizer.cu"
    with pytest.raises(KeyError):
        find("adamw")
