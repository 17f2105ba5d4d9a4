"""The emulator runs CUDA C++ as a GPU does, survives what a kernel does to it, and says which line it was."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kernels
from kernels.emulator import build as build_module
from kernels.emulator import toolchain
from kernels.emulator.faults import KINDS
from kernels.errors import CompileError, KernelFault, LaunchError
from solutions.errors import CourseError

MODES = pytest.mark.parametrize("mode", ["checked", "fast"])


def run(text: str, *args: Any, grid: Any = 1, block: Any = 32, mode: str = "checked", shared: int = 0) -> None:
    """Launch the first kernel of a text."""
    module = kernels.load(text, target="emulator", mode=mode)
    module[module.kernels[0]](grid, block, args, shared)


def fault(text: str, *args: Any, **options: Any) -> KernelFault:
    with pytest.raises(KernelFault) as caught:
        run(text, *args, **options)
    assert "\n" not in str(caught.value)
    return caught.value


def floats(count: int = 64) -> np.ndarray[Any, Any]:
    return np.zeros(count, np.float32)


# --- the language -----------------------------------------------------------------------------------------------------


@MODES
def test_positions_in_three_dimensions(mode: str) -> None:
    text = """__global__ void f(int* out) {
        int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
        out[b * blockDim.x * blockDim.y * blockDim.z + t] = 1000 * b + t;
    }"""
    out = np.zeros((24, 30), np.int32)
    run(text, out, grid=(2, 3, 4), block=(5, 3, 2), mode=mode)
    np.testing.assert_array_equal(out, 1000 * np.arange(24)[:, None] + np.arange(30))


@MODES
def test_static_and_dynamic_shared_memory(mode: str) -> None:
    text = """extern "C" __global__ void f(float* x) {
        __shared__ float fixed[64];
        extern __shared__ float room[];
        fixed[threadIdx.x] = x[threadIdx.x];
        room[threadIdx.x] = 2 * x[threadIdx.x];
        __syncthreads();
        x[threadIdx.x] = fixed[63 - threadIdx.x] + room[(threadIdx.x + 1) % 64];
    }"""
    x = np.arange(64, dtype=np.float32)
    run(text, x, block=64, shared=256, mode=mode)
    np.testing.assert_array_equal(x, 63 - np.arange(64) + 2 * ((np.arange(64) + 1) % 64))


@MODES
def test_barriers_that_count(mode: str) -> None:
    text = """__global__ void f(int* out) {
        int p = threadIdx.x % 3 == 0;
        out[threadIdx.x] = __syncthreads_count(p);
        out[96 + threadIdx.x] = __syncthreads_and(threadIdx.x < 96);
        out[192 + threadIdx.x] = __syncthreads_or(threadIdx.x == 200);
    }"""
    out = np.full(288, -1, np.int32)
    run(text, out, block=96, mode=mode)
    assert out.reshape(3, 96).tolist() == [[32] * 96, [1] * 96, [0] * 96]


@MODES
def test_shuffles_votes_and_matches(mode: str) -> None:
    text = """__global__ void f(int* out, float* y, double* z) {
        int t = threadIdx.x, all = 0xffffffff;
        out[t] = __shfl_sync(all, t * t, 5);
        out[32 + t] = __shfl_up_sync(all, t, 3, 8);
        out[64 + t] = __shfl_down_sync(all, t, 2, 16);
        out[96 + t] = __shfl_xor_sync(all, t, 7);
        out[128 + t] = __ballot_sync(all, t % 2);
        out[160 + t] = __any_sync(all, t == 40) + 2 * __all_sync(all, t < 32);
        out[192 + t] = __match_any_sync(all, t / 8);
        if (t < 16) out[224 + t] = __shfl_sync(0xffff, t, 15 - t);
        y[t] = __shfl_xor_sync(all, t * 0.5f, 1);
        z[t] = __shfl_down_sync(all, t * 0.25, 1);
        __syncwarp();
    }"""
    t = np.arange(32)
    out, y, z = np.zeros(240, np.int32), np.zeros(32, np.float32), np.zeros(32)
    run(text, out, y, z, mode=mode)
    rows = out[:224].reshape(7, 32)
    assert (rows[0] == 25).all()
    np.testing.assert_array_equal(rows[1], np.where(t % 8 >= 3, t - 3, t))
    np.testing.assert_array_equal(rows[2], np.where(t % 16 < 14, t + 2, t))
    np.testing.assert_array_equal(rows[3], t ^ 7)
    assert (rows[4].astype(np.uint32) == 0xAAAAAAAA).all()
    assert (rows[5] == 2).all()
    np.testing.assert_array_equal(rows[6].astype(np.uint32), np.uint32(255) << (t // 8 * 8).astype(np.uint32))
    np.testing.assert_array_equal(out[224:], np.arange(16)[::-1])
    np.testing.assert_array_equal(y, (t ^ 1) * 0.5)
    np.testing.assert_array_equal(z, np.minimum(t + 1, 31) * 0.25)


@MODES
def test_atomics(mode: str) -> None:
    text = """__global__ void f(int* i, unsigned* u, float* x, double* d, unsigned long long* l) {
        int n = blockIdx.x * blockDim.x + threadIdx.x;
        atomicAdd(i, 1), atomicSub(i + 1, 2), atomicMax(i + 2, n), atomicMin(i + 3, -n), atomicXor(i + 4, n);
        atomicAdd(u, 3u), atomicInc(u + 1, 6u), atomicDec(u + 2, 6u);
        atomicAnd(u + 3, ~1u), atomicOr(u + 4, 1u << n % 32);
        atomicAdd(x, 0.5f), atomicAdd(d, 0.25), atomicAdd(l, 1ull << 33);
        if (atomicCAS(i + 5, 0, n + 1) == 0) atomicExch(i + 6, 77);
        __shared__ int s;
        if (threadIdx.x == 0) s = 0;
        __syncthreads();
        atomicAdd(&s, 1);
        __syncthreads();
        if (threadIdx.x == 0) atomicAdd(i + 7, s);
    }"""
    i, u, x, d, wide = (np.zeros(8, t) for t in (np.int32, np.uint32, np.float32, np.float64, np.uint64))
    u[3] = 7
    run(text, i, u, x, d, wide, grid=10, block=50, mode=mode)
    assert i[:5].tolist() == [500, -1000, 499, -499, int(np.bitwise_xor.reduce(np.arange(500)))]
    assert i[5] > 0
    assert i[6:].tolist() == [77, 500]
    assert u[:5].tolist() == [1500, 500 % 7, (7 - 500 % 7) % 7, 6, 2**32 - 1]
    assert (x[0], d[0], wide[0]) == (250, 125, 500 << 33)


@MODES
def test_vectors_and_intrinsics(mode: str) -> None:
    text = """__global__ void f(const float4* a, float4* b, int4* c, float2* d, float* e) {
        int t = threadIdx.x;
        float4 v = __ldg(a + t);
        b[t] = make_float4(v.w, v.z, v.y, v.x);
        c[t] = make_int4(t, __popc(t), __clz(t), __ffs(t));
        d[t] = make_float2(__expf(v.x), rsqrtf(v.y + 1.0f));
        e[t] = __fmaf_rn(v.x, 2.0f, 1.0f) + __saturatef(v.y) + __int_as_float(0x3f800000);
        e[t] += fmaxf(v.z, 0.25f) + min(t, 3);
    }"""
    a = np.random.default_rng(1).random((32, 4)).astype(np.float32)
    b, c = np.zeros_like(a), np.zeros((32, 4), np.int32)
    d, e = np.zeros((32, 2), np.float32), floats(32)
    run(text, a, b, c, d, e, mode=mode)
    np.testing.assert_array_equal(b, a[:, ::-1])
    assert c[5].tolist() == [5, 2, 29, 1]
    np.testing.assert_allclose(d, np.stack([np.exp(a[:, 0]), 1 / np.sqrt(a[:, 1] + 1)], 1), rtol=1e-6)
    np.testing.assert_allclose(
        e, a[:, 0] * 2 + 1 + a[:, 1] + 1 + np.maximum(a[:, 2], 0.25) + np.minimum(np.arange(32), 3), rtol=1e-6)


@MODES
def test_constants_device_functions_and_templates(mode: str) -> None:
    text = """__constant__ float weights[4] = {1, 2, 4, 8};
    template <int N> __device__ float power(float x) { return x * power<N - 1>(x); }
    template <> __device__ float power<0>(float) { return 1; }
    template <int N> __global__ void f(float* x) {
        x[threadIdx.x] = weights[threadIdx.x % 4] + power<N>(x[threadIdx.x]);
    }"""
    module = kernels.load(text, target="emulator", mode=mode, instances=["f<3>"])
    x = np.arange(8, dtype=np.float32)
    module["f<3>"](1, 8, (x,))
    np.testing.assert_array_equal(x, np.array([1, 2, 4, 8] * 2) + np.arange(8) ** 3)


def test_what_is_printed_is_kept() -> None:
    text = """__global__ void f(const float* x) { printf("%d: %.2f%s\\n", threadIdx.x, x[threadIdx.x], "!"); }"""
    report = kernels.load(text, target="emulator")["f"].inspect(1, 3, (np.array([1.5, 2, 3], np.float32),))
    assert report.printed == "0: 1.50!\n1: 2.00!\n2: 3.00!\n"


def test_one_array_twice_and_arrays_that_overlap() -> None:
    text = "__global__ void f(const float* a, float* b) { b[threadIdx.x] = a[threadIdx.x] + 1; }"
    x = floats(64)
    run(text, x, x)
    assert x[:33].tolist() == [1.0] * 32 + [0.0]
    with pytest.raises(LaunchError, match="two array arguments overlap in part"):
        run(text, x[:40], x[20:])


def test_empty_and_null_arrays() -> None:
    text = "__global__ void f(float* a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }"
    run(text, floats(0), 0)
    assert "reads" in str(fault(text.replace("a[threadIdx.x] = 1", "a[0] += 1"), floats(0), 1))


# --- the process survives ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "line", "text"),
    [
        ("time-out", 3, "__global__ void f(float* x) {\n int i = 0;\n while (x[0] == 0) ++i;\n x[1] = i;\n}"),
        (
            "stack-overflow",
            2,
            "\n__device__ __noinline__ float g(float* x, int n) { return x[n & 7] + g(x, n + 1) * x[n & 3]; } "
            "__global__ void f(float* x) { x[0] = g(x, 1); }",
        ),
        ("crash", 2, "__global__ void f(float* x) {\n x[0] = 10 / (int)x[1];\n}"),
        (
            "global-out-of-bounds",
            3,
            "__global__ void f(float* x) {\n float* p = (float*)(size_t)0x123456789abc;\n *p = x[0];\n}",
        ),
        (
            "printf-limit",
            2,
            '__global__ void f(float* x) {\n for (int i = 0; i < 1000000; ++i) printf("%d again\\n", i);\n}',
        ),
        ("trap", 3, "__global__ void f(float* x) {\n if (threadIdx.x == 3)\n  assert(x[0] == 1);\n}"),
    ],
)
def test_a_kernel_that_goes_wrong(kind: str, line: int, text: str) -> None:
    assert kind in KINDS
    error = fault(text, floats())
    assert (error.faults[0].kind, error.faults[0].line) == (kind, line)
    assert str(error).startswith(f"line {line}: f: ")
    run("__global__ void f(float* x) { x[threadIdx.x] = 1; }", floats())


@pytest.mark.parametrize("kind", ["stack-overflow", "crash"])
def test_fast_mode_survives_too(kind: str) -> None:
    text = {
        "stack-overflow": "\n__device__ __noinline__ float g(volatile float* x) { return g(x + 1) * x[3]; }\n"
        "__global__ void f(float* x) { x[0] = g(x); }",
        "crash": "__global__ void f(float* x) {\n *(volatile float*)(size_t)0x123456789abc = x[0];\n}",
    }[kind]
    error = fault(text, floats(), mode="fast")
    assert (error.faults[0].kind, error.faults[0].line) == (kind, 2)
    with_barrier = text.replace("{ x[0] =", "{ __syncthreads(); x[0] =")
    assert fault(with_barrier, floats(), mode="fast").faults[0].kind == kind


def test_an_endless_loop_in_fast_mode_is_ended_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kernels.emulator.launch.TIME_LIMIT", 0.5)
    for text in ("__global__ void f(volatile float* x) {\n while (x[0] == 0) { }\n}",
                 "__global__ void f(volatile float* x) {\n __syncthreads();\n while (x[0] == 0) { }\n}"):
        begun = time.monotonic()
        error = fault(text, floats(), mode="fast")
        assert error.faults[0].kind == "time-out"
        assert error.faults[0].line == text.count("\n")
        assert time.monotonic() - begun < 20


def test_one_endless_thread_among_many_blocks() -> None:
    text = "__global__ void f(float* x) {\n if (blockIdx.x == 30 && threadIdx.x == 7) for (;;) if (x[0]) break;\n}"
    error = fault(text, floats(), grid=100, block=256)
    assert (error.faults[0].block, error.faults[0].thread) == ((30, 0, 0), (7, 0, 0))


def test_results_of_a_faulty_launch_do_not_leak_into_the_next() -> None:
    x = floats()
    fault("__global__ void f(float* x) {\n x[threadIdx.x + 64] = 1;\n}", x)
    run("__global__ void f(float* x) { x[threadIdx.x] = 2; }", x)
    assert x[:32].tolist() == [2.0] * 32


def test_a_worker_that_is_killed_is_started_again() -> None:
    from kernels.emulator.machine import ChildProcess, machine

    run("__global__ void f(float* x) { x[threadIdx.x] = 1; }", floats())
    child = machine(True)
    assert isinstance(child, ChildProcess)
    assert child._child is not None
    child._child.kill()
    child._child.wait()
    x = floats()
    run("__global__ void f(float* x) { x[threadIdx.x] = 3; }", x)
    assert x[0] == 3


def test_a_kernel_cannot_reach_the_caller() -> None:
    text = """extern "C" int kill(int, int); extern "C" int getppid();
    __global__ void f(int* x) { x[0] = getppid(); }"""
    x = np.zeros(1, np.int32)
    run(text, x, block=1)
    assert x[0] == os.getpid()  # it runs in a child of this process


# --- compile errors ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("__global__ void f(float* x) {\n  x[0] = y;\n}", 2, "'y' was not declared|undeclared identifier 'y'"),
        ("\n\n__global__ void f(float* x) {\n  x[0] = 1\n}", 4, "expected"),
        ("#include <cstdio>\n__global__ void f(float* x) {}", 1, "has no <cstdio>: leave the line out"),
        ('// #include <cstdio>\n#include "my.h"\n__global__ void f(float* x) {}', 2, "has no <my.h>"),
        ("#include <cooperative_groups.h>\n__global__ void f(float* x) {}", 1, "no cooperative groups"),
        ('__global__ void f(float* x) {\n asm("nop");\n}', 2, "inline PTX"),
        ("__global__ void f(float* x) {\n x[0] = __activemask();\n}", 2, "no __activemask"),
        ("__global__ void f(float* x) {\n x[0] = __shfl_down(x[0], 1);\n}", 2, "those with _sync"),
        ("__global__ void f(float* x) {}\nint main() { f<<<1, 2>>>(0); }", 2, "launched from Python"),
        ("__global__ void f(float* x) {\n __half h;\n}", 2, "no half precision"),
        ("__global__ void f(float* x) {\n x[0] = INFINITY;\n}", 2, "INFINITY"),
    ],
)
def test_compile_errors_carry_the_line(text: str, line: int, said: str) -> None:
    with pytest.raises(CompileError, match=said) as caught:
        kernels.load(text, target="emulator")
    assert caught.value.line == line
    assert str(caught.value).startswith(f"line {line}: ")
    assert "\n" not in str(caught.value)


def test_a_compiler_that_does_not_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_module, "COMPILE_SECONDS", 0.05)
    text = "template <int N> __device__ int g() { return g<N - 1>() + g<N - 2>(); }\n" \
           "template <> __device__ int g<0>() { return 1; }\ntemplate <> __device__ int g<1>() { return 1; }\n" \
           "__global__ void f(int* x) { x[0] = g<800>(); }"
    with pytest.raises(CompileError, match=r"the compiler was stopped after 0.05 s"):
        kernels.load(text, target="emulator")


def test_no_compiler_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain.shutil, "which", lambda name: None)
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: None)
    toolchain.find.cache_clear()
    try:
        with pytest.raises(CourseError, match=r"no C\+\+ compiler .* apt install g\+\+.* pip install ziglang"):
            kernels.load("relu.cu", target="emulator")
    finally:
        toolchain.find.cache_clear()


@pytest.mark.parametrize(("system", "machine", "said"), [("darwin", "arm64", "Linux and in WSL 2, not on darwin"),
                                                         ("linux", "riscv64", "knows x86_64 and aarch64, not riscv64")])
def test_other_systems(monkeypatch: pytest.MonkeyPatch, system: str, machine: str, said: str) -> None:
    monkeypatch.setattr(toolchain.sys, "platform", system)
    monkeypatch.setattr(toolchain.platform, "machine", lambda: machine)
    toolchain.find.cache_clear()
    try:
        with pytest.raises(CourseError, match=said):
            toolchain.find()
    finally:
        toolchain.find.cache_clear()


# --- the cache --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_concurrent_compiles_do_not_collide(tmp_path: Path) -> None:
    script = ("import sys, numpy as np, kernels\nx = np.zeros(8, np.float32)\n"
              "m = kernels.load('__global__ void f(float* x) { x[threadIdx.x] = threadIdx.x; }', target='emulator')\n"
              "m['f'](1, 8, (x,))\nassert x.tolist() == list(range(8))\n")
    environment = {**os.environ, "COURSE_CACHE": str(tmp_path)}
    started = [subprocess.Popen([sys.executable, "-c", script], env=environment, cwd=Path(__file__).parents[1],
                                stderr=subprocess.PIPE) for _ in range(4)]
    assert [(p.wait(120), p.stderr.read() if p.stderr else b"") for p in started] == [(0, b"")] * 4
    left = sorted(path.suffix for path in tmp_path.rglob("*") if path.is_file())
    assert left == [".json", ".so", ".so"]


def test_threads_share_one_machine() -> None:
    kernel = kernels.load("elementwise.cu", target="emulator", mode="fast").add
    wrong: list[int] = []

    def work(seed: int) -> None:
        a = np.random.default_rng(seed).random(1000).astype(np.float32)
        for _ in range(20):
            c = np.full(1000, np.nan, np.float32)
            kernel(4, 256, (a, a, c, 1000))
            if not np.array_equal(c, a + a):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_cache_folder_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("COURSE_CACHE", str(blocked / "x"))
    with pytest.raises(CourseError, match=r"cannot make the cache folder .*; set COURSE_CACHE to a folder"):
        kernels.load("__global__ void f(float* x) { x[0] = 4.125f; }", target="emulator")
