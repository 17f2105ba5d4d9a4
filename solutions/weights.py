"""Trained weights on disk: what ``train.py`` leaves and ``test_accuracy.py`` reads."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass

from solutions.arrays import FloatArray
from solutions.network import Parameters, parameter_shapes
from solutions.npz import demand_shapes, load_arrays, save_arrays
from solutions.recipe import MNIST_LAYERS

REMEDY = "train them with: make train"


@dataclass(frozen=True)
class Weights:
    """Arrays ``w0``, ``b0`` … of a network of ``layer_sizes``, and what is known about the run that made them.

    ``about`` holds the recipe's fields, ``backend``, ``seconds`` of training, and ``samples`` trained on.
    """

    layer_sizes: tuple[int, ...]
    arrays: Parameters
    about: Mapping[str, object]


def save_weights(path: str | os.PathLike[str], arrays: Mapping[str, FloatArray], about: Mapping[str, object]) -> None:
    """Write weights with their description, atomically."""
    save_arrays(path, arrays, json.dumps(dict(about), sort_keys=True))


def load_weights(path: str | os.PathLike[str], layer_sizes: tuple[int, ...] = MNIST_LAYERS) -> Weights:
    """Read and check weights.

    Raises:
        CourseError: not a weights file of this course, of another architecture, or with NaN or infinity in it.
    """
    arrays, meta = load_arrays(path, "weights", REMEDY)
    demand_shapes(path, arrays, parameter_shapes(layer_sizes), REMEDY)
    try:
        about = json.loads(meta)
    except ValueError:
        about = {}
    return Weights(layer_sizes, arrays, about if isinstance(about, dict) else {})
