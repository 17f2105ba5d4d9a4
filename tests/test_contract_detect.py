"""Detection on machines that are not here: every way of looking, each way of failing, words and never a crash."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from autograder.contract import detect as detection
from autograder.contract.system import read_system
from tests.contract_machines import (
    BUS,
    MB,
    MOBILE_1060,
    NETWORK,
    RX_5700_XT,
    SERVER_SCREEN,
    SMI_1060,
    UBUNTU_22,
    Workbench,
    cupy_1060,
    workbench,
)

__all__ = ["workbench"]


def test_the_pci_bus_needs_no_driver(workbench: Workbench) -> None:
    workbench.device("0000:00:1f.6", NETWORK)
    workbench.device(BUS, MOBILE_1060)
    (gpu,) = workbench.detect().gpus
    assert (gpu.bus, gpu.pci_id, gpu.revision) == (BUS, "10de:1c20", "a1")
    assert gpu.memory_free_mb is None
    card = gpu.card()
    assert card is not None
    assert card.name == "GTX 1060 Mobile"


def test_screens_that_cannot_compute_are_told_apart(workbench: Workbench) -> None:
    workbench.device("0000:03:00.0", SERVER_SCREEN)
    machine = workbench.detect()
    assert machine.gpus == ()
    assert machine.looked_at[0] == "PCI bus: 1 device, no GPU of NVIDIA or AMD, beside 1a03:2000"


def test_amds_driver_tells_memory_through_files(workbench: Workbench) -> None:
    memory = {"mem_info_vram_total": str(8176 * MB), "mem_info_vram_used": str(176 * MB)}
    workbench.device("0000:2d:00.0", RX_5700_XT | memory)
    (gpu,) = workbench.detect().gpus
    assert (gpu.memory_total_mb, gpu.memory_free_mb) == (8176, 8000)
    card = gpu.card()
    assert card is not None
    assert card.name == "RX 5700 XT 8GB"


def test_all_three_ways_speak_of_one_gpu(workbench: Workbench) -> None:
    workbench.laptop()
    machine = workbench.detect()
    (gpu,) = machine.gpus
    assert gpu.text() == "NVIDIA GeForce GTX 1060, PCI 10de:1c20 at 0000:01:00.0"
    assert (gpu.memory_total_mb, gpu.memory_free_mb, gpu.driver) == (6144, 4321, "515.65.01")
    assert gpu.copy_gb_s == pytest.approx(12.4)
    assert (machine.cupy, machine.toolkit) == ("13.6.0", "11.7")


def test_under_wsl2_nvidia_smi_knows_what_the_bus_does_not(workbench: Workbench) -> None:
    workbench.system(UBUNTU_22, kernel="5.15.167.4-microsoft-standard-WSL2")
    workbench.smi(f"echo '{SMI_1060}'")
    os.renames(workbench.programs / "nvidia-smi", workbench.root / detection.WSL_SMI)
    machine = workbench.detect()
    (gpu,) = machine.gpus
    assert (gpu.pci_id, gpu.memory_free_mb) == ("10de:1c20", 4400)
    assert machine.system.text() == "Ubuntu 22.04, under WSL2"
    assert machine.looked_at[0] == "PCI bus: not visible here"


def test_two_gpus_stay_two(workbench: Workbench) -> None:
    workbench.device("0000:00:02.0", RX_5700_XT)
    workbench.device(BUS, MOBILE_1060)
    workbench.smi(f"echo '{SMI_1060}'")
    first, second = workbench.detect().gpus
    assert (first.pci_id, first.memory_free_mb) == ("1002:731f", None)
    assert (second.pci_id, second.memory_free_mb) == ("10de:1c20", 4400)


@pytest.mark.parametrize(
    ("files", "pci_id"),
    [
        ({"class": "0x030000"}, None),  # vendor and device missing
        ({"class": "0x030200", "vendor": "0x10de", "device": "garbage"}, None),
        ({"class": "", "vendor": "0x10de", "device": "0x1c20"}, None),
        ({"class": "0x030200", "vendor": "0X10DE", "device": "0x1C20"}, "10de:1c20"),
    ],
)
def test_damaged_entries_on_the_bus(workbench: Workbench, files: dict[str, str], pci_id: str | None) -> None:
    workbench.device(BUS, files)
    assert [gpu.pci_id for gpu in workbench.detect().gpus] == ([pci_id] if pci_id else [])


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("exit 9", "nvidia-smi: ended with status 9"),
        ("echo \"couldn't communicate with the NVIDIA driver\" >&2; exit 9", "status 9: couldn't communicate with the"),
        ("echo No devices were found", "nvidia-smi: no GPUs"),
        ("echo 'a, b, c'", "nvidia-smi: no GPUs"),
        ("printf '\\377\\376, \\n'", "nvidia-smi: no GPUs"),
        ("kill -9 $$", "nvidia-smi: ended with status -9"),
    ],
)
def test_nvidia_smi_in_every_mood(workbench: Workbench, script: str, words: str) -> None:
    workbench.smi(script)
    machine = workbench.detect()
    assert machine.gpus == ()
    assert words in machine.looked_at[1]


def test_nvidia_smi_with_gaps(workbench: Workbench) -> None:
    workbench.smi("echo '00000000:01:00.0, 0x1C2010DE, [N/A], [Not Supported], , 515.65.01'")
    (gpu,) = workbench.detect().gpus
    assert (gpu.pci_id, gpu.name, gpu.memory_total_mb, gpu.memory_free_mb) == ("10de:1c20", None, None, None)


def test_nvidia_smi_that_cannot_start(workbench: Workbench) -> None:
    workbench.smi("")
    (workbench.programs / "nvidia-smi").write_bytes(b"\x7fELF of another processor")
    assert "nvidia-smi: cannot be started" in workbench.detect().looked_at[1]


def test_programs_that_hang_are_left_behind(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detection, "NVIDIA_SMI_TIMEOUT_S", 0.2)
    monkeypatch.setattr(detection, "PROBE_TIMEOUT_S", 0.5)
    workbench.smi("exec /bin/sleep 600")
    workbench.cupy({"hang": True})
    machine = workbench.detect()
    assert machine.looked_at[1:] == ("nvidia-smi: no answer within 0.2 s", "CuPy: no answer within 0.5 s")


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"import_error": "=====\nlibcublas.so.11: missing\nadvice\n"}, "CuPy: cannot be imported: libcublas.so.11"),
        ({"missing": True}, "CuPy: not installed"),
        ({"count_error": "cudaErrorInsufficientDriver: too old"}, "CuPy: finds no device: cudaErrorInsufficientDriver"),
        ({"crash": True}, "CuPy: ended with status 139"),
        ({"devices": []}, "CuPy 13.6.0: no devices"),
        (
            cupy_1060() | {"device_error": "cudaErrorMemoryAllocation: out of memory"},
            "CuPy 13.6.0: 1 device; NVIDIA GeForce GTX 1060: cudaErrorMemoryAllocation: out of memory",
        ),
    ],
)
def test_cupy_in_every_mood(workbench: Workbench, told: dict[str, object], words: str) -> None:
    workbench.device(BUS, MOBILE_1060)
    workbench.cupy(told)
    machine = workbench.detect()
    assert [gpu.pci_id for gpu in machine.gpus] == ["10de:1c20"]
    assert words in machine.cupy_says
    assert "\n" not in machine.cupy_says


@pytest.mark.parametrize("answer", ["", "no JSON", "[1, 2]", '{"devices": [3]}', '{"devices": null}', '"text"'])
def test_an_answer_that_is_none(workbench: Workbench, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    monkeypatch.setattr(detection, "_output", lambda command, seconds: (answer, None))
    workbench.smi("")
    assert workbench.detect().cupy_says == "CuPy: its answer could not be read"


def test_a_device_that_cannot_be_used_keeps_its_trouble(workbench: Workbench) -> None:
    workbench.device(BUS, MOBILE_1060)
    workbench.cupy(cupy_1060() | {"device_error": "cudaErrorMemoryAllocation: out of memory"})
    (gpu,) = workbench.detect().gpus
    assert gpu.trouble == "cudaErrorMemoryAllocation: out of memory"
    assert (gpu.name, gpu.copy_gb_s) == ("NVIDIA GeForce GTX 1060", None)


def test_a_missing_compiler_is_not_a_crash(workbench: Workbench) -> None:
    workbench.cupy(cupy_1060() | {"nvrtc": None})
    machine = workbench.detect()
    assert (machine.toolkit, machine.gpus[0].memory_free_mb) == (None, 4321)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({".dockerenv": ""}, "Ubuntu 22.04, in a Docker container"),
        ({"run/.containerenv": ""}, "Ubuntu 22.04, in a Podman container"),
        ({"proc/1/cgroup": "0::/kubepods/besteffort/pod1\n"}, "Ubuntu 22.04, in a Kubernetes container"),
        ({"proc/1/cgroup": "0::/init.scope\n"}, "Ubuntu 22.04"),
    ],
)
def test_containers_are_named(workbench: Workbench, files: dict[str, str], words: str) -> None:
    workbench.system(UBUNTU_22)
    for path, text in files.items():
        workbench.file(path, text)
    assert read_system(workbench.root).text() == words


def test_rocm_and_systems_without_os_release(workbench: Workbench) -> None:
    workbench.file("opt/rocm/.info/version", "5.4.3-121\n")
    system = read_system(workbench.root)
    assert system.rocm == "5.4.3"
    assert system.name.startswith("Linux ")


def test_a_damaged_os_release(workbench: Workbench) -> None:
    workbench.file("etc/os-release", 'NAME="Ubuntu\n\nVERSION_ID="22.04"\nnonsense')
    assert read_system(workbench.root).name == "22.04"


def test_no_glibc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def not_known(name: str) -> str:
        raise ValueError(name)

    monkeypatch.setattr(os, "confstr", not_known)
    assert read_system(tmp_path).glibc is None
    monkeypatch.delattr(os, "confstr")
    assert read_system(tmp_path).glibc is None


def test_the_real_machine_is_looked_at_without_a_crash() -> None:
    machine = detection.detect()
    assert len(machine.looked_at) == 3
    assert machine.system.name
