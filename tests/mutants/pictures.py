"""Wrong answers to chapter 5: moved pictures."""

from __future__ import annotations

import numpy as np

from solutions.augment import shift_images
from tests.mutants import mutant


@mutant("shift_images")
def _wraps(images, dy, dx):
    """np.roll: what leaves on one side comes in on the other"""
    return np.stack([np.roll(p, (y, x), (0, 1)) for p, y, x in zip(images, dy, dx, strict=True)])


@mutant("shift_images")
def _other_direction(images, dy, dx):
    """up and left instead of down and right"""
    return shift_images(images, -dy.astype(int), -dx.astype(int))


@mutant("shift_images")
def _axes_swapped(images, dy, dx):
    """dy and dx change places"""
    return shift_images(images, dx, dy)


@mutant("shift_images")
def _edges_drawn_out(images, dy, dx):
    """the edge is drawn out instead of 0"""
    n, height, width = images.shape
    rows = np.clip(np.arange(height) - dy[:, None], 0, height - 1)
    columns = np.clip(np.arange(width) - dx[:, None], 0, width - 1)
    return images[np.arange(n)[:, None, None], rows[:, :, None], columns[:, None, :]]


@mutant("shift_images")
def _all_alike(images, dy, dx):
    """all pictures move like the first"""
    return shift_images(images, np.full_like(dy, dy[0]), np.full_like(dx, dx[0]))


@mutant("shift_images")
def _negative_indices(images, dy, dx):
    """negative indices read from the far side"""
    n, height, width = images.shape
    padded = np.pad(images, ((0, 0), (0, height), (0, width)))
    rows = np.minimum(np.arange(height) - dy[:, None], height)
    columns = np.minimum(np.arange(width) - dx[:, None], width)
    rows, columns = np.maximum(rows, -2 * height), np.maximum(columns, -2 * width)
    rows, columns = np.where(rows < 0, rows % height, rows), np.where(columns < 0, columns % width, columns)
    return padded[np.arange(n)[:, None, None], rows[:, :, None], columns[:, None, :]]


@mutant("shift_images")
def _twenty_eight(images, dy, dx):
    """28 by 28 is hard-coded"""
    return shift_images(images.reshape(-1, 28, 28), dy, dx)


@mutant("shift_images")
def _rows_only(images, dy, dx):
    """dx is forgotten"""
    return shift_images(images, dy, np.zeros_like(dx))


@mutant("shift_images")
def _filled_with_white(images, dy, dx):
    """255 comes in from outside"""
    inside = shift_images(np.ones_like(images), dy, dx)
    return np.where(inside == 1, shift_images(images, dy, dx), np.uint8(255))


@mutant("shift_images")
def _one_pixel_more(images, dy, dx):
    """each shift one pixel too far"""
    return shift_images(images, dy + np.sign(dy), dx + np.sign(dx))


def _by_slices(images, dy, dx):
    """Slices, one picture at a time: right as long as no shift reaches the size."""
    moved = np.zeros_like(images)
    height, width = images.shape[1:]
    for i, (y, x) in enumerate(zip(dy.tolist(), dx.tolist(), strict=True)):
        part = images[i, max(0, -y) : height - max(0, y), max(0, -x) : width - max(0, x)]
        moved[i, max(0, y) : max(0, y) + part.shape[0], max(0, x) : max(0, x) + part.shape[1]] = part
    return moved


@mutant("shift_images", "edges")
def _slices_turn_round(images, dy, dx):
    """slices whose end becomes negative when the shift is larger than the picture"""
    return _by_slices(images, dy, dx)


@mutant("shift_images")
def _minus_zero_is_empty(images, dy, dx):
    """a slice that ends at -0 is empty: pictures that do not move vanish"""
    moved = shift_images(images, dy, dx)
    moved[(dy == 0) | (dx == 0)] = 0
    return moved


@mutant("shift_images", "edges")
def _small_integers_overflow(images, dy, dx):
    """offsets are worked out in the type of the shifts"""
    n, height, width = images.shape
    with np.errstate(over="ignore"):
        back = (dy * dy.dtype.type(width) + dx).astype(np.int64)
    rows, columns = np.arange(height) - dy[:, None].astype(int), np.arange(width) - dx[:, None].astype(int)
    inside = ((rows >= 0) & (rows < height))[:, :, None] & ((columns >= 0) & (columns < width))[:, None, :]
    offsets = np.arange(n * height * width).reshape(images.shape) - back[:, None, None]
    return np.where(inside, images.reshape(-1)[offsets % images.size], 0).astype(np.uint8)


@mutant("shift_images")
def _as_floats(images, dy, dx):
    """float32 pictures"""
    return shift_images(images, dy, dx).astype(np.float32)


@mutant("shift_images", "edges")
def _moved_in_place(images, dy, dx):
    """the caller's pictures are moved"""
    images[...] = shift_images(images, dy, dx)
    return images
