"""Registers, memory and occupancy without a GPU: readers of compilers' output, the calculation, the report."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.contract.cards import load_cards
from kernels.__main__ import command, course_blocks
from kernels.catalog import CATALOG
from kernels.errors import CompileError, LaunchError, ToolMissing
from kernels.source import HERE, Source, read
from kernels.static import compilers
from kernels.static.occupancy import architectures, blocks_per_multiprocessor, cards, find_architecture, occupancy
from kernels.static.resources import Resources, read_ptxas, read_remarks
from solutions.command_line import run

MEASURED = Path(__file__).parents[1] / "benchmarks" / "results" / "gpu_truth.json"
WHEELS = sys.platform == "linux" and Path("/proc/cpuinfo").exists() and sys.maxsize > 2**32

PTXAS = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'tiled' for 'sm_61'
ptxas info    : Function properties for tiled
    64 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 32 registers, 2048 bytes smem, 368 bytes cmem[0]
ptxas info    : Compiling entry function 'add' for 'sm_61'
ptxas info    : Function properties for add
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers, 348 bytes cmem[0]
"""
_TAIL = "[-Rpass-analysis=kernel-resource-usage]"
REMARKS = "\n".join(
    f'k.cu:12:1: remark: {line} {_TAIL}\nextern "C" __global__ void f(float* x)\n^'
    for line in (
        "Function Name: f",
        "    SGPRs: 11",
        "    VGPRs: 40",
        "    ScratchSize [bytes/lane]: 8",
        "    Occupancy [waves/SIMD]: 6",
        "    SGPRs Spill: 0",
        "    VGPRs Spill: 2",
        "    LDS Size [bytes/block]: 2048",
    )
)


def test_what_ptxas_says() -> None:
    assert read_ptxas(PTXAS) == (Resources("tiled", 32, 2048, 12, 16, 64), Resources("add", 8, 0, 0, 0, 0))
    with pytest.raises(ValueError, match="said nothing about registers"):
        read_ptxas(PTXAS[: PTXAS.index("Used 8")])


def test_what_clang_remarks() -> None:
    assert read_remarks(REMARKS) == (Resources("f", 40, 2048, 8, 8, 8, 11, 6),)
    with pytest.raises(ValueError, match="nothing about 'VGPRs' of f"):
        read_remarks(REMARKS.replace("    VGPRs: 40", "    Others: 40"))


# --- occupancy --------------------------------------------------------------------------------------------------------


def test_the_driver_of_an_h200_agrees() -> None:
    """Every block size of every kernel that the driver was asked about."""
    rows = json.loads(MEASURED.read_text(encoding="utf-8"))["occupancy"]
    assert len(rows) == 256
    assert [blocks_per_multiprocessor(row) for row in rows] == [row["active_blocks"] for row in rows]


@pytest.mark.parametrize(
    ("arch", "registers", "shared", "threads", "blocks", "limit"),
    [
        ("sm_61", 32, 2048, 256, 8, "warps"),  # 64 warps hold 8 blocks of 8
        ("sm_61", 33, 0, 256, 6, "registers"),  # 33 x 32 rounds up to 1280: 12 warps of each of 4 files of 16,384
        ("sm_61", 16, 0, 32, 32, "blocks"),  # 32 blocks of one warp: half of 64
        ("sm_61", 16, 40_000, 128, 2, "shared memory"),  # 96 KB hold two of 40,192
        ("sm_61", 16, 49_153, 128, 0, "shared memory"),  # more than the 48 KB of one block
        ("sm_75", 32, 0, 256, 4, "warps"),  # Turing has 32
        ("sm_87", 16, 0, 1024, 1, "warps"),  # 48 warps, 32 of them taken
        ("sm_90", 16, 0, 64, 32, "warps"),
        ("sm_90", 16, 100_000, 64, 2, "shared memory"),  # 1 KB of each is the system's
        ("sm_53", 64, 0, 1024, 0, "registers"),  # 65,536 in one block; half of that is allowed
        ("gfx803", 24, 0, 256, 10, "warps"),  # 4 waves of 64: 40 fit
        ("gfx803", 84, 0, 64, 12, "registers"),  # 84 rounds to 84: 3 waves a SIMD
        ("gfx1010", 24, 0, 256, 5, "warps"),  # 8 waves of 32
    ],
)
def test_by_hand(arch: str, registers: int, shared: int, threads: int, blocks: int, limit: str) -> None:
    found = occupancy(arch, registers=registers, shared=shared, threads=threads)
    assert (found.blocks, found.limit) == (blocks, limit)
    assert found.fraction == found.warps / find_architecture(arch).warps


@given(st.sampled_from(sorted(architectures())), st.integers(1, 255), st.integers(0, 49_152), st.integers(1, 1024))
def test_as_many_as_fit_and_no_more(arch: str, registers: int, shared: int, threads: int) -> None:
    """Blocks put down one by one, warp by warp on the emptiest register file, until one does not fit."""
    of = architectures()[arch]
    warps = -(-threads // of.wave)
    a_warp = -(-registers * of.wave // of.register_unit) * of.register_unit
    a_block = -(-(shared + of.reserved) // of.shared_unit) * of.shared_unit
    room = [of.registers // of.parts // a_warp] * of.parts  # warps that each file still holds
    blocks = 0
    while (blocks < of.blocks and (blocks + 1) * warps <= of.warps and (blocks + 1) * a_block <= of.shared
           and sum(room) >= warps and a_warp * warps <= of.registers_block):
        for _ in range(warps):
            room[room.index(max(room))] -= 1
        blocks += 1
    assert occupancy(arch, registers=registers, shared=shared, threads=threads).blocks == blocks


def test_bad_questions() -> None:
    with pytest.raises(LaunchError, match="no architecture 'sm_99'; the course knows sm_53"):
        occupancy("sm_99", registers=1, shared=0, threads=32)
    with pytest.raises(LaunchError, match="1 thread or more, not 0"):
        occupancy("sm_61", registers=1, shared=0, threads=0)


def test_cards_agree_with_the_contract() -> None:
    assert len(cards()) == 11
    for card in load_cards():
        assert cards()[card.name] == card.arch, card.name
        assert find_architecture(card.arch).wave == card.wave_width.value


# --- compilers --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("arch", compilers.NVRTC_ARCHITECTURES)
@pytest.mark.skipif(not WHEELS, reason="NVIDIA's wheels exist for Linux and Windows on x86-64")
def test_every_kernel_compiles_with_nvrtc_11_7(arch: str) -> None:
    found = {one.kernel: one for path in sorted(HERE.glob("*.cu")) for one in compilers.resources(read(path), arch)}
    assert set(found) == {entry.name for entry in CATALOG}
    assert found["matmul_tiled"].shared == 2048
    assert all(one.spill_stores == one.local == 0 for one in found.values())
    assert found["matmul_register_2d"].registers > found["matmul_naive"].registers


@pytest.mark.slow
@pytest.mark.parametrize("arch", ["gfx803", "gfx1010"])
@pytest.mark.skipif(shutil.which("hipcc") is None, reason="hipcc comes from the distribution, not from PyPI")
def test_every_kernel_compiles_with_hipcc(arch: str) -> None:
    found = {one.kernel: one for path in sorted(HERE.glob("*.cu")) for one in compilers.resources(read(path), arch)}
    assert set(found) == {entry.name for entry in CATALOG}
    assert found["matmul_tiled"].shared == 2048
    assert all(one.waves for one in found.values())


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path))


@pytest.mark.usefixtures("fresh")
def test_a_text_that_does_not_compile() -> None:
    with pytest.raises(CompileError, match=r'line 2: identifier "y" is undefined'):
        compilers.resources(Source("extern \"C\" __global__ void f(float* x) {\n x[0] = y;\n}", "kernel text"), "sm_61")


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(("arch", "said"), [("sm_90", "needs nvcc of CUDA 11.8"), ("gfx803", "apt install hipcc")])
def test_a_compiler_that_is_missing(monkeypatch: pytest.MonkeyPatch, arch: str, said: str) -> None:
    monkeypatch.setattr(compilers.shutil, "which", lambda name: None)
    with pytest.raises(ToolMissing, match=said):
        compilers.resources(read("relu.cu"), arch)


def test_wheels_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilers.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ToolMissing, match="nvidia-cuda-nvcc-cu11"):
        compilers._ptxas()


# --- the command ------------------------------------------------------------------------------------------------------


def test_one_card(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(command, ["report", "--card", "gtx 1060 6gb", "relu.cu"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[:3] == ["relu_backward", "sm_61", "256"]
    assert lines[1].split()[-2:] == ["100%", "warps"]
    assert lines[-1].startswith("sm_61: GTX 1050 Ti, GTX 1060 6GB")
    assert max(len(line) for line in lines) <= 120


def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(command, ["report", "--arch", "sm_75", "--json", "relu.cu"]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert data["schema"] == 1
    assert {row["arch"] for row in data["rows"]} == {"sm_75"}
    assert data["rows"][0]["occupancy"]["blocks"] == 4


@pytest.mark.usefixtures("fresh")
def test_what_is_missing_is_said_and_the_rest_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compilers.shutil, "which", lambda name: None)
    assert run(command, ["report", "relu.cu"]) == 0
    said = capsys.readouterr().out
    assert "not reported: gfx803, relu.cu: needs hipcc: apt install hipcc" in said
    assert "relu_forward             sm_61" in said
    assert run(command, ["report", "--arch", "gfx803", "relu.cu"]) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["report", "--card", "GTX 9999"], "no card 'GTX 9999'; the course knows GTX 1050 Ti"),
        (["report", "--arch", "sm_1"], "no architecture 'sm_1'"),
        (["report", "none.cu"], "cannot read the kernel file none.cu"),
    ],
)
def test_bad_commands(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(command, words) == 2
    assert said in capsys.readouterr().err


def test_blocks_of_the_course() -> None:
    assert course_blocks()["matmul_register_1d"] == (512, 0)
    assert len(course_blocks()) == len(CATALOG)
