"""One training step of ours beside its peers', in one run, as ratios: ``make bench``.

Every peer trains the same 784-256-128-10 network with Adam at batch 96 in float32 on the same images. The peers take
turns, a block of steps each, round after round, so that a machine that slows down slows all of them; a ratio is taken
within each round, and the median over the rounds is printed with the lowest and the highest.
"""

from __future__ import annotations

import importlib.util
import statistics
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.record import save_result
from solutions import mnist
from solutions.backend import choose
from solutions.mnist import Mnist
from solutions.network import pixels_to_input
from solutions.plan import epoch_steps
from solutions.recipe import Recipe
from solutions.state import first_state

ROUNDS = 7
STEPS = 8
RECIPE = replace(Recipe(), max_shift=0)  # what every peer does; augmentation is timed apart

Block = Callable[[int], None]
"""Does the steps of one block; the argument is the number of the round."""


def our_block(backend_name: str, recipe: Recipe, data: Mnist) -> Block:
    """Our trainer's steps, through the backend interface."""
    backend = choose(backend_name)
    backend.start(recipe, first_state(recipe), data.train_images, data.train_labels)
    steps = epoch_steps(recipe, len(data.train_labels), 0)
    return lambda number: void(backend.run(steps[number * STEPS : (number + 1) * STEPS]))


def sklearn_block(data: Mnist) -> Block:
    """scikit-learn's MLPClassifier, a minibatch per call of ``partial_fit``; its inputs are float32 already."""
    from sklearn.neural_network import MLPClassifier

    warnings.filterwarnings("ignore", category=UserWarning)
    peer = MLPClassifier((256, 128), solver="adam", alpha=0.0, batch_size=RECIPE.batch_size, learning_rate_init=2e-3)
    batches = prepared(data)
    peer.partial_fit(*batches[0], classes=np.arange(10))
    return lambda number: [void(peer.partial_fit(*batch)) for batch in block_of(batches, number)][-1]


def torch_block(data: Mnist) -> Block:
    """PyTorch eager on the CPU with as many threads as it likes."""
    import torch

    model = torch.nn.Sequential(
        torch.nn.Linear(784, 256), torch.nn.ReLU(), torch.nn.Linear(256, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    batches = [(torch.from_numpy(x), torch.from_numpy(y.astype(np.int64))) for x, y in prepared(data)]

    def block(number: int) -> None:
        for x, labels in block_of(batches, number):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), labels).backward()
            optimizer.step()

    return block


def prepared(data: Mnist) -> list[tuple[np.ndarray, np.ndarray]]:
    """Enough float32 batches for every round, made outside the clock."""
    count, size = (ROUNDS + 1) * STEPS, RECIPE.batch_size
    return [
        (pixels_to_input(data.train_images[s : s + size]), np.asarray(data.train_labels[s : s + size]))
        for s in range(0, count * size, size)
    ]


def block_of(batches: Sequence, number: int) -> Sequence:
    """The batches of one round."""
    return batches[number * STEPS : (number + 1) * STEPS]


def void(_: object) -> None:
    """Drop a result."""


def measure(blocks: Mapping[str, Block]) -> dict[str, list[float]]:
    """Milliseconds a step of each peer, round by round; a round of warm-up is not counted."""
    times: dict[str, list[float]] = {name: [] for name in blocks}
    for number in range(ROUNDS + 1):
        for name, block in blocks.items():
            started = time.perf_counter()
            block(number)
            if number:
                times[name].append((time.perf_counter() - started) * 1000 / STEPS)
    return times


def main() -> None:
    """Time whoever is installed, print the table, keep it."""
    data = mnist.load()
    blocks = {
        "ours, index path": our_block("index", RECIPE, data),
        "ours, index path, with shifts": our_block("index", Recipe(), data),
        "ours, BLAS product": our_block("blas", RECIPE, data),
    }
    if importlib.util.find_spec("sklearn"):
        blocks["scikit-learn MLPClassifier"] = sklearn_block(data)
    if importlib.util.find_spec("torch"):
        blocks["PyTorch eager, CPU"] = torch_block(data)
    times = measure(blocks)
    rows = []
    reference = times["ours, BLAS product"]
    print(f"{'':42} {'ms a step':>10}   ratio to 'ours, BLAS product' (lowest … highest)")
    for name, values in times.items():
        ratios = [value / base for value, base in zip(values, reference, strict=True)]
        row = {"name": name, "ms": round(statistics.median(values), 3), "ratio": round(statistics.median(ratios), 2)}
        row |= {"ratio_min": round(min(ratios), 2), "ratio_max": round(max(ratios), 2)}
        rows.append(row)
        print(f"{name:42} {row['ms']:10.3f}   {row['ratio']:.2f} ({row['ratio_min']:.2f} … {row['ratio_max']:.2f})")
    print(f"written: {save_result('step_time', 'make bench', {'batch': RECIPE.batch_size, 'rows': rows})}")


if __name__ == "__main__":
    main()
