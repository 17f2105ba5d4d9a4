"""Which texts of kernels are refused before anything is compiled, with which line, and which are let through."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kernels
from autograder.kernels.lint import refusal
from autograder.kernels.text import kernel_names, without_comments
from autograder.kernels.tokens import SIZE_LIMIT, RefusedTextError, tokens
from autograder.kernels.words import FUNCTIONS
from tests.kernel_mistakes import right, within
from tests.kernel_samples import TEXTS

ROOT = Path(__file__).resolve().parents[1]


def inside(statement: str) -> str:
    """A kernel with a statement in line 4."""
    return within("sample_add", statement)


def above(text: str) -> str:
    """A kernel below a text that begins in line 3."""
    return within("sample_add", ";", text + "\n")


REFUSED = {
    # the preprocessor
    "a file of the system": (above("#include </etc/passwd>"), "line 3: #include is not needed"),
    "a file by a macro": (above("#define F <stdio.h>\n#include F"), "line 4: #include is not needed"),
    "a digraph": (above("%:include <stdio.h>"), "line 3: %: is another way to write"),
    "a trigraph": (above("??=include <stdio.h>"), "line 3: ?? with a sign behind it is a trigraph"),
    "a joined line": (above("#inc\\\nlude <stdio.h>"), "line 3: it ends with \\"),
    "a joined comment": (inside("// \\\n"), "line 4: it ends with \\"),
    "embed": (above('#embed "/etc/passwd"'), "line 3: #embed is not for kernels here"),
    "is a file there": (above('#if __has_include("/etc")\n#endif'), "line 3: __has_include is no name of CUDA's"),
    "a line number": (above('#line 1000 "/etc/passwd"'), "line 3: #line is not for kernels here"),
    "a line number, short": (above('# 1000 "/etc/passwd"'), "line 3: #1000 is not for kernels here"),
    "which line am I in": (inside("if (__LINE__ == 4) return;"), "line 4: __LINE__ is no name of CUDA's"),
    "which file": (inside("if (__FILE__[0] == 1) return;"), "line 4: __FILE__ is no name of CUDA's"),
    "no __global__": (above("#define __global__"), "line 3: __global__ has a meaning already"),
    "another int": (above("#define int long"), "line 3: int has a meaning already"),
    "another if": (above("#define if while"), "line 3: if has a meaning already"),
    "another barrier": (above("#define __syncthreads()"), "line 3: __syncthreads has a meaning already"),
    "another thread": (above("#define threadIdx blockIdx"), "line 3: threadIdx has a meaning already"),
    "undef": (above("#undef __global__"), "line 3: #undef is not for kernels here"),
    "a pragma": (above("#pragma GCC optimize(0)"), "line 3: of all pragmas only #pragma unroll"),
    "a pragma in words": (above('_Pragma("GCC poison x")'), "line 3: _Pragma is no name of CUDA's"),
    "pasted words": (above("#define C(a, b) a ## b"), "line 3: ## is not for kernels here"),
    "any number of arguments": (above("#define C(...) 1"), "line 3: ... is not for kernels here"),
    "a macro defined twice": (above("#define C 1\n#define C 2"), "line 4: the macro C is defined twice"),
    "half a bracket": (above("#define C )"), "line 3: ) closes no bracket"),
    "the emulator's own": (above("#ifdef EMU_CHECKED\n#endif"), "line 3: EMU_CHECKED is no name of CUDA's"),
    # what runs
    "assembly": (inside('asm volatile("syscall");'), "line 4: asm is not for kernels here"),
    "assembly, underscored": (inside('__asm__("syscall");'), "line 4: __asm__ is no name of CUDA's"),
    "a compiler's own": (inside("__builtin_trap();"), "line 4: __builtin_trap is no name of CUDA's"),
    "an attribute": (above("__attribute__((constructor)) void f() {}"), "line 3: __attribute__ is no name of CUDA's"),
    "a standard attribute": (above("[[gnu::constructor]] void f() {}"), "line 3: [ belongs behind an array's name"),
    "a shell": (inside('system("id");'), "line 4: system belongs to the operating system"),
    "a call of nobody's": (inside("getpid();"), "line 4: getpid(…) is neither a function of this text nor"),
    "a call from outside": (inside("::getpid();"), "line 4: getpid(…) is neither a function of this text nor"),
    "the library": (inside("std::abort();"), "line 4: std is not for kernels here"),
    "an unchecked copy": (inside("memcpy(out, a, 4);"), "line 4: memcpy works on memory that nobody checks"),
    "an address called": (inside("((void (*)())0x1234)();"), "line 4: what is in brackets is called"),
    "a pointer called": (inside("void (*p)() = 0; p();"), "line 4: what is in brackets is called"),
    "an element called": (inside("F p[1]; p[0]();"), "line 4: an element of an array is called"),
    "a lambda": (inside("auto f = [](int x) { return x; };"), "line 4: [ belongs behind an array's name"),
    "a start before a launch": (above("int f() { return 1; }\nint x = f();"), "line 4: f(…) is called outside of any"),
    "a constructor": (above("struct S { S() {} } s;"), "line 3: S has a constructor"),
    "memory of the host": (inside("int *p = new int[9];"), "line 4: new is not for kernels here"),
    "a format that reads": (inside('printf("%s", (char *)a);'), "line 4: a format with %s or %n"),
    "a format that writes": (inside('printf("%d%n", 1, (int *)a);'), "line 4: a format with %s or %n"),
    "a format in two texts": (inside('printf("%" "n", (int *)a);'), "line 4: a format with %s or %n"),
    "a format behind a macro": (
        within("sample_add", 'printf(F "d", 1);', '#define F "%n"\n'), 'line 3: the text "%n" is no format of printf'
    ),
    "a format from memory": (inside("printf((char *)a);"), "line 4: the format of printf stands right behind"),
    "somebody else's variable": (above("extern int emulator;"), "line 3: extern is for"),
    "a raw text": (inside('printf(R"(%s)");'), 'line 4: "(%s)" touches a quote'),
    "a jump": (inside("l: goto l;"), "line 4: goto is not for kernels here"),
    # signs
    "no sign of C++": (inside("float ü = 1;"), "line 4: it holds 'ü', which is no sign of C++"),
    "a null": (inside("\0"), "line 4: it holds the invisible character U+0000"),
    "a carriage return alone": (inside("\r;"), "line 4: it holds the invisible character U+000D"),
    "a direction": (inside("// \u202e"), "line 4: it holds the invisible character U+202E"),
    "a text not closed": (inside('printf("'), 'line 4: a " is not closed on its line'),
    "a comment not closed": (inside("/* "), "line 4: a comment is opened with /* and not closed"),
    "a macro that may be absent": (
        above("#if 0\n#define getpid() 1\n#endif"),
        "line 4: the macro getpid takes arguments inside #if: write its name in capitals",
    ),
    "a macro with and without arguments": (
        above("#if 0\n#define M(x) x\n#else\n#define M getpid\n#endif"),
        "line 6: the macro M is defined with and without arguments",
    ),
    "brackets": (inside("(" * 200), "line 4: more than 100 brackets inside one another"),
    "too long": ("x" * (SIZE_LIMIT + 1), "line 1: the text has 64,001 characters, more than 64,000"),
}


@pytest.mark.parametrize(("text", "told"), REFUSED.values(), ids=list(REFUSED))
def test_a_text_is_refused_by_its_line(text: str, told: str) -> None:
    message = refusal(text) or ""
    assert message.startswith(told)
    assert "\n" not in message


USED = "if ({}) return;"
LET_THROUGH = {
    "a device function": within("sample_add", USED.format("f(n) == 1"), "__device__ int f(int x) { return 2 * x; }\n"),
    "a template": within(
        "sample_add", USED.format("f<3>(n) == 1"), "template <int N> __device__ int f(int x) { return N * x; }\n"
    ),
    "constants": above("#define SIDE 16\nconstexpr int WIDE = 2 * SIDE;\n__constant__ float weights[3] = {1, 2, 3};"),
    "a macro with arguments": within(
        "sample_add", USED.format("AT(a, 0, 1) > 1e9f"), "#define AT(x, i, k) ((x)[(i) * 2 + (k)])\n"
    ),
    "a condition": above("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800\n#define FAST 1\n#endif"),
    "a macro for each platform": within(
        "sample_add",
        USED.format("XOR(n, 1) == 3"),
        "#if defined(__HIP__)\n#define XOR(v, lane) __shfl_xor(v, lane)\n#else\n"
        "#define XOR(v, lane) __shfl_xor_sync(0xffffffff, v, lane)\n#endif\n",
    ),
    "four at a time": inside("if (n < 0) { float4 v = reinterpret_cast<const float4 *>(a)[n]; out[0] = v.x; }"),
    "casts": inside(USED.format("(unsigned)n + (long long)n + static_cast<int>(a[0]) * sizeof(float) == 12345")),
    "a shuffle": inside("float s = __shfl_down_sync(0xffffffff, 1.0f, 16); if (s < 0) return;"),
    "a tile": inside("__shared__ float tile[32][33]; tile[threadIdx.x][0] = 1.0f;"),
    "dynamic shared memory": inside("extern __shared__ float tile[]; if (n < 0) tile[threadIdx.x] = 1.0f;"),
    "a struct": within(
        "sample_add", "Pair p = {1, 2}; if (p.x > p.y) return;", "struct Pair { float x, y; };\n"
    ),
    "unrolling": inside("float s = 0;\n#pragma unroll 4\n  for (int k = 0; k < 4; ++k) s += k; if (s < 0) return;"),
    "a print": inside('if (n < 0) printf("%d of %5.2f\\n", n, a[0]);'),
    "a claim": inside("assert(n > 0);"),
    "mathematics": inside(USED.format("expf(-1.0f) + fmaxf(0.0f, 1.0f) + sqrtf(2.0f) + rsqrtf(4.0f) < 0.0f")),
    "launch bounds": right("sample_add").replace("__global__ void", "__global__ void __launch_bounds__(256)"),
    "lines of Windows": right("sample_add").replace("\n", "\r\n"),
    "a comment of any language": inside("// größer — δ /* */ \" '"),
}


@pytest.mark.parametrize("text", LET_THROUGH.values(), ids=list(LET_THROUGH))
def test_what_a_student_writes_is_let_through_and_compiles(text: str) -> None:
    assert refusal(text) is None
    assert kernels.load(text, target="emulator")["sample_add"].name == "sample_add"


def test_the_courses_own_kernels_are_let_through() -> None:
    files = sorted((ROOT / "kernels").glob("*.cu"))
    assert len(files) >= 7
    assert {file.name: refusal(file.read_text(encoding="utf-8")) for file in files} == {f.name: None for f in files}


def test_what_the_emulator_offers_may_be_called() -> None:
    header = (ROOT / "kernels/emulator/include/cuda_on_cpu.h").read_text(encoding="utf-8")
    offered = set(re.findall(r"^EMU_INLINE [\w* ]*?\b(\w+)\(", header, re.MULTILINE))
    assert len(offered) > 20
    assert {name for name in offered if not name.startswith("emu_")} <= FUNCTIONS


def test_forbidden_names_are_refused_wherever_they_stand() -> None:
    text = inside("atomicAdd(&out[0], 1.0f);")
    assert refusal(text) is None
    assert refusal(text, ["atomicAdd"]) == "line 4: it uses atomicAdd: this exercise is to be solved without it"
    assert refusal(above("#define ADD atomicAdd"), ["atomicAdd"]) is not None
    assert refusal(inside("// no atomicAdd here"), ["atomicAdd"]) is None


@pytest.mark.parametrize(
    "text",
    [
        "/*" * 30_000,
        '"' + '\\"' * 30_000,
        "".join(f"#define A{k} x y z\n" for k in range(3_000)),
        "f();" * 15_000,
        "__global__ void " * 3_900,
        'void f() { printf(' + '"" ' * 20_000 + "); }",
        "int a[] = {" + "{}," * 20_000 + "};",
        "int " + "a[] = {1}," * 6_000 + "b;",
    ],
    ids=["comments", "quotes", "macros", "calls", "kernels", "texts", "values", "arrays"],
)
def test_long_texts_are_read_in_no_time(text: str) -> None:
    start = time.process_time()
    refusal(text)
    without_comments(text)
    kernel_names(text)
    assert time.process_time() - start < 2.0


@given(st.text(alphabet='#/*"\'\\\n (){}[]<>;,=ae09_?%.:&|+-', max_size=200))
def test_any_text_is_read_or_refused_with_a_line_that_it_has(text: str) -> None:
    message = refusal(text)
    assert message is None or 1 <= int(message.split(":")[0].removeprefix("line ")) <= text.count("\n") + 1


@given(st.sampled_from(sorted(TEXTS)), st.data())
def test_tokens_hold_all_of_a_text_but_comments_and_white_space(name: str, data: st.DataObject) -> None:
    text = TEXTS[name]
    cut = text[: data.draw(st.integers(0, len(text)))]
    try:
        found = tokens(cut)
    except RefusedTextError:
        return
    assert "".join(token.text for token in found) == "".join(without_comments(cut).split()) or '"' in cut
    lines = cut.split("\n")
    assert all(token.text in lines[token.line - 1] for token in found)


def test_kernels_are_named_but_templates_are_not() -> None:
    text = (
        '// extern "C" __global__ void not_me(int n)\n__global__ void first(int n) {}\n'
        "template <int N>\n__global__ void second(int n) {}\n"
        'extern "C" __global__ void __launch_bounds__(64) third(int n) {}\n__device__ void fourth() {}\n'
    )
    assert kernel_names(text) == ["first", "third"]
