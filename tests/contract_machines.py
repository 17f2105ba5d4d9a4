"""Machines that are not here: fake file trees, a fake nvidia-smi and a fake CuPy for the tests of the contract.

No GPU is in the machine that runs these tests; what they prove is how the programs judge what they are told.
"""

from __future__ import annotations

import json
import os
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder.contract.detect import Machine, detect

UBUNTU_22 = 'NAME="Ubuntu"\nVERSION_ID="22.04"\nVERSION="22.04.5 LTS (Jammy Jellyfish)"\n'
UBUNTU_24 = 'NAME="Ubuntu"\nVERSION_ID="24.04"\n'
MOBILE_1060 = {"vendor": "0x10de", "device": "0x1c20", "class": "0x030000", "revision": "0xa1"}
UNKNOWN_NVIDIA = {"vendor": "0x10de", "device": "0x2684", "class": "0x030000", "revision": "0xa1"}
RX_5700_XT = {"vendor": "0x1002", "device": "0x731f", "class": "0x030000", "revision": "0xc1"}
SERVER_SCREEN = {"vendor": "0x1a03", "device": "0x2000", "class": "0x030000", "revision": "0x41"}
NETWORK = {"vendor": "0x8086", "device": "0x1533", "class": "0x020000", "revision": "0x03"}
BUS = "0000:01:00.0"
MB = 1024**2

SMI_1060 = "00000000:01:00.0, 0x1C2010DE, NVIDIA GeForce GTX 1060, 6144, 4400, 515.65.01"

FAKE_CUPY = '''
"""A stand-in for CuPy: it says what fake.json says, and takes only the copies that the course means to make."""
import json, os, pathlib, time
_told = json.loads((pathlib.Path(__file__).parent / "fake.json").read_text())
if _told.get("missing"):
    raise ModuleNotFoundError("No module named 'cupy'", name="cupy")
if _told.get("import_error"):
    raise ImportError(_told["import_error"])
if _told.get("crash"):
    os._exit(139)
if _told.get("hang"):
    time.sleep(600)
print("a driver's chatter on stdout")
__version__ = _told.get("version", "13.6.0")

class _Pinned:
    ptr = 4096

class _Target:
    def __init__(self, size):
        self.size = size
    def copy_from_host_async(self, ptr, size, stream):
        assert ptr == _Pinned.ptr, "the copy must start in page-locked memory"
        assert size == self.size, "the copy must fill the buffer"
        assert isinstance(stream, cuda.Stream) and stream.non_blocking
        stream.copied += size

class _Event:
    def record(self, stream):
        self.copied = stream.copied
    def synchronize(self):
        pass

class cuda:
    class Device:
        def __init__(self, index):
            pass
        def __enter__(self):
            if _told.get("device_error"):
                raise RuntimeError(_told["device_error"])
        def __exit__(self, *_):
            pass
    class Stream:
        def __init__(self, non_blocking=False):
            self.non_blocking, self.copied = non_blocking, 0
    Event = _Event
    class runtime:
        @staticmethod
        def getDeviceCount():
            if _told.get("count_error"):
                raise RuntimeError(_told["count_error"])
            return len(_told["devices"])
        @staticmethod
        def getDeviceProperties(index):
            return {"name": _told["devices"][index]["name"].encode()}
        @staticmethod
        def deviceGetPCIBusId(index):
            return _told["devices"][index]["bus"]
        @staticmethod
        def memGetInfo():
            return _told["devices"][0]["free"], _told["devices"][0]["total"]
    class nvrtc:
        @staticmethod
        def getVersion():
            if _told.get("nvrtc") is None:
                raise RuntimeError("libnvrtc.so not found")
            return tuple(_told["nvrtc"])
    @staticmethod
    def alloc_pinned_memory(size):
        return _Pinned()
    @staticmethod
    def alloc(size):
        return _Target(size)
    @staticmethod
    def get_elapsed_time(start, stop):
        return (stop.copied - start.copied) / _told["devices"][0]["bytes_per_s"] * 1000
'''


def cupy_1060(free_mb: int = 4321, gb_s: float = 12.4) -> dict[str, object]:
    """What CuPy says on a GTX 1060 Mobile."""
    device = {"name": "NVIDIA GeForce GTX 1060", "bus": BUS, "free": free_mb * MB, "total": 6144 * MB}
    return {"nvrtc": [11, 7], "devices": [device | {"bytes_per_s": gb_s * 1e9}]}


@dataclass
class Workbench:
    """Builds a machine piece by piece, then looks at it with the real detection."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch

    def __post_init__(self) -> None:
        self.root = self.folder / "root"
        self.programs = self.folder / "bin"
        self.programs.mkdir(parents=True)
        self.root.mkdir()
        self.monkeypatch.setenv("PATH", str(self.programs))
        self.monkeypatch.setattr(os, "confstr", lambda name: "glibc 2.35")
        self.cupy({"missing": True})

    def file(self, path: str, text: str) -> None:
        """A file of the machine."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def system(self, os_release: str, kernel: str = "5.15.0-91-generic") -> None:
        """Its operating system."""
        self.file("etc/os-release", os_release)
        self.file("proc/sys/kernel/osrelease", kernel + "\n")

    def device(self, bus: str, files: dict[str, str]) -> None:
        """A device on its PCI bus."""
        for name, text in files.items():
            self.file(f"sys/bus/pci/devices/{bus}/{name}", text + "\n")

    def smi(self, script: str) -> None:
        """An nvidia-smi: a shell script."""
        program = self.programs / "nvidia-smi"
        program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        program.chmod(0o755)

    def cupy(self, told: dict[str, object]) -> None:
        """A CuPy that says this; it stands before the real one, if there is one."""
        package = self.folder / "site" / "cupy"
        package.mkdir(parents=True, exist_ok=True)
        (package / "__init__.py").write_text(textwrap.dedent(FAKE_CUPY), encoding="utf-8")
        (package / "fake.json").write_text(json.dumps(told), encoding="utf-8")
        self.monkeypatch.setenv("PYTHONPATH", str(package.parent))

    def detect(self) -> Machine:
        """Look at the machine."""
        return detect(self.root)

    def laptop(self, free_mb: int = 4321, gb_s: float = 12.4, os_release: str = UBUNTU_22) -> None:
        """A GTX 1060 Mobile with everything that the contract asks for."""
        self.system(os_release)
        self.device("0000:00:1f.6", NETWORK)
        self.device(BUS, MOBILE_1060)
        self.smi(f"echo '{SMI_1060}'")
        self.cupy(cupy_1060(free_mb, gb_s))


@pytest.fixture
def workbench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    """An empty machine: no GPU, no nvidia-smi, no CuPy."""
    return Workbench(tmp_path, monkeypatch)
