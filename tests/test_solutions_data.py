"""Schedule, augmentation, minibatches and the count of bytes, each against a plain loop."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.augment import shift_images
from solutions.batches import batch_slices
from solutions.memory_plan import training_bytes
from solutions.schedule import warmup_linear

SEED = st.integers(0, 2**32 - 1)


@given(st.integers(0, 40), st.integers(1, 60), st.floats(1e-6, 10.0))
def test_the_rate_climbs_to_the_peak_and_falls_to_one_step_above_nothing(warmup, rest, peak):
    total = warmup + rest
    rates = [warmup_linear(step, total, warmup, peak) for step in range(total)]
    assert all(0 < rate <= peak * (1 + 1e-12) for rate in rates)
    assert all(b > a for a, b in itertools.pairwise(rates[:warmup]))
    assert all(b < a for a, b in itertools.pairwise(rates[warmup:]))
    assert math.isclose(rates[warmup], peak)
    assert math.isclose(rates[-1], peak / rest)
    if warmup:
        assert math.isclose(rates[warmup - 1], peak)
        assert math.isclose(rates[0], peak / warmup)


@given(st.integers(0, 40), st.integers(1, 60))
def test_both_halves_are_straight(warmup, rest):
    rates = [warmup_linear(step, warmup + rest, warmup, 1.0) for step in range(warmup + rest)]
    for half in (rates[:warmup], rates[warmup:]):
        assert np.abs(np.diff(half, n=2)).max(initial=0.0) < 1e-12


def moved_by_loops(images: np.ndarray, dy: np.ndarray, dx: np.ndarray) -> np.ndarray:
    """Pixel by pixel, as the docstring says it."""
    n, height, width = images.shape
    out = np.zeros_like(images)
    for i in range(n):
        for y in range(height):
            for x in range(width):
                row, column = y - int(dy[i]), x - int(dx[i])
                if 0 <= row < height and 0 <= column < width:
                    out[i, y, x] = images[i, row, column]
    return out


@given(st.integers(0, 4), st.integers(1, 7), st.integers(1, 7), SEED, st.sampled_from((np.int8, np.int32, np.int64)))
def test_shifts_agree_with_a_plain_loop(n, height, width, seed, dtype):
    rng = np.random.default_rng(seed)
    images = rng.integers(1, 256, (n, height, width)).astype(np.uint8)
    dy, dx = (rng.integers(-9, 10, n).astype(dtype) for _ in range(2))
    moved = shift_images(images, dy, dx)
    assert moved.dtype == np.uint8
    assert (moved == moved_by_loops(images, dy, dx)).all()


@given(SEED)
def test_a_shift_and_back_gives_the_inside_back(seed):
    rng = np.random.default_rng(seed)
    images = np.pad(rng.integers(0, 256, (5, 22, 22)).astype(np.uint8), ((0, 0), (3, 3), (3, 3)))
    dy, dx = rng.integers(-3, 4, (2, 5))
    before = images.copy()
    assert (shift_images(shift_images(images, dy, dx), -dy, -dx) == images).all()
    assert (images == before).all()


@pytest.mark.parametrize("far", [28, -28, 127, -128, 2**40, -(2**62), np.iinfo(np.int64).max, np.iinfo(np.int64).min])
def test_pictures_moved_out_are_black(far):
    images = np.full((2, 28, 28), 255, dtype=np.uint8)
    shift, still = np.array([far, far]), np.zeros(2, dtype=np.int64)
    assert not shift_images(images, shift, still).any()
    assert not shift_images(images, still, shift).any()


def test_views_of_pictures_are_read_by_index():
    images = np.random.default_rng(0).integers(0, 256, (6, 9, 5)).astype(np.uint8)
    view = images.transpose(0, 2, 1)[::2]
    dy, dx = np.array([1, 0, -2]), np.array([0, -1, 3])
    assert (shift_images(view, dy, dx) == moved_by_loops(view, dy, dx)).all()


@given(st.integers(0, 500), st.integers(1, 120))
def test_every_sample_is_in_one_batch(n, batch_size):
    slices = batch_slices(n, batch_size)
    assert [sample for start, stop in slices for sample in range(start, stop)] == list(range(n))
    assert all(stop - start == batch_size for start, stop in slices[:-1])
    assert all(0 < stop - start <= batch_size for start, stop in slices)
    assert len(slices) == -(-n // batch_size)


def test_an_epoch_of_mnist():
    """60,000 samples in batches of 96 are 625 batches, and of 128 are 468 and one of 96."""
    assert len(batch_slices(60_000, 96)) == 625
    assert batch_slices(60_000, 128)[-1] == (59_904, 60_000)


@given(st.lists(st.integers(1, 300), min_size=2, max_size=6), st.integers(1, 500), SEED)
def test_bytes_are_those_of_real_arrays(sizes, batch, seed):
    """The plan is what NumPy would allocate."""
    optimizer, moments = [("sgd", 0), ("momentum", 1), ("adam", 2)][seed % 3]
    shapes = [shape for i, o in itertools.pairwise(sizes) for shape in ((i, o), (o,))]
    parameters = sum(np.empty(shape, np.float32).nbytes for shape in shapes)
    activations = sum(np.empty((batch, size), np.float32).nbytes for size in sizes)
    planned = training_bytes(sizes, batch, optimizer)
    assert planned == (parameters, parameters, moments * parameters, activations)
    assert planned.optimizer_state == moments * planned.parameters


def test_bytes_of_the_mnist_network():
    """784·256 + 256 + 256·128 + 128 + 128·10 + 10 = 235,146 numbers; 1,178 values a sample."""
    assert training_bytes((784, 256, 128, 10), 96, "adam") == (940_584, 940_584, 1_881_168, 452_352)


def test_an_unknown_optimizer_is_not_guessed():
    with pytest.raises((KeyError, ValueError), match="rmsprop"):
        training_bytes((3, 2), 1, "rmsprop")
