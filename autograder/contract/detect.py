"""Which GPUs are in this machine, by every way there is: the PCI bus, nvidia-smi, CuPy. None is needed; none may crash.

The PCI bus needs no driver. nvidia-smi knows the free memory. CuPy alone can measure copies, and is what training uses.
"""

from __future__ import annotations

import csv
import dataclasses
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.contract.cards import VENDORS, Card, card_for
from autograder.contract.system import System, read_system, read_text

BYTES_PER_MB = 1024**2
PROJECT = Path(__file__).resolve().parents[2]
GPU_CLASSES = ("0x03", "0x12")
"""PCI base classes of display controllers and of processing accelerators."""
NVIDIA_SMI_TIMEOUT_S = 20
PROBE_TIMEOUT_S = 90
"""A first CUDA context on an old card takes some 10 s; a driver that hangs takes for ever."""
SMI_FIELDS = ("pci.bus_id", "pci.device_id", "name", "memory.total", "memory.free", "driver_version")
WSL_SMI = "usr/lib/wsl/lib/nvidia-smi"
"""Where WSL2 keeps it, off the PATH of many shells."""


@dataclass(frozen=True)
class Gpu:
    """One GPU; None where nothing could tell.

    ``pci_id`` is ``vendor:device`` and ``revision`` two digits, ``bus`` is ``domain:bus:device.function``, all in
    lower-case hexadecimal; memory is in MB of 1024² bytes, ``copy_gb_s`` in 10⁹ bytes a second, ``trouble`` says in
    words why CuPy could not use it.
    """

    bus: str | None = None
    pci_id: str | None = None
    revision: str | None = None
    name: str | None = None
    memory_total_mb: float | None = None
    memory_free_mb: float | None = None
    copy_gb_s: float | None = None
    driver: str | None = None
    trouble: str | None = None

    def card(self) -> Card | None:
        """The card of the contract that this is, if it is one."""
        return card_for(self.pci_id, self.revision) if self.pci_id else None

    def text(self) -> str:
        """``"NVIDIA GeForce GTX 1060, PCI 10de:1c20 at 0000:01:00.0"``."""
        pci = f"PCI {self.pci_id or 'ID unknown'}"
        at = f" at {self.bus}" if self.bus else ""
        return f"{self.name}, {pci}{at}" if self.name else f"{pci}{at}"


@dataclass(frozen=True)
class Machine:
    """The GPUs of a machine, its software, and where was looked with what result."""

    gpus: tuple[Gpu, ...]
    system: System
    looked_at: tuple[str, ...]
    cupy: str | None
    toolkit: str | None

    @property
    def cupy_says(self) -> str:
        """What came of asking CuPy."""
        return self.looked_at[-1]


def detect(root: Path = Path("/")) -> Machine:
    """Look everywhere; what does not answer is told in ``looked_at``.

    Args:
        root: where ``sys``, ``proc`` and ``etc`` are.
    """
    gpus, pci_words = _pci_gpus(root / "sys/bus/pci/devices")
    smi_gpus, smi_words = _smi_gpus(root)
    answer, cupy_words = _ask_cupy()
    for gpu in [*smi_gpus, *map(_cupy_gpu, answer.get("devices", []))]:
        if gpu.bus:  # what has no address cannot be told from the others; its trouble is in the words
            gpus = _merged(gpus, gpu)
    words = (pci_words, smi_words, cupy_words)
    return Machine(tuple(gpus), read_system(root), words, answer.get("cupy"), answer.get("toolkit"))


def _merged(gpus: list[Gpu], more: Gpu) -> list[Gpu]:
    """Add what ``more`` knows to the GPU on the same bus address; a new address is a new GPU."""
    known = {key: value for key, value in dataclasses.asdict(more).items() if value is not None}
    for place, gpu in enumerate(gpus):
        if gpu.bus == more.bus:
            return [*gpus[:place], dataclasses.replace(gpu, **known), *gpus[place + 1 :]]
    return [*gpus, more]


# --- the PCI bus ------------------------------------------------------------------------------------------------------


def _pci_gpus(folder: Path) -> tuple[list[Gpu], str]:
    try:
        devices = sorted(folder.iterdir())
    except OSError:
        return [], "PCI bus: not visible here"
    gpus, others = [], []
    for device in devices:
        if not (read_text(device / "class") or "").startswith(GPU_CLASSES):
            continue
        gpu = _pci_gpu(device)
        if gpu.pci_id and gpu.pci_id.split(":")[0] in VENDORS.values():
            gpus.append(gpu)
        else:
            others.append(gpu.pci_id or device.name)
    found = f"{len(gpus)} of NVIDIA or AMD" if gpus else "no GPU of NVIDIA or AMD"
    aside = f", beside {', '.join(others)}" if others else ""
    return gpus, f"PCI bus: {_count(len(devices), 'device')}, {found}{aside}"


def _pci_gpu(device: Path) -> Gpu:
    vendor, number = _hexadecimal(device / "vendor", 4), _hexadecimal(device / "device", 4)
    total, used = _whole(device / "mem_info_vram_total"), _whole(device / "mem_info_vram_used")  # AMD's driver alone
    return Gpu(
        bus=device.name.lower(),
        pci_id=f"{vendor}:{number}" if vendor and number else None,
        revision=_hexadecimal(device / "revision", 2),
        memory_total_mb=total / BYTES_PER_MB if total else None,
        memory_free_mb=(total - used) / BYTES_PER_MB if total and used is not None else None,
    )


def _hexadecimal(path: Path, digits: int) -> str | None:
    found = re.fullmatch(r"0x([0-9a-f]+)", (read_text(path) or "").lower())
    return found[1].zfill(digits) if found else None


def _whole(path: Path) -> int | None:
    found = read_text(path) or ""
    return int(found) if found.isascii() and found.isdigit() else None


# --- nvidia-smi -------------------------------------------------------------------------------------------------------


def _smi_gpus(root: Path) -> tuple[list[Gpu], str]:
    program = shutil.which("nvidia-smi") or shutil.which(root / WSL_SMI)
    if program is None:
        return [], "nvidia-smi: not installed"
    command = [program, f"--query-gpu={','.join(SMI_FIELDS)}", "--format=csv,noheader,nounits"]
    text, trouble = _output(command, NVIDIA_SMI_TIMEOUT_S)
    if trouble:
        return [], f"nvidia-smi: {trouble}"
    rows = [row for row in csv.reader(text.splitlines(), skipinitialspace=True) if len(row) == len(SMI_FIELDS)]
    gpus = [_smi_gpu(dict(zip(SMI_FIELDS, row, strict=True))) for row in rows]
    return gpus, f"nvidia-smi: {_count(len(gpus), 'GPU')}"


def _smi_gpu(row: Mapping[str, str]) -> Gpu:
    pair = re.fullmatch(r"0x([0-9a-f]{4})([0-9a-f]{4})", row["pci.device_id"].strip().lower())  # device, then vendor
    return Gpu(
        bus=_bus(row["pci.bus_id"]),
        pci_id=f"{pair[2]}:{pair[1]}" if pair else None,
        name=_said(row["name"]),
        memory_total_mb=_number(row["memory.total"]),
        memory_free_mb=_number(row["memory.free"]),
        driver=_said(row["driver_version"]),
    )


def _bus(text: str) -> str | None:
    """``00000000:01:00.0`` of nvidia-smi and ``0000:01:00.0`` of the kernel are one address."""
    found = re.fullmatch(r"([0-9a-f]{4,8}):([0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f])", text.strip().lower())
    return f"{found[1][-4:]}:{found[2]}" if found else None


def _said(text: str) -> str | None:
    """None for an empty field and for ``[N/A]``, ``[Not Supported]`` and the like."""
    text = text.strip()
    return None if not text or text.startswith("[") else text


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d+(\.\d+)?", text.strip()) else None


# --- CuPy -------------------------------------------------------------------------------------------------------------


def _ask_cupy() -> tuple[dict[str, Any], str]:
    """The answer of :mod:`autograder.contract.probe`, and what to say of it."""
    command = [sys.executable, "-m", "autograder.contract.probe"]
    text, trouble = _output(command, PROBE_TIMEOUT_S)
    if trouble:
        return {}, f"CuPy: {trouble}"
    try:
        answer = json.loads(text.splitlines()[-1])  # a driver may print before the answer
        devices = answer.get("devices", [])
        if not all(isinstance(device, dict) for device in devices):
            raise TypeError
    except (ValueError, IndexError, AttributeError, TypeError):
        return {}, "CuPy: its answer could not be read"
    if "error" in answer:
        return answer, f"CuPy: {answer['error']}"
    troubles = "".join(f"; {device.get('name', 'one')}: {device['error']}" for device in devices if "error" in device)
    return answer, f"CuPy {answer.get('cupy')}: {_count(len(devices), 'device')}{troubles}"


def _cupy_gpu(device: Mapping[str, Any]) -> Gpu:
    speed = device.get("copy_bytes_per_s")
    return Gpu(
        bus=_bus(device.get("bus", "")),
        name=device.get("name"),
        memory_total_mb=_mb(device.get("memory_total")),
        memory_free_mb=_mb(device.get("memory_free")),
        copy_gb_s=speed / 1e9 if speed else None,
        trouble=device.get("error"),
    )


def _mb(size: int | None) -> float | None:
    return size / BYTES_PER_MB if size is not None else None


def _count(number: int, thing: str) -> str:
    return f"{number or 'no'} {thing}{'' if number == 1 else 's'}"


def _output(command: Sequence[str], seconds: float) -> tuple[str, str | None]:
    """What a program prints, or why there is nothing, in words."""
    try:
        done = subprocess.run(command, cwd=PROJECT, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return "", f"no answer within {seconds:g} s"
    except OSError as error:
        return "", f"cannot be started: {error.strerror}"
    if done.returncode != 0:
        said = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()
        last = f": {said[-1].strip()}" if said else ""
        return "", f"ended with status {done.returncode}{last}"
    return done.stdout.decode(errors="replace"), None
