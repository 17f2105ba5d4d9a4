"""The software around the card: operating system, C library, container or WSL2, ROCm. Read from files, never fails."""

from __future__ import annotations

import contextlib
import os
import platform
import shlex
from dataclasses import dataclass
from pathlib import Path

CONTAINER_MARKS = {".dockerenv": "Docker", "run/.containerenv": "Podman"}
"""File → the container engine that leaves it in every container."""
CONTAINER_WORDS = {"kubepods": "Kubernetes", "docker": "Docker", "containerd": "containerd", "lxc": "LXC"}
"""Word in /proc/1/cgroup → container engine."""


@dataclass(frozen=True)
class System:
    """What the machine runs; None where it could not be found out."""

    name: str
    glibc: str | None
    wsl: bool
    container: str | None
    rocm: str | None

    def text(self) -> str:
        """``"Ubuntu 22.04, under WSL2"``."""
        places = ["under WSL2"] if self.wsl else []
        places += [f"in a {self.container} container"] if self.container else []
        return ", ".join([self.name, *places])


def read_system(root: Path = Path("/")) -> System:
    """Read the system whose files are under ``root``."""
    return System(_name(root), _glibc(), _is_wsl(root), _container(root), _rocm(root))


def read_text(path: Path) -> str | None:
    """A small file's text without the white space around it; None where it is missing or unreadable."""
    with contextlib.suppress(OSError):
        return path.read_text(encoding="utf-8", errors="replace").strip()
    return None


def _name(root: Path) -> str:
    entries = {}
    for line in (read_text(root / "etc/os-release") or "").splitlines():
        key, _, value = line.partition("=")
        with contextlib.suppress(ValueError):  # an unbalanced quote in a file that anybody may edit
            entries[key.strip()] = " ".join(shlex.split(value))
    named = " ".join(entries[key] for key in ("NAME", "VERSION_ID") if entries.get(key))
    return named or f"{platform.system()} {platform.release()}"


def _glibc() -> str | None:
    """The version that this process runs on; None on Windows, macOS and musl."""
    with contextlib.suppress(AttributeError, ValueError, OSError):
        found = os.confstr("CS_GNU_LIBC_VERSION") or ""
        return found.removeprefix("glibc ") if found.startswith("glibc ") else None
    return None


def _is_wsl(root: Path) -> bool:
    return "microsoft" in (read_text(root / "proc/sys/kernel/osrelease") or "").lower()


def _container(root: Path) -> str | None:
    for mark, engine in CONTAINER_MARKS.items():
        if (root / mark).exists():
            return engine
    groups = read_text(root / "proc/1/cgroup") or ""
    return next((engine for word, engine in CONTAINER_WORDS.items() if word in groups), None)


def _rocm(root: Path) -> str | None:
    """``"5.4.3"`` of ``5.4.3-121``; the file is part of every ROCm installation."""
    found = read_text(root / "opt/rocm/.info/version")
    return found.split("-")[0] if found else None
