"""The training loop: plan the steps, hand them to a backend, watch the loss, save now and then.

There is no arithmetic on tensors here; that is the backend's.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from solutions.arrays import ByteArray
from solutions.backend import Backend, StepResult
from solutions.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from solutions.errors import CourseError
from solutions.network import Parameters
from solutions.plan import Step, epoch_steps, steps_per_epoch
from solutions.recipe import Recipe
from solutions.state import TrainState, first_state, trained_weights

STEPS_AT_ONCE = 25
"""Steps handed to the backend between two looks at the loss: about a second on two cores."""
CHECKPOINT_EVERY = 125
"""Steps between checkpoints: a fifth of an epoch at batch 96, so a kill costs some seconds of work."""

CHECKPOINT_NAME = "checkpoint.npz"


@dataclass(frozen=True)
class Progress:
    """Told to the caller after every few steps: where the run is, and how the last steps went."""

    step: int
    total_steps: int
    results: Sequence[StepResult]
    samples: int
    seconds: float


@dataclass(frozen=True)
class TrainResult:
    """What a finished run leaves: the weights, the whole state, and the seconds spent in steps."""

    weights: Parameters
    state: TrainState
    seconds: float


class Trainer:
    """One run: a recipe, a backend, training data, and a folder for its checkpoint."""

    def __init__(self, recipe: Recipe, backend: Backend, images: ByteArray, labels: ByteArray, folder: Path) -> None:
        self.recipe, self.backend, self.folder = recipe, backend, folder
        self.samples = len(labels)
        self.total_steps = recipe.epochs * steps_per_epoch(recipe, self.samples)
        self.seconds = 0.0
        self._images, self._labels = images, labels

    def run(self, resume: bool, report: Callable[[Progress], None]) -> TrainResult:
        """Train to the end.

        Args:
            resume: go on from the folder's checkpoint instead of starting afresh.
            report: called after every few steps.

        Raises:
            CourseError: the checkpoint cannot be used, the loss became NaN or infinite, or a save failed. The last good
                checkpoint is still there then.
        """
        state = self._resumed_state() if resume else first_state(self.recipe)
        self.backend.start(self.recipe, state, self._images, self._labels)
        if not resume:
            self._save()  # a folder that cannot be written to shows before the first step, not after hours
        step = saved = state.step
        for chunk in self._chunks(step):
            started = time.perf_counter()
            results = self.backend.run(chunk)
            self.seconds += time.perf_counter() - started
            self._demand_finite(chunk, results)
            step = chunk[-1].number
            if step - saved >= CHECKPOINT_EVERY or step == self.total_steps:
                self._save()
                saved = step
            report(Progress(step, self.total_steps, results, sum(len(s.indices) for s in chunk), self.seconds))
        final = self.backend.state()
        return TrainResult(trained_weights(self.recipe, final), final, self.seconds)

    def _chunks(self, done: int) -> Iterator[list[Step]]:
        """The steps that are left, a few at a time; a group never crosses the end of an epoch."""
        per_epoch = steps_per_epoch(self.recipe, self.samples)
        for epoch in range(done // per_epoch, self.recipe.epochs):
            steps = [step for step in epoch_steps(self.recipe, self.samples, epoch) if step.number > done]
            for start in range(0, len(steps), STEPS_AT_ONCE):
                yield steps[start : start + STEPS_AT_ONCE]

    def _demand_finite(self, chunk: Sequence[Step], results: Sequence[StepResult]) -> None:
        for step, result in zip(chunk, results, strict=True):
            if not math.isfinite(result.loss):
                raise CourseError(
                    f"the loss became {result.loss} at step {step.number} of {self.total_steps}; training stopped, the "
                    f"last good state is in {self.folder / CHECKPOINT_NAME}; try a lower learning rate"
                )

    def _save(self) -> None:
        state = self.backend.state()
        path = self.folder / CHECKPOINT_NAME
        broken = [name for name, array in state.arrays.items() if not np.isfinite(array).all()]
        if broken:  # a finite loss can still send the weights to infinity: do not bury the last good state under them
            raise CourseError(
                f"array {broken[0]} holds NaN or infinity after step {state.step}; training stopped, the last good "
                f"state is in {path}; try a lower learning rate"
            )
        save_checkpoint(path, Checkpoint(self.recipe, self.backend.name, self.samples, self.seconds, state))

    def _resumed_state(self) -> TrainState:
        path = self.folder / CHECKPOINT_NAME
        checkpoint = load_checkpoint(path)
        for what, ours, theirs in (
            ("recipe", self.recipe, checkpoint.recipe),
            ("backend", self.backend.name, checkpoint.backend),
            ("number of training samples", self.samples, checkpoint.samples),
        ):
            if ours != theirs:
                raise CourseError(
                    f"{path} is of a run with another {what} ({theirs}, not {ours}); "
                    "resume with the same options, or start afresh without --resume"
                )
        self.seconds = checkpoint.seconds
        return checkpoint.state
