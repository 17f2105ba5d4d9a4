"""A training recipe: every choice that decides what a run computes, in one frozen record."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass

from solutions.errors import CourseError
from solutions.schedule import warmup_linear

MNIST_LAYERS = (784, 256, 128, 10)


@dataclass(frozen=True)
class Recipe:
    """What decides a run, beside the data. Two runs with equal recipes on one machine end with equal bytes.

    Attributes:
        layer_sizes: widths from input to output.
        batch_size: samples in a step; the contract's maximum for the GTX 1060 is 96.
        epochs: passes over the data.
        optimizer: ``"adam"``, or ``"momentum"`` for SGD with momentum.
        peak_learning_rate: the rate at the end of the warm-up.
        warmup_fraction: the part of all steps that the warm-up takes.
        linear_decay: after the warm-up the rate falls in a straight line; False keeps it at the peak.
        max_shift: pictures are moved by up to so many pixels each way; 0 switches augmentation off.
        seed: of the first weights, the shuffling and the shifts.
    """

    layer_sizes: tuple[int, ...] = MNIST_LAYERS
    batch_size: int = 96
    epochs: int = 10
    optimizer: str = "adam"
    peak_learning_rate: float = 4e-3
    warmup_fraction: float = 0.1
    linear_decay: bool = True
    max_shift: int = 1
    seed: int = 0

    def learning_rate(self, step: int, total_steps: int) -> float:
        """Rate of a step, 0 … total_steps - 1."""
        warmup_steps = round(self.warmup_fraction * total_steps)
        if step >= warmup_steps and not self.linear_decay:
            return self.peak_learning_rate
        return warmup_linear(step, total_steps, warmup_steps, self.peak_learning_rate)

    def to_json(self) -> str:
        """One line that :meth:`from_json` reads back."""
        return json.dumps(dataclasses.asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Recipe:
        """The recipe that :meth:`to_json` wrote.

        Raises:
            CourseError: not JSON, or other fields than this version has.
        """
        try:
            fields = json.loads(text)
            fields["layer_sizes"] = tuple(fields["layer_sizes"])
            return cls(**fields)
        except (ValueError, TypeError, KeyError) as error:
            raise CourseError(f"the recipe was written by another version of the course ({error})") from error
