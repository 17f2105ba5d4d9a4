"""Replaying images through trained weights."""

from __future__ import annotations

import numpy as np

from solutions.arrays import ByteArray
from solutions.backend import Backend
from solutions.network import Parameters


def count_correct(backend: Backend, weights: Parameters, images: ByteArray, labels: ByteArray) -> int:
    """How many images have their label as the highest logit (top-1). A row with a NaN counts as wrong."""
    logits = backend.logits(weights, images)
    healthy = ~np.isnan(logits).any(axis=1)
    return int(np.count_nonzero(healthy & (np.argmax(logits, axis=1) == labels)))
