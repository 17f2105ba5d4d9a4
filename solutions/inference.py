"""Replaying images through trained weights."""

from __future__ import annotations

import numpy as np

from solutions.arrays import ByteArray, FloatArray
from solutions.backend import Backend
from solutions.network import Parameters


def predict_logits(backend: Backend, weights: Parameters, images: ByteArray) -> FloatArray:
    """Logits, float32 ``[n, classes]``, of uint8 images ``[n, 28, 28]``."""
    return backend.logits(weights, images)


def count_correct(backend: Backend, weights: Parameters, images: ByteArray, labels: ByteArray) -> int:
    """How many images have their label as the highest logit (top-1). A row with a NaN counts as wrong."""
    logits = predict_logits(backend, weights, images)
    healthy = ~np.isnan(logits).any(axis=1)
    return int(np.count_nonzero(healthy & (np.argmax(logits, axis=1) == labels)))
