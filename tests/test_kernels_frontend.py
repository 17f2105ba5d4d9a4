"""What happens before a kernel runs: finding the text, reading its signatures, refusing what does not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kernels
from kernels.arguments import Launch, check
from kernels.errors import CompileError, LaunchError, ToolMissing
from kernels.signature import plain, signatures, without_comments
from kernels.source import Source, read
from solutions.errors import CourseError


def of(text: str) -> Any:
    return signatures(Source(text, "kernel text"))


# --- the text ---------------------------------------------------------------------------------------------------------


def test_a_file_of_the_course_by_its_bare_name() -> None:
    source = read("matmul.cu")
    assert source.name == "matmul.cu"
    assert "matmul_tiled" in source.text


def test_text_and_paths(tmp_path: Path) -> None:
    path = tmp_path / "mine.cu"
    path.write_bytes(b'extern "C" __global__ void f(float* x) {\r\n}\r\n')
    assert read(path).text == read(str(path)).text == 'extern "C" __global__ void f(float* x) {\n}\n'
    assert read("__global__ void f(int* x) {}").name == "kernel text"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot read the kernel file .*none.cu: No such file.*matmul.cu"),
        (b"\xff\xfe__global__", "not UTF-8"),
        (b"__global__ \0", "NUL"),
        (b" \n ", "empty"),
        (b"x" * (1 << 20 | 1), "1,048,577 bytes; a kernel file has at most 1,048,576"),
    ],
)
def test_files_that_are_none(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "none.cu"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CourseError, match=said) as caught:
        read(path)
    assert "\n" not in str(caught.value)


def test_something_else_than_text() -> None:
    with pytest.raises(CourseError, match="a file name or text, not int"):
        read(3)  # type: ignore[arg-type]


# --- signatures -------------------------------------------------------------------------------------------------------


def test_every_kind_of_parameter() -> None:
    (found,) = of("""
// __global__ void commented(int x) {}
const char* s = "__global__ void quoted(int x)";
extern "C" __global__ void __launch_bounds__(256, 2) f(
    const float* __restrict__ a, float* const b, const unsigned char c[], int n, unsigned int m, unsigned long long big,
    float4* v, const float2* __restrict__ w, bool flag, double d, float3 p, size_t bytes, float **rows) {}
""")
    assert found.name == "f"
    assert found.max_threads == 256
    assert found.line == 4
    assert " ".join(p.name for p in found.parameters) == "a b c n m big v w flag d p bytes rows"
    assert [str(p.dtype) for p in found.parameters[:10]] == [
        "float32", "float32", "uint8", "int32", "uint32", "uint64", "float32", "float32", "bool", "float64"]
    kinds = "pointer pointer pointer scalar scalar scalar pointer pointer scalar scalar unknown scalar unknown"
    assert " ".join(p.kind for p in found.parameters) == kinds
    assert [p.const for p in found.parameters[:3]] == [True, False, True]
    assert [p.lanes for p in found.parameters[6:8]] == [4, 2]
    assert str(found).startswith("f(const float* a, float* b, const unsigned char* c, int n")


def test_templates_are_told_apart() -> None:
    plain_one, template = of(
        "__global__ void a(int* x) {}\ntemplate <int N, class T>\n__global__ void b(T* x, int n) {}"
    )
    assert (plain_one.template, template.template) == (False, True)


def test_no_kernel_and_no_end() -> None:
    with pytest.raises(CompileError, match="kernel text has no kernel; one begins with"):
        of("int x;\n")
    with pytest.raises(CompileError, match="line 2: the parameter list of f does not end"):
        of("\n__global__ void f(int x,\n")


TYPES = {"float": "float32", "int": "int32", "unsigned": "uint32", "long long": "int64", "unsigned char": "uint8",
         "double": "float64"}


@given(st.lists(st.tuples(st.sampled_from(sorted(TYPES)), st.booleans(), st.booleans(), st.booleans()), max_size=6),
       st.sampled_from([" ", "\n", "  /* , ) */ ", " // comment (\n"]))
def test_any_list_of_parameters(parts: list[tuple[str, bool, bool, bool]], gap: str) -> None:
    written = [
        f"{('const' + gap) * const}{kind}{gap}{'*' * pointer}{' __restrict__ ' * (pointer and tight)}p{i}"
        for i, (kind, pointer, const, tight) in enumerate(parts)
    ]
    (found,) = of(f"extern \"C\"{gap}__global__{gap}void{gap}f({(',' + gap).join(written)}{gap}){gap}{{}}")
    assert [(p.name, p.kind, str(p.dtype)) for p in found.parameters] == [
        (f"p{i}", "pointer" if pointer else "scalar", TYPES[kind]) for i, (kind, pointer, _, _) in enumerate(parts)]


@given(st.text(alphabet='ab/*"\'\n\\#R() ', max_size=60))
def test_plain_keeps_every_line(text: str) -> None:
    assert plain(text).count("\n") == text.count("\n")
    assert without_comments(text).count("\n") == text.count("\n")


# --- arguments --------------------------------------------------------------------------------------------------------

(SIGNATURE,) = (
    of("""__global__ void __launch_bounds__(512) scale(const float* x, float* y, float factor, int n, float4* v,
bool deep, unsigned char small) {}""")
)
X = np.zeros(8, np.float32)
GOOD: tuple[Any, ...] = (X, X.copy(), 2.0, 8, X.copy(), True, 7)


def fit(args: Any = GOOD, grid: Any = 1, block: Any = 32, shared: Any = 0) -> Launch:
    return check(SIGNATURE, grid, block, args, shared, np.ndarray)


def test_a_launch_that_fits() -> None:
    launch = fit(grid=(2, 3), block=np.int64(64))
    assert launch.grid == (2, 3, 1)
    assert launch.block == (64, 1, 1)
    assert [type(value) for value in launch.values] == [
        np.ndarray, np.ndarray, np.float32, np.int32, np.ndarray, np.bool_, np.uint8]
    assert fit([*GOOD[:3], np.array(8), *GOOD[4:]]).values[3] == 8


def changed(position: int, value: Any) -> tuple[Any, ...]:
    return (*GOOD[:position], value, *GOOD[position + 1 :])


class Elsewhere:
    """Looks like a CuPy array."""

    shape, dtype = (8,), np.dtype(np.float32)


Elsewhere.__module__ = "cupy"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"args": GOOD[:-1]}, "scale takes 7 arguments .*, got 6: small is missing"),
        ({"args": (*GOOD, 1)}, "got 8: 1 too many"),
        ({"args": X}, "args is a tuple"),
        (
            {"args": changed(0, X.astype(np.float64))},
            r"argument 0, x, is float64\[8\]; const float\* takes .* float32: convert",
        ),
        ({"args": changed(1, X[::2])}, r"argument 1, y, is float32\[4\] and not contiguous"),
        ({"args": changed(0, X.astype(">f4"))}, "other byte order"),
        ({"args": changed(0, None)}, "argument 0, x, is None"),
        ({"args": changed(0, [1.0])}, "argument 0, x, is list"),
        ({"args": changed(0, Elsewhere())}, r"is a CuPy array float32\[8\]; .* pass x.get\(\)"),
        ({"args": changed(2, X)}, "argument 2, factor, is a NumPy array .*; float takes a number"),
        ({"args": changed(2, 1j)}, "factor, is complex"),
        ({"args": changed(3, 1.5)}, "n, is the float 1.5; int takes a whole number"),
        ({"args": changed(3, 2**31)}, r"n, is 2,147,483,648; int holds"),
        ({"args": changed(6, -1)}, "small, is -1; unsigned char holds 0 to 255"),
        ({"args": changed(4, np.zeros(6, np.float32))}, "v, has 6 elements; float4. takes a multiple of 4"),
        ({"block": 1024}, "1024 threads, but its __launch_bounds__ promise at most 512"),
        ({"block": (32, 32, 2)}, "2,048 threads; a block has at most 1,024"),
        ({"block": (1, 1, 65)}, "65 in z; at most 64"),
        ({"grid": 0}, r"grid \(0,\) has 0 in x"),
        ({"grid": (1, 70000)}, "70,000 in y; at most 65,535"),
        ({"grid": (1, 1, 1, 1)}, "one to three whole numbers"),
        ({"grid": 8 / 2}, "whole numbers"),
        ({"grid": (4.0, 1)}, "holds 4.0; its numbers are whole ones"),
        ({"grid": "ab"}, "whole numbers"),
        ({"shared": -4}, "shared is the number of bytes"),
        ({"shared": True}, "shared is the number of bytes"),
    ],
)
def test_a_launch_that_does_not_fit(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(LaunchError, match=said) as caught:
        fit(**arguments)
    assert str(caught.value).startswith("scale")
    assert "\n" not in str(caught.value)


def test_read_only_arrays_may_be_read() -> None:
    frozen = X.copy()
    frozen.flags.writeable = False
    fit(changed(0, frozen))
    with pytest.raises(LaunchError, match=r"y, is float32\[8\] and read-only"):
        fit(changed(1, frozen))


# --- load -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"target": "gpu"}, "target is one of auto, cuda, emulator, not 'gpu'"),
        ({"mode": "slow"}, "mode is one of checked, fast, not 'slow'"),
        ({"instances": ["add<4>"]}, "add is no template of this text; its templates are none"),
    ],
)
def test_load_refuses(options: dict[str, Any], said: str) -> None:
    with pytest.raises(LaunchError, match=said):
        kernels.load("elementwise.cu", **options)


def test_templates_need_instances() -> None:
    text = "template <int N> __global__ void f(int* x) { x[threadIdx.x] = N; }"
    with pytest.raises(
        LaunchError, match=r'every kernel of this text is a template \(f\); say which: instances=\["f<16>"\]'
    ):
        kernels.load(text, target="emulator")
    module = kernels.load(text, target="emulator", instances=["f<3>", "f<5>"])
    assert module.kernels == ("f<3>", "f<5>")
    x = np.zeros(2, np.int32)
    module["f<5>"](1, 2, (x,))
    assert x.tolist() == [5, 5]


def test_a_module_lists_its_kernels() -> None:
    module = kernels.load("relu.cu", target="emulator")
    assert module.kernels == ("relu_forward", "relu_backward", "relu_backward_sign_bit")
    assert set(module.kernels) <= set(dir(module))
    assert "relu.cu on emulator" in repr(module)
    assert "relu_forward(const float* x, float* y, int n) on emulator" in repr(module.relu_forward)
    with pytest.raises(AttributeError, match=r"relu.cu has no kernel gelu; it has relu_forward"):
        _ = module.gelu
    with pytest.raises(LaunchError, match="has no kernel gelu"):
        _ = module["gelu"]


def test_cuda_without_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    from kernels import cuda

    monkeypatch.setattr(cuda, "device_present", lambda: False)
    with pytest.raises(ToolMissing, match='use target="emulator"'):
        kernels.load("relu.cu", target="cuda")
    assert kernels.load("relu.cu").target == "emulator"
