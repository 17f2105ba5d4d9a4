"""Kernels without barriers, many threads at a time: equal to thread by thread, and left alone where not understood."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kernels
from kernels.emulator import build as builds
from kernels.emulator.lanes import lanes
from kernels.errors import CompileError

pytest.importorskip("tree_sitter_cpp")
HEAD = "extern \"C\" __global__ void k(const float* x, const int* j, float* y, int n, int m) {\n"
ROWS = HEAD + "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
SUM = "float s = 0.0f; for (int c = 0; c < m; ++c) s += x[(i + c) % n];"
SUMS = ROWS + "if (i < n) { " + SUM


def rewritten(text: str, names: tuple[str, ...] = ("k",)) -> bool:
    return "EmuLanes" in lanes(text, names, "kernel.cu")


def run(text: str, mode: str, n: int, m: int, block: int) -> np.ndarray:
    random = np.random.default_rng(n)
    x = random.standard_normal(n).astype(np.float32)
    j = random.integers(-9, 9, n).astype(np.int32)
    y = random.standard_normal(n).astype(np.float32)
    kernels.load(text, target="emulator", mode=mode, isolate=False)["k"](-(-n // block), block, [x, j, y, n, m])
    return y


def same(text: str, n: int = 77, m: int = 9, block: int = 32) -> None:
    np.testing.assert_allclose(run(text, "fast", n, m, block), run(text, "checked", n, m, block), rtol=2e-6, atol=2e-6)


VALUES = ["x[i]", "s", "(float)j[i]", "t * 0.5f", "(float)(u / 3u)", "(j[i] ? 100 / j[i] : 7)", "fmaxf(s, t)",
          "(float)(i * 715827883 % 1000)", "(s > t ? s - 1.0f : t)", "y[i]", "(float)((int)(s * 3.0f) & 15)"]
BODIES = ["s += 0.25f * {0};", "t = {0} - {1};", "y[i] -= {0};", "if ({0} > {1}) s = {0}; else t += 0.125f;",
          "for (int c = 0; c < m; ++c) {{ s += 0.5f * x[(i + c) % n]; if (j[(i + c) % n] > c) t -= {0} * 0.01f; }}",
          "for (int c = 1; c < 5; c += 2) for (int d = m; d > c; --d) s += 0.0625f * x[(c * d + i) % n];",
          "for (int c = i; c < n; c += 7) t += 0.125f * x[c];", "if (m > 4) {{ s = 0.5f * {0}; }} else t = {1};",
          "u += (unsigned)j[i] * 2654435761u >> 9;", "for (int c = 0; c <= i - i + 2; ++c) y[i] += x[i] * 0.25f;",
          "{{ int a = i; for (int c = 0; c + a < n && c < 3; ++c) t += x[a + c]; }}"]
STARTS = ["if (i < n) {{ {} y[i] = s - t + (float)(u & 7u); }}",
          "if (i >= n) return; {} y[i] = s + t + (float)(u & 7u);"]


@st.composite
def texts(draw: st.DrawFn) -> str:
    value = st.sampled_from(VALUES)
    body = [draw(st.sampled_from(BODIES)).format(draw(value), draw(value)) for _ in range(draw(st.integers(1, 4)))]
    loop = draw(st.sampled_from([BODIES[4], BODIES[5]])).format("s", "t")  # so that there is something to gain
    lines = ["float s = 0.5f, t = x[i];", "unsigned u = threadIdx.x;", loop, *body]
    return ROWS + draw(st.sampled_from(STARTS)).format("\n".join(lines)) + "\n}\n"


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts(), st.integers(1, 150), st.integers(0, 9), st.sampled_from([5, 16, 32, 48]))
def test_generated_kernels_agree_with_checked_mode(text: str, n: int, m: int, block: int) -> None:
    assert rewritten(text)
    same(text, n, m, block)


REFUSED = {
    "nothing to gain": ROWS + "if (i < n) y[i] = x[i];\n}",
    "divergent loop": ROWS + "float s = 0; for (int c = i; c < n; ++c) s += x[c]; if (i < n) y[i] = s;\n}",
    "store before lanes part": ROWS + "if (i < n) y[i] += 1.0f; if (i >= n) return; " + SUM + " y[i] += s;\n}",
    "stores in a loop whose lanes part": ROWS + "if (i < n) for (int c = 0; c < m; ++c) { if (i % 3 == c) {"
    " for (int d = 0; d < m; ++d) y[i] += 1.0f; } }\n}",
    "address": SUMS + " float* p = &s; y[i] = *p; }\n}",
    "array": ROWS + "if (i < n) { float a[2] = {1, 2}; " + SUM + " y[i] = s * a[i % 2]; }\n}",
    "switch": SUMS + " switch (i % 2) { case 0: y[i] = s; break; default: y[i] = 0; } }\n}",
    "goto": ROWS + "if (i >= n) goto end; { " + SUM + " y[i] = s; }\nend: ;\n}",
    "break": ROWS + "if (i < n) { float s = 0;"
    " for (int c = 0; c < m; ++c) { if (c > i) break; s += x[c % n]; } y[i] = s; }\n}",
    "parameter changes": ROWS + "n -= 1; if (i < n) { " + SUM + " y[i] = s; }\n}",
    "own function": "__device__ float f(float v) { return v + 1; }\n" + SUMS + " y[i] = f(s); }\n}",
    "redefined function": "__device__ float expf(int v) { return v; }\n" + SUMS
    + " y[i] = s + expf(i); }\n}",
    "macro": "#define ADD(a) s += a\n" + SUMS + " ADD(x[i]); y[i] = s; }\n}",
    "macro of a word": "#define sqrtf fabsf\n" + SUMS + " y[i] = s + sqrtf(x[i]); }\n}",
    "macro in two meanings": "#define T 2\n" + SUMS + " y[i] = s * T; }\n}\n#define U 3\n",
    "conditional text": SUMS + "\n#if 1\n y[i] = s;\n#endif\n}\n}",
    "atomic": SUMS + " atomicAdd(y + i, s); }\n}",
    "reference": SUMS + " float& r = y[i]; r = s; }\n}",
    "volatile": SUMS + " volatile float v = s; y[i] = v; }\n}",
    "variable of the module": "__device__ float g = 2;\n" + SUMS + " y[i] = s * g; }\n}",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_understood_is_left_alone_and_still_right(name: str) -> None:
    assert not rewritten(REFUSED[name])
    same(REFUSED[name])


ODD = {
    "unsigned index that wraps between two lanes": ROWS + "if (i < n) { float s = 0; unsigned u = threadIdx.x; "
    "for (int c = 0; c < m; ++c) s += u - 1u < 100u ? x[(u - 1u) % n] : 5.0f; "
    "for (int c = 0; c < m; ++c) s += u > 0u ? x[u - 1u] : 3.0f; y[i] = s; }\n}",
    "one name, two variables": ROWS + "if (i < n) { float s = 0;"
    "{ int a = threadIdx.x; s += x[a]; } { int a = j[i] + 9; "
    "for (int c = 0; c < m; ++c) s += x[a]; } y[i] = s; }\n}",
    "pointer": ROWS + "if (i >= n) return; const float* p = x + i / 2; float s = 0; "
    "for (int c = 0; c < 3 && c < m; ++c) s += p[0] * c; y[i] = s;\n}",
    "backwards": ROWS + "if (i < n) { float s = 0;"
    " int a = n - 1 - i; for (int c = 0; c < m; ++c) s += x[a]; y[a] = s; }\n}",
    "numbers by macro": "#define T 3 // three\n" + ROWS + "if (i < n) { float s = 0;"
    " for (int c = 0; c < T; ++c) s += x[i] * T;"
    " y[i] = s; }\n}",
    "division where only some may": ROWS + "if (i < n) { int s = 0; for (int c = 0; c < m; ++c) "
    "if (j[i] != 0) s += 100 / j[i]; y[i] = s; }\n}",
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("n", [64, 77])
def test_odd_kernels_are_rewritten_and_right(name: str, n: int) -> None:
    assert rewritten(ODD[name])
    same(ODD[name], n)


COURSE = {path: re.findall(r"__global__ void (?:__launch_bounds__\(\d+\) )?(\w+)", path.read_text())
          for path in sorted(Path(kernels.__file__).parent.glob("*.cu"))}


def test_the_course_kernels_with_loops_are_rewritten() -> None:
    found = {name for path, names in COURSE.items() for name in names
             if f"EmuLanes<&{name}>" in lanes(path.read_text(), tuple(names), "kernel.cu")}
    assert found == {"matmul_naive", "matmul_uncoalesced", "grad_weight_naive", "grad_bias_naive", "grad_input_naive",
                     "softmax_thread_per_row"}


def arguments(name: str, a: int, b: int, c: int) -> list[Any]:
    random = np.random.default_rng(a)

    def normal(*shape: int) -> np.ndarray:
        return random.standard_normal(shape).astype(np.float32)

    return {
        "matmul_naive": [normal(a, c), normal(c, b), normal(a, b), a, b, c],
        "matmul_uncoalesced": [normal(a, c), normal(c, b), normal(a, b), a, b, c],
        "grad_weight_naive": [normal(c, a), normal(c, b), normal(a, b), c, a, b],
        "grad_bias_naive": [normal(c, b), normal(b), c, b],
        "grad_input_naive": [normal(c, b), normal(a, b), normal(c, a), normal(c, a), c, a, b],
        "softmax_thread_per_row": [normal(a, b), normal(a, b), a, b],
    }[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["matmul_naive", "matmul_uncoalesced", "grad_weight_naive", "grad_bias_naive",
                                  "grad_input_naive", "softmax_thread_per_row"])
def test_course_kernels_agree_with_checked_mode_at_ragged_sizes(name: str) -> None:
    path = next(path for path, names in COURSE.items() if name in names)
    for sizes in ((37, 53, 19), (32, 48, 16), (1, 1, 1)):
        for block in ((16, 16), (32, 4), (7, 3), (40, 1)):
            flat = name in ("grad_bias_naive", "softmax_thread_per_row")
            results = []
            for mode in ("fast", "checked"):
                values = arguments(name, *sizes)
                grid = 64 if flat else (64 // block[0] + 1, 64 // block[1] + 1)
                module = kernels.load(path, target="emulator", mode=mode, isolate=False)
                module[name](grid, block[0] if flat else block, values)
                results.append([value for value in values if isinstance(value, np.ndarray)])
            for fast, checked in zip(*results, strict=True):
                np.testing.assert_allclose(fast, checked, rtol=1e-5, atol=1e-6)


def test_generated_code_that_does_not_compile_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builds, "lanes", lambda *_: "template <> struct EmuLanes<&k> { this is no C++ };\n")
    same(SUMS + " y[i] = s * 3.0f; }\n}")


def test_an_error_in_the_text_keeps_its_line() -> None:
    with pytest.raises(CompileError) as caught:
        kernels.load(SUMS + "\n y[i] = s * undefined; }\n}", target="emulator", mode="fast")
    assert caught.value.line == 4


def test_a_text_nested_very_deeply_is_left_alone() -> None:
    assert not rewritten(ROWS + "if (i < n) { " + SUM + " y[i] = s + " + "(" * 5000 + "i" + ")" * 5000 + "; }\n}")
