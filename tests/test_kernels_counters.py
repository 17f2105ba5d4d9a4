"""Counters: against known launches, against a count of every access by hand, and against an H200's banks."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernels
from benchmarks.gpu_truth import banks
from kernels.catalog import CATALOG, Entry
from kernels.emulator.counters import Access, Counters, passes_of, sectors_of
from kernels.emulator.launch import Report
from kernels.errors import LaunchError

MEASURED = Path(__file__).parents[1] / "benchmarks" / "results" / "gpu_truth.json"


def inspect(text: str, *args: Any, grid: Any = 1, block: Any = 32, shared: int = 0, trace: bool = False) -> Report:
    module = kernels.load(text, target="emulator")
    return module[module.kernels[0]].inspect(grid, block, args, shared, trace=trace)


def floats(count: int = 4096) -> np.ndarray[Any, Any]:
    return np.zeros(count, np.float32)


def test_known_counters_of_the_products() -> None:
    """96 x 256 x 784: what ncu counts on an H200."""
    entry = next(entry for entry in CATALOG if entry.name == "matmul_naive")
    args, _ = entry.make((96, 256, 784), np.random.default_rng(0))
    module = kernels.load("matmul.cu", target="emulator")
    naive = module.matmul_naive.inspect((16, 6), (16, 16), args).counters
    assert (naive.global_load_requests, naive.global_load_sectors) == (1_204_224, 2_408_448)
    assert naive.fused_multiply_adds == 19_267_584
    tiled = module.matmul_tiled.inspect((16, 6), (16, 16), args).counters
    assert (tiled.global_load_requests, tiled.global_load_sectors) == (75_264, 301_056)
    assert (tiled.shared_load_requests, tiled.shared_conflicts, tiled.barriers) == (1_204_224, 0, 2 * 49 * 768)


@pytest.mark.parametrize("entry", CATALOG, ids=lambda entry: entry.name)
def test_against_a_trace_counted_by_hand(entry: Entry) -> None:
    """The trace gives every lane's address; sectors and passes of each line are counted again from it."""
    size = tuple(min(number, 5) for number in entry.sizes[1])
    args, _ = entry.make(size, np.random.default_rng(1))
    grid, block, shared = entry.launch(size)
    report = kernels.load(entry.file, target="emulator")[entry.name].inspect(grid, block, args, shared, trace=True)
    sums: dict[tuple[int, str, str, int], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for access in report.trace:
        row = sums[access.line, access.op, access.space, access.size]
        addresses = [offset for _, offset in access.lanes]
        added = (1, len(addresses), _sectors(addresses, access.size) if access.space == "global" else 0,
                 _passes(access) if access.space == "shared" else 0)
        row[:] = [a + b for a, b in zip(row, added, strict=True)]
    counted = {
        (r.line, r.op, r.space, r.size): [r.requests, r.lanes, r.sectors, r.passes]
        for r in report.counters.lines
    }
    assert counted == dict(sums)


def _sectors(addresses: list[int], size: int) -> int:
    return len({byte // 32 for address in addresses for byte in range(address, address + size)})


def _passes(access: Access) -> int:
    """Scalar accesses only: one pass for each of the words that want the fullest bank."""
    if access.size > 4:
        return passes_of(access.lanes, access.size, access.op)[0]
    wanted: dict[int, set[int]] = defaultdict(set)
    for _, offset in access.lanes:
        wanted[offset // 4 % 32].add(offset // 4)
    return max(len(words) for words in wanted.values())


@given(st.lists(st.integers(0, 4000), min_size=1, max_size=32), st.sampled_from([1, 2, 4, 8, 16]))
def test_sectors_by_bytes(addresses: list[int], size: int) -> None:
    addresses = [address // size * size for address in addresses]
    assert sectors_of(addresses, size) == _sectors(addresses, size)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 1023), min_size=32, max_size=32), st.integers(1, 2**32 - 1))
def test_the_runtime_counts_as_the_model(index: list[int], mask: int) -> None:
    out, rows = floats(32), np.array(index, np.int32)
    for size in banks.SIZES:
        module = kernels.load(banks.source(), target="emulator")
        here = rows % (banks.WORDS * 4 // size)
        lanes = [(lane, int(here[lane]) * size) for lane in range(32) if mask >> lane & 1]
        load = module[f"banks_load{size}"].inspect(1, 32, (here, mask, out)).counters
        store = module[f"banks_store{size}"].inspect(1, 32, (here, mask, out)).counters
        assert (load.shared_load_passes, load.shared_load_passes - load.shared_load_conflicts) == passes_of(lanes, size)
        assert store.shared_store_passes == passes_of(lanes, size, "store")[0]


def test_the_banks_of_an_h200() -> None:
    """Every pattern that was measured: passes and conflicts, to the last digit."""
    rows = json.loads(MEASURED.read_text(encoding="utf-8"))["banks"]
    assert len(rows) == len(list(banks.patterns())) == 600
    for row in rows:
        lanes = [(lane, row["index"][lane] * row["size"]) for lane in range(32) if row["mask"] >> lane & 1]
        passes, ideal = passes_of(lanes, row["size"], row["op"])
        assert (passes, passes - ideal) == (row["passes"], row["conflicts"]), row["name"]


# --- what is counted --------------------------------------------------------------------------------------------------


def test_divergent_branches_and_lanes() -> None:
    report = inspect("""__global__ void f(float* x) {
    if (threadIdx.x % 2)
        x[threadIdx.x] = 1;
    else
        x[threadIdx.x + 64] = 2;
    if (threadIdx.x < 32) x[threadIdx.x + 128] = 3;
}""", floats(), block=64)
    counters = report.counters
    assert {(row.line, row.requests, row.lanes) for row in counters.lines} == {(3, 2, 32), (5, 2, 32), (6, 1, 32)}
    assert {(branch.line, branch.warps, branch.divergent) for branch in counters.branches} == {(2, 2, 2), (6, 2, 0)}
    assert counters.divergent_branches == 2


def test_a_loop_of_different_lengths() -> None:
    """Lane t takes t + 1 turns: 32 requests with ever fewer lanes, as a GPU masks those that are done."""
    report = inspect(
        "__global__ void f(float* x) {\n for (int i = 0; i <= threadIdx.x; ++i)\n  x[i * 32 + threadIdx.x] += 1;\n}",
        floats(),
    )
    loads = next(row for row in report.counters.lines if row.op == "load")
    assert (loads.requests, loads.lanes) == (32, 32 * 33 // 2)


def test_atomics_and_barriers() -> None:
    counters = inspect("""__global__ void f(float* x, int* n) {
    float own[40];
    for (int i = 0; i < 40; ++i) own[(i * 7 + threadIdx.x) % 40] = i;
    __syncthreads();
    atomicAdd(n, 1);
    x[threadIdx.x] = own[threadIdx.x];
    __syncthreads();
}""", floats(), np.zeros(1, np.int32), grid=2, block=64).counters
    assert counters.barriers == 2 * 2 * 2
    assert counters.atomic_requests == 4
    assert {row.space for row in counters.lines} == {"global"}
    assert (counters.threads, counters.warps, counters.blocks) == (128, 4, 2)


def test_operations() -> None:
    counters = inspect("""__global__ void f(float* x) {
    float v = x[threadIdx.x];
    x[threadIdx.x] = v * v + 2.0f;
    x[threadIdx.x + 32] = (v + 1.0f) / 3.0f;
}""", floats()).counters
    assert counters.fused_multiply_adds == 32
    assert counters.flops in (None, 2 * 32 + 2 * 32)


@pytest.mark.parametrize(("stride", "sectors"), [(1, 4), (2, 8), (8, 32), (0, 1)])
def test_strides(stride: int, sectors: int) -> None:
    counters = inspect(f"__global__ void f(const float* x, float* y) {{ y[threadIdx.x] = x[{stride} * threadIdx.x]; }}",
                       floats(), floats()).counters
    assert (counters.global_load_sectors, counters.global_store_sectors) == (sectors, 4)
    assert counters.sectors_per_request == (sectors + 4) / 2


def test_wide_and_unaligned() -> None:
    counters = inspect(
        "__global__ void f(const float4* x, float* y) { float4 v = x[threadIdx.x];\n y[threadIdx.x + 1] = v.x + v.w; }",
        floats(),
        floats(),
    ).counters
    assert [(row.op, row.size, row.sectors, row.bytes) for row in counters.lines] == [
        ("load", 16, 16, 512),
        ("store", 4, 5, 128),
    ]


def test_a_trace_that_is_too_long() -> None:
    with pytest.raises(LaunchError, match=r"more than 20,000 requests to trace; trace a smaller launch"):
        inspect(
            "__global__ void f(float* x) { for (int i = 0; i < 700; ++i) x[threadIdx.x] += i; }",
            floats(),
            block=512,
            trace=True,
        )


# --- how it is shown --------------------------------------------------------------------------------------------------


def test_table_and_json() -> None:
    text = """__global__ void f(const float* x, float* y) {
    __shared__ float s[32 * 32];
    s[threadIdx.x * 32] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 7) y[threadIdx.x] = s[threadIdx.x * 32];
}"""
    counters = inspect(text, floats(), floats()).counters
    table = counters.table(text)
    assert max(len(line) for line in table.splitlines()) <= 120
    store = next(line for line in table.splitlines() if "store  shared" in line)
    assert store.split()[:9] == ["3", "store", "shared", "4", "1", "32.00", "-", "-", "32"]
    assert "s[threadIdx.x * 32] = x[thre" in store
    assert "5 branch: 1 of 1 warps split" in table
    assert "32 threads in 1 warps of 1 blocks; 1 barriers passed by warps" in table
    again = Counters.from_json(json.loads(json.dumps(counters.to_json())))
    assert again == counters
    with pytest.raises(ValueError, match="counters of schema 7"):
        Counters.from_json({**counters.to_json(), "schema": 7})
