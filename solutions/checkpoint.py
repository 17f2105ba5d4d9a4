"""Checkpoints: the whole state of a run, so that it goes on bit for bit after a kill."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass

from solutions.errors import CourseError
from solutions.npz import demand_shapes, load_arrays, save_arrays
from solutions.recipe import Recipe
from solutions.state import TrainState, state_shapes

FORMAT = 1
REMEDY = "start afresh without --resume"


@dataclass(frozen=True)
class Checkpoint:
    """A run after ``state.step`` steps.

    Attributes:
        recipe: what the run is; a resumed run must have the same one.
        backend: name of the backend that did the steps: another one rounds differently.
        samples: how many training samples the run walks through.
        seconds: time spent in steps so far, over all sittings.
        state: arrays and step number.
    """

    recipe: Recipe
    backend: str
    samples: int
    seconds: float
    state: TrainState


def save_checkpoint(path: str | os.PathLike[str], checkpoint: Checkpoint) -> None:
    """Write a checkpoint over the one before, atomically: a kill or a full disk leaves the old one whole."""
    meta = {
        "format": FORMAT,
        "recipe": checkpoint.recipe.to_json(),
        "backend": checkpoint.backend,
        "samples": checkpoint.samples,
        "seconds": checkpoint.seconds,
        "step": checkpoint.state.step,
    }
    save_arrays(path, checkpoint.state.arrays, json.dumps(meta, sort_keys=True))


def load_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read and check a checkpoint.

    Raises:
        CourseError: missing, damaged, of another version, or with arrays that do not fit its own recipe.
    """
    arrays, text = load_arrays(path, "checkpoint", REMEDY)
    try:
        meta = json.loads(text)
        if meta["format"] != FORMAT:
            raise CourseError(f"{path} has format {meta['format']}, this course reads format {FORMAT}; {REMEDY}")
        recipe = Recipe.from_json(meta["recipe"])
        checkpoint = Checkpoint(
            recipe,
            str(meta["backend"]),
            int(meta["samples"]),
            float(meta["seconds"]),
            TrainState(int(meta["step"]), arrays),
        )
    except (ValueError, TypeError, KeyError) as error:
        raise CourseError(f"{path} does not describe a checkpoint of this course ({error}); {REMEDY}") from error
    demand_shapes(path, arrays, state_shapes(recipe), REMEDY)
    return checkpoint
