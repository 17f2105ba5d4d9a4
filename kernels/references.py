"""What each kernel of the course is given and must compute: arguments with poisoned outputs, and float64 references.

Each function takes a size and a random generator and returns the arguments in the order of the kernel's parameters,
and the reference of each output by the parameter's name. Inputs are new at each call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Size = tuple[int, ...]
Array = np.ndarray[Any, Any]
Call = tuple[tuple[Any, ...], dict[str, Array]]


def _blank(*shape: int) -> Array:
    return np.full(shape, np.nan, np.float32)


def _normal(rng: np.random.Generator, *shape: int) -> Array:
    """Standard normal, with some zeros of both signs: where ReLU's gradient must stop."""
    values = rng.standard_normal(shape).astype(np.float32)
    values[rng.random(shape) < 0.05] = 0.0
    values[rng.random(shape) < 0.02] = -0.0
    return values


# --- one thread an element --------------------------------------------------------------------------------------------


def add(size: Size, rng: np.random.Generator) -> Call:
    a, b = _normal(rng, *size), _normal(rng, *size)
    return (a, b, _blank(*size), size[0]), {"c": a.astype(np.float64) + b}


def add_bias(size: Size, rng: np.random.Generator) -> Call:
    y, bias = _normal(rng, *size), _normal(rng, size[1])
    return (y, bias, *size), {"y": y.astype(np.float64) + bias}


def relu_forward(size: Size, rng: np.random.Generator) -> Call:
    x = _normal(rng, *size)
    return (x, _blank(*size), size[0]), {"y": np.maximum(x, 0).astype(np.float64)}


def relu_backward(size: Size, rng: np.random.Generator) -> Call:
    g, x = _normal(rng, *size), _normal(rng, *size)
    return (g, x, _blank(*size), size[0]), {"grad_input": np.where(x > 0, g, 0).astype(np.float64)}


def sgd(size: Size, rng: np.random.Generator) -> Call:
    param, grad = _normal(rng, *size), _normal(rng, *size)
    return (param, grad, 0.125, size[0]), {"param": param - 0.125 * grad.astype(np.float64)}


def momentum(size: Size, rng: np.random.Generator) -> Call:
    param, grad, velocity = (_normal(rng, *size) for _ in range(3))
    ahead = float(np.float32(0.9)) * velocity + grad.astype(np.float64)
    return (param, grad, velocity, 0.125, 0.9, size[0]), {"param": param - 0.125 * ahead, "velocity": ahead}


def adam(size: Size, rng: np.random.Generator) -> Call:
    param, grad, m = (_normal(rng, *size) for _ in range(3))
    v = _normal(rng, *size) ** 2
    step, lr, beta1, beta2, eps = 3, *(float(np.float32(x)) for x in (1e-3, 0.9, 0.999, 1e-8))
    scales = tuple(float(np.float32(1 / (1 - beta**step))) for beta in (beta1, beta2))
    g = grad.astype(np.float64)
    new_m, new_v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
    new = param - lr * (new_m * scales[0]) / (np.sqrt(new_v * scales[1]) + eps)
    return (param, grad, m, v, lr, beta1, beta2, eps, *scales, size[0]), {"param": new, "m": new_m, "v": new_v}


# --- matrices ---------------------------------------------------------------------------------------------------------


def matmul(size: Size, rng: np.random.Generator) -> Call:
    m, n, k = size
    a, b = _normal(rng, m, k), _normal(rng, k, n)
    return (a, b, _blank(m, n), m, n, k), {"C": a.astype(np.float64) @ b}


def _layer(size: Size, rng: np.random.Generator) -> dict[str, Any]:
    batch, inputs, outputs = size
    x, weight = _normal(rng, batch, inputs), _normal(rng, inputs, outputs)
    grad = _normal(rng, batch, outputs)
    wide = grad.astype(np.float64)
    return {"x": x, "W": weight, "grad_output": grad, "grad_weight": x.T.astype(np.float64) @ wide,
            "grad_bias": wide.sum(0), "grad_input": np.where(x > 0, wide @ weight.T, 0.0)}


def grad_weight(size: Size, rng: np.random.Generator) -> Call:
    of = _layer(size, rng)
    return (of["x"], of["grad_output"], _blank(*size[1:]), *size), {"grad_weight": of["grad_weight"]}


def grad_bias(size: Size, rng: np.random.Generator) -> Call:
    of = _layer(size, rng)
    return (of["grad_output"], _blank(size[2]), size[0], size[2]), {"grad_bias": of["grad_bias"]}


def grad_input(size: Size, rng: np.random.Generator) -> Call:
    of = _layer(size, rng)
    return (of["grad_output"], of["W"], of["x"], _blank(*size[:2]), *size), {"grad_input": of["grad_input"]}


def linear_backward(size: Size, rng: np.random.Generator) -> Call:
    of = _layer(size, rng)
    outputs = {name: of[name] for name in ("grad_weight", "grad_bias", "grad_input")}
    blanks = tuple(_blank(*value.shape) for value in outputs.values())
    return (of["x"], of["W"], of["grad_output"], *blanks, *size), outputs


# --- rows -------------------------------------------------------------------------------------------------------------


def _logits(size: Size, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """(logits, labels, probabilities); the rows lie far from zero, where an unshifted exp overflows.

    Every other row is nearly certain (p near 1). Not the first: alone, p - 1 would be nothing but rounding.
    """
    spread = np.where(np.arange(size[0]) % 2, 10.0, 1.0)[:, None]
    logits = (spread * rng.uniform(-1, 1, size) + rng.uniform(-200, 200, (size[0], 1))).astype(np.float32)
    labels = rng.integers(0, size[1], size[0]).astype(np.int32)
    powers = np.exp(logits.astype(np.float64) - logits.max(1, keepdims=True))
    return logits, labels, powers / powers.sum(1, keepdims=True)


def softmax(size: Size, rng: np.random.Generator) -> Call:
    logits, _, p = _logits(size, rng)
    return (logits, _blank(*size), *size), {"p": p}


def loss(size: Size, rng: np.random.Generator) -> Call:
    _, labels, p = _logits(size, rng)
    p = np.maximum(p, 1e-30).astype(np.float32)
    picked = p[np.arange(size[0]), labels].astype(np.float64)
    return (p, labels, _blank(size[0]), *size), {"losses": -np.log(picked) / size[0]}


def _one_hot(labels: Array, classes: int) -> Array:
    return np.asarray(np.eye(classes)[labels])


def loss_backward(size: Size, rng: np.random.Generator) -> Call:
    _, labels, p = _logits(size, rng)
    p = p.astype(np.float32)
    return (p, labels, _blank(*size), *size), {"grad_logits": (p - _one_hot(labels, size[1])) / size[0]}


def fused_loss(size: Size, rng: np.random.Generator) -> Call:
    logits, labels, p = _logits(size, rng)
    wide = logits.astype(np.float64)
    largest = wide.max(1)
    losses = np.log(np.exp(wide - largest[:, None]).sum(1)) - (wide[np.arange(size[0]), labels] - largest)
    return ((logits, labels, _blank(*size), _blank(size[0]), *size),
            {"grad_logits": (p - _one_hot(labels, size[1])) / size[0], "losses": losses / size[0]})


def _ball(size: Size, rng: np.random.Generator) -> tuple[Array, Array]:
    """Rows inside and outside of the ball; (x, ‖x‖ of each row)."""
    x = (_normal(rng, *size) * rng.uniform(0.1, 3.0, (size[0], 1)) / np.sqrt(size[1])).astype(np.float32)
    return x, np.linalg.norm(x.astype(np.float64), axis=1, keepdims=True)


def ball_forward(size: Size, rng: np.random.Generator) -> Call:
    x, norm = _ball(size, rng)
    return (x, _blank(*size), *size), {"y": x / np.maximum(norm, 1.0)}


def ball_backward(size: Size, rng: np.random.Generator) -> Call:
    x, norm = _ball(size, rng)
    grad = _normal(rng, *size)
    unit = x / np.maximum(norm, 1e-30)
    outside = (grad - unit * (unit * grad).sum(1, keepdims=True)) / np.maximum(norm, 1e-30)
    return (x, grad, _blank(*size), *size), {"grad_x": np.where(norm > 1.0, outside, grad.astype(np.float64))}
