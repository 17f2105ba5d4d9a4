"""``hardware_check.py`` on machines that are not here: lines, exit statuses, and the JSON that programs rely on."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from autograder.contract import hardware_command
from autograder.contract.hardware import version_matches
from solutions.command_line import run
from tests.contract_machines import (
    BUS,
    RX_5700_XT,
    SERVER_SCREEN,
    UBUNTU_22,
    UBUNTU_24,
    UNKNOWN_NVIDIA,
    Workbench,
    cupy_1060,
    workbench,
)

__all__ = ["workbench"]

ROOT = Path(__file__).parent.parent
GOLDEN = Path(__file__).parent / "contract_golden"


class Screen:
    """Runs the command on a workbench's machine."""

    def __init__(self, bench: Workbench, capsys: pytest.CaptureFixture[str]) -> None:
        bench.monkeypatch.setattr(hardware_command, "detect", bench.detect)
        self._capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, list[str]]:
        """Exit status and lines on stdout."""
        status = run(hardware_command.main, arguments)
        return status, self._capsys.readouterr().out.splitlines()

    def json(self, *arguments: str) -> tuple[int, dict[str, Any]]:
        """Exit status and the JSON."""
        status, lines = self("--json", *arguments)
        return status, json.loads("\n".join(lines))


@pytest.fixture
def screen(workbench: Workbench, capsys: pytest.CaptureFixture[str]) -> Screen:
    return Screen(workbench, capsys)


def line(lines: list[str], name: str) -> str:
    """The one line of a clause."""
    (found,) = [text for text in lines if text[2:].startswith(f"{name}:")]
    return found


def test_a_laptop_that_holds_the_contract(workbench: Workbench, screen: Screen) -> None:
    workbench.laptop()
    status, lines = screen()
    assert status == 0
    assert line(lines, "card").startswith("✓ card: required a card of the contract; found GTX 1060 Mobile (")
    assert "PCI 10de:1c20" in line(lines, "card")
    assert line(lines, "free memory") == "✓ free memory: required ≥ 4,200 MB; found 4,321 MB of 6,144 MB"
    assert line(lines, "PCIe bandwidth").startswith("✓ PCIe bandwidth: required ≥ 12.0 GB/s; found 12.4 GB/s (median")
    assert "found 96 for 784-256-128-10" in line(lines, "largest safe batch")
    assert line(lines, "system") == "✓ system: required Ubuntu 22.04; found Ubuntu 22.04"
    assert line(lines, "C library") == "✓ C library: required glibc 2.35; found glibc 2.35"
    assert line(lines, "toolkit").startswith("✓ toolkit: required CUDA 11.7, cuDNN 8.5.0 (not looked for")
    assert line(lines, "toolkit").endswith("found CUDA 11.7, driver 515.65.01")
    assert lines[-1] == "verdict ✓: the contract holds"


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"free_mb": 4199}, "free memory"),
        ({"gb_s": 11.99}, "PCIe bandwidth"),
        ({"os_release": UBUNTU_24}, "system"),
    ],
)
def test_one_fault_fails_one_clause(
    workbench: Workbench, screen: Screen, change: dict[str, Any], name: str
) -> None:
    workbench.laptop(**change)
    status, lines = screen()
    assert status == 1
    assert [text[2:].split(":")[0] for text in lines if text.startswith("✗")] == [name]
    assert lines[-1] == f"verdict ✗: the contract does not hold: {name}"


@pytest.mark.parametrize("change", [{"free_mb": 4200}, {"gb_s": 12.0}])
def test_bounds_belong_to_the_contract(workbench: Workbench, screen: Screen, change: dict[str, Any]) -> None:
    workbench.laptop(**change)
    assert screen()[0] == 0


@pytest.mark.parametrize(("nvrtc", "mark"), [([11, 7], "✓"), ([12, 0], "✗"), ([11, 8], "✗"), (None, "–")])
def test_the_compiler_must_be_the_contracts(
    workbench: Workbench, screen: Screen, nvrtc: list[int] | None, mark: str
) -> None:
    workbench.laptop()
    workbench.cupy(cupy_1060() | {"nvrtc": nvrtc})
    status, lines = screen()
    assert line(lines, "toolkit")[0] == mark
    assert status == (0 if mark == "✓" else 1)


def test_another_glibc_fails(workbench: Workbench, screen: Screen) -> None:
    workbench.laptop()
    workbench.monkeypatch.setattr("os.confstr", lambda name: "glibc 2.39")
    status, lines = screen()
    assert (status, line(lines, "C library")[0]) == (1, "✗")


def test_what_nobody_measured_is_never_passed(workbench: Workbench, screen: Screen) -> None:
    """A card without CuPy: its copies were not timed, so the contract is not shown to hold."""
    workbench.laptop()
    workbench.cupy({"missing": True})
    status, lines = screen()
    assert status == 1
    assert line(lines, "free memory").startswith("✓")  # nvidia-smi knows: 4400
    pcie = line(lines, "PCIe bandwidth")
    assert pcie.startswith("– PCIe bandwidth: required ≥ 12.0 GB/s; not measured (CuPy: not installed; to measure,")
    assert lines[-1] == "verdict ✗: not shown to hold; unverified: PCIe bandwidth, toolkit"


def test_no_gpu(workbench: Workbench, screen: Screen) -> None:
    workbench.system(UBUNTU_22)
    workbench.device("0000:03:00.0", SERVER_SCREEN)
    status, lines = screen()
    assert status == 1
    card = line(lines, "card")
    assert card.startswith("✗ card: required a card of the contract; no GPU found (looked at: PCI bus: 1 device,")
    for words in ("nvidia-smi: not installed", "CuPy: not installed", "train.py runs on the CPU", "use --card NAME"):
        assert words in card
    assert line(lines, "free memory") == "– free memory: required ≥ 4,200 MB; no GPU"
    assert "✓" not in "".join(lines)
    assert "found 96 for 784-256-128-10 on the GTX 1060 6GB" in line(lines, "largest safe batch")


def test_a_gpu_that_the_contract_does_not_know(workbench: Workbench, screen: Screen) -> None:
    workbench.laptop()
    workbench.device(BUS, UNKNOWN_NVIDIA)
    workbench.smi("exit 1")
    status, lines = screen()
    assert status == 1
    assert "PCI 10de:2684 at 0000:01:00.0, which the contract does not know; it knows: GTX 1060 6GB" in lines[1]
    assert line(lines, "free memory").startswith("✓")  # measured all the same
    assert line(lines, "largest safe batch")[0] == "–"


def test_the_card_of_the_contract_is_found_behind_another(workbench: Workbench, screen: Screen) -> None:
    workbench.laptop()
    workbench.device("0000:00:02.0", UNKNOWN_NVIDIA)
    status, lines = screen()
    assert status == 0
    assert "GTX 1060 Mobile" in line(lines, "card")


def test_a_card_that_is_not_here_is_judged_by_its_profile(workbench: Workbench, screen: Screen) -> None:
    workbench.system(UBUNTU_24)
    status, lines = screen("--card", "gtx 1060 6gb")
    assert status == 0
    assert lines[0].startswith("Hardware contract, GTX 1060 6GB (by its profile, nothing was measured on it)")
    assert "not in this machine: judged by its profile" in line(lines, "card")
    assert "found 4,321 MB (typical figure of the profile, unverified" in line(lines, "free memory")
    assert "found 12.4 GB/s (typical figure of the profile, unverified" in line(lines, "PCIe bandwidth")
    assert line(lines, "system").startswith("– system: required Ubuntu 22.04; found Ubuntu 24.04, on this machine,")
    assert line(lines, "training clause").startswith("– training clause: required ≤ 1 h 52 m, ≥ 98.23 %")
    assert "nothing was measured on it" in lines[-1]


def test_nominal_figures_are_called_nominal(workbench: Workbench, screen: Screen) -> None:
    workbench.system(UBUNTU_22)
    status, lines = screen("--card", "RTX 2060 6GB")
    assert status == 0
    assert "6,144 MB in all (nominal figure of the profile; what is free is unverified)" in line(lines, "free memory")
    assert "15.8 GB/s (nominal figure of PCIe 3.0 ×16, unverified" in line(lines, "PCIe bandwidth")


def test_asking_for_the_card_that_is_here_measures_it(workbench: Workbench, screen: Screen) -> None:
    workbench.laptop(gb_s=3.0)
    assert screen("--card", "GTX 1060 Mobile")[0] == 1
    status, told = screen.json("--card", "GTX 1060 6GB")  # its desktop sister is not here
    assert (status, told["from_profile"]) == (0, True)


def test_an_amd_card_without_cupy(workbench: Workbench, screen: Screen) -> None:
    workbench.system(UBUNTU_22)
    workbench.file("opt/rocm/.info/version", "5.4.3-121\n")
    memory = {"mem_info_vram_total": str(8176 * 1024**2), "mem_info_vram_used": str(176 * 1024**2)}
    workbench.device("0000:2d:00.0", RX_5700_XT | memory)
    status, lines = screen()
    assert status == 1
    assert line(lines, "free memory") == "✓ free memory: required ≥ 4,200 MB; found 8,000 MB of 8,176 MB"
    assert line(lines, "toolkit") == "✓ toolkit: required ROCm 5.4.3; found ROCm 5.4.3"
    assert lines[-1] == "verdict ✗: not shown to hold; unverified: PCIe bandwidth"


@pytest.mark.parametrize("name", ["GTX 1060", "", "H200; rm -rf"])
def test_an_unknown_card_lists_the_known_ones(
    workbench: Workbench, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert run(hardware_command.main, ["--card", name]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        f"error: no card {name!r} in the contract; there are: "
        "GTX 1060 6GB, GTX 1060 Mobile, RTX 2060 6GB, RX 5700 XT 8GB, NVIDIA H200\n"
    )


@pytest.mark.parametrize(
    ("case", "arguments"),
    [("laptop", []), ("no_gpu", []), ("profile", ["--card", "GTX 1060 6GB"]), ("unknown_gpu", [])],
)
def test_json_equals_the_golden_file(
    workbench: Workbench, screen: Screen, tmp_path: Path, case: str, arguments: list[str]
) -> None:
    """The schema is a promise to programs: a change here is a change of ``hardware-check/1``."""
    workbench.system(UBUNTU_22)
    if case == "laptop":
        workbench.laptop()
    if case == "unknown_gpu":
        workbench.device(BUS, UNKNOWN_NVIDIA)
    status, told = screen.json(*arguments)
    assert status == (0 if told["passed"] else 1)
    actual = tmp_path / f"{case}.json"
    actual.write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    golden = GOLDEN / f"hardware_check_{case}.json"
    assert told == json.loads(golden.read_text(encoding="utf-8")), f"if the change is meant: cp {actual} {golden}"


@pytest.mark.parametrize(
    ("found", "required", "matches"),
    [
        ("11.7", "11.7", True), ("11.7.99", "11.7", True), ("11.70", "11.7", False), ("11", "11.7", False),
        ("13.0", "13", True), ("12.9", "13", False), (None, "11.7", False), (None, None, True), ("2.36", None, True),
    ],
)  # fmt: skip
def test_versions_match_by_their_leading_parts(found: str | None, required: str | None, matches: bool) -> None:
    assert version_matches(found, required) is matches


def test_marks_survive_an_old_console(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Windows pipe says cp1252, which has no ✓: the output is UTF-8 all the same."""
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="cp1252"))
    assert run(lambda arguments: print("✓ ✗ ≥") or 0, []) == 0
    sys.stdout.flush()
    assert raw.getvalue().decode("utf-8") == "✓ ✗ ≥\n"


def test_a_reader_that_leaves_early_is_no_traceback() -> None:
    code = "from solutions.command_line import run; raise SystemExit(run(lambda _: print('x' * 10**6) or 0, []))"
    child = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.read(1)
    child.stdout.close()
    assert child.stderr is not None
    assert child.stderr.read() == b""
    child.stderr.close()
    assert child.wait() == 141


@pytest.mark.parametrize(("arguments", "status"), [(["--help"], 0), (["--cards", "x"], 2), (["--card"], 2)])
def test_the_script_from_another_folder(tmp_path: Path, arguments: list[str], status: int) -> None:
    command = [sys.executable, ROOT / "hardware_check.py", *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert done.stderr.count("\n") == (1 if status else 0)
    assert done.stderr.startswith("error: ") or status == 0


@pytest.mark.slow
def test_the_script_on_the_real_machine(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "hardware_check.py", "--json"], cwd=tmp_path, capture_output=True, check=False
    )
    told = json.loads(done.stdout)
    assert done.stderr == b""
    assert done.returncode == (0 if told["passed"] else 1)
    assert told["schema"] == "hardware-check/1"
