"""``train.py`` as a person runs it: good options, bad options, a kill in mid-epoch, and data that is not there."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from solutions.checkpoint import load_checkpoint
from solutions.weights import load_weights

ROOT = Path(__file__).parent.parent


def train(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "train.py", *arguments],
        cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False, timeout=280,
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--batch", "0"], "0 is outside 1 … 96"),
        (["--batch", "97"], "97 is outside 1 … 96"),
        (["--batch", "many"], "'many' is not a whole number; give one from 1 to 96"),
        (["--batch", "9.5"], "'9.5' is not a whole number"),
        (["--epochs", "0"], "0 is outside 1 … 1000"),
        (["--seed", "-1"], "-1 is outside 0"),
        (["--learning-rate", "nan"], "'nan' is not a learning rate"),
        (["--learning-rate", "-0.1"], "expected one argument|'-0.1' is not a learning rate"),
        (["--backend", "tpu"], "invalid choice: 'tpu'"),
        (["--frobnicate"], "unrecognized arguments: --frobnicate"),
        (["--data", "/nowhere/at/all"], "/nowhere/at/all"),
        (["--resume", "--out", "/nowhere/at/all"], "no checkpoint at /nowhere/at/all"),
    ],
)
def test_bad_input_is_one_line_and_status_2(arguments: list[str], words: str) -> None:
    run = train(*arguments)
    assert run.returncode == 2
    assert re.search(words, run.stderr)
    assert run.stderr.startswith("error: ")
    assert run.stderr.count("\n") == 1
    assert run.stdout == ""


def test_an_output_folder_that_is_a_file(tmp_path: Path) -> None:
    """Noticed before the first step, not after the last one."""
    (tmp_path / "out").write_text("a file")
    started = time.perf_counter()
    run = train("--out", str(tmp_path / "out"), "--backend", "index")
    assert run.returncode == 2
    assert "cannot write" in run.stderr.splitlines()[-1]
    assert "Traceback" not in run.stderr
    assert time.perf_counter() - started < 30  # an epoch of the index path alone takes half a minute


@pytest.mark.slow
def test_kill_9_in_mid_epoch_and_resume_end_with_the_same_weights(tmp_path: Path) -> None:
    options = ["--backend", "blas", "--epochs", "1", "--seed", "3"]
    environment = {"OPENBLAS_NUM_THREADS": "1"}
    whole = train(*options, "--out", str(tmp_path / "whole"), **environment)
    assert whole.returncode in (0, 1), whole.stderr
    assert re.search(r"\d\d\.\d\d %", whole.stdout)

    killed = subprocess.Popen(
        [sys.executable, "train.py", *options, "--out", str(tmp_path / "killed")],
        cwd=ROOT, env=os.environ | environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    checkpoint = tmp_path / "killed" / "checkpoint.npz"
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not (checkpoint.exists() and load_checkpoint(checkpoint).state.step >= 125):
        time.sleep(0.02)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert 0 < load_checkpoint(checkpoint).state.step < 625
    assert not (tmp_path / "killed" / "weights.npz").exists()

    resumed = train("--resume", "--out", str(tmp_path / "killed"), **environment)  # the checkpoint knows the options
    assert resumed.returncode == whole.returncode, resumed.stderr
    expected, got = (load_weights(tmp_path / name / "weights.npz").arrays for name in ("whole", "killed"))
    for name, array in expected.items():
        assert np.array_equal(array, got[name]), name


@pytest.mark.slow
def test_resuming_with_other_options_is_refused(tmp_path: Path) -> None:
    first = train("--backend", "blas", "--epochs", "1", "--out", str(tmp_path), "--validation")
    assert "validation split" in first.stdout
    again = train("--resume", "--epochs", "2", "--out", str(tmp_path), "--validation")
    assert again.returncode == 2
    assert "another recipe" in again.stderr
    assert load_weights(tmp_path / "weights.npz").about["samples"] == 50_000
