"""MNIST trained by the course's own kernels alone: forward, loss, backward, optimiser, on a GPU or on the emulator.

Two commands::

    python -m benchmarks.kernel_training run --target emulator --steps 300 --out emulator.json
    python -m benchmarks.kernel_training compare emulator.json cuda.json --save

``run`` trains a network of 784-256-128-10 from one seed and writes the loss of every step; arrays stay on the target.
``compare`` holds two curves together: float32 rounding is all that may differ between two machines.
"""

from __future__ import annotations

import datetime
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import kernels
from benchmarks.record import processor, save_result
from solutions import mnist
from solutions.atomic import atomic_write
from solutions.command_line import FAILS, HOLDS, OneLineParser, run
from solutions.errors import CourseError
from solutions.network import initialize, pixels_to_input

LAYERS = (784, 256, 128, 10)
BATCH = 96
RATE, BETA1, BETA2, EPSILON = 1e-3, 0.9, 0.999, 1e-8
MOMENTUM_RATE, MOMENTUM = 0.03, 0.9
TOLERANCE = 1e-5
"""Of each step's loss, relative, while two trainings are one and the same: 100 times float32's rounding."""
HORIZON = {"momentum": 300, "adam": 100}
"""Steps for which that must hold. Adam divides by √v: where a gradient is nearly 0, its rounding decides on a whole
step of the weight, and after some hundred steps two machines train two networks, each as good as the other."""


class KernelNetwork:
    """The network on one target; every operation is a launch of a kernel of the course.

    Args:
        target: ``cuda`` or ``emulator``.
        optimizer: ``adam`` or ``momentum``.
        parameters: ``w0 [in, out]``, ``b0 [out]`` … as NumPy arrays.
    """

    def __init__(self, target: str, optimizer: str, parameters: dict[str, Any]) -> None:
        self.xp: Any = np
        self._update = self._adam if optimizer == "adam" else self._momentum
        if target == "cuda":
            import cupy

            self.xp = cupy
        files = ("matmul", "elementwise", "relu", "softmax_cross_entropy", "linear_backward", "optimizer")
        self._files = {name: kernels.load(f"{name}.cu", target=target, mode="fast") for name in files}
        self.parameters = {name: self.xp.asarray(value) for name, value in parameters.items()}
        self._m = {name: self.xp.zeros_like(value) for name, value in self.parameters.items()}
        self._v = {name: self.xp.zeros_like(value) for name, value in self.parameters.items()}
        self._gradients = {name: self.xp.empty_like(value) for name, value in self.parameters.items()}

    def step(self, x: Any, labels: Any, number: int) -> float:
        """One step on a batch; ``number`` counts from 1. Returns the mean loss before it."""
        inputs, logits = self._forward(x)
        grad, losses = self.xp.empty_like(logits), self.xp.empty(len(logits), np.float32)
        rows, classes = logits.shape
        fused = self._files["softmax_cross_entropy"].softmax_cross_entropy
        fused((-(-rows // 4),), (128,), (logits, labels, grad, losses, rows, classes))
        self._backward(inputs, grad)
        self._update(number)
        return float(losses.sum())

    def _forward(self, x: Any) -> tuple[list[Any], Any]:
        """What each layer got, and the logits."""
        inputs = []
        for layer in range(len(LAYERS) - 1):
            weight, bias = self.parameters[f"w{layer}"], self.parameters[f"b{layer}"]
            (rows, depth), cols = x.shape, weight.shape[1]
            y = self.xp.empty((rows, cols), np.float32)
            tiled = self._files["matmul"].matmul_tiled
            tiled((-(-cols // 16), -(-rows // 16)), (16, 16), (x, weight, y, rows, cols, depth))
            self._files["elementwise"].add_bias((-(-cols // 32), -(-rows // 8)), (32, 8), (y, bias, rows, cols))
            inputs.append(x)
            if layer == len(LAYERS) - 2:
                return inputs, y
            x = self.xp.empty_like(y)
            self._files["relu"].relu_forward((-(-y.size // 256),), (256,), (y, x, y.size))
        raise AssertionError("a network has a last layer")

    def _backward(self, inputs: list[Any], grad: Any) -> None:
        for layer in reversed(range(len(inputs))):
            x, weight = inputs[layer], self.parameters[f"w{layer}"]
            (batch, width), outputs = x.shape, weight.shape[1]
            grad_input = self.xp.empty_like(x)
            tiles = -(-width // 16) * (-(-outputs // 16) + -(-batch // 16))
            self._files["linear_backward"].linear_backward(
                (tiles,), (16, 16),
                (x, weight, grad, self._gradients[f"w{layer}"], self._gradients[f"b{layer}"], grad_input, batch, width,
                 outputs))
            grad = grad_input

    def _adam(self, number: int) -> None:
        scales = (1 / (1 - BETA1**number), 1 / (1 - BETA2**number))
        for name, value in self.parameters.items():
            self._files["optimizer"].adam(
                (-(-value.size // 256),), (256,),
                (value, self._gradients[name], self._m[name], self._v[name], RATE, BETA1, BETA2, EPSILON, *scales,
                 value.size))

    def _momentum(self, number: int) -> None:
        for name, value in self.parameters.items():
            self._files["optimizer"].momentum(
                (-(-value.size // 256),),
                (256,),
                (value, self._gradients[name], self._m[name], MOMENTUM_RATE, MOMENTUM, value.size),
            )


def train(target: str, optimizer: str, steps: int, seed: int) -> dict[str, Any]:
    """The loss of each step, and how long all took."""
    data = mnist.load()
    rng = np.random.default_rng(seed)
    network = KernelNetwork(target, optimizer, initialize(LAYERS, rng))
    order = rng.permutation(len(data.train_images))
    losses: list[float] = []
    begun = time.perf_counter()
    for number in range(1, steps + 1):
        first = (number - 1) * BATCH % (len(order) - BATCH)
        batch = order[first : first + BATCH]
        x = network.xp.asarray(pixels_to_input(data.train_images[batch]))
        losses.append(network.step(x, network.xp.asarray(data.train_labels[batch].astype(np.int32)), number))
    return {
        "target": target,
        "optimizer": optimizer,
        "layers": list(LAYERS),
        "batch": BATCH,
        "seed": seed,
        "losses": losses,
        "seconds": round(time.perf_counter() - begun, 3),
    }


def compare(paths: Sequence[Path], save: bool) -> int:
    """Print how far two curves lie apart; status 1 when it is more than rounding."""
    curves = []
    for path in paths:
        try:
            curves.append(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            raise CourseError(f"cannot read {path}: {error}; make it with 'kernel_training run'") from None
    one, other = (np.array(curve["losses"]) for curve in curves)
    same = [(curve["seed"], curve["optimizer"]) for curve in curves]
    if len(one) != len(other) or same[0] != same[1]:
        raise CourseError(
            f"{paths[0].name} and {paths[1].name} are not the same training: steps, seeds or optimisers differ"
        )
    apart = np.abs(one - other) / np.abs(other)
    optimizer = curves[0]["optimizer"]
    near = apart[: HORIZON[optimizer]]
    figures = {
        "steps": len(one),
        "first_loss": one[0],
        "last_loss": one[-1],
        "optimizer": optimizer,
        "same_for_steps": len(near),
        "largest_relative_difference_there": float(near.max()),
        "largest_relative_difference": float(apart.max()),
        "median_relative_difference": float(np.median(apart)),
        "tolerance": TOLERANCE,
        "curves": curves,
    }
    print(
        f"{optimizer}: {len(one)} steps, loss {one[0]:.4f} to {one[-1]:.4f} and {other[-1]:.4f}; relative difference "
        f"of the first {len(near)}: {near.max():.1e} (at most {TOLERANCE:.0e}), of all: {apart.max():.1e}"
    )
    if save:
        save_result(f"kernel_training_{optimizer}", "python -m benchmarks.kernel_training compare --save", figures)
    return HOLDS if bool((near <= TOLERANCE).all()) else FAILS


def command(arguments: Sequence[str]) -> int:
    """Entry of the command line; returns the exit status."""
    parser = OneLineParser(prog="python -m benchmarks.kernel_training", description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="what", required=True, parser_class=OneLineParser)
    training = commands.add_parser("run", help="train and write the losses")
    training.add_argument("--target", choices=("cuda", "emulator"), required=True)
    training.add_argument("--optimizer", choices=tuple(HORIZON), default="momentum")
    training.add_argument("--steps", type=int, default=300)
    training.add_argument("--seed", type=int, default=0)
    training.add_argument("--out", type=Path, required=True)
    both = commands.add_parser("compare", help="hold two curves together")
    both.add_argument("curves", type=Path, nargs=2)
    both.add_argument("--save", action="store_true", help="keep both in benchmarks/results/")
    options = parser.parse_args(arguments)
    if options.what == "compare":
        return compare(options.curves, options.save)
    record = {"date": datetime.date.today().isoformat(), "machine": processor(),
              **train(options.target, options.optimizer, options.steps, options.seed)}
    with atomic_write(options.out, "w") as handle:
        json.dump(record, handle)
    print(
        f"{options.steps} steps in {record['seconds']} s, loss {record['losses'][0]:.4f} to {record['losses'][-1]:.4f}"
    )
    return HOLDS


if __name__ == "__main__":
    sys.exit(run(command, sys.argv[1:]))
