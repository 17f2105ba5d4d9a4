"""SGD with momentum and Adam: one step on one parameter array, in place."""

from __future__ import annotations

import numpy as np

from solutions.arrays import FloatArray


def sgd_momentum_step(
    param: FloatArray, grad: FloatArray, velocity: FloatArray, lr: float, momentum: float
) -> None:
    """velocity ← momentum · velocity + grad, then param ← param − lr · velocity; both in place.

    Args:
        param: float32, any shape; changed.
        grad: float32, the same shape; left alone.
        velocity: float32, the same shape, zeros before the first step; changed.
        lr: learning rate.
        momentum: 0 for plain SGD, 0.9 as a rule.
    """
    ### BEGIN SOLUTION
    velocity *= momentum
    velocity += grad
    param -= lr * velocity
    ### END SOLUTION


def adam_step(
    param: FloatArray,
    grad: FloatArray,
    m: FloatArray,
    v: FloatArray,
    step: int,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
) -> None:
    """One step of Adam, in place (Kingma and Ba 2015, algorithm 1).

    m ← beta1 · m + (1 − beta1) · grad; v ← beta2 · v + (1 − beta2) · grad²; both are divided by 1 − betaᵗ, because they
    started at zero; then param ← param − lr · m̂ / (√v̂ + eps).

    Args:
        param: float32, any shape; changed.
        grad: float32, the same shape; left alone.
        m, v: float32, the same shape, zeros before the first step; changed.
        step: t, 1 at the first step.
        lr, beta1, beta2, eps: the paper's names.
    """
    ### BEGIN SOLUTION
    m *= beta1
    m += (1 - beta1) * grad
    v *= beta2
    v += (1 - beta2) * grad * grad
    m_hat = m / (1 - beta1**step)
    v_hat = v / (1 - beta2**step)
    param -= lr * m_hat / (np.sqrt(v_hat) + eps)
    ### END SOLUTION
