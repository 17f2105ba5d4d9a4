"""Softmax and cross-entropy, stable, with the gradient of both in one pass."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from solutions.arrays import FloatArray


def softmax(logits: FloatArray) -> FloatArray:
    """Turn each row of scores into probabilities: exp(z) divided by the row's sum of exp(z).

    Args:
        logits: float32 ``[batch, classes]``, of any size: 1000 and -1000 included.

    Returns:
        float32 ``[batch, classes]``; every row sums to 1.
    """
    probabilities = np.empty_like(logits)
    ### BEGIN SOLUTION
    exponentials = np.exp(logits - np.max(logits, axis=1, keepdims=True))
    probabilities[...] = exponentials / np.sum(exponentials, axis=1, keepdims=True)
    ### END SOLUTION
    return probabilities


def cross_entropy(logits: FloatArray, labels: npt.NDArray[np.integer]) -> tuple[float, FloatArray]:
    """Mean of -log(softmax(logits)[label]) over the batch, and its gradient.

    Args:
        logits: float32 ``[batch, classes]``, batch at least 1.
        labels: integers ``[batch]``, each from 0 to classes - 1.

    Returns:
        ``(loss, grad_logits)``: a float, and float32 ``[batch, classes]``: (softmax - one-hot) / batch. The loss stays
        finite when the probability of the label rounds to 0.

    Raises:
        ValueError: a label is outside 0 … classes - 1.
    """
    batch, classes = logits.shape
    ### BEGIN SOLUTION
    if np.any((labels < 0) | (labels >= classes)):
        raise ValueError(f"labels must lie in 0 … {classes - 1}")
    rows = np.arange(batch)
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    exponentials = np.exp(shifted)
    sums = np.sum(exponentials, axis=1, keepdims=True)
    loss = np.mean(np.log(sums[:, 0]) - shifted[rows, labels])
    grad_logits = exponentials / sums
    grad_logits[rows, labels] -= np.float32(1.0)
    grad_logits /= np.float32(batch)
    return float(loss), grad_logits
    ### END SOLUTION
