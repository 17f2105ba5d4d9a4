"""The pins resolve on every Python that the course serves, and the lists agree with each other."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
LISTS = ("requirements-train", "requirements", "requirements-bench")


def uv(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run the resolver that the environment brings."""
    program = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    assert program, "uv is not installed; run: make setup"
    return subprocess.run([program, *arguments], cwd=cwd, capture_output=True, text=True, check=False, timeout=280)


def pins(name: str) -> dict[str, str]:
    """Package → version with its marker, from a resolved list."""
    lines = (ROOT / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    found: dict[str, str] = {}
    for line in lines:
        match = re.match(r"([A-Za-z0-9._-]+)(==.*)", line)
        if match:
            found[match[1]] = found.get(match[1], "") + match[2]
    return found


def skip_if_offline(run: subprocess.CompletedProcess[str]) -> None:
    if run.returncode and re.search(r"dns error|connect|timed out|offline|fetch", run.stderr, re.IGNORECASE):
        pytest.skip(f"the package index cannot be reached: {run.stderr.splitlines()[0]}")


@pytest.mark.slow
@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("python", PYTHONS)
def test_the_pins_resolve(name: str, python: str, tmp_path: Path) -> None:
    run = uv("pip", "compile", "--python-version", python, f"{name}.txt", "-o", str(tmp_path / "out.txt"))
    skip_if_offline(run)
    assert run.returncode == 0, run.stderr
    resolved = (tmp_path / "out.txt").read_text(encoding="utf-8")
    assert "numpy==2.2.6" in resolved


@pytest.mark.slow
@pytest.mark.parametrize("name", LISTS)
def test_the_lists_are_what_the_inputs_resolve_to(name: str, tmp_path: Path) -> None:
    for path in ROOT.glob("requirements*"):
        shutil.copy(path, tmp_path)
    run = uv(
        "pip", "compile", "--universal", "--python-version", "3.10", "--no-header", f"{name}.in", "-o", f"{name}.txt",
        cwd=tmp_path,
    )
    skip_if_offline(run)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / f"{name}.txt").read_text() == (ROOT / f"{name}.txt").read_text(), "run: make pins"


def test_each_list_contains_the_smaller_one() -> None:
    for smaller, larger in pairwise(LISTS):
        small, large = pins(smaller), pins(larger)
        assert {name: large.get(name) for name in small} == small


def test_training_downloads_no_cupy() -> None:
    train = pins("requirements-train")
    assert set(train) <= {
        "numpy", "tqdm", "colorama", "requests", "certifi", "charset-normalizer", "idna", "urllib3", "tomli",
    }


def test_the_contract_stack_is_pinned_where_it_has_wheels() -> None:
    everything = pins("requirements")
    assert everything["cupy-cuda11x"].startswith("==13.6.0")
    assert everything["nvidia-cuda-nvrtc-cu11"].startswith("==11.7.99")
    assert "platform_machine == 'x86_64'" in everything["cupy-cuda11x"]
