"""Planted mistakes in the sample kernels, and hostile texts: what each must be told, and what it may earn."""

from __future__ import annotations

from dataclasses import dataclass

from tests.kernel_samples import BY_NAME, TEXTS


def right(name: str) -> str:
    """The right text, without marks, behind the line break with which every cell's text begins."""
    lines = ["\n"]
    given = False
    for line in TEXTS[name].splitlines(keepends=True):
        given = (given or "GIVEN INSTEAD" in line) and "END SOLUTION" not in line
        lines += [] if given or "SOLUTION" in line else [line]
    return "".join(lines)


@dataclass(frozen=True)
class Mistake:
    """One change to a right text.

    Attributes:
        kernel: whose text.
        before, after: what is replaced by what, once.
        points: of 10.
        told: pieces of what the student must read, in order.
    """

    kernel: str
    before: str
    after: str
    points: float
    told: tuple[str, ...]

    @property
    def text(self) -> str:
        """The text with the mistake."""
        text = right(self.kernel)
        assert text.count(self.before) == 1, f"{self.before!r} stands {text.count(self.before)} times"
        return text.replace(self.before, self.after)


MISTAKES = {
    "wrong values": Mistake(
        "sample_add", "a[i] + b[i]", "a[i] - b[i]", 0, ("out after the launch: wrong at [0]: got ", ", expected ")
    ),
    "an output left alone": Mistake(
        "sample_add", "if (i < n) out", "if (i < 0) out", 0, ("out after the launch: NaN at [0], expected ",)
    ),
    "a const input changed": Mistake(
        "sample_add", "= a[i] + b[i];", "= ((float *)a)[i] = a[i] + b[i];", 0,
        ("line 5: ", "but a is const", "     5 | "),
    ),
    "an input changed": Mistake(
        "sample_add",
        right("sample_add").partition("sample_add(")[2],
        "float *a, const float *b, float *out, int n) {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) out[i] = a[i] + b[i];\n  if (i == 7) a[i] = out[i];\n}\n",
        0, ("it changed a, which is only to be read",),
    ),
    "no guard": Mistake(
        "sample_add", "if (i < n) out", "out", 8, ("line 5: ", "(out of bounds)", "     5 | out[i] = a[i] + b[i];")
    ),
    "each element loaded twice": Mistake(
        "sample_add", "a[i] + b[i]", "*(volatile float *)&a[i] * 0.0f + a[i] + b[i]", 7,
        ("global_load_sectors is 48, to be at most 32", "are 1,024 bytes, or 32 sectors", "line 5 has most of it, 48"),
    ),
    "a brace too few": Mistake("sample_add", "\n}\n", "\n", 0, ("line 3: { is never closed", "     3 | extern")),
    "a word misspelt": Mistake("sample_add", "= a[i]", "= aa[i]", 0, ("line 5: ", "aa", "     5 | if (i < n)")),
    "a parameter too few": Mistake(
        "sample_add", "float *out, int n) {", "float *out) {\n  const int n = 128;", 0,
        ("takes 3 arguments (a, b, out), got 4",),
    ),
    "another name": Mistake("sample_add", "sample_add(", "sample_sum(", 0, ("holds no kernel",)),
    "a template": Mistake("sample_add", 'extern "C"', "template <int N>", 0, ("holds no kernel", "made a template")),
    "no barrier": Mistake(
        "sample_transpose", "  __syncthreads();\n", "", 0,
        ("line 10: ", "race on tile[", "uses it in line 14", "    10 | ", "    14 | "),
    ),
    "a barrier for some": Mistake(
        "sample_transpose", "__syncthreads();", "if (x < 20) __syncthreads();", 0,
        ("line 12: ", "__syncthreads() is reached by", "    12 | if (x < 20)"),
    ),
    "banks in conflict": Mistake(
        "sample_transpose", "[TILE + 1]", "[TILE]", 8,
        ("banks of [64, 96]", "shared_conflicts is 5,952, to be at most 0", "by a bank", "line 15 has most of it"),
    ),
    "no tile": Mistake(
        "sample_transpose", "= tile[x][y]", "= a[column * columns + row]", 6,
        ("sectors of [64, 96]", "global_sectors_per_request is 18, to be at most 4", "line 15 has most of it, 32:"),
    ),
    "too large a tile": Mistake(
        "sample_transpose", "[TILE + 1]", "[TILE * 16]", 0, ("65,536 bytes of __shared__ arrays", "49,152 bytes")
    ),
    "tile read before it is written": Mistake(
        "sample_matmul", "    __syncthreads();\n    for", "    for", 0, ("race on left[", "    12 | ")
    ),
    "past a column": Mistake("sample_matmul", "row < m && column < n", "row < m", 0, ("line 16: ", "out of bounds")),
    "a forbidden name": Mistake(
        "sample_matmul", "out[row * n + column] = sum", "atomicAdd(&out[row * n + column], sum)", 0,
        ("line 16: it uses atomicAdd: this exercise is to be solved without it", "    16 | if (row < m"),
    ),
    "a deaf launch bound": Mistake(
        "sample_matmul", "void sample", "void __launch_bounds__(32) sample", 0,
        ("__launch_bounds__ promise at most 32",),
    ),
}


def within(kernel: str, statement: str, above: str = "") -> str:
    """A right text with a statement in front of the kernel's body, and something above the kernel."""
    text = right(kernel)
    body = text.index("{\n", text.index("__global__")) + 2
    start = text.index("extern")
    return f"{text[:start]}{above}{text[start:body]}  {statement}\n{text[body:]}"


BOMB = "#define A0 1\n" + "".join(f"#define A{k} A{k - 1} + A{k - 1} + A{k - 1} + A{k - 1}\n" for k in range(1, 16))
DEEP = "template <int N> __device__ int deep() { return deep<N + 1>() + 1; }\n"
WIDE = (
    "template <int A, int B> struct S { static constexpr int v = S<A - 1, 2 * B>::v + S<A - 1, 2 * B + 1>::v; };\n"
    "template <int B> struct S<0, B> { static constexpr int v = 1; };\n"
)
AGAIN = "__device__ float again(float x) { return x > 0.0f ? again(x + 1.0f) + again(x + 2.0f) : again(x - 1.0f); }\n"

RUN_AND_ENDED = {
    "an endless loop": (("volatile int turn = 0; while (turn == 0) {}",), "loop"),
    "an endless loop of nothing": (("while (true) {}",), "loop"),
    "recursion": (("if (again(out[0]) == 3.0f) return;", AGAIN), "has used up its stack"),
    "a wild pointer": (("*(float *)0x10 = 1.0f;",), "writes 4 bytes at address 0x10, far from every array"),
    "past an own array": (
        ("float own[4]; for (int i = 0; i < 9000; ++i) own[i] = i; if (own[(int)out[0] & 3] < 0.0f) return;",), "own"
    ),
    "a flood": (('for (int i = 0; i < 100000000; ++i) printf("%d flood flood flood\\n", i);',), ""),
    "a bomb of macros": (("const int x = A15; if (x == 1) return;", BOMB), "does not compile"),
    "templates without end": (("if (deep<0>() == 1) return;", DEEP), "template"),
    "a forest of templates": (("if (S<24, 0>::v == 1) return;", WIDE), "compile"),
}
"""Statement (and what stands above the kernel) → a piece of what must be told. All earn nothing."""

assert {mistake.kernel for mistake in MISTAKES.values()} == set(BY_NAME)
