"""Augmentation by index: every picture moved by a pixel or so."""

from __future__ import annotations

import numpy as np

from solutions.arrays import ByteArray, IntArray


def shift_images(images: ByteArray, dy: IntArray, dx: IntArray) -> ByteArray:
    """Move each image down by ``dy`` and right by ``dx`` pixels; what comes in from outside is 0.

    Args:
        images: uint8 ``[n, height, width]``; left alone.
        dy, dx: integers ``[n]``, any sign, any size.

    Returns:
        A new uint8 ``[n, height, width]``: ``out[i, y, x] = images[i, y - dy[i], x - dx[i]]`` where that pixel exists.
    """
    n, height, width = images.shape
    moved = np.zeros_like(images)
    ### BEGIN SOLUTION
    rows = np.arange(height) - dy[:, None]
    columns = np.arange(width) - dx[:, None]
    row_inside = (rows >= 0) & (rows < height)
    column_inside = (columns >= 0) & (columns < width)
    offsets = np.clip(rows, 0, height - 1)[:, :, None] * width + np.clip(columns, 0, width - 1)[:, None, :]
    offsets += (np.arange(n) * (height * width))[:, None, None]
    inside = row_inside[:, :, None] & column_inside[:, None, :]
    moved[inside] = images.reshape(-1)[offsets[inside]]
    ### END SOLUTION
    return moved
