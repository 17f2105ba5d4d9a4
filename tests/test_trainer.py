"""The training loop: it learns, it goes on bit for bit after a kill, and it stops when the loss breaks."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions import trainer as trainer_module
from solutions.backend import Backend, StepResult, choose
from solutions.backend_numpy import NumpyBackend
from solutions.checkpoint import load_checkpoint
from solutions.errors import CourseError
from solutions.gradcheck import numerical_gradient, relative_error
from solutions.inference import count_correct
from solutions.linear import index_product
from solutions.network import gradients, initialize
from solutions.plan import Step, epoch_steps, steps_per_epoch
from solutions.recipe import Recipe
from solutions.trainer import CHECKPOINT_NAME, Progress, Trainer

ROOT = Path(__file__).parent.parent
RECIPE = Recipe(layer_sizes=(64, 20, 12, 4), batch_size=9, epochs=3, seed=5, peak_learning_rate=1e-2)


def toy_data(n: int = 250, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Four patterns on an 8 × 8 grid under noise: what a network learns in three epochs if its gradients are right."""
    rng = np.random.default_rng(seed)
    patterns = np.random.default_rng(0).integers(0, 200, (4, 8, 8))
    labels = rng.integers(0, 4, n).astype(np.uint8)
    images = np.clip(patterns[labels] + rng.integers(-40, 40, (n, 8, 8)), 0, 255).astype(np.uint8)
    return images, labels


def ignore(_: Progress) -> None:
    """A report that nobody reads."""


@pytest.mark.parametrize("optimizer", ["adam", "momentum"])
@pytest.mark.parametrize("backend", ["index", "blas"])
def test_training_learns(tmp_path: Path, optimizer: str, backend: str) -> None:
    images, labels = toy_data()
    engine = choose(backend)
    recipe = replace(RECIPE, optimizer=optimizer, max_shift=0, epochs=6)
    result = Trainer(recipe, engine, images, labels, tmp_path).run(False, ignore)
    fresh, truth = toy_data(400, seed=2)
    assert count_correct(engine, result.weights, fresh, truth) >= 390


def test_both_backends_agree_to_rounding(tmp_path: Path) -> None:
    images, labels = toy_data()
    index, blas = (
        Trainer(RECIPE, choose(name), images, labels, tmp_path).run(False, ignore).state.arrays
        for name in ("index", "blas")
    )
    for name in index:
        assert relative_error(index[name], blas[name]) < 1e-3, name


def test_network_gradients_against_central_differences() -> None:
    """The whole chain, in float64 through the numerical side: every parameter of a ragged little network."""
    rng = np.random.default_rng(3)
    parameters = initialize((6, 5, 4, 3), rng)
    for name in ("b0", "b1", "b2"):
        parameters[name] = rng.standard_normal(parameters[name].shape).astype(np.float32)
    x = rng.random((7, 6), dtype=np.float32)
    labels = rng.integers(0, 3, 7).astype(np.uint8)
    analytic = gradients(parameters, x, labels, index_product)

    def loss_with(name: str, values: np.ndarray) -> float:
        moved = {key: value.astype(np.float64) for key, value in parameters.items()} | {name: values}
        z = x.astype(np.float64)
        for layer in range(3):
            z = (z[:, :, None] * moved[f"w{layer}"][None]).sum(axis=1) + moved[f"b{layer}"]
            z = np.maximum(z, 0) if layer < 2 else z
        z = z - z.max(axis=1, keepdims=True)
        return float(np.mean(np.log(np.exp(z).sum(axis=1)) - z[np.arange(7), labels]))

    for name, got in analytic.arrays.items():
        want = numerical_gradient(lambda values, name=name: loss_with(name, values), parameters[name])
        assert relative_error(got, want) < 1e-5, name


def test_resuming_at_any_checkpoint_ends_with_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer_module, "CHECKPOINT_EVERY", 10)
    monkeypatch.setattr(trainer_module, "STEPS_AT_ONCE", 4)
    images, labels = toy_data()
    whole = Trainer(RECIPE, choose("index"), images, labels, tmp_path / "whole").run(False, ignore)

    for stop_after in (12, 31, 60):  # in mid-epoch, in the second epoch, and in the last one (28 steps an epoch)

        def stop(progress: Progress, stop_after: int = stop_after) -> None:
            if progress.step >= stop_after:
                raise KeyboardInterrupt

        folder = tmp_path / f"stopped{stop_after}"
        with pytest.raises(KeyboardInterrupt):
            Trainer(RECIPE, choose("index"), images, labels, folder).run(False, stop)
        assert 0 < load_checkpoint(folder / CHECKPOINT_NAME).state.step <= stop_after
        resumed = Trainer(RECIPE, choose("index"), images, labels, folder).run(True, ignore)
        assert resumed.state.step == whole.state.step
        for name, array in whole.state.arrays.items():
            assert resumed.state.arrays[name].tobytes() == array.tobytes(), name


KILLED = """
import sys, time
from pathlib import Path
from solutions import trainer as module
from solutions.backend import choose
from tests.test_trainer import RECIPE, Trainer, toy_data
module.CHECKPOINT_EVERY, module.STEPS_AT_ONCE = 10, 5
def slow(progress):
    print(progress.step, flush=True)
    time.sleep(0.05)
Trainer(RECIPE, choose("index"), *toy_data(), Path(sys.argv[1])).run(False, slow)
"""


def test_kill_9_in_mid_epoch_then_resume(tmp_path: Path) -> None:
    images, labels = toy_data()
    whole = Trainer(RECIPE, choose("index"), images, labels, tmp_path / "whole").run(False, ignore)
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(KILLED), str(tmp_path / "killed")],
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) >= 45:
            process.send_signal(signal.SIGKILL)
            break
    assert process.wait() == -signal.SIGKILL
    assert 40 <= load_checkpoint(tmp_path / "killed" / CHECKPOINT_NAME).state.step < whole.state.step
    resumed = Trainer(RECIPE, choose("index"), images, labels, tmp_path / "killed").run(True, ignore)
    for name, array in whole.state.arrays.items():
        assert resumed.state.arrays[name].tobytes() == array.tobytes(), name


class Diverging(NumpyBackend):
    """Turns bad after some steps, in one of two ways."""

    def __init__(self, after: int, what: str) -> None:
        super().__init__("index", index_product)
        self._after, self._what = after, what

    def run(self, steps: Sequence[Step]) -> list[StepResult]:
        results = super().run(steps)
        if steps[-1].number > self._after:
            if self._what == "loss":
                results[0] = StepResult(float("nan"), 0)
            self._state.arrays["w1"][0, 0] = np.inf
        return results


@pytest.mark.parametrize(
    ("what", "words"), [("loss", "the loss became nan at step 29 of 84"), ("weights", "array w1 holds NaN")]
)
def test_divergence_stops_the_run_and_keeps_the_last_good_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, words: str
) -> None:
    monkeypatch.setattr(trainer_module, "CHECKPOINT_EVERY", 10)
    monkeypatch.setattr(trainer_module, "STEPS_AT_ONCE", 5)
    images, labels = toy_data()
    with pytest.raises(CourseError, match=words):
        Trainer(RECIPE, Diverging(32, what), images, labels, tmp_path).run(False, ignore)
    checkpoint = load_checkpoint(tmp_path / CHECKPOINT_NAME)  # loading refuses NaN, so this is a good one
    assert 20 <= checkpoint.state.step <= 32


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: setattr(t, "recipe", replace(RECIPE, seed=6)), "another recipe"),
        (lambda t: setattr(t.backend, "name", "blas"), "another backend"),
        (lambda t: setattr(t, "samples", 200), "another number of training samples"),
    ],
)
def test_resuming_another_run_is_refused(tmp_path: Path, change: object, words: str) -> None:
    images, labels = toy_data()
    Trainer(RECIPE, choose("index"), images, labels, tmp_path).run(False, ignore)
    other = Trainer(RECIPE, choose("index"), images, labels, tmp_path)
    change(other)  # type: ignore[operator]
    with pytest.raises(CourseError, match=words):
        other.run(True, ignore)


@given(st.integers(1, 400), st.integers(1, 50), st.integers(0, 3), st.integers(0, 2**63 - 1))
def test_an_epoch_visits_every_sample_once(samples: int, batch: int, epoch: int, seed: int) -> None:
    recipe = replace(RECIPE, batch_size=batch, epochs=4, seed=seed, max_shift=2)
    steps = epoch_steps(recipe, samples, epoch)
    assert len(steps) == steps_per_epoch(recipe, samples)
    assert sorted(np.concatenate([step.indices for step in steps])) == list(range(samples))
    assert [step.number for step in steps] == list(range(epoch * len(steps) + 1, (epoch + 1) * len(steps) + 1))
    shifts = np.concatenate([np.stack([step.dy, step.dx]) for step in steps], axis=1)
    assert np.abs(shifts).max() <= 2
    assert all(0 < step.learning_rate <= recipe.peak_learning_rate * (1 + 1e-12) for step in steps)


def test_epochs_and_seeds_differ() -> None:
    orders = [
        tuple(epoch_steps(replace(RECIPE, seed=seed), 100, epoch)[0].indices) for seed in (0, 1) for epoch in (0, 1)
    ]
    assert len(set(orders)) == 4


def test_unknown_backend_is_named() -> None:
    with pytest.raises(CourseError, match="no backend 'gpu'; there are: auto, index, blas"):
        choose("gpu")
    backend: Backend = choose("auto")
    assert backend.name == "index"


def test_a_nan_row_is_never_correct() -> None:
    class Broken(NumpyBackend):
        def logits(self, weights: object, images: np.ndarray) -> np.ndarray:
            logits = np.zeros((len(images), 3), np.float32)
            logits[0] = np.nan  # argmax would say class 0, which is the label
            logits[1, 0] = 1.0
            return logits

    engine = Broken("broken", index_product)
    assert count_correct(engine, {}, np.zeros((2, 2, 2), np.uint8), np.zeros(2, np.uint8)) == 1


def test_time_is_summed_over_sittings(tmp_path: Path) -> None:
    images, labels = toy_data()
    first = Trainer(RECIPE, choose("index"), images, labels, tmp_path).run(False, ignore)
    started = time.perf_counter()
    again = Trainer(RECIPE, choose("index"), images, labels, tmp_path).run(True, ignore)
    assert again.seconds == pytest.approx(first.seconds)
    assert time.perf_counter() - started < first.seconds + 5
